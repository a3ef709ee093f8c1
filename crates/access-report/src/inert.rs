//! Shows text that others wrote as code in Markdown, and as nothing else.

/// The characters of a text that are shown.
const MOST_CHARACTERS: usize = 120;

/// The most backticks around a code span: cmark-gfm closes none that has more.
const MOST_BACKTICKS: usize = 80;

/// Returns the beginning of a text as a code span.
///
/// A code span ends at the first run of backticks that is as long as the one at its beginning. So
/// it begins with one backtick more than its longest run has. Everything else in a span is literal.
/// But a reader must not be misled, and a runner that prints the report must not execute it:
/// control, bidirectional and invisible characters, line ends, and the logging commands of Azure
/// Pipelines are shown as escapes.
///
/// A browser shows text from right to left together with what is next to it, so two such texts
/// around an arrow would change places. Words from left to right between them prevent this, and
/// they follow each such text.
pub(crate) fn code(text: &str) -> String {
    if text.is_empty() {
        return "an empty text".to_owned();
    }
    let end = text.char_indices().nth(MOST_CHARACTERS).map_or(text.len(), |(end, _)| end);
    let (text, rest) = text.split_at(end);
    let has_long_run = longest_run(text) >= MOST_BACKTICKS;
    let mut shown = String::new();
    for (place, character) in text.char_indices() {
        match character {
            '`' if has_long_run => shown.extend(character.escape_unicode()),
            '#' if begins_command(&text[place..]) => shown.extend(character.escape_unicode()),
            // A line end as `\n`, and others by their numbers.
            _ if is_invisible(character) => shown.extend(character.escape_default()),
            _ => shown.push(character),
        }
    }
    if !rest.is_empty() {
        shown.push('…');
    }
    let fence = "`".repeat(longest_run(&shown) + 1);
    // CommonMark removes one space from both ends if both have one.
    let touches = shown.starts_with('`') || shown.ends_with('`');
    let has_spaces = shown.starts_with(' ') && shown.ends_with(' ');
    let padding = if touches || has_spaces { " " } else { "" };
    let direction = if shown.chars().any(is_right_to_left) { " (right to left)" } else { "" };
    format!("{fence}{padding}{shown}{padding}{fence}{direction}")
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

/// Returns whether `##vso[` or `##[` begins here: Azure Pipelines executes both anywhere in a line.
fn begins_command(text: &str) -> bool {
    let begins = |command: &str| {
        text.get(..command.len()).is_some_and(|start| start.eq_ignore_ascii_case(command))
    };
    begins("##[") || begins("##vso[")
}

/// Returns whether a character has no glyph, or changes the direction of others: controls, spaces
/// other than the usual one, and format, filler, private and unassigned characters.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(u32::from(character),
            0xAD | 0x34F | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2
            | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
            | 0xFFA0 | 0xFFF0..=0xFFFB | 0x110BD | 0x110CD | 0x13430..=0x1343F
            | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
            | 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xF0000..=0x10_FFFF)
        || u32::from(character) & 0xFFFE == 0xFFFE
}

/// Returns whether a character is in a block of scripts that are written from right to left. Arabic
/// digits are in these blocks, and move what is next to them as well.
fn is_right_to_left(character: char) -> bool {
    matches!(
        character,
        '\u{590}'..='\u{8ff}'
            | '\u{fb1d}'..='\u{fdff}'
            | '\u{fe70}'..='\u{feff}'
            | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_one_code_span_without_what_cannot_be_seen() {
        let run = "`".repeat(80);
        for (text, expected) in [
            ("plain", "`plain`"),
            ("", "an empty text"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            (" a ", "`  a  `"),
            (" a", "` a`"),
            ("a\r\n# b\t\u{0}", "`a\\r\\n# b\\t\\u{0}`"),
            ("a\u{202e}b\u{a0}", "`a\\u{202e}b\\u{a0}`"),
            ("##vso[x] ###[y] ## z", "`\\u{23}#vso[x] #\\u{23}#[y] ## z`"),
            ("##VSO[x]", "`\\u{23}#VSO[x]`"),
            (&run[1..], &format!("{run} {} {run}", &run[1..])),
            (&run, &format!("`{}`", "\\u{60}".repeat(80))),
            (&"é".repeat(120), &format!("`{}`", "é".repeat(120))),
            (&"é".repeat(121), &format!("`{}…`", "é".repeat(120))),
            ("אבג", "`אבג` (right to left)"),
            ("a ٣", "`a ٣` (right to left)"),
        ] {
            assert_eq!(code(text), expected, "{text:?}");
        }
    }
}
