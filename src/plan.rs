//! The plan helpers that tf-provider lacks.
//!
//! Terraform proposes null for a computed attribute that has no prior value; a plan has to turn
//! that into "known after apply" itself, and has to name what replaces an object.

use tf_provider::value::Value;
use tf_provider::{AttributePath, AttributePathStep};

/// The prior value where there is one, else "known after apply".
pub(crate) fn keep<T: Clone>(prior: &Value<T>) -> Value<T> {
    match prior {
        Value::Value(_) => prior.clone(),
        Value::Null | Value::Unknown => Value::Unknown,
    }
}

/// What stands in the state after an apply: a planned value is a promise to Terraform, anything
/// that was "known after apply" is what the service answered.
pub(crate) fn settle<T>(planned: Value<T>, answered: Value<T>) -> Value<T> {
    match planned {
        Value::Unknown => answered,
        known => known,
    }
}

/// The names of the attributes that replace the object, of those given with their prior and
/// planned values.
pub(crate) fn replaced_by<T: PartialEq>(
    attributes: &[(&'static str, &Value<T>, &Value<T>)],
) -> Vec<AttributePath> {
    attributes
        .iter()
        .filter(|(_, prior, planned)| prior != planned)
        .map(|(name, _, _)| path(name))
        .collect()
}

/// The path of an attribute of the object itself.
pub(crate) fn path(attribute: &'static str) -> AttributePath {
    AttributePath { steps: vec![AttributePathStep::Attribute(attribute.into())] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keep_turns_nothing_into_known_after_apply() {
        assert_eq!(keep(&Value::Value(1)), Value::Value(1));
        assert_eq!(keep::<i32>(&Value::Null), Value::Unknown);
        assert_eq!(keep::<i32>(&Value::Unknown), Value::Unknown);
    }

    #[test]
    fn settle_keeps_what_was_planned() {
        assert_eq!(settle(Value::Value(1), Value::Value(2)), Value::Value(1));
        assert_eq!(settle(Value::Null, Value::Value(2)), Value::Null);
        assert_eq!(settle(Value::Unknown, Value::Value(2)), Value::Value(2));
        assert_eq!(settle::<i32>(Value::Unknown, Value::Null), Value::Null);
    }

    #[test]
    fn replaced_by_names_what_differs() {
        let (a, b) = (Value::Value("a"), Value::Value("b"));
        let paths = replaced_by(&[("listing", &a, &a), ("role", &a, &b)]);
        assert_eq!(paths, [path("role")]);
        assert_eq!(replaced_by(&[("role", &a, &Value::Unknown)]), [path("role")]);
    }
}
