//! `--format yaml`: the data files of `examples/team`, and `import` blocks for its modules.
//!
//! A file for each listing and integration: people review and own one, and the configuration has a
//! module for each, because Terraform's time grows with the square of the instances of one
//! resource.

use std::collections::BTreeMap;

use plugin_server::hcl::{needs_escape, push_escaped, quoted};
use serde_json::Value;

use super::Export;
use super::data_schema;
use super::files::seal;
use super::objects::{OWNER, Objects, RESOURCES, ROLE, text};

/// The directories of the files.
const LISTINGS: &str = "listings";
const INTEGRATIONS: &str = "integrations";

/// Lets an editor check a file against the schema in the same directory.
const EDITOR_LINE: &str = "# yaml-language-server: $schema=schema.json\n";
const SCHEMA_FILE: &str = "schema.json";

/// Returns the data files of these objects with their paths, and the `import` blocks of the modules
/// in `examples/team/region`. `prefix` comes before their addresses.
pub(super) fn write(objects: &Objects, prefix: &str, with_resources: bool) -> Export {
    let listing = ROLE[0];
    let role = ROLE[1];
    let settings = &ROLE[2..];
    let integration = OWNER[0];
    let owner = OWNER[1];
    let mut files = Vec::new();
    let mut add = |path: String, text: String| files.push((path, text));
    let roles = by_parent(&objects.roles, listing);
    for (parent, roles) in &roles {
        let role_entry = |object: &&Value| {
            let settings = settings.iter().filter(|name| with_resources || **name != RESOURCES);
            let settings: String = settings.map(|name| setting(name, &object[*name])).collect();
            format!("{}:{settings}\n", scalar(&text(&object[role])))
        };
        let entries: String = roles.iter().map(role_entry).collect();
        let text = seal(&format!("{EDITOR_LINE}{entries}"), "");
        add(format!("{LISTINGS}/{parent}.yaml"), text);
    }
    let owners = by_parent(&objects.owners, integration);
    for (parent, owners) in &owners {
        let owner_entry = |object: &&Value| format!("- {}\n", scalar(&text(&object[owner])));
        let entries: String = owners.iter().map(owner_entry).collect();
        let text = seal(&format!("{EDITOR_LINE}{entries}"), "");
        add(format!("{INTEGRATIONS}/{parent}.yaml"), text);
    }
    if !roles.is_empty() {
        add(format!("{LISTINGS}/{SCHEMA_FILE}"), data_schema::of_listing());
    }
    if !owners.is_empty() {
        add(format!("{INTEGRATIONS}/{SCHEMA_FILE}"), data_schema::of_integration());
    }
    let mut imports = String::new();
    for (module, resource, key, parents) in [
        ("listing", "access_listing_role", role, roles),
        ("integration", "access_integration_owner", owner, owners),
    ] {
        for (parent, objects) in parents {
            let address = format!("{prefix}module.{module}[{}].{resource}.this", quoted(parent));
            imports += &import_block(&objects, key, &address);
        }
    }
    Export::Data { files, imports }
}

/// Returns the objects of each parent.
fn by_parent<'o>(objects: &'o [Value], parent: &str) -> BTreeMap<&'o str, Vec<&'o Value>> {
    let mut parents = BTreeMap::<_, Vec<_>>::new();
    for object in objects {
        parents.entry(object[parent].as_str().unwrap_or_default()).or_default().push(object);
    }
    parents
}

/// Returns an argument of a role; nothing if it is not set.
fn setting(name: &str, value: &Value) -> String {
    let value = match value {
        Value::Null => return String::new(),
        Value::String(text) => format!(" {}", scalar(text)),
        Value::Array(elements) if !elements.is_empty() => {
            elements.iter().map(|it| format!("\n    - {}", scalar(&text(it)))).collect()
        }
        other => format!(" {other}"),
    };
    format!("\n  {name}:{value}")
}

