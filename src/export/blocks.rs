//! `--format hcl`: `resource` and `import` blocks, in the layout of `terraform fmt`.
//!
//! It writes only the values that arguments have. A library would bring a parser, and none writes an
//! argument as a comment.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::Value;

use super::attributes::{Arguments, owner_arguments, role_arguments};
use super::{IMPORTS_HEAD, Objects, Output};
use crate::hcl::quoted;

/// Returns the blocks of these objects. Without `with_resources`, `resources` of roles are comments.
/// `prefix` comes before the addresses in `import` blocks.
pub(super) fn write(objects: &Objects, prefix: &str, with_resources: bool) -> Output {
    let lists = if with_resources { "  " } else { "  # " };
    let roles = objects.roles.iter().map(|role| {
        let label = format!("{}_{}", role.name.listing, role.name.role);
        (label, role.name.to_string(), body(&role_arguments(role), lists))
    });
    let owners = objects.owners.iter().map(|owner| {
        let label = format!("{}_{}", owner.name.integration, owner.owner);
        (label, owner.name.to_string(), body(&owner_arguments(owner), lists))
    });
    let mut text = "# Written by `terraform-provider-access export`.\n".to_owned();
    let mut imports = IMPORTS_HEAD.to_owned();
    for (resource_type, blocks) in [
        ("access_listing_role", roles.collect::<Vec<_>>()),
        ("access_integration_owner", owners.collect()),
    ] {
        let names = resource_names(blocks.iter().map(|(label, ..)| label));
        for ((_, id, body), name) in blocks.iter().zip(names) {
            let address = format!("{prefix}{resource_type}.{name}");
            // Writing to a string never fails.
            let _ = writeln!(text, "\nresource \"{resource_type}\" \"{name}\" {{\n{body}}}");
            let _ = writeln!(imports, "\nimport {{\n  to = {address}\n  id = {}\n}}", quoted(id));
        }
    }
    Output { text, imports: Some(imports) }
}

/// Returns the lines of arguments: those of one line aligned, and then lists, whose lines begin with `lists`.
fn body(arguments: &Arguments, lists: &str) -> String {
    let scalars = arguments.iter().filter(|(_, value)| !value.is_array());
    let width = scalars.map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut body = String::new();
    for (name, value) in arguments {
        let _ = match value {
            Value::String(text) => writeln!(body, "  {name:width$} = {}", quoted(text)),
            Value::Array(elements) if elements.is_empty() => {
                writeln!(body, "\n{lists}{name} = []")
            }
            Value::Array(elements) => {
                let texts = elements.iter().filter_map(Value::as_str).map(quoted);
                let lines: String = texts.map(|text| format!("{lists}  {text},\n")).collect();
                writeln!(body, "\n{lists}{name} = [\n{lines}{lists}]")
            }
            other => writeln!(body, "  {name:width$} = {other}"),
        };
    }
    body
}

/// Returns a resource name for each label, in the same order: valid, all different, and the same in
/// each run as long as no two labels make the same name.
fn resource_names<'a>(labels: impl Iterator<Item = &'a String>) -> Vec<String> {
    let plain: Vec<String> = labels.map(|label| identifier(label)).collect();
    // No suffix makes the plain name of another object.
    let reserved: HashSet<&String> = plain.iter().collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(plain.len());
    for name in &plain {
        let mut candidate = name.clone();
        let mut number = 1_usize;
        while taken.contains(&candidate) || (number > 1 && reserved.contains(&candidate)) {
            number += 1;
            candidate = format!("{name}_{number}");
        }
        taken.insert(candidate.clone());
        names.push(candidate);
    }
    names
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
    use super::*;

    #[test]
    fn body_has_the_layout_of_terraform_fmt_and_a_comment_on_each_line() {
        let arguments = |texts: &[&str]| {
            vec![("a", "x".into()), ("long", Value::from(-1)), ("set", texts.into())]
        };
        let lines = "  a    = \"x\"\n  long = -1\n\n";
        for (texts, lists, expected) in [
            (&["x", "y"][..], "  ", "  set = [\n    \"x\",\n    \"y\",\n  ]\n"),
            (&["x\ny"], "  # ", "  # set = [\n  #   \"x\\ny\",\n  # ]\n"),
            (&[], "  ", "  set = []\n"),
        ] {
            assert_eq!(body(&arguments(texts), lists), format!("{lines}{expected}"));
        }
    }

    fn names(labels: &[&str]) -> Vec<String> {
        resource_names(labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>().iter())
    }

    #[test]
    fn name_is_a_valid_identifier_and_gets_a_suffix_if_it_is_taken() {
        let given = ["github_viewer", "a.b c", "1st", "-x", "é", ""];
        assert_eq!(names(&given), ["github_viewer", "a_b_c", "_1st", "_-x", "_", "__2"]);
        let given = ["a.b", "a_b", "a_b_2", "a:b", "A_b"];
        assert_eq!(names(&given), ["a_b", "a_b_3", "a_b_2", "a_b_4", "A_b"]);
    }

    proptest::proptest! {
        #[test]
        fn names_are_valid_and_different(labels in proptest::collection::vec("[ab_.é12-]{0,4}", 0..40)) {
            let names = resource_names(labels.iter());
            assert_eq!(names.len(), labels.len());
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
            assert!(names.iter().all(|name| *name == identifier(name)), "{names:?}");
        }
    }
}
