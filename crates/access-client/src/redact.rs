//! Redaction of secrets: as they are, and percent-encoded.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// The shortest secret that is redacted. A shorter value, such as `1` or `eu`, is too short to be a
/// secret and is a part of ordinary text, which would become unreadable.
const MIN_SECRET_BYTES: usize = 4;

/// The text that replaces a secret.
const REDACTED: &str = "[redacted]";

/// A string that must not be shown.
#[derive(Clone)]
pub(crate) struct Secret(SecretString);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    fn text(&self) -> &str {
        self.0.expose_secret()
    }
}

/// Removes the secrets of a client from everything that the service sends.
pub(crate) struct Redactor(Vec<Secret>);

impl Redactor {
    /// Creates a redactor of these secrets, except those that are shorter than four bytes.
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let is_long = |secret: &Secret| secret.text().len() >= MIN_SECRET_BYTES;
        let mut secrets: Vec<_> = secrets.into_iter().filter(is_long).collect();
        // A secret may contain another one.
        secrets.sort_by_key(|secret| Reverse(secret.text().len()));
        Self(secrets)
    }

    /// Returns the text without the secrets.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            replace_encoded(&text.replace(secret.text(), REDACTED), secret.text())
        })
    }

    /// Returns JSON without the secrets in its texts and names.
    pub(crate) fn redact_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.redact_json(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.redact(&name), self.redact_json(value)))
                .collect(),
            value => value,
        }
    }

    /// Returns about the first `limit` bytes of a body without the secrets, and without the part of
    /// a secret that would be cut.
    pub(crate) fn head(&self, body: &[u8], limit: usize) -> String {
        let Some(head) = body.get(..limit) else {
            return self.redact(&String::from_utf8_lossy(body));
        };
        let longest = self.0.first().map_or(0, |secret| 3 * secret.text().len());
        let mut text = self.redact(&String::from_utf8_lossy(head));
        text.truncate(text.floor_char_boundary(text.len().saturating_sub(longest)));
        text
    }
}

/// Replaces a secret of which bytes are percent-encoded.
fn replace_encoded(text: &str, secret: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    // The decoded bytes, and the place in the text at which each of them begins.
    let mut decoded = Vec::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len() + 1);
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        places.push(text.len() - rest.len());
        let (byte, after) = decode(rest).unwrap_or((*byte, after));
        decoded.push(byte);
        rest = after;
    }
    places.push(text.len());
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(begin) = find(&decoded, secret.as_bytes(), from) {
        // The place of a byte that begins or follows a text is between two characters.
        shown.push_str(&text[places[from]..places[begin]]);
        shown.push_str(REDACTED);
        from = begin + secret.len();
    }
    shown + &text[places[from]..]
}

/// Returns the byte that is percent-encoded at the start of a text, and the rest.
fn decode(text: &[u8]) -> Option<(u8, &[u8])> {
    let [b'%', high, low, rest @ ..] = text else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let byte = u8::try_from(16 * digit(high)? + digit(low)?).ok()?;
    Some((byte, rest))
}

/// Returns the place of a part at or after a place.
fn find(bytes: &[u8], part: &[u8], from: usize) -> Option<usize> {
    bytes[from..].windows(part.len()).position(|window| window == part).map(|at| from + at)
}
