//! Secrets, found and removed in whatever spelling a service returns them.
//!
//! The text is decoded while it is searched: URL encoding, JSON escapes and HTML entities in any
//! mixture and up to [`LAYERS`] times over one another, and base64 at any alignment. A list of
//! encoded forms would miss the forms in which only some characters are encoded.

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

/// The shortest secret that is redacted. A shorter value, such as `1` or `eu`, is part of ordinary
/// words, which would become unreadable, and is too short to be a secret.
const SHORTEST_SECRET: usize = 4;
/// How many encodings over one another are decoded: a URL in a JSON text in an HTML page.
const LAYERS: usize = 3;
/// The most bytes that encodings over one another make of one byte.
const LONGEST_UNIT: usize = 32;

/// The text that replaces a secret.
const REDACTED: &str = "[redacted]";

/// A text that must not be shown.
#[derive(Clone)]
pub(crate) struct Secret(SecretString);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    /// Returns the header that sends these credentials, `user:password`.
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
    /// Creates a redactor of these secrets. Those that are shorter than four bytes are left out.
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let secrets: Vec<_> =
            secrets.into_iter().filter(|secret| secret.bytes().len() >= SHORTEST_SECRET).collect();
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

    /// Returns the first `limit` bytes of `body`, or fewer if a secret would be cut in two: half a
    /// secret is not recognised.
    pub(crate) fn head<'b>(&self, body: &'b [u8], limit: usize) -> &'b [u8] {
        let window = limit.saturating_add(self.longest * LONGEST_UNIT).min(body.len());
        let end = limit.min(body.len());
        let found = self.find(body.get(..window).unwrap_or_default());
        let cut = found.iter().find(|range| range.start < end && end < range.end);
        body.get(..cut.map_or(end, |range| range.start)).unwrap_or_default()
    }

    /// Finds the secrets: ranges of the text, in order, that do not touch one another.
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

/// Finds a secret of which any character may be encoded once more, without regard to case.
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

/// Returns where the secret ends if it begins at `start`.
fn end_of_match(layer: &Layer, secret: &[u8], start: usize) -> Option<usize> {
    let first = layer.byte(start)?;
    let expected = secret.first()?;
    if !matches!(first, b'%' | b'\\' | b'&' | b'+') && !first.eq_ignore_ascii_case(expected) {
        return None;
    }
    // A character may be read as it is or as the beginning of an encoded one, so that there may be
    // several places in the text for one place in the secret.
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
