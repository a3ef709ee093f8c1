//! The mark of a same-name replacement in a plan (DESIGN.md, "Conflicts").
//!
//! A saved plan passes nothing to its apply but the planned values, and Terraform compares those with
//! what the apply plans again: an unknown value there is accepted only if it was unknown in the plan.
//! So a marked plan leaves arguments unknown that the configuration omits and that the plan of another
//! create knows. One of them is not enough: an expression that is known only after apply can set it to
//! null.

use tf_provider::value::Value;

/// Returns whether so many arguments are omitted, or unknown, that they are a mark.
pub(crate) fn is_mark(arguments: &[bool]) -> bool {
    arguments.iter().filter(|argument| **argument).count() >= 2
}

/// Returns the marked value of an argument: unknown, or the value that the configuration sets.
pub(crate) fn unless_set<T: Clone>(configured: &Value<T>) -> Value<T> {
    if configured.is_null() { Value::Unknown } else { configured.clone() }
}
