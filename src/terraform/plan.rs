//! The plan modifiers that tf-provider lacks, named as in Go's plugin framework.
//!
//! Terraform proposes null for a computed attribute without a prior value. A plan has to turn that
//! into "known after apply" itself, and has to name the attributes that require replacement.

use tf_provider::value::Value;
use tf_provider::{AttributePath, AttributePathStep};

/// Returns the prior value if there is one, otherwise "known after apply".
pub(crate) fn use_state_for_unknown<T: Clone>(prior: &Value<T>) -> Value<T> {
    match prior {
        Value::Value(_) => prior.clone(),
        Value::Null | Value::Unknown => Value::Unknown,
    }
}

/// Returns the planned value if it is known, because Terraform holds the provider to it, and
/// otherwise the value from the API response.
pub(crate) fn resolve_unknown<T>(planned: Value<T>, from_response: Value<T>) -> Value<T> {
    match planned {
        Value::Unknown => from_response,
        known => known,
    }
}

/// Returns the paths of the attributes that require replacement: of those given with their prior
/// and planned values, the ones that differ.
pub(crate) fn requires_replace<T: PartialEq>(
    attributes: &[(&'static str, &Value<T>, &Value<T>)],
) -> Vec<AttributePath> {
    attributes
        .iter()
        .filter(|(_, prior, planned)| prior != planned)
        .map(|(name, _, _)| path(name))
        .collect()
}

/// Returns the path of an attribute of the resource itself.
pub(crate) fn path(attribute: &'static str) -> AttributePath {
    AttributePath { steps: vec![AttributePathStep::Attribute(attribute.into())] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_state_for_unknown_plans_a_missing_value_as_known_after_apply() {
        assert_eq!(use_state_for_unknown(&Value::Value(1)), Value::Value(1));
        assert_eq!(use_state_for_unknown::<i32>(&Value::Null), Value::Unknown);
        assert_eq!(use_state_for_unknown::<i32>(&Value::Unknown), Value::Unknown);
    }

    #[test]
    fn resolve_unknown_keeps_what_was_planned() {
        assert_eq!(resolve_unknown(Value::Value(1), Value::Value(2)), Value::Value(1));
        assert_eq!(resolve_unknown(Value::Null, Value::Value(2)), Value::Null);
        assert_eq!(resolve_unknown(Value::Unknown, Value::Value(2)), Value::Value(2));
        assert_eq!(resolve_unknown::<i32>(Value::Unknown, Value::Null), Value::Null);
    }

    #[test]
    fn requires_replace_names_what_differs() {
        let (a, b) = (Value::Value("a"), Value::Value("b"));
        let paths = requires_replace(&[("listing", &a, &a), ("role", &a, &b)]);
        assert_eq!(paths, [path("role")]);
        assert_eq!(requires_replace(&[("role", &a, &Value::Unknown)]), [path("role")]);
    }
}
