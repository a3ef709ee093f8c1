//! The error of values that are not accepted.

use std::borrow::Cow;
use std::fmt;

/// The reason why a value is not accepted; does not contain secrets. Its message completes a
/// sentence that begins with the value's name: "must not be empty".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(Cow<'static, str>);

impl<T: Into<Cow<'static, str>>> From<T> for Invalid {
    fn from(reason: T) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Invalid {}
