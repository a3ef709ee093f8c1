//! The API key. `Debug` and error messages do not show it.

use std::fmt;

use http::header::HeaderValue;
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
        let scheme = text.split_once(char::is_whitespace).map(|(scheme, _)| scheme);
        if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("Bearer")) {
            return Err("begins with `Bearer `, which is added to it; remove that part".into());
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

    /// Returns the key to redact.
    pub(crate) fn secret(&self) -> Secret {
        Secret::new(self.text.expose_secret())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey([redacted])")
    }
}
