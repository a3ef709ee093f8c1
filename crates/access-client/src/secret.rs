//! The key, and the headers that may hold secrets. Formatting them shows no secret.

use std::fmt;

use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::redact::Secret;

/// The API key.
#[derive(Clone)]
pub struct ApiKey {
    text: SecretString,
    header: HeaderValue,
}

/// Why a text is not a key; reads on after "the key". Does not contain the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyError {
    /// The empty text, or only blanks.
    Empty,
    /// A character that no header can carry.
    Character,
}

impl ApiKey {
    /// Parses a key, without blanks around it.
    ///
    /// # Errors
    ///
    /// Refuses an empty key, and one that an HTTP header cannot carry.
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

    /// Returns what must not be shown.
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
                "contains a blank, a line break or another character that no HTTP header can carry",
            ),
        }
    }
}

impl std::error::Error for ApiKeyError {}

/// A header added to every request. Its value is not shown.
#[derive(Clone)]
pub struct ExtraHeader {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

/// Why a header is refused; reads on after its name. Does not contain the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraHeaderError {
    /// The name is not that of a header.
    Name,
    /// The value contains a character that no header can carry.
    Value,
    /// The client sets this header itself.
    Reserved,
}

impl ExtraHeader {
    /// Parses a header.
    ///
    /// # Errors
    ///
    /// Refuses `Authorization`, `Host`, `Content-*`, headers of the connection itself, and
    /// characters that no header can carry.
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
    /// Returns what must not be shown: the value, and the credentials after a scheme such as `Bearer`.
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
            Self::Name => "is not the name of a header",
            Self::Value => "has a value with a character that no HTTP header can carry",
            Self::Reserved => "is set by the provider itself",
        })
    }
}

impl std::error::Error for ExtraHeaderError {}
