//! Redaction of secrets, also in the encodings in which services and gateways return them.
//!
//! The encoded forms of each secret are computed once, and `aho-corasick` finds all of them in one
//! pass. A form in which only some characters are encoded is found if a usual encoder writes it. The
//! encoders of HTML differ in the characters that they escape and in how they write them, so its
//! references are resolved in the text instead.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};

use crate::invalid::Invalid;
use crate::path::SEGMENT;

/// The shortest secret that is redacted. A shorter value, such as `1` or `eu`, is too short to be a
/// secret and is a part of ordinary text, which would become unreadable.
const MIN_SECRET_BYTES: usize = 4;

/// The text that replaces a secret.
const REDACTED: &str = "[redacted]";

/// The characters that JavaScript's `encodeURI` encodes: those that no part of a URL may contain.
const URI: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

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
    /// The characters of the secrets, and those of their encoded forms.
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
        let (mut all, mut longest) = (Vec::new(), 0);
        for secret in secrets {
            let secret = secret.0.expose_secret();
            let needles = needles(secret);
            // Each character of the secret may be a reference of HTML.
            let in_html = secret.len() * (1 + MAX_REFERENCE_BYTES);
            longest = needles.iter().map(String::len).fold(longest.max(in_html), usize::max);
            all.extend(needles);
        }
        let both_cases = |c: char| [c.to_ascii_lowercase(), c.to_ascii_uppercase()];
        let characters =
            all.iter().flat_map(|needle| needle.chars().flat_map(both_cases)).collect();
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            // Encoders write `%2f` and `%2F`, and some services change the case of a header.
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(all)
            .map(|needles| Self { needles, characters, longest })
            .map_err(|_| "the key and the headers are too large".into())
    }

    /// Returns about the first `limit` bytes of a body without the secrets, and without the part of a
    /// secret that would be cut.
    pub(crate) fn head(&self, body: &[u8], limit: usize) -> String {
        let Some(head) = body.get(..limit) else {
            return self.redact(&String::from_utf8_lossy(body));
        };
        let mut text = self.redact(&String::from_utf8_lossy(head));
        text.truncate(text.floor_char_boundary(text.len().saturating_sub(self.longest)));
        text
    }

    /// Returns the text without the secrets. Where a secret is written with character references of
    /// HTML, the references of the whole text are resolved.
    pub(crate) fn redact(&self, text: &str) -> String {
        let redacted = self.replace(text);
        if redacted.contains('&') {
            let resolved = self.resolve_html(&redacted);
            if self.needles.is_match(&resolved) {
                return self.replace(&resolved);
            }
        }
        redacted
    }

    /// Replaces the character references of HTML, in any mixture of names and numbers, by their
    /// characters: only those that a secret contains. Others, such as control characters, must not
    /// reach a terminal.
    fn resolve_html(&self, text: &str) -> String {
        let mut resolved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('&') {
            resolved.push_str(before);
            // A limit keeps this linear in a text of ampersands.
            let end = after.bytes().take(MAX_REFERENCE_BYTES).position(|byte| byte == b';');
            let reference = end.and_then(|end| after.split_at_checked(end));
            let character = reference.and_then(|(reference, _)| html_character(reference));
            match (character.filter(|c| self.characters.contains(c)), reference) {
                (Some(character), Some((_, end))) => {
                    resolved.push(character);
                    rest = end.strip_prefix(';').unwrap_or(end);
                }
                _ => {
                    resolved.push('&');
                    rest = after;
                }
            }
        }
        resolved.push_str(rest);
        resolved
    }

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

/// Returns the forms of a secret.
fn needles(secret: &str) -> Vec<String> {
    if secret.len() < MIN_SECRET_BYTES {
        return Vec::new();
    }
    let url = |set| utf8_percent_encode(secret, set).to_string();
    let json = &in_json_string(secret);
    let is_special = |c: char| !c.is_ascii_alphanumeric();
    let mut needles = vec![
        secret.to_owned(),
        url(SEGMENT),
        url(URI),
        // As in a form: a blank is a plus.
        url(SEGMENT).replace("%20", "+"),
        json.to_owned(),
        json.replace('/', "\\/"),
        // Go escapes the characters of HTML, and Python those beyond ASCII.
        encode(json, |c| matches!(c, '<' | '>' | '&'), in_json),
        encode(json, |c| !c.is_ascii(), in_json),
    ];
    for escape in [in_url, in_json] {
        needles.push(encode(secret, |_| true, escape));
        needles.push(encode(secret, is_special, escape));
    }
    needles.extend((0..3).flat_map(|before| base64_cores(secret.as_bytes(), before)));
    // A message is in a JSON string itself, and the log shows the whole body.
    let nested: Vec<_> = needles.iter().map(|needle| in_json_string(needle)).collect();
    needles.extend(nested);
    // Most forms of an ordinary key are equal, and the time to build the search grows with them.
    needles.sort_unstable();
    needles.dedup();
    needles
}

fn in_json_string(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// Returns the text with the characters that `is_escaped` selects in escaped form.
fn encode(text: &str, is_escaped: fn(char) -> bool, escape: fn(char) -> String) -> String {
    text.chars().map(|c| if is_escaped(c) { escape(c) } else { c.to_string() }).collect()
}

fn in_url(c: char) -> String {
    c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn in_json(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Returns the character of a reference, which is without its `&` and `;`.
fn html_character(reference: &str) -> Option<char> {
    let Some(number) = reference.strip_prefix('#') else {
        let is_named = |(name, _): &&(&str, char)| name.eq_ignore_ascii_case(reference);
        return HTML_NAMES.iter().find(is_named).map(|(_, character)| *character);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32)
}

/// Returns the characters of base64 that depend on the secret alone, if `before` bytes precede it in
/// its group of three: with bytes after it, and at the end of the text.
fn base64_cores(secret: &[u8], before: usize) -> impl Iterator<Item = String> {
    let bytes = [&[0; 2][..before], secret].concat();
    let (first, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
    [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD].into_iter().flat_map(move |engine| {
        let encoded = engine.encode(&bytes);
        [encoded.get(first..end), encoded.get(first..)]
            .map(|part| part.unwrap_or_default().to_owned())
    })
}
