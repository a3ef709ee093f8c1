//! The macro `states!`.

/// Defines the state of a resource and that of its data source, which have the attributes of the
/// object in common: the data source has nothing else, the resource has options in addition.
///
/// Both structs are (de)serialized with `serde`, which the calling crate needs with its feature
/// `derive`. The resource's has a method `resolve_unknowns`, which replaces unknown values by those
/// of another state, and a conversion into the data source's.
///
/// ```
/// use plugin_server::tf_provider::value::Value;
///
/// plugin_server::states! {
///     /// A jar in the state.
///     JarState {
///         keep: Value<bool>,
///     }
///     /// A jar as the data source shows it.
///     JarData {
///         id: Value<String>,
///     }
/// }
///
/// let planned = JarState { id: Value::Unknown, keep: Value::Value(true) };
/// let stored = JarState { id: Value::Value("7".to_owned()), ..JarState::default() };
/// let state = planned.resolve_unknowns(stored);
/// assert_eq!(state.keep, Value::Value(true));
/// assert_eq!(JarData::from(state).id, Value::Value("7".to_owned()));
/// ```
#[macro_export]
macro_rules! states {
    (
        $(#[$state_doc:meta])* $state:ident { $($option:ident: $option_type:ty,)* }
        $(#[$data_doc:meta])* $data:ident { $($field:ident: $type:ty,)* }
    ) => {
        $(#[$state_doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)] // a state of a prior schema version lacks newer attributes
        pub(crate) struct $state {
            $(pub(crate) $field: $type,)*
            $(pub(crate) $option: $option_type,)*
        }

        $(#[$data_doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        pub(crate) struct $data {
            $(pub(crate) $field: $type,)*
        }

        impl From<$state> for $data {
            fn from(state: $state) -> Self {
                Self { $($field: state.$field,)* }
            }
        }

        impl $state {
            /// Returns the plan with unknown values replaced by those of `stored`.
            pub(crate) fn resolve_unknowns(self, stored: Self) -> Self {
                use $crate::plan_modifier::resolve_unknown;
                Self {
                    $($field: resolve_unknown(self.$field, stored.$field),)*
                    $($option: resolve_unknown(self.$option, stored.$option),)*
                }
            }
        }
    };
}
