//! Bodies of responses, brought into the form that all readers expect: unpacked, without a byte
//! order mark, and without halves of surrogates.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;

/// The largest number of bytes read of a response, also after it is unpacked. Documented objects
/// are far smaller.
pub(crate) const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The first bytes of gzip (RFC 1952, 2.3.1) with its only compression method.
const GZIP: &[u8] = b"\x1f\x8b\x08";

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The body is larger than this client reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Returns a body in the form that readers expect. What cannot be unpacked is returned unchanged.
pub(crate) fn normalise(body: Vec<u8>) -> Result<Vec<u8>, TooLarge> {
    let mut body = if is_gzip(&body) { unpack(body)? } else { body };
    if body.starts_with(BYTE_ORDER_MARK) {
        body.drain(..BYTE_ORDER_MARK.len());
    }
    replace_half_surrogates(&mut body);
    Ok(body)
}

/// Returns whether a body is compressed. No text and no JSON begins like this. `Content-Encoding`
/// does not decide: caches and gateways are known to keep it after they have unpacked the body, or
/// to remove it before.
pub(crate) fn is_gzip(body: &[u8]) -> bool {
    body.starts_with(GZIP)
}

/// Returns the content of gzip; the bytes themselves if they are not gzip after all.
fn unpack(packed: Vec<u8>) -> Result<Vec<u8>, TooLarge> {
    let limit = MAX_BODY_BYTES as u64 + 1;
    let mut unpacked = Vec::new();
    let result = MultiGzDecoder::new(packed.as_slice()).take(limit).read_to_end(&mut unpacked);
    match result {
        Ok(_) if unpacked.len() > MAX_BODY_BYTES => Err(TooLarge),
        Ok(_) => Ok(unpacked),
        Err(_) => Ok(packed),
    }
}

/// Replaces escapes of JSON that are half a surrogate pair (`\ud800`) by the one of U+FFFD, as
/// readers of other languages do. serde refuses them, and with them the whole body.
fn replace_half_surrogates(body: &mut [u8]) {
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
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn body_is_unpacked_within_the_limit_and_without_a_byte_order_mark() {
        let text = b"\xef\xbb\xbf{\"name\":1}";
        let twice = [gzip(b"{\"name\""), gzip(b":1}")].concat();
        for (case, body) in [
            ("plain", b"{\"name\":1}".to_vec()),
            ("byte order mark", text.to_vec()),
            ("gzip", gzip(b"{\"name\":1}")),
            ("both", gzip(text)),
            ("two members", twice),
        ] {
            assert_eq!(normalise(body).unwrap(), b"{\"name\":1}", "{case}");
        }
        let fits = vec![b' '; MAX_BODY_BYTES];
        assert_eq!(normalise(gzip(&fits)).unwrap().len(), MAX_BODY_BYTES);
        let bomb = gzip(&vec![b' '; MAX_BODY_BYTES + 1]);
        assert!(bomb.len() < 100_000);
        assert_eq!(normalise(bomb), Err(TooLarge));
        for damaged in
            [gzip(text)[..20].to_vec(), b"\x1f\x8b\x08 no gzip".to_vec(), b"\x1f\x8b".to_vec()]
        {
            assert_eq!(normalise(damaged.clone()).unwrap(), damaged);
        }
    }

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
            let body = normalise(body.as_bytes().to_vec()).unwrap();
            assert_eq!(serde_json::from_slice::<String>(&body).unwrap(), text);
        }
        for damaged in ["\\", "\"\\u", "\"\\ud8", "\"\\ud800", "\"\\ud800\\", "\\u+123", "é\\"] {
            assert_eq!(normalise(damaged.as_bytes().to_vec()).unwrap().len(), damaged.len());
        }
    }
}
