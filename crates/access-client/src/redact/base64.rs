//! Decoding of base64 in a text, at every alignment.

use super::decode::Layer;

/// The smallest number of base64 characters that can encode the shortest secret.
const MIN_RUN: usize = 5;

/// Decodes each run of base64 characters, of the standard or the URL-safe alphabet, from each of
/// its first four characters, because other characters of the alphabet may precede the encoded
/// text.
pub(super) fn decode_runs(layer: &Layer) -> Vec<Layer> {
    let mut decoded = Vec::new();
    let mut run = Vec::new();
    for at in 0..=layer.len() {
        match layer.byte(at) {
            // Long base64 is broken into lines.
            Some(b'\r' | b'\n') if !run.is_empty() => continue,
            Some(byte) if let Some(sextet) = sextet(byte) => run.push((sextet, at)),
            byte => {
                let padding = usize::from(byte == Some(b'='));
                decode_run(layer, &run, padding, &mut decoded);
                run.clear();
            }
        }
    }
    decoded
}

fn decode_run(layer: &Layer, run: &[(u32, usize)], padding: usize, decoded: &mut Vec<Layer>) {
    if run.len() < MIN_RUN {
        return;
    }
    for start in 0..4 {
        let (mut bytes, mut sources) = (Vec::new(), Vec::new());
        for group in run.get(start..).unwrap_or_default().chunks(4) {
            let joined = group.iter().fold(0, |bits, (sextet, _)| bits << 6 | sextet);
            let joined = joined << (6 * (4 - group.len()));
            for index in 0..group.len() * 6 / 8 {
                // The bits of a byte are in two adjacent characters.
                let (first, last) = (group.get(index), group.get(index + 1));
                let (Some((_, first)), Some((_, last))) = (first, last) else { break };
                #[allow(clippy::cast_possible_truncation, reason = "one byte of three is meant")]
                bytes.push((joined >> (16 - 8 * index)) as u8);
                sources.push((
                    layer.source(*first..first + 1).start,
                    layer.source(*last..last + 1).end,
                ));
            }
        }
        // The padding would reveal the length of the secret.
        if let (Some(last), Some((_, at))) = (sources.last_mut(), run.last()) {
            let end = layer.source(*at..at + 1 + padding).end;
            if padding > 0 {
                last.1 = end;
            }
        }
        decoded.push(Layer::of(bytes, sources));
    }
}

/// Returns the six bits of a character.
fn sextet(byte: u8) -> Option<u32> {
    let bits = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(bits))
}
