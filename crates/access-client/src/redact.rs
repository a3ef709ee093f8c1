//! Redaction of secrets, also in the encodings in which services and gateways return them.
//!
//! The encoded forms of each secret are computed once, and `aho-corasick` finds all of them in one
//! pass. A form in which only some characters are encoded is found if a usual encoder writes it.

#[cfg(test)]
mod tests;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};

use crate::path::SEGMENT;
use crate::settings_error::SettingsError;

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

/// The characters that usual encoders of HTML escape: Python, Go with and without templates, PHP, and
/// Mustache.
const HTML: [&[(char, &str)]; 5] = [
    &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#x27;")],
    &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&#34;"), ('\'', "&#39;")],
    &[
        ('&', "&amp;"),
        ('<', "&lt;"),
        ('>', "&gt;"),
        ('"', "&#34;"),
        ('\'', "&#39;"),
        ('+', "&#43;"),
    ],
    &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#039;")],
    &[
        ('&', "&amp;"),
        ('<', "&lt;"),
        ('>', "&gt;"),
        ('"', "&quot;"),
        ('\'', "&#39;"),
        ('/', "&#x2F;"),
        ('`', "&#x60;"),
        ('=', "&#x3D;"),
    ],
];

/// A string that must not be shown.
#[derive(Clone)]
pub(crate) struct Secret(SecretString);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }
}

/// Removes the secrets of a client from everything that the service sends.
pub(crate) struct Redactor {
    needles: AhoCorasick,
    longest: usize,
}

impl Redactor {
    /// Creates a redactor of these secrets, except those that are shorter than four bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the secrets are too large to be searched for.
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Result<Self, SettingsError> {
        let needles: Vec<_> =
            secrets.into_iter().flat_map(|secret| needles(secret.0.expose_secret())).collect();
        let longest = needles.iter().map(String::len).max().unwrap_or(0);
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            // Encoders write `%2f` and `%2F`, and some services change the case of a header.
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(needles)
            .map(|needles| Self { needles, longest })
            .map_err(|_| SettingsError("the key and the headers are too large".to_owned()))
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

    /// Returns the text without the secrets.
    pub(crate) fn redact(&self, text: &str) -> String {
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
    for escape in [in_url, in_json, in_html, in_hexadecimal_html] {
        needles.push(encode(secret, |_| true, escape));
        needles.push(encode(secret, is_special, escape));
    }
    for table in HTML {
        let name = |c| table.iter().find(|(known, _)| *known == c).map(|(_, name)| *name);
        let named = |c: char| name(c).map_or_else(|| c.to_string(), str::to_owned);
        needles.push(secret.chars().map(named).collect());
    }
    needles.extend((0..3).flat_map(|before| base64_cores(secret.as_bytes(), before)));
    // A message is in a JSON string itself, and the log shows the whole body.
    let nested: Vec<_> = needles.iter().map(|needle| in_json_string(needle)).collect();
    needles.extend(nested);
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

fn in_html(c: char) -> String {
    format!("&#{};", u32::from(c))
}

fn in_hexadecimal_html(c: char) -> String {
    format!("&#x{:x};", u32::from(c))
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
