//! The forms in which a text can contain a secret.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Returns a secret in base64, at each of the three alignments.
pub(crate) fn in_base64(secret: &str) -> Vec<String> {
    let shifted = (0..3).map(|shift| format!("{}{secret}", "x".repeat(shift)));
    shifted
        .flat_map(|text| [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)])
        .collect()
}

/// Returns a secret as it is and escaped, with and without its letters.
pub(crate) fn escaped(secret: &str) -> Vec<String> {
    let escapes: [fn(char) -> String; 5] = [
        |letter| format!("%{:02X}", u32::from(letter)),
        |letter| format!("%{:02x}", u32::from(letter)),
        |letter| format!("\\u{:04x}", u32::from(letter)),
        |letter| format!("&#{};", u32::from(letter)),
        |letter| format!("&#x{:x};", u32::from(letter)),
    ];
    let mut escaped = vec![secret.to_owned(), secret.replace('/', "\\/")];
    for escape in escapes {
        let special = |letter: char| match letter.is_ascii_alphanumeric() {
            true => letter.to_string(),
            false => escape(letter),
        };
        escaped.push(secret.chars().map(escape).collect());
        escaped.push(secret.chars().map(special).collect());
    }
    escaped
}

/// Returns what no output may contain: each form, and a part that does not occur by chance. In base64, the
/// ends depend on the text around the secret.
pub(crate) fn forms(secret: &str, part: &str) -> Vec<String> {
    let middles = in_base64(secret).into_iter().map(|form| form[4..form.len() - 4].to_owned());
    escaped(secret).into_iter().chain(middles).chain([part.to_owned()]).collect()
}
