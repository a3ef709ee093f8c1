//! Bodies of responses: halves of surrogates, which serde refuses.

/// Replaces escapes of JSON that are half a surrogate pair (`\ud800`) by the one of U+FFFD, as
/// readers of other languages do. serde refuses them, and with them the whole body.
pub(crate) fn replace_half_surrogates(body: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = body[at..].iter().position(|byte| *byte == b'\\') {
        let escape = at + found;
        let next = match code_unit(body, escape) {
            Some(0xd800..=0xdbff) if is_low_half(code_unit(body, escape + 6)) => escape + 12,
            Some(0xd800..=0xdfff) => {
                body[escape + 2..escape + 6].copy_from_slice(b"fffd");
                escape + 6
            }
            // Another escape, such as that of a backslash.
            _ => escape + 2,
        };
        at = next.min(body.len());
    }
}

/// Returns whether a code unit is the second half of a surrogate pair.
fn is_low_half(unit: Option<u16>) -> bool {
    matches!(unit, Some(0xdc00..=0xdfff))
}

/// Returns the code unit of the escape `\uXXXX` at a place.
fn code_unit(body: &[u8], at: usize) -> Option<u16> {
    let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
    // The parser accepts a sign as well.
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_surrogate_is_the_replacement_character() {
        for (body, text) in [
            (r#""a \ud83d\ude00 b""#, "a 😀 b"),
            (r#""\ud800""#, "\u{fffd}"),
            (r#""\udc00\ud800""#, "\u{fffd}\u{fffd}"),
            (r#""\ud800\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\uD800\u0041""#, "\u{fffd}A"),
            (r#""\\ud800""#, r"\ud800"),
            (r#""\\\ud800\"""#, "\\\u{fffd}\""),
            (r#""\u00e9\n""#, "é\n"),
        ] {
            let mut body = body.as_bytes().to_vec();
            replace_half_surrogates(&mut body);
            assert_eq!(serde_json::from_slice::<String>(&body).unwrap(), text);
        }
        for damaged in ["\\", "\"\\u", "\"\\ud8", "\"\\ud800", "\"\\ud800\\", "\\u+123", "é\\"] {
            let mut body = damaged.as_bytes().to_vec();
            replace_half_surrogates(&mut body);
            assert_eq!(body.len(), damaged.len());
        }
    }
}
