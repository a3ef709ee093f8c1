//! The secrets that the log omits.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

/// The text that replaces a secret.
const MASK: &str = "***";
/// The shortest secret that is masked. A shorter one is a part of ordinary text, which would become
/// unreadable.
const MIN_SECRET_BYTES: usize = 4;
/// The number of nested escapes in which a secret is recognised: JSON in the `Debug` output of a
/// string.
const ESCAPES: usize = 2;

/// The spellings of all secrets: each as it is, and escaped.
static SPELLINGS: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// Replaces `secret` by `***` in everything that the process logs from now on, and in the message of
/// a panic.
///
/// A secret is recognised as it is, and as a part of JSON text or of the `Debug` output of a string,
/// in which quotes, backslashes and line breaks are escaped. It is not recognised in other encodings,
/// such as base64. So it is the last resort: secrets should have a type that does not print them.
/// A secret of fewer than four bytes is ignored.
///
/// ```
/// let password = r#"open "sesame""#;
/// plugin_server::log::mask(password);
/// // Logged as `body="{\"password\":\"***\"}"`.
/// tracing::debug!(body = ?format!(r#"{{"password":"open \"sesame\""}}"#));
/// ```
pub fn mask(secret: &str) {
    if secret.len() >= MIN_SECRET_BYTES {
        let mut all = SPELLINGS.write().unwrap_or_else(PoisonError::into_inner);
        all.append(&mut spellings(secret));
    }
}

/// Returns the text without the secrets.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    let all = SPELLINGS.read().unwrap_or_else(PoisonError::into_inner);
    without(text, &all)
}

/// Returns the secret as it is, and escaped up to [`ESCAPES`] times.
fn spellings(secret: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::from([secret.to_owned()]);
    for _ in 0..ESCAPES {
        let escaped: Vec<String> = all
            .iter()
            .flat_map(|text| {
                [format!("{text:?}"), serde_json::Value::from(text.as_str()).to_string()]
            })
            .collect();
        let inside_quotes =
            |text: &String| text.get(1..text.len().saturating_sub(1)).map(str::to_owned);
        all.extend(escaped.iter().filter_map(inside_quotes));
    }
    all
}

fn without<'t>(text: &'t str, spellings: &BTreeSet<String>) -> Cow<'t, str> {
    let found = find(text, spellings);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut shown = 0;
    for range in found {
        masked.push_str(text.get(shown..range.start).unwrap_or_default());
        masked.push_str(MASK);
        shown = range.end;
    }
    masked.push_str(text.get(shown..).unwrap_or_default());
    Cow::Owned(masked)
}

/// Returns the ranges that contain secrets, in order. Ranges that overlap are joined, because masking
/// one of two overlapping secrets would leave a part of the other.
fn find(text: &str, spellings: &BTreeSet<String>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for spelling in spellings {
        let step = spelling.chars().next().map_or(1, char::len_utf8);
        let mut start = 0;
        while let Some(at) = text.get(start..).and_then(|rest| rest.find(spelling.as_str())) {
            found.push(start + at..start + at + spelling.len());
            // The next occurrence may overlap this one.
            start += at + step;
        }
    }
    found.sort_by_key(|range| range.start);
    found.dedup_by(|next, previous| {
        let overlaps = next.start <= previous.end;
        if overlaps {
            previous.end = previous.end.max(next.end);
        }
        overlaps
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked_with(secrets: &[&str], text: &str) -> String {
        let all = secrets.iter().flat_map(|secret| spellings(secret)).collect();
        without(text, &all).into_owned()
    }

    #[test]
    fn secret_is_masked_as_it_is_and_escaped() {
        let key = "-----BEGIN KEY-----\nab+/\"c\\d\n-----END KEY-----\n";
        let json = serde_json::json!({ "key": key }).to_string();
        let debug = format!("{key:?}");
        let nested = format!("{json:?}");
        for text in [key.to_owned(), json, debug, nested] {
            let masked = masked_with(&[key], &text);
            assert!(masked.contains(MASK), "{masked}");
            assert!(!masked.contains("BEGIN") && !masked.contains("ab+"), "{masked}");
        }
    }

    #[test]
    fn overlapping_secrets_leave_no_part() {
        let secrets = ["token", "token-abcdef", "cdefghij"];
        assert_eq!(masked_with(&secrets, "(token-abcdef)"), "(***)", "one contains the other");
        assert_eq!(masked_with(&secrets, "(token-abcdefghij)"), "(***)", "one begins in the other");
        assert_eq!(masked_with(&["aaaa"], "(aaaaaa)"), "(***)", "a secret overlaps itself");
        assert_eq!(masked_with(&["éa-é"], "(éa-éa-é)"), "(***)");
    }

    #[test]
    fn text_without_a_secret_is_unchanged() {
        assert_eq!(masked_with(&["token"], "a tok en"), "a tok en");
        assert_eq!(masked_with(&[], "text"), "text");
    }
}
