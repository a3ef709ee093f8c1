//! The macro `states!`.

/// Defines the state of a resource and of its data source. The second has only the attributes of the
/// object, the first has options in addition.
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
                use plugin_server::plan_modifier::resolve_unknown;
                Self {
                    $($field: resolve_unknown(self.$field, stored.$field),)*
                    $($option: resolve_unknown(self.$option, stored.$option),)*
                }
            }
        }
    };
}
pub(crate) use states;
