//! The mark of a same-name replacement in a plan (DESIGN.md, "Conflicts").
//!
//! A saved plan passes nothing to its apply but the planned values, and Terraform compares those with
//! what the apply plans again: an unknown value there is accepted only if it was unknown in the plan.
//! So a marked plan leaves `adopt_existing` and `deletion_policy` unknown where the configuration omits
//! them. The plan of another create knows them, unless an expression that is known only after apply sets
//! them.

use tf_provider::value::Value;

/// Returns the marked value of an attribute: unknown, or the value that the configuration sets.
pub(crate) fn unless_set<T: Clone>(configured: &Value<T>) -> Value<T> {
    if configured.is_null() { Value::Unknown } else { configured.clone() }
}
