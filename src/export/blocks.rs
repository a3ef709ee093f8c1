//! `--format hcl`: `resource` and `import` blocks, in the layout of `terraform fmt`.
//!
//! It writes only the values that arguments have. A library would bring a parser as well.

use std::collections::HashSet;

use plugin_server::hcl::quoted;
use serde_json::Value;

use super::arguments::exported_to;
use super::objects::{Objects, text};

/// What the first line of `import` blocks says.
const REMARK: &str = "# Delete these blocks after the apply.\n";

/// Returns the `resource` blocks of these objects, and the `import` blocks for them, with `prefix`
/// before their addresses.
pub(super) fn write(objects: &[Objects], prefix: &str) -> (String, String) {
    let mut blocks = Vec::new();
    let mut imports = Vec::new();
    for Objects { exported, all } in objects {
        let (resource_type, arguments) = (exported.words.resource_type, &exported.arguments);
        // A parent and an ID, or a parent and a principal.
        let labels = all.iter().map(|object| {
            format!("{}_{}", text(&object[arguments[0]]), text(&object[arguments[1]]))
        });
        for (object, name) in all.iter().zip(resource_names(labels)) {
            let body = body(object, arguments);
            let id = quoted(&text(&object["name"]));
            blocks.push(format!("resource \"{resource_type}\" \"{name}\" {{\n{body}}}\n"));
            imports.push(format!(
                "import {{\n  to = {prefix}{resource_type}.{name}\n  id = {id}\n}}\n"
            ));
        }
    }
    (blocks.join("\n"), with_remark(&imports))
}

/// Returns the `import` block for a resource of the configuration that has `for_each`. Its keys are
/// the IDs of roles, or the principals of owners.
pub(super) fn import_block_of(objects: &[Objects], address: &str) -> String {
    let target = exported_to(address).map(|exported| exported.words.resource_type);
    let of_target = objects.iter().filter(|it| Some(it.exported.words.resource_type) == target);
    let blocks = of_target.map(|it| import_block(&it.all, it.exported.arguments[1], address));
    with_remark(&blocks.collect::<Vec<_>>())
}

/// Returns an `import` block for the instances of a resource, whose keys are this attribute.
pub(super) fn import_block<'o>(
    objects: impl IntoIterator<Item = &'o Value>,
    key: &str,
    address: &str,
) -> String {
    let entry = |object: &Value| (quoted(&text(&object[key])), quoted(&text(&object["name"])));
    let entries: Vec<_> = objects.into_iter().map(entry).collect();
    let width = entries.iter().map(|(key, _)| key.chars().count()).max().unwrap_or_default();
    let lines = entries.iter().map(|(key, name)| format!("    {key:width$} = {name}\n"));
    let lines: String = lines.collect();
    format!(
        "import {{\n  for_each = {{\n{lines}  }}\n\n  to = {address}[each.key]\n  id = each.value\n}}\n"
    )
}

/// Returns a file of `import` blocks.
pub(super) fn with_remark(blocks: &[String]) -> String {
    format!("{REMARK}\n{}", blocks.join("\n"))
}

/// Returns the lines of the arguments that are set: those of one line aligned, and then lists.
/// `acceptance::export` has a real host check the layout.
fn body(object: &Value, arguments: &[&str]) -> String {
    let values = arguments.iter().map(|name| (*name, &object[*name]));
    let is_one_line = |value: &Value| !value.is_array() && !value.is_null();
    let names = values.clone().filter(|(_, value)| is_one_line(value)).map(|(name, _)| name.len());
    let width = names.max().unwrap_or_default();
    let mut body = String::new();
    for (name, value) in values {
        body += &match value {
            Value::Null => String::new(),
            Value::String(text) => format!("  {name:width$} = {}\n", quoted(text)),
            Value::Array(elements) if elements.is_empty() => format!("\n  {name} = []\n"),
            Value::Array(elements) => {
                let lines = elements.iter().map(|it| format!("    {},\n", quoted(&text(it))));
                format!("\n  {name} = [\n{}  ]\n", lines.collect::<String>())
            }
            other => format!("  {name:width$} = {other}\n"),
        };
    }
    body
}

/// Returns a resource name for each label, in the same order: valid, all different, and the same in
/// each run as long as no two labels make the same name.
fn resource_names(labels: impl Iterator<Item = String>) -> Vec<String> {
    let plain: Vec<String> = labels.map(|label| identifier(&label)).collect();
    // No suffix makes the plain name of another object.
    let mut taken: HashSet<String> = plain.iter().cloned().collect();
    let mut used = HashSet::new();
    let mut unused = |name: String| {
        if used.insert(name.clone()) {
            return name;
        }
        let mut suffixed = (2_u64..).map(|number| format!("{name}_{number}"));
        suffixed.find(|candidate| taken.insert(candidate.clone())).unwrap_or(name)
    };
    plain.into_iter().map(&mut unused).collect()
}

/// Returns the text with everything replaced that a name of Terraform cannot contain. Other
/// letters than ASCII's could, but they would look like each other.
fn identifier(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = text.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name
    } else {
        format!("_{name}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::export::objects::EXPORTED;

    fn names(labels: &[&str]) -> Vec<String> {
        resource_names(labels.iter().map(|label| (*label).to_owned()))
    }

    /// Without the argument, Terraform would not manage them. `[]` says that there are none.
    #[test]
    fn resources_are_written_also_if_there_are_none() {
        for (resources, expected) in [
            (json!([]), "  priority     = 1\n\n  resources = []\n"),
            (json!(["a"]), "  priority     = 1\n\n  resources = [\n    \"a\",\n  ]\n"),
        ] {
            let role = json!({
                "listing": "l", "role": "r", "name": "listings/l/roles/r", "display_name": "R", "priority": 1,
                "description": null, "resources": resources,
            });
            let objects = Objects { exported: &EXPORTED[0], all: vec![role] };
            let (blocks, _) = write(&[objects], "");
            assert!(blocks.ends_with(&format!("{expected}}}\n")), "{blocks}");
        }
    }

    #[test]
    fn name_is_a_valid_identifier_and_gets_a_suffix_if_it_is_taken() {
        let given = ["github_viewer", "a.b c", "1st", "-x", "é", ""];
        assert_eq!(names(&given), ["github_viewer", "a_b_c", "_1st", "_-x", "_", "__2"]);
        let given = ["a.b", "a_b", "a_b_2", "a:b", "A_b"];
        assert_eq!(names(&given), ["a_b", "a_b_3", "a_b_2", "a_b_4", "A_b"]);
    }
}
