//! Plan modifiers, named as in Go's plugin framework.
//!
//! For an attribute that the configuration omits, hosts propose the prior value if the attribute is
//! computed, and null if there is none. A plan has to turn that null into an unknown value, which
//! users see as "known after apply", and has to name the attributes that require replacement.
//!
//! ```
//! use plugin_server::plan_modifier::{requires_replace, resolve_unknown, use_state_for_unknown};
//! use plugin_server::tf_provider::AttributePath;
//! use plugin_server::tf_provider::value::Value;
//!
//! // The first plan of a jar: nothing has set its weight yet.
//! assert_eq!(use_state_for_unknown::<i64>(&Value::Null), Value::Unknown);
//! // A later plan: the weight stays.
//! assert_eq!(use_state_for_unknown(&Value::Value(3)), Value::Value(3));
//! // The apply of a plan, after the API has returned 4.
//! assert_eq!(resolve_unknown(Value::Unknown, Value::Value(4)), Value::Value(4));
//! assert_eq!(resolve_unknown(Value::Null, Value::Value(4)), Value::Null);
//! let plum = Value::Value("plum");
//! let pear = Value::Value("pear");
//! let changes = [("label", &plum, &pear), ("content", &plum, &plum)];
//! assert_eq!(requires_replace(&changes), [AttributePath::new("label")]);
//! ```

use tf_provider::AttributePath;
use tf_provider::value::Value;

use crate::report::ToAttributePath;

/// Returns the proposed value of a computed attribute, or an unknown value if there is none yet.
///
/// Use it for an attribute that an update does not change. An attribute that the update changes is
/// [`Value::Unknown`]. For a computed member of a nested attribute, Terraform proposes the prior
/// value if the element existed before: the element with the same index, key, or for sets the same
/// other members.
#[must_use]
pub fn use_state_for_unknown<T: Clone>(proposed: &Value<T>) -> Value<T> {
    match proposed {
        Value::Null => Value::Unknown,
        proposed => proposed.clone(),
    }
}

/// Returns the planned value if it is known, because hosts refuse any other result of the apply,
/// and otherwise the value from the response of the API.
#[must_use]
pub fn resolve_unknown<T>(planned: Value<T>, from_response: Value<T>) -> Value<T> {
    match planned {
        Value::Unknown => from_response,
        planned => planned,
    }
}

/// Returns the paths of the attributes that require replacement: those of which the prior and the
/// planned value differ.
#[must_use]
pub fn requires_replace<T: PartialEq, A: ToAttributePath + Copy>(
    attributes: &[(A, &Value<T>, &Value<T>)],
) -> Vec<AttributePath> {
    attributes
        .iter()
        .filter(|(_, prior, planned)| prior != planned)
        .map(|(attribute, _, _)| attribute.to_attribute_path())
        .collect()
}
