//! Shows texts that others wrote as code in Markdown, and as nothing else.

use std::collections::HashMap;

use icu_properties::props::{
    BidiClass, BinaryProperty as _, DefaultIgnorableCodePoint, EnumeratedProperty as _,
    GeneralCategory, GeneralCategoryGroup,
};
use serde_json::Value;

/// The most characters of a text that are shown in full, as they are shown.
const MOST_CHARACTERS: usize = 120;

/// The most backticks around a code span: cmark-gfm closes none that has more.
const MOST_BACKTICKS: usize = 80;

/// The texts of a page, by how they are shown, each with its number among those that look the same.
#[derive(Default)]
pub(crate) struct Texts(HashMap<String, HashMap<String, usize>>);

impl Texts {
    /// Adds all texts in a value.
    pub(crate) fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                let alike = self.0.entry(shown(text)).or_default();
                let number = alike.len() + 1;
                alike.entry(text.clone()).or_insert(number);
            }
            Value::Array(values) => values.iter().for_each(|value| self.add(value)),
            Value::Object(members) => members.values().for_each(|value| self.add(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Returns a text as a code span, with its number if another one looks the same.
    ///
    /// A browser shows text from right to left together with what is next to it, so two such texts
    /// around an arrow would change places. Words from left to right between them prevent this, and
    /// they follow each such text.
    pub(crate) fn code(&self, text: &str) -> String {
        if text.is_empty() {
            return "an empty text".to_owned();
        }
        let shown = shown(text);
        let direction = if shown.chars().any(is_right_to_left) { " (right to left)" } else { "" };
        let alike = self.0.get(&shown).filter(|alike| alike.len() > 1);
        let number = alike.and_then(|alike| alike.get(text)).map(|number| format!(" ({number})"));
        format!("{}{direction}{}", span(&shown), number.unwrap_or_default())
    }
}

/// Returns a code span. It begins with one backtick more than the longest run in it has, because it
/// ends at the first run that is as long as its beginning. Everything else in it is literal.
fn span(shown: &str) -> String {
    let fence = "`".repeat(longest_run(shown) + 1);
    // CommonMark removes one space from both ends if both have one.
    let touches = shown.starts_with('`') || shown.ends_with('`');
    let has_spaces = shown.starts_with(' ') && shown.ends_with(' ');
    let padding = if touches || has_spaces { " " } else { "" };
    format!("{fence}{padding}{shown}{padding}{fence}")
}

/// Returns a text without characters that mislead a reader, which are shown as escapes. Of a long
/// one, both ends remain.
fn shown(text: &str) -> String {
    let has_long_run = longest_run(text) >= MOST_BACKTICKS;
    let escaped = text.chars().map(|character| match character {
        '`' if has_long_run => character.escape_unicode().to_string(),
        // A line end as `\n`, and others by their numbers.
        _ if is_invisible(character) => character.escape_default().to_string(),
        _ => character.to_string(),
    });
    let parts: Vec<_> = escaped.collect();
    let length = |part: &String| part.chars().count();
    if parts.iter().map(length).sum::<usize>() <= MOST_CHARACTERS {
        return parts.concat();
    }
    // An escape is one part, and is not cut.
    let fits = |room: &mut usize, part: &String| {
        *room = room.checked_sub(length(part))?;
        Some(())
    };
    let half = MOST_CHARACTERS / 2;
    let start = parts.iter().scan(half, fits).count();
    let end = parts.len() - parts.iter().rev().scan(half, fits).count();
    format!("{}…{}", parts[..start].concat(), parts[end..].concat())
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

/// Returns whether a character has no glyph, or changes the direction of others.
fn is_invisible(character: char) -> bool {
    let blank = GeneralCategoryGroup::Other.union(GeneralCategoryGroup::Separator);
    character != ' '
        && (blank.contains(GeneralCategory::for_char(character))
            || DefaultIgnorableCodePoint::for_char(character)
            // A pattern of Braille without dots counts as a symbol.
            || character == '\u{2800}')
}

/// Returns whether a character moves what is next to it to its left.
fn is_right_to_left(character: char) -> bool {
    use BidiClass as Class;
    let class = Class::for_char(character);
    [Class::RightToLeft, Class::ArabicLetter, Class::ArabicNumber].contains(&class)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_is_one_code_span_without_what_cannot_be_seen() {
        let run = "`".repeat(80);
        let half = "é".repeat(60);
        for (text, expected) in [
            ("plain", "`plain`"),
            ("", "an empty text"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            (" a ", "`  a  `"),
            (" a", "` a`"),
            ("a\r\n# b\t\u{0}", "`a\\r\\n# b\\t\\u{0}`"),
            ("a\u{202e}b\u{a0}", "`a\\u{202e}b\\u{a0}`"),
            ("\u{3164}\u{fe0f}\u{34f}\u{2800}", "`\\u{3164}\\u{fe0f}\\u{34f}\\u{2800}`"),
            ("\u{e000}\u{378}", "`\\u{e000}\\u{378}`"),
            ("e\u{301} 日本語 🦀", "`e\u{301} 日本語 🦀`"),
            (&run[1..], &format!("{run} {} {run}", &run[1..])),
            (&run, &format!("`{0}…{0}`", "\\u{60}".repeat(10))),
            (&"é".repeat(120), &format!("`{half}{half}`")),
            (&"é".repeat(121), &format!("`{half}…{half}`")),
            // Each escape has eight characters.
            (&"\u{202e}".repeat(15), &format!("`{}`", "\\u{202e}".repeat(15))),
            (&"\u{202e}".repeat(16), &format!("`{0}…{0}`", "\\u{202e}".repeat(7))),
            ("אבג", "`אבג` (right to left)"),
            ("a ٣", "`a ٣` (right to left)"),
        ] {
            assert_eq!(Texts::default().code(text), expected, "{text:?}");
        }
    }

    #[test]
    fn different_texts_that_look_the_same_have_numbers() {
        let [one, other] = ["b", "c"].map(|it| "a".repeat(100) + it + &"a".repeat(100));
        let mut texts = Texts::default();
        texts.add(&json!([one, "a\n", {"x": [one, "plain"]}, other, "a\\n", "plain"]));
        let cut = format!("`{0}…{0}`", "a".repeat(60));
        for (text, expected) in [
            (&*one, &*format!("{cut} (1)")),
            (&other, &format!("{cut} (2)")),
            ("a\n", "`a\\n` (1)"),
            ("a\\n", "`a\\n` (2)"),
            ("plain", "`plain`"),
        ] {
            assert_eq!(texts.code(text), expected, "{text:?}");
        }
    }
}
