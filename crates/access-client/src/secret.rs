//! The API key, and headers that may contain secrets. `Debug` and error messages do not show them.

use std::fmt;

use http::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::invalid::Invalid;
use crate::redact::Secret;

/// The API key.
#[derive(Clone)]
pub struct ApiKey {
    text: SecretString,
    header: HeaderValue,
}

impl ApiKey {
    /// Parses a key and removes surrounding blanks.
    ///
    /// # Errors
    ///
    /// Returns an error for an empty key, and for one that is not allowed in an HTTP header.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.is_empty() {
            return Err("is empty".into());
        }
        let header = HeaderValue::from_str(&format!("Bearer {text}"));
        let header = header.ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_graphic()));
        let mut header = header.ok_or(
            "contains a blank, a line break or another character that is not allowed in an HTTP header",
        )?;
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

/// A header that is added to every request. `Debug` does not show its value.
#[derive(Clone)]
pub struct ExtraHeader {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

impl ExtraHeader {
    /// Parses a header.
    ///
    /// # Errors
    ///
    /// Returns an error for `Authorization`, `Host`, `Content-*`, hop-by-hop headers, and
    /// characters that are not allowed in an HTTP header.
    pub fn parse(name: &str, value: &str) -> Result<Self, Invalid> {
        let name: HeaderName = name.parse().map_err(|_| "is not a valid header name")?;
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
            return Err("is set by the provider itself".into());
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| "has a value with a character that is not allowed in an HTTP header")?;
        value.set_sensitive(true);
        Ok(Self { name, value })
    }

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
