//! The fields of objects, and the values that they can have.

use serde_json::{Value, json};

use crate::response::ApiError;

/// The form of a field's value.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Text,
    Texts,
    /// A 64-bit integer as a decimal string.
    Decimal,
}

/// A field of an object.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    /// Whether clients can send it and name it in a mask.
    pub(crate) is_sent: bool,
    /// Whether an object can lack it.
    pub(crate) is_optional: bool,
}

/// Returns a field that clients can send.
pub(crate) const fn sent(name: &'static str, form: Form) -> Field {
    Field { name, form, is_sent: true, is_optional: false }
}

/// Returns a field that only the service sets.
pub(crate) const fn set_by_service(name: &'static str, is_optional: bool) -> Field {
    Field { name, form: Form::Text, is_sent: false, is_optional }
}

impl Field {
    /// Returns the value of an empty field.
    pub(crate) fn cleared(&self) -> Value {
        match self.form {
            Form::Text => json!(""),
            Form::Texts => json!([]),
            Form::Decimal => json!("0"),
        }
    }

    /// Rejects a value of another form than the field's.
    pub(crate) fn check(&self, value: &Value) -> Result<(), ApiError> {
        let is_decimal = |text: &str| !text.starts_with('+') && text.parse::<i64>().is_ok();
        let (fits, form) = match self.form {
            Form::Text => (value.is_string(), "a string"),
            Form::Texts => {
                let texts = value.as_array();
                (texts.is_some_and(|texts| texts.iter().all(Value::is_string)), "a list of strings")
            }
            // Many clients lose digits of numbers, so the schema requires a string.
            Form::Decimal => {
                (value.as_str().is_some_and(is_decimal), "a decimal string of 64 bits")
            }
        };
        if fits {
            return Ok(());
        }
        Err(ApiError::bad_request(format!("{} must be {form}, not {value}", self.name)))
    }
}
