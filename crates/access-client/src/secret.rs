//! The key, and the headers that may hold secrets: never shown, wherever they are formatted.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::words::url_encoded;

/// The key of the service. Formatting it shows that there is one, and no more.
#[derive(Clone)]
pub struct ApiKey {
    text: SecretString,
    header: HeaderValue,
}

/// Why a text is no key; reads on after "the key". Does not hold the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyError {
    /// Nothing but blanks.
    Empty,
    /// A character that no header can carry.
    Character,
}

impl ApiKey {
    /// Takes a key, without blanks around it.
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

    /// The value of the `Authorization` header.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// The text without the key, in any form that it is likely to come back in.
    pub(crate) fn redact(&self, text: &str) -> String {
        let replace = |text: String, form: &String| text.replace(form.as_str(), "[redacted]");
        self.forms().iter().fold(text.to_owned(), replace)
    }

    /// The first `limit` bytes of `body`; less where the key would be cut in two, for half a key
    /// is no longer recognised.
    pub(crate) fn head<'b>(&self, body: &'b [u8], limit: usize) -> &'b [u8] {
        let mut end = body.len().min(limit);
        for form in self.forms() {
            // Where the form would have to start to reach beyond the end.
            let first = end.saturating_sub(form.len() - 1);
            let straddles = |start: &usize| {
                body.get(*start..).is_some_and(|rest| rest.starts_with(form.as_bytes()))
            };
            end = (first..end).find(straddles).unwrap_or(end);
        }
        body.get(..end).unwrap_or_default()
    }

    /// The key as it is, as it stands in a URL, and as base64 has it. A key of a few characters
    /// would blot out ordinary words; none that short is a secret.
    fn forms(&self) -> Vec<String> {
        let key = self.text.expose_secret();
        let mut forms = vec![
            key.to_owned(),
            url_encoded(key),
            STANDARD_NO_PAD.encode(key),
            URL_SAFE_NO_PAD.encode(key),
        ];
        forms.retain(|form| form.len() >= 4);
        forms
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

/// Why a header is refused; reads on after its name. Does not hold the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraHeaderError {
    /// The name is none.
    Name,
    /// The value has a character that no header can carry.
    Value,
    /// The client sets this header itself.
    Reserved,
}

impl ExtraHeader {
    /// Takes a header.
    ///
    /// # Errors
    ///
    /// Refuses `Authorization`, `Host`, `Content-*`, headers of the connection itself, and what no
    /// header can carry.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_ends_before_a_key_that_it_would_cut() {
        let key = ApiKey::parse("canary-key").unwrap();
        let body = b"0123canary-key456789canary%2Dkey";
        for (limit, expected) in [
            (4, &body[..4]),
            (5, &body[..4]),
            (13, &body[..4]),
            (14, &body[..14]),
            (15, &body[..15]),
            (21, &body[..20]),
            (100, &body[..]),
        ] {
            assert_eq!(key.head(body, limit), expected, "{limit}");
        }
    }
}
