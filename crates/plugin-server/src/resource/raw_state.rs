//! Stored values, in the form in which the host sends them.

use std::fmt;

use serde::Deserialize;
use tf_provider::Diagnostics;

use crate::diagnostic::error;

/// A value of the state file, as JSON: an object with the members of the schema under which it was
/// stored.
#[derive(Clone, Copy)]
pub struct RawState<'a>(&'a [u8]);

impl<'a> RawState<'a> {
    pub(crate) fn new(json: &'a [u8]) -> Self {
        Self(json)
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// Deserializes the value to a type of the provider. Attributes that the type does not have are
    /// ignored. An attribute that the state may not contain needs `#[serde(default)]`.
    ///
    /// A number that does not fit 64 bits needs a type that reads `serde_json`'s raw values.
    ///
    /// # Errors
    ///
    /// Returns `None` after adding an error to `diags`.
    pub fn read<T: Deserialize<'a>>(self, diags: &mut Diagnostics) -> Option<T> {
        match serde_json::from_slice(self.0) {
            Ok(value) => Some(value),
            Err(reason) => {
                // The message of serde can contain values of the state, so only the position is
                // shown.
                let place = format!("line {}, column {}", reason.line(), reason.column());
                let detail = format!(
                    "The stored state does not have the expected form, at {place} of its JSON text."
                );
                error(diags, "Unreadable state", detail);
                None
            }
        }
    }
}

impl fmt::Debug for RawState<'_> {
    /// Shows only the length, because states contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawState({} bytes)", self.0.len())
    }
}
