//! The API key, and headers that may contain secrets. `Debug` and error messages do not show them.

use std::fmt;

use http::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::redact::Secret;

/// The API key.
#[derive(Clone)]
pub struct ApiKey {
    text: SecretString,
    header: HeaderValue,
}

/// The reason why a string is not an API key. Its message completes a sentence that begins with
/// "the key" and does not contain the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyError {
    /// The string is empty or contains only blanks.
    Empty,
    /// The string contains a character that is not allowed in an HTTP header.
    Character,
}

impl ApiKey {
    /// Parses a key and removes surrounding blanks.
    ///
    /// # Errors
    ///
    /// Returns an error for an empty key, and for one that is not allowed in an HTTP header.
    pub fn parse(text: &str) -> Result<Self, ApiKeyError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ApiKeyError::Empty);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ApiKeyError::Character);
        }
        let mut header =
            HeaderValue::from_str(&format!("Bearer {text}")).map_err(|_| ApiKeyError::Character)?;
        header.set_sensitive(true);
        Ok(Self { text: text.to_owned().into(), header })
    }

    /// Returns the value of the `Authorization` header.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// Returns the secrets to redact.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        vec![Secret::new(self.text.expose_secret())]
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey([redacted])")
    }
}

impl fmt::Display for ApiKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("is empty"),
            Self::Character => f.write_str(
                "contains a blank, a line break or another character that is not allowed in an HTTP header",
            ),
        }
    }
}

impl std::error::Error for ApiKeyError {}

/// A header that is added to every request. `Debug` does not show its value.
#[derive(Clone)]
pub struct ExtraHeader {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

/// The reason why a header is rejected. Its message follows the header's name and does not contain
/// the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraHeaderError {
    /// The name is not a valid header name.
    Name,
    /// The value contains a character that is not allowed in an HTTP header.
    Value,
    /// The client sets this header itself.
    Reserved,
}

impl ExtraHeader {
    /// Parses a header.
    ///
    /// # Errors
    ///
    /// Returns an error for `Authorization`, `Host`, `Content-*`, hop-by-hop headers, and
    /// characters that are not allowed in an HTTP header.
    pub fn parse(name: &str, value: &str) -> Result<Self, ExtraHeaderError> {
        let name: HeaderName = name.parse().map_err(|_| ExtraHeaderError::Name)?;
        let of_the_connection = [
            "authorization",
            "proxy-authorization",
            "host",
            "connection",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "expect",
        ];
        if of_the_connection.contains(&name.as_str()) || name.as_str().starts_with("content-") {
            return Err(ExtraHeaderError::Reserved);
        }
        let mut value = HeaderValue::from_str(value).map_err(|_| ExtraHeaderError::Value)?;
        value.set_sensitive(true);
        Ok(Self { name, value })
    }
}

impl ExtraHeader {
    /// Returns the secrets to redact: the value, and the credentials after a scheme such as
    /// `Bearer`.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let Ok(value) = std::str::from_utf8(self.value.as_bytes()) else { return Vec::new() };
        let value = value.trim();
        let credentials = value.split_once(' ').map(|(_, credentials)| credentials.trim());
        std::iter::once(value).chain(credentials).map(Secret::new).collect()
    }
}

impl fmt::Debug for ExtraHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: [redacted]", self.name)
    }
}

impl fmt::Display for ExtraHeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "is not a valid header name",
            Self::Value => "has a value with a character that is not allowed in an HTTP header",
            Self::Reserved => "is set by the provider itself",
        })
    }
}

impl std::error::Error for ExtraHeaderError {}
