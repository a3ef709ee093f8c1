//! The error of a configuration that cannot be used.

use std::fmt;

/// The reason why a client cannot be created; does not contain secrets.
#[derive(Clone, Debug)]
pub struct SettingsError(pub(crate) String);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingsError {}
