//! Messages of the service, sanitized for a terminal.
//!
//! The messages are untrusted: control characters could change what a user sees in the terminal,
//! and a service that echoes the request would write the API key into logs.

use icu_properties::props::{
    BinaryProperty as _, DefaultIgnorableCodePoint, EnumeratedProperty as _, GeneralCategory,
    GeneralCategoryGroup,
};
use serde_json::{Map, Value};

use crate::redact::Redactor;

/// The largest number of characters of a message that is shown.
const MAX_CHARACTERS: usize = 512;

/// The largest number of bytes of a body that are searched for text, or logged.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// The fields of a JSON body that contain a message, without `_` and in lower case, the best first:
/// texts for people, then what is often a code, then what contains other objects.
const MESSAGE_FIELDS: [&str; 13] = [
    "message",
    "msg",
    "errormessage",
    "faultstring",
    "detail",
    "errordescription",
    "description",
    "reason",
    "title",
    "error",
    "errors",
    "fault",
    "details",
];

/// The fields beside a message that name what it is about, such as the argument that a service
/// refuses.
const PLACE_FIELDS: [&str; 5] = ["loc", "field", "param", "property", "pointer"];

/// The shown message of a body that is not text.
const NOT_TEXT: &str = "a body that is not text";

/// Returns the message in a response body: a field of JSON, the title of an HTML page, or the body
/// as text.
pub(crate) fn of_body(body: &[u8], redactor: &Redactor) -> String {
    let text = match serde_json::from_slice(body).map(|value| redactor.redact_json(value)) {
        Ok(value) => message(&value).unwrap_or_else(|| compact(&value)),
        Err(_) if is_text(body) => plain(&redactor.head(body, MAX_BODY_BYTES)),
        Err(_) => NOT_TEXT.to_owned(),
    };
    clean(&text, redactor)
}

/// Returns a body for the log at TRACE: redacted, and longer than a message.
pub(crate) fn of_trace(body: &[u8], redactor: &Redactor) -> String {
    let json = serde_json::from_slice::<Value>(body).ok().and_then(|value| {
        let redacted = redactor.redact_json(value.clone());
        (redacted != value).then(|| redacted.to_string())
    });
    redactor.head(json.as_deref().map_or(body, str::as_bytes), MAX_BODY_BYTES)
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
        } else if !is_invisible(character) {
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

/// Returns the message of a JSON body in the shapes that services use; `None` without a known
/// field.
fn message(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Array(items) => {
            let texts: Vec<String> =
                items.iter().map(shown).filter(|text| !text.is_empty()).collect();
            (!texts.is_empty()).then(|| texts.join("; "))
        }
        Value::Object(object) => message_of_object(object),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Returns the message of a part of a body, or the part as compact text.
fn shown(value: &Value) -> String {
    message(value).unwrap_or_else(|| compact(value))
}

/// Returns the message of the best known field, with the place that it is about, and with what the
/// service lists as `errors` beside it.
fn message_of_object(object: &Map<String, Value>) -> Option<String> {
    let mut text = MESSAGE_FIELDS.iter().find_map(|field| text_of_field(object, field))?;
    if let Some(errors) = text_of_field(object, "errors").filter(|errors| !text.contains(errors)) {
        text = format!("{text}: {errors}");
    }
    let place = PLACE_FIELDS.iter().find_map(|field| place(find(object, field)?));
    Some(match place {
        Some(place) => format!("{place}: {text}"),
        None => text,
    })
}

/// Returns a field as text; `None` if it is empty, or a flag or a number, which is no message.
fn text_of_field(object: &Map<String, Value>, field: &str) -> Option<String> {
    let value = find(object, field)?;
    let is_simple = value.is_boolean() || value.is_number();
    Some(shown(value)).filter(|text| !text.is_empty() && !is_simple)
}

/// Returns a field by its name in [`MESSAGE_FIELDS`] or [`PLACE_FIELDS`].
fn find<'v>(object: &'v Map<String, Value>, field: &str) -> Option<&'v Value> {
    let is_wanted = |name: &str| name.replace('_', "").eq_ignore_ascii_case(field);
    object.iter().find(|(name, _)| is_wanted(name)).map(|(_, value)| value)
}

