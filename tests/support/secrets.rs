//! The forms in which a text can contain a secret.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Returns the forms in which a secret would be readable, with and without letters escaped, and a part that
/// does not occur by chance.
pub(crate) fn forms(secret: &str, part: &str) -> Vec<String> {
    let each = |escape: fn(char) -> String| secret.chars().map(escape).collect::<String>();
    let special = |escape: fn(char) -> String| {
        let escaped = |letter: char| {
            if letter.is_ascii_alphanumeric() { letter.to_string() } else { escape(letter) }
        };
        secret.chars().map(escaped).collect::<String>()
    };
    let escapes: [fn(char) -> String; 5] = [
        |letter| format!("%{:02X}", u32::from(letter)),
        |letter| format!("%{:02x}", u32::from(letter)),
        |letter| format!("\\u{:04x}", u32::from(letter)),
        |letter| format!("&#{};", u32::from(letter)),
        |letter| format!("&#x{:x};", u32::from(letter)),
    ];
    let mut forms = vec![secret.to_owned(), part.to_owned(), secret.replace('/', "\\/")];
    forms.extend(escapes.into_iter().map(each));
    forms.extend(escapes.into_iter().map(special));
    // The Base64 encoding at each of the three alignments, without the ends that depend on the text
    // around the secret.
    for shift in 0..3 {
        let shifted = format!("{}{secret}", "\0".repeat(shift));
        for encoded in [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
            forms.push(encoded[4..encoded.len() - 4].to_owned());
        }
    }
    forms
}
