//! Decoding of a text. Each decoded byte keeps its position in the source.

use std::ops::Range;

/// Named HTML entities of the ASCII punctuation that a key may contain.
const ENTITIES: [(&str, char); 37] = [
    ("amp", '&'),
    ("AMP", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("sol", '/'),
    ("bsol", '\\'),
    ("plus", '+'),
    ("equals", '='),
    ("colon", ':'),
    ("semi", ';'),
    ("period", '.'),
    ("comma", ','),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("ast", '*'),
    ("midast", '*'),
    ("lpar", '('),
    ("rpar", ')'),
    ("excl", '!'),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("lcub", '{'),
    ("rcub", '}'),
    ("verbar", '|'),
    ("vert", '|'),
    ("Hat", '^'),
    ("grave", '`'),
    ("nbsp", ' '),
];

/// A text, in which each byte has the range of the source that it is decoded from.
pub(super) struct Layer {
    bytes: Vec<u8>,
    sources: Vec<(usize, usize)>,
}

/// An encoded character.
pub(super) struct Unit {
    decoded: [u8; 4],
    decoded_length: usize,
    /// The number of bytes that encode it.
    pub(super) length: usize,
}

impl Unit {
    /// Returns the character as UTF-8, or the byte that a URL encodes.
    pub(super) fn bytes(&self) -> &[u8] {
        self.decoded.get(..self.decoded_length).unwrap_or_default()
    }

    fn of_char(character: char, length: usize) -> Self {
        let mut decoded = [0; 4];
        let decoded_length = character.encode_utf8(&mut decoded).len();
        Self { decoded, decoded_length, length }
    }

    fn of_byte(byte: u8, length: usize) -> Self {
        Self { decoded: [byte, 0, 0, 0], decoded_length: 1, length }
    }
}

impl Layer {
    /// Creates the layer of the source text.
    pub(super) fn plain(text: &[u8]) -> Self {
        let sources = (0..text.len()).map(|at| (at, at + 1)).collect();
        Self { bytes: text.to_vec(), sources }
    }

    /// Creates a layer of bytes, each with the range of the source that it is decoded from.
    pub(super) fn of(bytes: Vec<u8>, sources: Vec<(usize, usize)>) -> Self {
        Self { bytes, sources }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the range of the source that a range of this layer is decoded from.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        let parts = self.sources.get(range).unwrap_or_default();
        let start = parts.iter().map(|part| part.0).min().unwrap_or(0);
        start..parts.iter().map(|part| part.1).max().unwrap_or(start)
    }

    /// Decodes every encoded character. Returns `None` if there are none.
    pub(super) fn decode(&self) -> Option<Self> {
        let mut decoded = Self { bytes: Vec::new(), sources: Vec::new() };
        let (mut at, mut changed) = (0, false);
        while at < self.len() {
            let unit = self.unit(at);
            let length = unit.as_ref().map_or(1, |unit| unit.length);
            let source = self.source(at..at + length);
            let bytes = match &unit {
                Some(unit) => unit.bytes(),
                None => self.bytes.get(at..=at).unwrap_or_default(),
            };
            decoded.bytes.extend_from_slice(bytes);
            decoded.sources.extend(bytes.iter().map(|_| (source.start, source.end)));
            changed |= unit.is_some();
            at += length;
        }
        changed.then_some(decoded)
    }

    /// Decodes the character at a position, if it is encoded.
    pub(super) fn unit(&self, at: usize) -> Option<Unit> {
        let rest = self.bytes.get(at..)?;
        match rest.first()? {
            b'%' => hex(rest.get(1..3)?).map(|byte| Unit::of_byte(byte.try_into().unwrap_or(0), 3)),
            b'\\' => escape(rest),
            b'&' => entity(rest),
            _ => None,
        }
    }
}

/// Decodes a JSON escape, or one of the related `\xHH` and `\u{H}`.
fn escape(text: &[u8]) -> Option<Unit> {
    let plain = |character| Some(Unit::of_char(character, 2));
    match text.get(1)? {
        b'u' => unicode_escape(text),
        b'x' => Some(Unit::of_char(char::from_u32(hex(text.get(2..4)?)?)?, 4)),
        b'n' => plain('\n'),
        b'r' => plain('\r'),
        b't' => plain('\t'),
        b'"' => plain('"'),
        b'\'' => plain('\''),
        b'\\' => plain('\\'),
        b'/' => plain('/'),
        _ => None,
    }
}

fn unicode_escape(text: &[u8]) -> Option<Unit> {
    if text.get(2) == Some(&b'{') {
        let digits =
            text.get(3..)?.iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let end = 3 + digits;
        (text.get(end) == Some(&b'}')).then_some(())?;
        return Some(Unit::of_char(char::from_u32(hex(text.get(3..end)?)?)?, end + 1));
    }
    let high = hex(text.get(2..6)?)?;
    if let Some(character) = char::from_u32(high) {
        return Some(Unit::of_char(character, 6));
    }
    // Beyond 16 bits: a pair of surrogates.
    text.get(6..8).filter(|text| *text == b"\\u")?;
    let low = hex(text.get(8..12)?)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    let high = high.checked_sub(0xd800).filter(|high| *high < 0x400)?;
    Some(Unit::of_char(char::from_u32(0x1_0000 + (high << 10) + low)?, 12))
}

/// Decodes an HTML entity.
fn entity(text: &[u8]) -> Option<Unit> {
    let rest = text.get(1..)?;
    if rest.first() == Some(&b'#') {
        let is_hex = matches!(rest.get(1), Some(b'x' | b'X'));
        let (start, radix) = if is_hex { (2, 16) } else { (1, 10) };
        let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
        let length = rest.get(start..)?.iter().take(10).take_while(is_digit).count();
        let digits = std::str::from_utf8(rest.get(start..start + length)?).ok()?;
        let character = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
        (rest.get(start + length) == Some(&b';')).then_some(())?;
        return Some(Unit::of_char(character, 1 + start + length + 1));
    }
    let (name, character) = ENTITIES.iter().find(|(name, _)| {
        rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&b';'))
    })?;
    Some(Unit::of_char(*character, name.len() + 2))
}

/// Parses hexadecimal digits. Returns `None` for other characters and for an empty string.
fn hex(digits: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(digits).ok()?;
    text.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
    u32::from_str_radix(text, 16).ok()
}
