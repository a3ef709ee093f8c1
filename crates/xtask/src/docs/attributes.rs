//! Attributes in words, in the registry's groups.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

/// The section `Schema` of a page.
///
/// # Errors
///
/// Fails where a type has no words.
pub(super) fn write_schema(page: &mut String, block: &Value) -> Result<()> {
    page.push_str("<!-- schema generated from the provider -->\n## Schema\n");
    let attributes = block["attributes"].as_object().context("attributes")?;
    let headed = |title: &str| format!("### {title}");
    write_groups(page, attributes, "", headed)?;
    for (name, attribute) in attributes {
        if let Some(nested) = attribute["nested_type"]["attributes"].as_object() {
            write!(page, "\n<a id=\"nestedatt--{name}\"></a>\n### Nested Schema for `{name}`\n")?;
            write_groups(page, nested, &format!("{name}."), |title| format!("{title}:"))?;
        }
    }
    Ok(())
}

/// The attributes by group. `parent` is the path of what they are in, with a dot.
fn write_groups(
    page: &mut String,
    attributes: &Map<String, Value>,
    parent: &str,
    heading: impl Fn(&str) -> String,
) -> Result<()> {
    for title in ["Required", "Optional", "Read-Only"] {
        let mut of_group = attributes.iter().filter(|(_, it)| group(it) == title).peekable();
        if of_group.peek().is_some() {
            write!(page, "\n{}\n\n", heading(title))?;
        }
        for (name, attribute) in of_group {
            let sensitive = if attribute["sensitive"] == true { ", Sensitive" } else { "" };
            let description = text(&attribute["description"]);
            let nested = &attribute["nested_type"];
            if nested.is_null() {
                let kind = kind(&attribute["type"])?;
                writeln!(page, "- `{name}` ({kind}{sensitive}) {description}")?;
                continue;
            }
            if !parent.is_empty() || nested["nesting_mode"] != "list" {
                bail!("no words for the nested attributes {parent}{name}");
            }
            writeln!(
                page,
                "- `{name}` (Attributes List{sensitive}) {description} (see [below for nested schema](#nestedatt--{name}))"
            )?;
        }
    }
    Ok(())
}

/// The heading that an attribute stands under.
fn group(attribute: &Value) -> &'static str {
    if attribute["required"] == true {
        "Required"
    } else if attribute["optional"] == true {
        "Optional"
    } else {
        "Read-Only"
    }
}

/// A type in words.
///
/// # Errors
///
/// Fails where there are none.
pub(super) fn kind(kind: &Value) -> Result<String> {
    Ok(match kind {
        Value::String(name) => match name.as_str() {
            "string" => "String".to_owned(),
            "number" => "Number".to_owned(),
            "bool" => "Boolean".to_owned(),
            other => bail!("no words for the type {other}"),
        },
        Value::Array(parts) => match (parts[0].as_str(), &parts[1]) {
            (Some("set"), of) => format!("Set of {}", self::kind(of)?),
            (Some("map"), of) => format!("Map of {}", self::kind(of)?),
            (Some("list"), of) => format!("List of {}", self::kind(of)?),
            other => bail!("no words for the type {other:?}"),
        },
        other => bail!("no words for the type {other}"),
    })
}

/// A text, empty where there is none.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
