//! Shows text that others wrote as code in Markdown, and as nothing else.

use plugin_server::hcl::is_invisible;

/// The most backticks around a code span: cmark-gfm closes none that has more.
const MOST_BACKTICKS: usize = 80;

/// Returns the text as a code span of about `limit` bytes at most.
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
            '`' if has_long_run => shown.extend(character.escape_unicode()),
            '#' if begins_command(&text[place..]) => shown.extend(character.escape_unicode()),
            // A line end as `\n`, and others by their numbers.
            _ if is_invisible(character) => shown.extend(character.escape_default()),
            _ => shown.push(character),
        }
    }
    let fence = "`".repeat(longest_run(&shown) + 1);
    // CommonMark removes one space from both ends if both have one.
    let touches = shown.starts_with('`') || shown.ends_with('`');
    let has_spaces = shown.starts_with(' ') && shown.ends_with(' ');
    let padding = if touches || has_spaces { " " } else { "" };
    let direction = if shown.chars().any(is_right_to_left) { " (right to left)" } else { "" };
    format!("{fence}{padding}{shown}{padding}{fence}{direction}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_one_code_span_without_what_cannot_be_seen() {
        let run = "`".repeat(80);
        for (text, limit, expected) in [
            ("plain", 5, "`plain`"),
            ("", 5, "an empty text"),
            ("a`b", 5, "``a`b``"),
            ("`", 5, "`` ` ``"),
            (" a ", 5, "`  a  `"),
            (" a", 5, "` a`"),
            ("a\r\n# b\t\u{0}", 50, "`a\\r\\n# b\\t\\u{0}`"),
            ("a\u{202e}b\u{a0}", 50, "`a\\u{202e}b\\u{a0}`"),
            ("##vso[x] ###[y] ## z", 50, "`\\u{23}#vso[x] #\\u{23}#[y] ## z`"),
            (&run[1..], 100, &format!("{run} {} {run}", &run[1..])),
            (&run, 1_000, &format!("`{}`", "\\u{60}".repeat(80))),
            ("0123456789abcdef", 10, "`0123456789…`"),
            ("אבג", 50, "`אבג` (right to left)"),
            ("a ٣", 50, "`a ٣` (right to left)"),
        ] {
            assert_eq!(code(text, limit), expected, "{text:?}");
        }
    }
}
