//! Redaction of secrets, also in the encodings in which services and gateways return them.
//!
//! `aho-corasick` finds the secrets and their forms in base64 in one pass. Encoders of URLs, JSON
//! and HTML differ in the characters that they escape and in how they write them, so their escapes
//! are resolved in the text.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretString};

use crate::invalid::Invalid;

/// The shortest secret that is redacted. A shorter value, such as `1` or `eu`, is too short to be a
/// secret and is a part of ordinary text, which would become unreadable.
const MIN_SECRET_BYTES: usize = 4;

/// The text that replaces a secret.
const REDACTED: &str = "[redacted]";

/// The character references of HTML that encoders write by name.
const HTML_NAMES: [(&str, char); 5] =
    [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
/// The largest number of bytes of a character reference after its `&`.
const MAX_REFERENCE_BYTES: usize = 10;

/// A string that must not be shown.
#[derive(Clone)]
pub(crate) struct Secret(SecretString);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    #[cfg(feature = "simulation")]
    pub(crate) fn text(&self) -> String {
        self.0.expose_secret().to_owned()
    }
}

/// Removes the secrets of a client from everything that the service sends.
pub(crate) struct Redactor {
    needles: AhoCorasick,
    /// The characters of the secrets and of their forms in base64.
    characters: HashSet<char>,
    /// The largest number of bytes that a secret takes in any form.
    longest: usize,
}

impl Redactor {
    /// Creates a redactor of these secrets, except those that are shorter than four bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the secrets are too large to be searched for.
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Result<Self, Invalid> {
        let mut all = Vec::new();
        let mut longest = 0;
        for secret in secrets {
            let secret = secret.0.expose_secret();
            // Each character of the secret may be a reference of HTML, the longest form.
            longest = longest.max(secret.len() * (1 + MAX_REFERENCE_BYTES));
            all.extend(needles(secret));
        }
        let both_cases = |c: char| [c.to_ascii_lowercase(), c.to_ascii_uppercase()];
        let characters =
            all.iter().flat_map(|needle| needle.chars().flat_map(both_cases)).collect();
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            // Some services change the case of a header.
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(all)
            .map(|needles| Self { needles, characters, longest })
            .map_err(|_| "the key is too large".into())
    }

    /// Returns about the first `limit` bytes of a body without the secrets, and without the part of
    /// a secret that would be cut.
    pub(crate) fn head(&self, body: &[u8], limit: usize) -> String {
        let Some(head) = body.get(..limit) else {
            return self.redact(&String::from_utf8_lossy(body));
        };
        let mut text = self.redact(&String::from_utf8_lossy(head));
        text.truncate(text.floor_char_boundary(text.len().saturating_sub(self.longest)));
        text
    }

    /// Returns the text without the secrets. Where a secret is written with escapes, those of the
    /// whole text are resolved.
    pub(crate) fn redact(&self, text: &str) -> String {
        let redacted = self.replace(text);
        let resolved = self.resolve(&redacted);
        let replaced = self.replace(&resolved);
        if replaced == resolved { redacted } else { replaced }
    }

    /// Replaces escapes of HTML, URLs and JSON by their characters: only those that a secret
    /// contains. Others, such as control characters, must not reach a terminal.
    fn resolve(&self, text: &str) -> String {
        let mut resolved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, escaped)) =
            rest.find(['&', '%', '\\']).map(|place| rest.split_at(place))
        {
            resolved.push_str(before);
            let is_wanted = |(character, _): &(char, usize)| self.characters.contains(character);
            let unescaped = unescape(escaped).filter(is_wanted);
            let length = unescaped.map_or(1, |(_, length)| length);
            let (escape, after) = escaped.split_at(length);
            match unescaped {
                Some((character, _)) => resolved.push(character),
                None => resolved.push_str(escape),
            }
            rest = after;
        }
        resolved.push_str(rest);
        resolved
    }

    /// Replaces each form of a secret that stands in the text as it is.
    fn replace(&self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        self.needles.replace_all_with(text, &mut redacted, |_, _, redacted| {
            // Parts of a secret that follow one another, such as lines of base64, are one.
            if !redacted.ends_with(REDACTED) {
                redacted.push_str(REDACTED);
            }
            true
        });
        redacted
    }
}

