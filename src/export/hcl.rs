//! Writes HCL: blocks of attributes, in the layout of `terraform fmt`, with escaped strings.
//!
//! It supports only the values that the export needs. A library would bring a parser, and none
//! writes an attribute as a comment.

use std::fmt::Write as _;

use super::attributes::{Arguments, Value};
use crate::hcl::quoted;

/// The body of a block.
#[derive(Default)]
pub(super) struct Body<'a> {
    /// Attributes of one line each, aligned.
    pub(super) attributes: Arguments<'a>,
    /// An attribute of several lines, and whether it is a comment.
    pub(super) last: Option<(&'static str, Value<'a>, bool)>,
}

/// Appends a block: `head` is what stands before the brace.
pub(super) fn write_block(out: &mut String, head: &str, body: &Body<'_>) {
    // Writing to a string never fails.
    let _ = writeln!(out, "{head} {{");
    let width = body.attributes.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, value) in &body.attributes {
        let _ = writeln!(out, "  {name:width$} = {}", expression(value));
    }
    if let Some((name, value, is_comment)) = &body.last {
        let prefix = if *is_comment { "  # " } else { "  " };
        out.push('\n');
        for line in format!("{name} = {}", expression(value)).lines() {
            let _ = writeln!(out, "{prefix}{line}");
        }
    }
    out.push_str("}\n");
}

/// Appends an `import` block for the instances of a resource: `ids` has the key of each instance and
/// the import ID of its object. Writes nothing if there are none.
pub(super) fn write_imports(out: &mut String, address: &str, ids: &[(String, String)]) {
    if ids.is_empty() {
        return;
    }
    let keys: Vec<String> = ids.iter().map(|(key, _)| quoted(key)).collect();
    let width = keys.iter().map(|key| key.chars().count()).max().unwrap_or_default();
    out.push_str("\nimport {\n  for_each = {\n");
    for (key, (_, id)) in keys.iter().zip(ids) {
        let _ = writeln!(out, "    {key:width$} = {}", quoted(id));
    }
    let _ = writeln!(out, "  }}\n\n  to = {address}[each.key]\n  id = each.value\n}}");
}

fn expression(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::Integer(number) => number.to_string(),
        Value::Texts(texts) if texts.is_empty() => "[]".to_owned(),
        Value::Texts(texts) => {
            let lines: String = texts.iter().map(|text| format!("  {},\n", quoted(text))).collect();
            format!("[\n{lines}]")
        }
        Value::Address(address) => address.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_has_the_layout_of_terraform_fmt() {
        let mut out = String::new();
        let body = Body {
            attributes: vec![("a", Value::Text("x")), ("long", Value::Integer(-1))],
            last: Some(("set", Value::Texts(vec!["x", "y"]), false)),
        };
        write_block(&mut out, "block", &body);
        let expected =
            "block {\n  a    = \"x\"\n  long = -1\n\n  set = [\n    \"x\",\n    \"y\",\n  ]\n}\n";
        assert_eq!(out, expected);
    }

    #[test]
    fn attribute_as_a_comment_is_a_comment_on_each_line() {
        let mut out = String::new();
        let last = Some(("set", Value::Texts(vec!["x\ny"]), true));
        write_block(&mut out, "block", &Body { last, ..Body::default() });
        assert_eq!(out, "block {\n\n  # set = [\n  #   \"x\\ny\",\n  # ]\n}\n");
    }

    #[test]
    fn imports_of_instances_are_one_block_with_escaped_keys() {
        let mut out = String::new();
        write_imports(&mut out, "a.this", &[]);
        assert_eq!(out, "");
        let ids = [("g/${x}", "1"), ("h", "2")].map(|(key, id)| (key.to_owned(), id.to_owned()));
        write_imports(&mut out, "module.eu.a.this", &ids);
        let expected = "
import {
  for_each = {
    \"g/$${x}\" = \"1\"
    \"h\"       = \"2\"
  }

  to = module.eu.a.this[each.key]
  id = each.value
}
";
        assert_eq!(out, expected);
    }
}
