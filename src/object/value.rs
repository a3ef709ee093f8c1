//! Values of configurations and states.

use tf_provider::value::Value;

/// Returns the text of a value; `None` if it is null or unknown.
pub(crate) fn known_text(value: &Value<String>) -> Option<&str> {
    value.as_ref_option().map(String::as_str)
}
