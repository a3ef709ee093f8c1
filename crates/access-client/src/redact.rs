//! Redaction of secrets, in any encoding in which a service returns them.
//!
//! The text is decoded while it is searched: URL encoding, JSON escapes and HTML entities, in any
//! combination and nested up to [`LAYERS`] times, and base64 at any alignment. A list of encoded
//! forms would miss those in which only some characters are encoded.

mod base64;
mod decode;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};

use decode::Layer;

/// The shortest secret that is redacted. A shorter value, such as `1` or `eu`, is too short to be a
/// secret and is a part of ordinary text, which would become unreadable.
const MIN_SECRET_BYTES: usize = 4;
/// The number of nested encodings that are decoded: a URL in a JSON string in an HTML page.
const LAYERS: usize = 3;
/// The largest number of bytes to which nested encodings extend one byte.
const MAX_UNIT_BYTES: usize = 32;

/// The text that replaces a secret.
const REDACTED: &str = "[redacted]";

/// A string that must not be shown.
#[derive(Clone)]
pub(crate) struct Secret(SecretString);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    /// Returns the value of the header for basic authentication with these credentials,
    /// `user:password`.
    pub(crate) fn basic(&self) -> String {
        format!("Basic {}", STANDARD.encode(self.bytes()))
    }

    fn bytes(&self) -> &[u8] {
        self.0.expose_secret().as_bytes()
    }
}

/// Removes the secrets of a client from everything that the service sends.
#[derive(Clone)]
pub(crate) struct Redactor {
    secrets: Vec<Secret>,
    longest: usize,
}

impl Redactor {
    /// Creates a redactor of these secrets, except those that are shorter than four bytes.
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let secrets: Vec<_> =
            secrets.into_iter().filter(|secret| secret.bytes().len() >= MIN_SECRET_BYTES).collect();
        let longest = secrets.iter().map(|secret| secret.bytes().len()).max().unwrap_or(0);
        Self { secrets, longest }
    }

    /// Returns the text without the secrets.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut shown = 0;
        for range in self.find(text.as_bytes()) {
            redacted.push_str(text.get(shown..range.start).unwrap_or_default());
            redacted.push_str(REDACTED);
            shown = range.end;
        }
        redacted.push_str(text.get(shown..).unwrap_or_default());
        redacted
    }

    /// Returns the first `limit` bytes of `body`, or fewer if a secret would be cut, because a part
    /// of a secret is not recognised.
    pub(crate) fn head<'b>(&self, body: &'b [u8], limit: usize) -> &'b [u8] {
        let window = limit.saturating_add(self.longest * MAX_UNIT_BYTES).min(body.len());
        let end = limit.min(body.len());
        let found = self.find(body.get(..window).unwrap_or_default());
        let cut = found.iter().find(|range| range.start < end && end < range.end);
        body.get(..cut.map_or(end, |range| range.start)).unwrap_or_default()
    }

    /// Returns the ranges of the text that contain secrets, in order and separate from one another.
    fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut layer = Layer::plain(text);
        for _ in 0..=LAYERS {
            for secret in &self.secrets {
                find_encoded(&layer, secret.bytes(), &mut found);
            }
            for decoded in base64::decode_runs(&layer) {
                for secret in &self.secrets {
                    find_encoded(&decoded, secret.bytes(), &mut found);
                }
            }
            match layer.decode() {
                Some(decoded) => layer = decoded,
                None => break,
            }
        }
        merge(found)
    }
}

/// Finds a secret, ignoring case. Any of its characters may be encoded once more.
fn find_encoded(layer: &Layer, secret: &[u8], found: &mut Vec<Range<usize>>) {
    let mut start = 0;
    while start < layer.len() {
        match end_of_match(layer, secret, start) {
            Some(end) => {
                found.push(layer.source(start..end));
                start = end;
            }
            None => start += 1,
        }
    }
}

/// Returns the end of the secret if it begins at `start`.
fn end_of_match(layer: &Layer, secret: &[u8], start: usize) -> Option<usize> {
    let first = layer.byte(start)?;
    let expected = secret.first()?;
    if !matches!(first, b'%' | b'\\' | b'&' | b'+') && !first.eq_ignore_ascii_case(expected) {
        return None;
    }
    // A character can be literal or the beginning of an encoded one, so that one position in the
    // secret can correspond to several positions in the text.
    let mut places = BTreeSet::from([(0, start)]);
    while let Some((matched, at)) = places.pop_first() {
        let rest = secret.get(matched..)?;
        let Some(expected) = rest.first() else { return Some(at) };
        let Some(raw) = layer.byte(at) else { continue };
        if raw.eq_ignore_ascii_case(expected) || (raw == b'+' && *expected == b' ') {
            places.insert((matched + 1, at + 1));
        }
        if let Some(unit) = layer.unit(at) {
            let end = matched + unit.bytes().len();
            let expected = secret.get(matched..end);
            if expected.is_some_and(|expected| expected.eq_ignore_ascii_case(unit.bytes())) {
                places.insert((end, at + unit.length));
            }
        }
    }
    None
}

/// Sorts ranges and joins those that overlap or touch.
fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
