//! The attributes of a schema as Markdown, in the registry's groups.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

/// Writes the section `Schema` of a page.
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

/// Writes the attributes by group. `parent` is the path of the attribute that contains them, with a
/// dot at its end, or empty.
fn write_groups(
    page: &mut String,
    attributes: &Map<String, Value>,
    parent: &str,
    heading: impl Fn(&str) -> String,
) -> Result<()> {
    for title in ["Required", "Optional", "Read-Only"] {
        let mut of_group =
            attributes.iter().filter(|(_, attribute)| group(attribute) == title).peekable();
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
                bail!("the nested attributes {parent}{name} cannot be described");
            }
            writeln!(
                page,
                "- `{name}` (Attributes List{sensitive}) {description} (see [below for nested schema](#nestedatt--{name}))"
            )?;
        }
    }
    Ok(())
}

/// Returns the heading of the group that an attribute belongs to.
fn group(attribute: &Value) -> &'static str {
    if attribute["required"] == true {
        "Required"
    } else if attribute["optional"] == true {
        "Optional"
    } else {
        "Read-Only"
    }
}

/// Returns the name of a type in the form of registry pages, such as `Set of String`.
fn kind(kind: &Value) -> Result<String> {
    Ok(match kind {
        Value::String(name) => match name.as_str() {
            "string" => "String".to_owned(),
            "number" => "Number".to_owned(),
            "bool" => "Boolean".to_owned(),
            other => bail!("unknown type {other}"),
        },
        Value::Array(parts) => match (parts[0].as_str(), &parts[1]) {
            (Some("set"), of) => format!("Set of {}", self::kind(of)?),
            (Some("map"), of) => format!("Map of {}", self::kind(of)?),
            (Some("list"), of) => format!("List of {}", self::kind(of)?),
            other => bail!("unknown type {other:?}"),
        },
        other => bail!("unknown type {other}"),
    })
}

/// Returns the string, or an empty one if the value is not a string.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
