//! `--format csv`: one line for each role and owner, for a review in a spreadsheet (RFC 4180).

use plugin_server::hcl::is_invisible;
use serde_json::Value;

use super::objects::{EXPORTED, Objects, text};

/// What separates the elements of a set in a cell.
const SEPARATOR: &str = "; ";

/// Returns the table of these objects of one service: a column for it and for each attribute.
pub(super) fn write(objects: &[Objects], base_url: &str) -> String {
    let mut columns = vec!["base_url"];
    for name in EXPORTED.iter().flat_map(|exported| &exported.attributes) {
        // The IDs in the other columns say the same.
        if !columns.contains(name) && !["id", "name"].contains(name) {
            columns.push(name);
        }
    }
    let lines = objects.iter().flat_map(|objects| &objects.all).map(|object| {
        let attributes = columns[1..].iter().map(|column| cell(&object[*column]));
        [cell(&Value::from(base_url))].into_iter().chain(attributes).collect::<Vec<_>>().join(",")
    });
    [columns.join(",")].into_iter().chain(lines).map(|line| line + "\r\n").collect()
}

/// What a spreadsheet calculates if it is the first character of a cell.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Returns a cell that a spreadsheet shows and does not calculate. Quotes do not help: they are
/// removed before a formula is recognised. Numbers remain numbers.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Number(number) => return number.to_string(),
        Value::Array(elements) => elements.iter().map(element).collect::<Vec<_>>().join(SEPARATOR),
        other => text(other),
    };
    let mut shown = if text.starts_with(FORMULA) { "'".to_owned() } else { String::new() };
    for character in text.chars() {
        // As in the report.
        if is_invisible(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if shown.contains([',', ';', '"']) { quoted(&shown) } else { shown }
}

/// Returns an element of a set: in quotes if it could be taken for two.
fn element(value: &Value) -> String {
    let text = text(value);
    if text.contains([';', '"']) { quoted(&text) } else { text }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cell_is_text_that_is_neither_a_formula_nor_another_cell() {
        for (value, expected) in [
            (json!("=1+1"), "'=1+1"),
            (json!("+1"), "'+1"),
            (json!("-1"), "'-1"),
            (json!("@SUM(A1)"), "'@SUM(A1)"),
            (json!("\t=1"), "'\\t=1"),
            (json!("\r=1"), "'\\r=1"),
            (json!("a=1"), "a=1"),
            (json!("'=1"), "'=1"),
            (json!("a, b"), "\"a, b\""),
            (json!("a \"b\""), "\"a \"\"b\"\"\""),
            (json!("a\r\nb"), "a\\r\\nb"),
            (json!("a\u{202e}b\u{200b}\u{0}"), "a\\u{202e}b\\u{200b}\\u{0}"),
            (json!("é 🦀"), "é 🦀"),
            (json!(["a", "b"]), "\"a; b\""),
            (json!(["a; b", "c"]), "\"\"\"a; b\"\"; c\""),
            (json!(["a\"b", "=c"]), "\"\"\"a\"\"\"\"b\"\"; =c\""),
            (json!(["=a"]), "'=a"),
            (json!([]), ""),
            (json!(-7), "-7"),
            (Value::Null, ""),
        ] {
            assert_eq!(cell(&value), expected, "{value}");
        }
    }
}
