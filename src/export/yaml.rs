//! `--format yaml`: the data files of `examples/team`, and `import` blocks for its modules.
//!
//! A file for each listing and integration: people review and own one, and the configuration has a
//! module for each, because Terraform's time grows with the square of the instances of one
//! resource.

use std::collections::BTreeMap;

use plugin_server::hcl::{needs_escape, push_escaped, quoted};
use serde_json::Value;

use super::blocks::{import_block, with_remark};
use super::objects::{Objects, text};

/// Returns the data files of these objects with their paths, and the `import` blocks of the modules
/// in `examples/team/region`. `prefix` comes before their addresses. A parent without objects has
/// no file: one without entries would be an error of the plan.
pub(super) fn write(objects: &[Objects], prefix: &str) -> (Vec<(String, String)>, String) {
    let mut files = Vec::new();
    let mut imports = Vec::new();
    for Objects { exported, all } in objects {
        let (words, arguments) = (exported.words, &exported.arguments);
        let (module, resource_type) = (words.parent_noun, words.resource_type);
        for (parent, objects) in by_parent(all, arguments[0]) {
            let entries = objects.iter().map(|object| entry(object, &arguments[1..])).collect();
            files.push((format!("{module}s/{parent}.yaml"), entries));
            let address =
                format!("{prefix}module.{module}[{}].{resource_type}.this", quoted(parent));
            imports.push(import_block(objects, arguments[1], &address));
        }
    }
    (files, with_remark(&imports))
}

/// Returns the key of an object with its other arguments; an element of a list if the type has no others.
fn entry(object: &Value, arguments: &[&str]) -> String {
    let key = scalar(&text(&object[arguments[0]]));
    if arguments.len() == 1 {
        return format!("- {key}\n");
    }
    let settings: String =
        arguments[1..].iter().map(|name| setting(name, &object[*name])).collect();
    format!("{key}:{settings}\n")
}

/// Returns the objects of each parent.
fn by_parent<'o>(objects: &'o [Value], parent: &str) -> BTreeMap<&'o str, Vec<&'o Value>> {
    let mut parents = BTreeMap::<_, Vec<_>>::new();
    for object in objects {
        parents.entry(object[parent].as_str().unwrap_or_default()).or_default().push(object);
    }
    parents
}

/// Returns an argument; nothing if it is not set.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::export::objects::EXPORTED;

    /// The resources of the example must take every setting that the file has.
    #[test]
    fn example_takes_every_setting_of_the_file() {
        let example = include_str!("../../examples/team/region/listing/main.tf");
        for name in &EXPORTED[0].arguments[2..] {
            // As an argument, and as a known key.
            for part in [format!("each.value.{name}"), format!("{name:?}")] {
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
        let objects = Objects { exported: &EXPORTED[0], all: roles };
        let (files, _) = write(&[objects], "");
        let text = "viewer:\n  display_name: R\n  priority: 1\n  resources:\n    - a\n    - \"no\"\n\
             \"no\":\n  display_name: R\n  priority: 1\n  resources: []\n\
             \"a: b\":\n  display_name: R\n  priority: 1\n";
        assert_eq!(files, [("listings/l.yaml".to_owned(), text.to_owned())]);
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