/// Returns the forms of a secret that escapes do not explain.
fn needles(secret: &str) -> Vec<String> {
    if secret.len() < MIN_SECRET_BYTES {
        return Vec::new();
    }
    // As in a form: a blank is a plus.
    let mut needles = vec![secret.to_owned(), secret.replace(' ', "+")];
    needles.extend((0..3).flat_map(|before| base64_cores(secret.as_bytes(), before)));
    needles.sort_unstable();
    needles.dedup();
    needles
}

/// Returns the character for which the escape at the start of a text stands, and its length.
fn unescape(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().first()? {
        b'&' => unescape_html(text),
        b'%' => unescape_url(text),
        _ => unescape_json(text),
    }
}

/// Reads a character reference, by name or by number.
fn unescape_html(text: &str) -> Option<(char, usize)> {
    // A limit keeps the search linear in a text of ampersands.
    let end = text.bytes().take(1 + MAX_REFERENCE_BYTES).position(|byte| byte == b';')?;
    let reference = text.get(1..end)?;
    let is_named = |(name, _): &&(&str, char)| name.eq_ignore_ascii_case(reference);
    let character = match reference.strip_prefix('#') {
        None => HTML_NAMES.iter().find(is_named).map(|(_, character)| *character),
        Some(number) => char::from_u32(match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
            None => number.parse().ok()?,
        }),
    };
    Some((character?, end + 1))
}

/// Reads the percent-encoded bytes of a character.
fn unescape_url(text: &str) -> Option<(char, usize)> {
    let byte = |at: usize| {
        let byte = text.get(3 * at..3 * at + 1).filter(|start| *start == "%");
        byte.and_then(|_| u8::try_from(hexadecimal(text, 3 * at + 1, 2)?).ok())
    };
    let length = match byte(0)? {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    };
    let bytes = (0..length).map(byte).collect::<Option<Vec<u8>>>()?;
    let character = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((character, 3 * length))
}

/// Reads an escape in a string of JSON.
fn unescape_json(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().get(1)? {
        b'u' => {
            let unit = |at| hexadecimal(text, at, 4).and_then(|unit| u16::try_from(unit).ok());
            let first = unit(2)?;
            let second = text.get(6..8).filter(|start| *start == "\\u");
            let units = [first, second.and_then(|_| unit(8)).unwrap_or_default()];
            let character = char::decode_utf16(units).next()?.ok()?;
            Some((character, 6 * character.len_utf16()))
        }
        escaped @ (b'"' | b'/' | b'\\') => Some((char::from(*escaped), 2)),
        _ => None,
    }
}

/// Returns the number that so many hexadecimal digits at a place have.
fn hexadecimal(text: &str, at: usize, digits: usize) -> Option<u32> {
    let number = text.get(at..at + digits)?;
    // The parser accepts a sign as well.
    number.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
    u32::from_str_radix(number, 16).ok()
}

/// Returns the characters of base64 that depend on the secret alone, if `before` bytes precede it
/// in its group of three: with bytes after it, and at the end of the text.
fn base64_cores(secret: &[u8], before: usize) -> impl Iterator<Item = String> {
    let bytes = [&[0; 2][..before], secret].concat();
    let first = (before * 8).div_ceil(6);
    let end = bytes.len() * 8 / 6;
    [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD].into_iter().flat_map(move |engine| {
        let encoded = engine.encode(&bytes);
        [encoded.get(first..end), encoded.get(first..)]
            .map(|part| part.unwrap_or_default().to_owned())
    })
}
