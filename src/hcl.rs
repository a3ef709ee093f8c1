//! String literals of HCL.

use std::fmt::Write as _;

/// Returns a string literal that has this text as its value, on one line.
pub(crate) fn quoted(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            // `$${` and `%%{` are the escapes of `${` and `%{`.
            '$' | '%' if characters.peek() == Some(&'{') => {
                literal.push(character);
                literal.push(character);
            }
            // A second sign would make the escape of the template ambiguous.
            '$' | '%' if characters.peek() == Some(&character) => {
                push_escaped(&mut literal, character)
            }
            _ if is_invisible(character) => push_escaped(&mut literal, character),
            _ => literal.push(character),
        }
    }
    literal.push('"');
    literal
}

fn push_escaped(literal: &mut String, character: char) {
    let code = u32::from(character);
    let _ = if code > 0xffff {
        write!(literal, "\\U{code:08x}")
    } else {
        write!(literal, "\\u{code:04x}")
    };
}

/// Returns whether a character is invisible unless it is escaped: control characters, and those
/// that change the direction or the end of a line, with which a text could pretend to be
/// configuration.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `acceptance::export` has a real host read these escapes.
    #[test]
    fn string_is_escaped() {
        let cases = [
            ("plain é 🦀", "\"plain é 🦀\""),
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