/// Returns the place that a field names: `owner`, or `body.owner` for `["body", "owner"]`.
fn place(value: &Value) -> Option<String> {
    let part = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let text = match value {
        Value::Array(parts) => parts.iter().map(part).collect::<Option<Vec<_>>>()?.join("."),
        value => part(value)?,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// Returns JSON as compact text; "" for a value that says nothing.
fn compact(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Array(items) if items.is_empty() => String::new(),
        Value::String(text) => text.trim().to_owned(),
        value => value.to_string(),
    }
}

/// Returns whether a body is text, perhaps in another encoding, and not compressed or binary.
fn is_text(body: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&body[..body.len().min(MAX_BODY_BYTES)]);
    let is_binary = |c: &char| {
        *c == char::REPLACEMENT_CHARACTER || c.is_control() && !c.is_whitespace() && *c != '\u{1b}'
    };
    let binary = head.chars().filter(is_binary).count();
    binary * 10 <= head.chars().count()
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

/// Returns whether a character has no glyph, or changes the direction of others.
fn is_invisible(character: char) -> bool {
    GeneralCategoryGroup::Other.contains(GeneralCategory::for_char(character))
        || DefaultIgnorableCodePoint::for_char(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Secret;

    const KEY: &str = "canary-key+/=<1>";
    const PASSWORD: &str = "gate way=\"s\"";

    fn redactor() -> Redactor {
        Redactor::new([KEY, PASSWORD].map(Secret::new))
    }

    /// Bodies with a text of the service (`TEXT`), and what is shown of them.
    const SHAPES: [(&str, &str); 34] = [
        (r#""TEXT""#, "TEXT"),
        (r#"["TEXT"]"#, "TEXT"),
        (r#"["TEXT","more"]"#, "TEXT; more"),
        (r#"{"message":"TEXT"}"#, "TEXT"),
        (r#"{"Message":"TEXT","Code":7}"#, "TEXT"),
        (r#"{"msg":"TEXT"}"#, "TEXT"),
        (r#"{"error_message":"TEXT"}"#, "TEXT"),
        (r#"{"errorMessage":"TEXT"}"#, "TEXT"),
        (r#"{"error":"TEXT"}"#, "TEXT"),
        (r#"{"error":true,"reason":"TEXT"}"#, "TEXT"),
        (r#"{"reason":"TEXT"}"#, "TEXT"),
        (r#"{"description":"TEXT"}"#, "TEXT"),
        (r#"{"error":"invalid","error_description":"TEXT"}"#, "TEXT"),
        (r#"{"title":"Bad Request","status":400,"detail":"TEXT"}"#, "TEXT"),
        (r#"{"error":{"code":404,"status":"NOT_FOUND","message":"TEXT"}}"#, "TEXT"),
        (r#"{"error":{"message":"TEXT","errors":[{"message":"TEXT"}]}}"#, "TEXT"),
        (r#"{"fault":{"faultstring":"TEXT","detail":{"errorcode":"x"}}}"#, "TEXT"),
        (r#"{"fault":{"faultstring":"TEXT"}}"#, "TEXT"),
        (r#"{"message":null,"msg":" ","detail":"TEXT"}"#, "TEXT"),
        (r#"{"message":17,"reason":"TEXT"}"#, "TEXT"),
        (r#"[{"message":"TEXT"},{"message":"more"}]"#, "TEXT; more"),
        (r#"[{"code":1,"text":"TEXT"}]"#, r#"{"code":1,"text":"TEXT"}"#),
        (r#"{"errors":[{"title":"Invalid","detail":"TEXT"}]}"#, "TEXT"),
        (r#"{"errors":{"owner":["TEXT"]}}"#, r#"{"owner":["TEXT"]}"#),
        (r#"{"message":"Invalid","errors":{"owner":["TEXT"]}}"#, r#"Invalid: {"owner":["TEXT"]}"#),
        (
            r#"{"message":"Invalid","errors":[{"field":"owner","message":"TEXT"}]}"#,
            "Invalid: owner: TEXT",
        ),
        (
            r#"{"detail":[{"loc":["body","owner",0],"msg":"TEXT","type":"x"}]}"#,
            "body.owner.0: TEXT",
        ),
        (r#"{"detail":{"owner":["TEXT"]}}"#, r#"{"owner":["TEXT"]}"#),
        (r#"{"owner":["TEXT"]}"#, r#"{"owner":["TEXT"]}"#),
        (r#"{ "code": 5, "what": "TEXT" }"#, r#"{"code":5,"what":"TEXT"}"#),
        ("TEXT", "TEXT"),
        ("{\"message\": TEXT", "{\"message\": TEXT"),
        ("<!doctype html><TITLE>TEXT</TITLE>", "an HTML page, TEXT"),
        ("\u{1b}[31m\u{202e}\u{3164}TEXT\u{e000}", "TEXT"),
    ];

    #[test]
    fn services_own_words_are_shown_of_every_shape() {
        let redactor = redactor();
        for (shape, expected) in SHAPES {
            let body = shape.replace("TEXT", "no such user");
            let shown = of_body(body.as_bytes(), &redactor);
            assert_eq!(shown, expected.replace("TEXT", "no such user"), "{shape}");
        }
        for nothing in ["", " ", "{}", "[]", "null", "\"\"", "[{}]", r#"{"message":""}"#] {
            let shown = of_body(nothing.as_bytes(), &redactor);
            assert!(shown.is_empty() || shown == nothing, "{nothing}: {shown}");
        }
    }

    #[test]
    fn secrets_are_shown_of_no_shape() {
        let redactor = redactor();
        let forms = [
            KEY,
            PASSWORD,
            "canary-key%2B%2F%3D%3C1%3E",
            "gate%20way=%22s%22",
            // As JSON has them.
            "canary-key+\\/=\\u003c1\\u003e",
            "gate way=\\\"s\\\"",
        ];
        for (shape, _) in SHAPES {
            for form in forms {
                // As text is put into JSON, if it is not what JSON has.
                let escaped = serde_json::json!(form).to_string();
                let is_json = serde_json::from_str::<Value>(shape).is_ok();
                let text = match form.contains('\\') {
                    true if is_json => form,
                    true => continue,
                    false if is_json => &escaped[1..escaped.len() - 1],
                    false => form,
                };
                let body = shape.replace("TEXT", &format!("no {text} here"));
                for shown in
                    [of_body(body.as_bytes(), &redactor), of_trace(body.as_bytes(), &redactor)]
                {
                    for part in ["canary", "key+", "gate", "way"] {
                        assert!(!shown.contains(part), "{body}: {shown}");
                    }
                    assert!(shown.contains("[redacted]"), "{body}: {shown}");
                }
            }
        }
    }

    #[test]
    fn compressed_and_binary_bodies_are_named_and_not_shown() {
        let redactor = redactor();
        let noise: Vec<u8> = (0..=255).cycle().take(2_000).collect();
        for body in [
            &b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcbH\xcd\xc9\xc9\x07\0\x86\xa6\x106\x05\0\0\0"[..],
            b"\x28\xb5\x2f\xfd\x04\x00\x29\x00\x00hello\x9d\x8c\x3d\xe5",
            b"\x08\x05\x12\x0cnot allowed!",
            b"n\0o\0t\0",
            &noise,
        ] {
            assert_eq!(of_body(body, &redactor), NOT_TEXT, "{body:?}");
        }
        // In another encoding, and with a bell.
        assert_eq!(
            of_body(b"Zugriff verweigert f\xfcr diesen Benutzer", &redactor),
            "Zugriff verweigert f\u{fffd}r diesen Benutzer"
        );
        assert_eq!(
            of_body("désolé, l'accès est refusé\u{7}".as_bytes(), &redactor),
            "désolé, l'accès est refusé"
        );
    }
}
