//! How much memory a JSON text would take once it is read.
//!
//! Eight mebibytes of `{"":0},` are a million objects and close to a gigabyte of memory: the size
//! of a body says little. This is asked before a body is read.

/// Bytes that an element takes at most: a value, and the text or the room for growth around it.
const ELEMENT: usize = 64;
/// Bytes that an object takes whatever is in it: its map allocates room for eleven members.
const OBJECT: usize = 640;

/// About the most bytes that reading this JSON allocates beside its texts.
pub(crate) fn of(json: &[u8]) -> usize {
    let mut weight = 0;
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_text(&mut bytes),
            b'{' => weight += OBJECT,
            b'[' | b',' => weight += ELEMENT,
            _ => {}
        }
    }
    weight
}

fn skip_text(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => _ = bytes.next(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_counts_elements_and_not_what_texts_hold() {
        let cases = [
            ("", 0),
            (r#""text, with [a] {few} \" , marks""#, 0),
            ("[]", ELEMENT),
            ("[1,2,3]", 3 * ELEMENT),
            (r#"{"a":1,"b":[{}]}"#, 2 * OBJECT + 2 * ELEMENT),
            (r#""never closed, "#, 0),
            (r#""ends in \"#, 0),
        ];
        for (json, weight) in cases {
            assert_eq!(of(json.as_bytes()), weight, "{json}");
        }
    }
}
