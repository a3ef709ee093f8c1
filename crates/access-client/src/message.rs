//! Messages of the service, sanitized for a terminal.
//!
//! The messages are untrusted: control characters could change what a user sees in the terminal,
//! and a service that echoes the request would write the API key into logs.

use serde_json::Value;

use crate::redact::Redactor;

/// The largest number of characters of a message that is shown.
const MAX_CHARACTERS: usize = 512;

/// The largest number of bytes of a body that is parsed for a message, or logged.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// Returns the message in a response body: a field of JSON, the title of an HTML page, or the body
/// as text.
pub(crate) fn of_body(body: &[u8], redactor: &Redactor) -> String {
    let json = (body.len() <= MAX_BODY_BYTES).then(|| serde_json::from_slice(body).ok()).flatten();
    let text = match json {
        Some(Value::Object(object)) => message(&Value::Object(object)).unwrap_or_default(),
        Some(Value::String(text)) => text,
        Some(_) => String::new(),
        None => plain(&redactor.head(body, MAX_BODY_BYTES)),
    };
    clean(&text, redactor)
}

/// Returns a body for the log at TRACE. It may be longer than a message and is also redacted.
pub(crate) fn of_trace(body: &[u8], redactor: &Redactor) -> String {
    redactor.head(body, MAX_BODY_BYTES)
}

/// Removes secrets and control characters from a message and shortens it.
pub(crate) fn clean(text: &str, redactor: &Redactor) -> String {
    // Redacts before and after: removing control characters can remove a part of a key, or join its
    // parts.
    let text = redactor.redact(text);
    let mut visible = String::with_capacity(text.len().min(4 * MAX_CHARACTERS));
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
    if let Some((end, _)) = shown.char_indices().nth(MAX_CHARACTERS) {
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

/// Returns the title of an HTML page, or other text unchanged.
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

/// Returns whether a character changes the direction of text or is invisible.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
