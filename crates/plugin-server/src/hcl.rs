//! String literals of HCL, for configurations and commands that a provider prints. Characters that
//! have no visible form are escaped, because a text with them can look like another.
//!
//! ```
//! use plugin_server::hcl::quoted;
//!
//! assert_eq!(quoted("a \"plum\""), r#""a \"plum\"""#);
//! assert_eq!(quoted("${plum}"), r#""$${plum}""#);
//! assert_eq!(quoted("plum\u{202e}"), r#""plum\u202e""#);
//! ```

/// Returns a string literal of HCL that has this text as its value, on one line.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut literal = "\"".to_owned();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            // `$${` and `%%{` are the escapes of `${` and `%{`.
            ('$' | '%', Some('{')) => literal.extend([character, character]),
            // A second sign would make the escape of the template ambiguous.
            ('$' | '%', Some(next)) if *next == character => push_code(&mut literal, character),
            _ => push_escaped(&mut literal, character),
        }
    }
    literal + "\""
}

/// Appends a character as it stands between double quotes. [`quoted`] also escapes templates, `${`
/// and `%{`.
pub fn push_escaped(literal: &mut String, character: char) {
    match character {
        '"' | '\\' => literal.extend(['\\', character]),
        '\n' => literal.push_str("\\n"),
        '\r' => literal.push_str("\\r"),
        '\t' => literal.push_str("\\t"),
        _ if needs_escape(character) => push_code(literal, character),
        _ => literal.push(character),
    }
}

fn push_code(literal: &mut String, character: char) {
    literal.push_str(&match u32::from(character) {
        code @ ..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    });
}

/// Returns whether a character is invisible and not among the few that people write: blanks that do
/// not break a line, the blank of Chinese and Japanese, and the mark of a coloured emoji.
#[must_use]
pub fn needs_escape(character: char) -> bool {
    is_invisible(character) && !"\u{a0}\u{202f}\u{3000}\u{fe0f}".contains(character)
}

/// Returns whether a character has no visible form, so that a text with it can look like another:
/// controls (Cc), formats such as a change of direction (Cf), all blanks but the space (Zl, Zp,
/// Zs), and letters and marks without a glyph.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(u32::from(character),
            0xAD | 0x34F | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2
            | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
            | 0xFFA0 | 0xFFF0..=0xFFFB | 0x110BD | 0x110CD | 0x13430..=0x1343F
            | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
        // Noncharacters and private use have no glyph of their own.
        || matches!(u32::from(character), 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xF0000..=0x10_FFFF)
        || u32::from(character) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn string_is_escaped() {
        let cases = [
            ("plain é 🦀 \u{a0}⚠\u{fe0f}", "\"plain é 🦀 \u{a0}⚠\u{fe0f}\""),
            ("a\"b\\c", "\"a\\\"b\\\\c\""),
            ("a\nb\r\n\tc", "\"a\\nb\\r\\n\\tc\""),
            ("${x} %{if} $ % {", "\"$${x} %%{if} $ % {\""),
            ("$${x} $$", "\"\\u0024$${x} \\u0024$\""),
            ("\0\u{7f}\u{202e}\u{e0041}", "\"\\u0000\\u007f\\u202e\\U000e0041\""),
        ];
        for (text, literal) in cases {
            assert_eq!(quoted(text), literal);
        }
    }
}
