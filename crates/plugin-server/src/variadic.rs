//! The arguments of functions with a variadic parameter.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The arguments of a function with a variadic parameter: a tuple of the fixed ones, and a list of
/// those of the variadic parameter. If all arguments have one type, the input of the function can be
/// `Vec<Value<T>>` instead.
///
/// An error at an argument is `diags.function_error(index, text)`, with a text that continues a
/// sentence and does not end in a full stop, because hosts add it.
///
/// ```
/// use async_trait::async_trait;
/// use plugin_server::Variadic;
/// use plugin_server::schema::new_function;
/// use plugin_server::tf_provider::schema::{Description, FunctionSchema, Parameter, Type};
/// use plugin_server::tf_provider::value::Value;
/// use plugin_server::tf_provider::{Diagnostics, Function};
///
/// /// `provider::pantry::join(" and ", "plum", "pear")` is `plum and pear`.
/// struct Join;
///
/// #[async_trait]
/// impl Function for Join {
///     type Input<'a> = Variadic<(Value<String>,), Value<String>>;
///     type Output<'a> = Value<String>;
///
///     fn schema(&self, _: &mut Diagnostics) -> Option<FunctionSchema> {
///         let separator = [("separator", Type::String, "The text between the labels.")];
///         let description = "Joins labels to one text.";
///         let mut schema = new_function("Joins labels", description, separator, Type::String);
///         schema.variadic = Some(Parameter {
///             name: "labels".to_owned(),
///             param_type: Type::String,
///             allow_null: false,
///             allow_unknown: false,
///             description: Description::markdown("The labels."),
///         });
///         Some(schema)
///     }
///
///     async fn call<'a>(
///         &self,
///         _: &mut Diagnostics,
///         Variadic { fixed: (separator,), rest }: Self::Input<'a>,
///     ) -> Option<Value<String>> {
///         let labels: Vec<String> = rest.into_iter().flatten().collect();
///         Some(Value::Value(labels.join(&separator.as_option()?)))
///     }
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variadic<F, T> {
    /// The fixed arguments, as a tuple.
    pub fixed: F,
    /// The arguments of the variadic parameter.
    pub rest: Vec<T>,
}

impl<'de, F: Deserialize<'de>, T: Deserialize<'de>> Deserialize<'de> for Variadic<F, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Arguments(PhantomData))
    }
}

struct Arguments<F, T>(PhantomData<fn() -> Variadic<F, T>>);

impl<'de, F: Deserialize<'de>, T: Deserialize<'de>> Visitor<'de> for Arguments<F, T> {
    type Value = Variadic<F, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the arguments of a function")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut arguments: A) -> Result<Self::Value, A::Error> {
        let fixed = F::deserialize(SeqAccessDeserializer::new(&mut arguments))?;
        let mut rest = Vec::new();
        while let Some(argument) = arguments.next_element()? {
            rest.push(argument);
        }
        Ok(Variadic { fixed, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tf_provider::value::Value;

    type Labels = Variadic<(Value<String>, Value<i64>), Value<bool>>;

    fn read<A: serde::Serialize>(arguments: A) -> Option<Labels> {
        rmp_serde::from_slice(&rmp_serde::to_vec(&arguments).unwrap()).ok()
    }

    #[test]
    fn fixed_arguments_come_before_the_variadic_ones() {
        let fixed = || (Value::Value("plum".to_owned()), Value::Value(1));
        assert_eq!(read(("plum", 1)), Some(Variadic { fixed: fixed(), rest: vec![] }));
        let rest = vec![Value::Value(true), Value::Null];
        assert_eq!(read(("plum", 1, true, ())), Some(Variadic { fixed: fixed(), rest }));
        assert_eq!(read(("plum",)), None);
        assert_eq!(read(("plum", 1, "pear")), None);
    }
}
