//! Redaction of secrets, also in the encodings in which services and gateways return them.
//!
//! The encoded forms of each secret are computed once, and `aho-corasick` finds all of them in one
//! pass. A form in which only some characters are encoded is found if a usual encoder writes it.

#[cfg(test)]
mod tests;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};

use crate::client::SEGMENT;
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

/// A string that must not be shown.
#[derive(Clone)]
pub(crate) struct Secret(SecretString);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }
}

/// Removes the secrets of a client from everything that the service sends.
#[derive(Clone)]
pub(crate) struct Redactor(AhoCorasick);

impl Redactor {
    /// Creates a redactor of these secrets, except those that are shorter than four bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the secrets are too large to be searched for.
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Result<Self, SettingsError> {
        let secrets = secrets.into_iter();
        let needles = secrets.map(|secret| needles(secret.0.expose_secret())).collect::<Vec<_>>();
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            // Encoders write `%2f` and `%2F`, and some services change the case of a header.
            .ascii_case_insensitive(true)
            .build(needles.concat())
            .map(Self)
            .map_err(|_| SettingsError("the key and the headers are too large".to_owned()))
    }

    /// Returns the text without the secrets.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        self.0.replace_all_with(text, &mut redacted, |_, _, redacted| {
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
    let mut needles = vec![secret.to_owned()];
    needles.extend(
        [NON_ALPHANUMERIC, SEGMENT, URI].map(|set| utf8_percent_encode(secret, set).to_string()),
    );
    // As in a form: a blank is a plus.
    needles.push(utf8_percent_encode(secret, SEGMENT).to_string().replace("%20", "+"));
    needles.extend(json(secret));
    needles.extend(html(secret));
    needles.extend((0..3).flat_map(|before| base64_cores(secret.as_bytes(), before)));
    needles
}

/// Returns the secret as encoders write it in a JSON string: with as few escapes as possible, with
/// `\/`, and as Go does, with escapes of the characters of HTML.
fn json(secret: &str) -> [String; 4] {
    let quoted = serde_json::to_string(secret).unwrap_or_default();
    let plain = quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned();
    let ascii = |c: char| {
        let units =
            |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect();
        if c.is_ascii() { c.to_string() } else { units(c) }
    };
    let escaped = |c| matches!(c, '<' | '>' | '&').then(|| format!("\\u{:04x}", u32::from(c)));
    let slashes = plain.replace('/', "\\/");
    let go = plain.chars().map(|c| escaped(c).unwrap_or_else(|| c.to_string())).collect();
    let python = plain.chars().map(ascii).collect();
    [plain, slashes, go, python]
}

/// Returns the secret as encoders write it in HTML: with names, and with numbers of quotes and other
/// punctuation.
fn html(secret: &str) -> [String; 3] {
    let encode = |quote: &str, apostrophe: &str, all: bool| {
        let entity = |c: char| match c {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => quote.to_owned(),
            '\'' => apostrophe.to_owned(),
            // As the filters of some frameworks do.
            '/' | '=' | '+' | '`' if all => format!("&#x{:x};", u32::from(c)),
            c => c.to_string(),
        };
        secret.chars().map(entity).collect()
    };
    [
        encode("&quot;", "&#x27;", false),
        encode("&#34;", "&#39;", false),
        encode("&quot;", "&#39;", true),
    ]
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
