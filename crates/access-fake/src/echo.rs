//! Encodings in which a response can contain a header of its request.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD as STANDARD, BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

/// An encoding of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// The text itself.
    #[default]
    Raw,
    /// Percent-encoding with capital letters: `%2D`.
    UrlUpper,
    /// Percent-encoding with small letters: `%2d`.
    UrlLower,
    /// JSON escapes: `\u002d`.
    JsonEscapes,
    /// Decimal HTML entities: `&#45;`.
    HtmlDecimal,
    /// Hexadecimal HTML entities: `&#x2d;`.
    HtmlHex,
    /// Base64 with `+` and `/`.
    Base64,
    /// Base64 with `-` and `_`, without padding.
    Base64Url,
}

impl Encoding {
    /// Encodes text. Letters and digits are escaped only with `every_character`. For Base64,
    /// `offset` further bytes precede the text and determine its alignment.
    pub(crate) fn encode(self, text: &str, every_character: bool, offset: usize) -> String {
        let escaped = |escape: fn(char) -> String| -> String {
            text.chars()
                .map(|character| match character.is_ascii_alphanumeric() && !every_character {
                    true => character.to_string(),
                    false => escape(character),
                })
                .collect()
        };
        let padded = || format!("{}{text}", "x".repeat(offset));
        match self {
            Self::Raw => text.to_owned(),
            Self::UrlUpper => escaped(|character| bytes_as_hex(character).to_ascii_uppercase()),
            Self::UrlLower => escaped(bytes_as_hex),
            Self::JsonEscapes => escaped(|character| {
                let mut units = [0; 2];
                let units = character.encode_utf16(&mut units);
                units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
            }),
            Self::HtmlDecimal => escaped(|character| format!("&#{};", u32::from(character))),
            Self::HtmlHex => escaped(|character| format!("&#x{:x};", u32::from(character))),
            Self::Base64 => STANDARD.encode(padded()),
            Self::Base64Url => URL_SAFE_NO_PAD.encode(padded()),
        }
    }
}

fn bytes_as_hex(character: char) -> String {
    let mut bytes = [0; 4];
    character.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded() {
        let table = [
            (Encoding::Raw, false, "a-Ü"),
            (Encoding::UrlUpper, false, "a%2D%C3%9C"),
            (Encoding::UrlLower, true, "%61%2d%c3%9c"),
            (Encoding::JsonEscapes, false, "a\\u002d\\u00dc"),
            (Encoding::HtmlDecimal, true, "&#97;&#45;&#220;"),
            (Encoding::HtmlHex, false, "a&#x2d;&#xdc;"),
            (Encoding::Base64, false, "YS3DnA=="),
            (Encoding::Base64Url, false, "YS3DnA"),
        ];
        for (encoding, every_character, expected) in table {
            assert_eq!(encoding.encode("a-Ü", every_character, 0), expected, "{encoding:?}");
        }
    }
}
