//! Shows text that others wrote as code in Markdown, and as nothing else.

use std::fmt::Write as _;

/// The most backticks around a code span: cmark-gfm closes none that has more.
const MOST_BACKTICKS: usize = 80;

/// Returns the text as a code span of about `limit` bytes at most.
///
/// A code span ends at the first run of backticks that is as long as the one at its beginning. So it
/// begins with one backtick more than its longest run has. Everything else in a span is literal. But a
/// reader must not be misled, and a runner that prints the report must not execute it: control,
/// bidirectional and invisible characters, line ends, and the logging commands of Azure Pipelines are
/// shown as escapes.
pub(super) fn code(text: &str, limit: usize) -> String {
    if text.is_empty() {
        return "an empty text".to_owned();
    }
    let has_long_run = longest_run(text) >= MOST_BACKTICKS;
    let mut shown = String::new();
    for (place, character) in text.char_indices() {
        if shown.len() >= limit {
            shown.push('…');
            break;
        }
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            '`' if has_long_run => escape(&mut shown, character),
            '#' if begins_command(&text[place..]) => escape(&mut shown, character),
            _ if is_invisible(character) => escape(&mut shown, character),
            _ => shown.push(character),
        }
    }
    let fence = "`".repeat(longest_run(&shown) + 1);
    // CommonMark removes one space from both ends if both have one.
    let touches = shown.starts_with('`') || shown.ends_with('`');
    let has_spaces = shown.starts_with(' ') && shown.ends_with(' ');
    let padding = if touches || has_spaces { " " } else { "" };
    format!("{fence}{padding}{shown}{padding}{fence}")
}

fn escape(shown: &mut String, character: char) {
    // Writing to a String cannot fail.
    let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

/// Returns whether `##vso[` or `##[` begins here: Azure Pipelines executes both anywhere in a line.
fn begins_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("##") else { return false };
    let word: String = rest.chars().take(4).collect::<String>().to_ascii_lowercase();
    word.starts_with('[') || word == "vso["
}

/// Returns whether a character is a control, is not seen, or changes the direction of what follows: the
/// categories Cc, Cf, Zl, Zp and Zs but for the space, and the blanks among letters and marks.
fn is_invisible(character: char) -> bool {
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
    fn text_is_one_code_span_without_what_cannot_be_seen() {
        let run = |count| "`".repeat(count);
        let long = format!("`{}", "\\u{60}".repeat(80) + "`");
        for (text, expected) in [
            ("plain", "`plain`"),
            ("", "an empty text"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            (" a ", "`  a  `"),
            (" a", "` a`"),
            ("a\r\n# b\t\u{0}", "`a\\r\\n# b\\t\\u{0}`"),
            (
                "a\u{202e}b\u{200d}\u{a0}\u{3164}\u{e0041}",
                "`a\\u{202e}b\\u{200d}\\u{a0}\\u{3164}\\u{e0041}`",
            ),
            ("##vso[x] ###[y] ## z", "`\\u{23}#vso[x] #\\u{23}#[y] ## z`"),
            (&run(79), &format!("{} {} {}", run(80), run(79), run(80))),
            (&run(80), &long),
            ("0123456789abcdef", "`0123456789…`"),
        ] {
            let limit = if text.len() == 16 { 10 } else { 10_000 };
            assert_eq!(code(text, limit), expected, "{text:?}");
        }
    }
}
