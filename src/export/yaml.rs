//! `--format yaml`: the data file of `examples/team`, and `import` blocks for its `for_each`.

use std::collections::BTreeMap;

use plugin_server::hcl::{needs_escape, push_escaped, quoted};
use serde_json::Value;

use super::objects::{OWNER, Objects, RESOURCES, ROLE, text};
use super::{IMPORTS_HEAD, Output};

/// Returns the data file of these objects, and the `import` blocks of the resources in
/// `examples/team/region`. `prefix` comes before their addresses.
pub(super) fn write(objects: &Objects, prefix: &str, with_resources: bool) -> Output {
    let [listing, role, settings @ ..] = ROLE;
    let listings = by_parent(&objects.roles, listing, |object| {
        let settings = settings.iter().filter(|name| with_resources || **name != RESOURCES);
        let settings: String = settings.map(|name| setting(name, &object[*name])).collect();
        format!("\n    {}:{settings}", scalar(&text(&object[role])))
    });
    let [integration, owner] = OWNER;
    let integrations = by_parent(&objects.owners, integration, |object| {
        format!("\n    - {}", scalar(&text(&object[owner])))
    });
    let head = "# Written by `terraform-provider-access export --format yaml`.";
    let roles = format!("{prefix}access_listing_role.this");
    let owners = format!("{prefix}access_integration_owner.this");
    Output {
        text: format!("{head}\nlistings:{listings}\nintegrations:{integrations}\n"),
        imports: IMPORTS_HEAD.to_owned()
            + &import_block(&objects.roles, [listing, role], &roles)
            + &import_block(&objects.owners, OWNER, &owners),
    }
}

/// Returns a map with a key for each parent, whose value is the entries of its objects.
fn by_parent(objects: &[Value], parent: &str, entry: impl Fn(&Value) -> String) -> String {
    let mut parents = BTreeMap::<_, String>::new();
    for object in objects {
        *parents.entry(text(&object[parent])).or_default() += &entry(object);
    }
    if parents.is_empty() {
        return " {}".to_owned();
    }
    parents.iter().map(|(parent, entries)| format!("\n  {}:{entries}", scalar(parent))).collect()
}

/// Returns an argument of a role; nothing if it is not set.
fn setting(name: &str, value: &Value) -> String {
    let value = match value {
        Value::Null => return String::new(),
        Value::String(text) => format!(" {}", scalar(text)),
        Value::Array(elements) if !elements.is_empty() => {
            elements.iter().map(|it| format!("\n        - {}", scalar(&text(it)))).collect()
        }
        other => format!(" {other}"),
    };
    format!("\n      {name}:{value}")
}

/// Returns a text as YAML: in quotes if it needs escapes, or if a reader of YAML 1.1 or 1.2 would take it for
/// something else. A text that reverses the direction of a line would hide a part of a reviewed file, so
/// invisible characters are escaped.
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

/// Returns an `import` block for the instances of a resource, whose keys are `parent/object`; nothing if there
/// are none.
fn import_block(objects: &[Value], key: [&str; 2], address: &str) -> String {
    if objects.is_empty() {
        return String::new();
    }
    let keys = objects.iter().map(|object| quoted(&key.map(|part| text(&object[part])).join("/")));
    let keys: Vec<_> = keys.collect();
    let width = keys.iter().map(|key| key.chars().count()).max().unwrap_or_default();
    let mut block = "\nimport {\n  for_each = {\n".to_owned();
    for (key, object) in keys.iter().zip(objects) {
        block += &format!("    {key:width$} = {}\n", quoted(&text(&object["name"])));
    }
    block + &format!("  }}\n\n  to = {address}[each.key]\n  id = each.value\n}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `acceptance::team` has a real host read the file and the `import` blocks of a full export.
    #[test]
    fn empty_export_has_the_layout_of_the_example() {
        let output = write(&Objects::default(), "", true);
        assert!(output.text.ends_with("\nlistings: {}\nintegrations: {}\n"), "{}", output.text);
        assert_eq!(output.imports, IMPORTS_HEAD);
    }

    /// The resources of the example must take every setting that the file has.
    #[test]
    fn example_takes_every_setting_of_the_file() {
        let example = include_str!("../../examples/team/region/main.tf");
        for name in &ROLE[2..] {
            // As an argument, and in the lists of known keys.
            for part in [format!("each.value.settings.{name}"), format!("\"{name}\"")] {
                assert!(example.contains(&part), "{part}");
            }
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
        ] {
            assert_eq!(scalar(text), expected);
        }
    }
}
