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

use icu_properties::props::{
    BinaryProperty as _, DefaultIgnorableCodePoint, EnumeratedProperty as _, GeneralCategory,
    GeneralCategoryGroup,
};

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

/// Returns whether a character has no visible form, so a text with it can look like another:
/// controls, formats such as a change of direction, blanks other than the space, private and
/// unassigned characters, and letters and marks without a glyph.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    let blank = GeneralCategoryGroup::Other.union(GeneralCategoryGroup::Separator);
    character != ' '
        && (blank.contains(GeneralCategory::for_char(character))
            || DefaultIgnorableCodePoint::for_char(character)
            // A pattern of Braille without dots counts as a symbol.
            || character == '\u{2800}')
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
            ("\u{2800}\u{3164}\u{e000}", "\"\\u2800\\u3164\\ue000\""),
        ];
        for (text, literal) in cases {
            assert_eq!(quoted(text), literal);
        }
    }
}