/// Returns a text as YAML: in quotes if it needs escapes, or if a reader of YAML 1.1 or 1.2 would
/// take it for something else. A text that reverses the direction of a line would hide a part of a
/// reviewed file, so invisible characters are escaped.
fn scalar(text: &str) -> String {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let yaml = serde_saphyr::to_string_with_options(&text, options).unwrap_or_default();
    if yaml.trim_end() == text && !text.contains(needs_escape) {
        return text.to_owned();
    }
    let mut literal = "\"".to_owned();
    text.chars().for_each(|character| push_escaped(&mut literal, character));
    literal + "\""
}

/// Returns an `import` block for the instances of a resource, whose keys are this attribute.
fn import_block(objects: &[&Value], key: &str, address: &str) -> String {
    let keys: Vec<_> = objects.iter().map(|object| quoted(&text(&object[key]))).collect();
    let width = keys.iter().map(|key| key.chars().count()).max().unwrap_or_default();
    let mut block = "\nimport {\n  for_each = {\n".to_owned();
    for (key, object) in keys.iter().zip(objects) {
        block += &format!("    {key:width$} = {}\n", quoted(&text(&object["name"])));
    }
    block + &format!("  }}\n\n  to = {address}[each.key]\n  id = each.value\n}}\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The resources of the example must take every setting that the file has.
    #[test]
    fn example_takes_every_setting_of_the_file() {
        let example = include_str!("../../examples/team/region/listing/main.tf");
        for name in &ROLE[2..] {
            // As an argument, and in the lists of known keys.
            for part in [format!("each.value.{name}"), format!("\"{name}\"")] {
                assert!(example.contains(&part), "{part}");
            }
        }
    }

    #[test]
    fn file_has_an_entry_for_each_role_under_a_quoted_id_with_every_setting() {
        let role = |id: &str, resources: Value| {
            json!({
                "listing": "l", "role": id, "name": format!("listings/l/roles/{id}"),
                "display_name": "R", "priority": 1, "description": null, "resources": resources,
            })
        };
        let roles = vec![
            role("viewer", json!(["a", "no"])),
            role("no", json!([])),
            role("a: b", Value::Null),
        ];
        let objects = Objects { roles, owners: Vec::new() };
        for (with_resources, expected) in [
            (
                true,
                "\nviewer:\n  display_name: R\n  priority: 1\n  resources:\n    - a\n    - \"no\"\n\
                 \"no\":\n  display_name: R\n  priority: 1\n  resources: []\n\
                 \"a: b\":\n  display_name: R\n  priority: 1\n",
            ),
            (
                false,
                "\nviewer:\n  display_name: R\n  priority: 1\n\"no\":\n  display_name: R\n  priority: 1\n\
                 \"a: b\":\n  display_name: R\n  priority: 1\n",
            ),
        ] {
            let Export::Data { files, .. } = write(&objects, "", with_resources) else {
                panic!("data files");
            };
            let (path, text) = &files[0];
            assert_eq!(path, "listings/l.yaml");
            assert!(text.ends_with(&format!("{}{}", EDITOR_LINE.trim_end(), expected)), "{text}");
        }
    }

    /// `acceptance::team` has a real host read many more.
    #[test]
    fn text_is_quoted_if_a_reader_would_take_it_for_something_else() {
        let long = "long ".repeat(40) + "text";
        for (text, expected) in [
            ("groups/platform", "groups/platform"),
            ("https://host/a é\u{a0}⚠\u{fe0f}", "https://host/a é\u{a0}⚠\u{fe0f}"),
            (&long, &long),
            ("", "\"\""),
            ("2001", "\"2001\""),
            ("a: \"b\\", "\"a: \\\"b\\\\\""),
            ("a\u{202e}b\u{e0041}\n", "\"a\\u202eb\\U000e0041\\n\""),
            // Alone: a line end would have it quoted anyway.
            ("a\u{202e}b", "\"a\\u202eb\""),
            ("a\u{e0041}b", "\"a\\U000e0041b\""),
            ("a\u{200b}b", "\"a\\u200bb\""),
        ] {
            assert_eq!(scalar(text), expected);
        }
    }
}
