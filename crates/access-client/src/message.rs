//! The service's messages, made fit for a terminal.
//!
//! They come from outside: control characters could rewrite what a person sees, and a service that
//! echoes the request would put the key into logs.

use serde_json::Value;

use crate::redact::Redactor;

/// The most characters shown of a message.
const LONGEST: usize = 512;

/// The most bytes of a body that a message is searched in, and that the log shows.
const LONGEST_BODY: usize = 64 * 1024;

/// Returns the message in a response body: the usual fields of JSON, the title of HTML, else the text.
pub(crate) fn of_body(body: &[u8], redactor: &Redactor) -> String {
    let body = redactor.head(body, LONGEST_BODY);
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(object)) => message(&Value::Object(object)).unwrap_or_default(),
        Ok(Value::String(text)) => text,
        Ok(_) => String::new(),
        Err(_) => plain(&String::from_utf8_lossy(body)),
    };
    clean(&text, redactor)
}

/// Returns a body for the log at TRACE: longer than a message, and redacted as well.
pub(crate) fn of_trace(body: &[u8], redactor: &Redactor) -> String {
    redactor.redact(&String::from_utf8_lossy(redactor.head(body, LONGEST_BODY)))
}

/// Removes what must not reach a terminal or a log, then shortens.
pub(crate) fn clean(text: &str, redactor: &Redactor) -> String {
    // Before and after: cleaning may take a part of a key along, and may bring its parts together.
    let text = redactor.redact(text);
    let mut visible = String::with_capacity(text.len().min(4 * LONGEST));
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            skip_escape_sequence(&mut characters);
        } else if character.is_whitespace() {
            if !visible.ends_with(' ') {
                visible.push(' ');
            }
        } else if !character.is_control() && !is_invisible(character) {
            visible.push(character);
        }
    }
    let mut shown = redactor.redact(&visible).trim().to_owned();
    if let Some((end, _)) = shown.char_indices().nth(LONGEST) {
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

/// Returns the message of a JSON body, in the shapes that services use.
fn message(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.iter().find_map(message),
        Value::Object(object) => {
            ["message", "error", "detail", "error_description", "title", "errors"]
                .iter()
                .find_map(|name| object.get(*name).and_then(message))
        }
        _ => None,
    }
}

/// Returns the title of an HTML page, or any other text as it is.
fn plain(text: &str) -> String {
    let start = text.trim_start();
    let lower = start.get(..start.len().min(4096)).unwrap_or_default().to_ascii_lowercase();
    if !lower.starts_with("<!doctype") && !lower.starts_with("<html") {
        return text.to_owned();
    }
    let title = lower.find("<title>").zip(lower.find("</title>"));
    match title.and_then(|(from, to)| start.get(from + "<title>".len()..to)) {
        Some(title) => format!("an HTML page, {}", title.trim()),
        None => "an HTML page".to_owned(),
    }
}

/// Skips the rest of an ANSI escape sequence.
fn skip_escape_sequence(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if characters.next_if_eq(&'[').is_some() {
        for character in characters.by_ref() {
            if ('@'..='~').contains(&character) {
                break;
            }
        }
    } else if characters.next_if_eq(&']').is_some() {
        for character in characters.by_ref() {
            if matches!(character, '\u{7}' | '\u{1b}') {
                break;
            }
        }
    }
}

/// Marks that change the direction or hide parts of a text.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
