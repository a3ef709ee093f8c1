//! `--format yaml`: the data file of `examples/team`, and `import` blocks for its `for_each`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_saphyr::DoubleQuoted;

use super::attributes::{Arguments, RESOURCES, role_arguments};
use super::{IMPORTS_HEAD, Objects, Output};
use crate::hcl::{is_invisible, quoted};

#[derive(Serialize)]
struct File<'a> {
    /// Settings by listing and role.
    listings: BTreeMap<Text<'a>, BTreeMap<Text<'a>, Settings>>,
    /// Principals by integration.
    integrations: BTreeMap<Text<'a>, Vec<Text<'a>>>,
}

struct Settings(Arguments);

struct Setting<'a>(&'a Value);

/// A string. It is quoted if it contains an invisible character, so the character can be escaped.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Text<'a>(&'a str);

/// Returns the data file of these objects, and the `import` blocks of the resources in
/// `examples/team/region`. `prefix` comes before their addresses.
pub(super) fn write(
    objects: &Objects,
    prefix: &str,
    with_resources: bool,
) -> Result<Output, serde_saphyr::ser::Error> {
    let mut file = File { listings: BTreeMap::new(), integrations: BTreeMap::new() };
    let (mut roles, mut owners) = (Vec::new(), Vec::new());
    for role in &objects.roles {
        let (listing, id) = (role.name.listing.as_str(), role.name.role.as_str());
        let of_listing = file.listings.entry(Text(listing)).or_default();
        // The keys above them name the listing and the role.
        let is_setting = |name: &str| {
            !["listing", "role"].contains(&name) && (with_resources || name != RESOURCES)
        };
        let mut settings = role_arguments(role);
        settings.retain(|(name, _)| is_setting(name));
        of_listing.insert(Text(id), Settings(settings));
        roles.push((format!("{listing}/{id}"), role.name.to_string()));
    }
    for owner in &objects.owners {
        let integration = owner.name.integration.as_str();
        file.integrations.entry(Text(integration)).or_default().push(Text(&owner.owner));
        owners.push((format!("{integration}/{}", owner.owner), owner.name.to_string()));
    }
    let mut imports = IMPORTS_HEAD.to_owned();
    write_imports(&mut imports, &format!("{prefix}access_listing_role.this"), &roles);
    write_imports(&mut imports, &format!("{prefix}access_integration_owner.this"), &owners);
    Ok(Output { text: serialize(&file)?, imports: Some(imports) })
}

/// Appends an `import` block for the instances of a resource: `ids` has the key of each instance and
/// the import ID of its object. Writes nothing if there are none.
fn write_imports(out: &mut String, address: &str, ids: &[(String, String)]) {
    if ids.is_empty() {
        return;
    }
    let keys: Vec<String> = ids.iter().map(|(key, _)| quoted(key)).collect();
    let width = keys.iter().map(|key| key.chars().count()).max().unwrap_or_default();
    out.push_str("\nimport {\n  for_each = {\n");
    for (key, (_, id)) in keys.iter().zip(ids) {
        // Writing to a string never fails.
        let _ = writeln!(out, "    {key:width$} = {}", quoted(id));
    }
    let _ = writeln!(out, "  }}\n\n  to = {address}[each.key]\n  id = each.value\n}}");
}

fn serialize(file: &File<'_>) -> Result<String, serde_saphyr::ser::Error> {
    let options =
        serde_saphyr::ser_options! { compact_list_indent: false, prefer_block_scalars: false };
    let yaml = serde_saphyr::to_string_with_options(file, options)?;
    let head = "# Written by `terraform-provider-access export --format yaml`.\n";
    Ok(format!("{head}{}", escape_invisible(&yaml)))
}

/// Escapes the invisible characters of a document. [`Text`] leaves them in double quotes alone. A text
/// that reverses the direction of a line would otherwise hide a part of a reviewed file.
fn escape_invisible(yaml: &str) -> String {
    let mut escaped = String::with_capacity(yaml.len());
    for character in yaml.chars() {
        match u32::from(character) {
            _ if character == '\n' || !is_invisible(character) => escaped.push(character),
            code @ ..=0xffff => escaped.push_str(&format!("\\u{code:04x}")),
            code => escaped.push_str(&format!("\\U{code:08x}")),
        }
    }
    escaped
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.contains(is_invisible) {
            DoubleQuoted(self.0).serialize(serializer)
        } else {
            serializer.serialize_str(self.0)
        }
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, Setting(value))))
    }
}

impl Serialize for Setting<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) => Text(text).serialize(serializer),
            Value::Array(elements) => serializer.collect_seq(elements.iter().map(Setting)),
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::attributes::tests::{whole_owner, whole_role};
    use super::*;

    fn objects() -> Objects {
        Objects { roles: vec![whole_role()], owners: vec![whole_owner()] }
    }

    #[test]
    fn file_has_the_layout_of_the_example() {
        let output = write(&objects(), "module.eu.", true).unwrap();
        let expected = "# Written by `terraform-provider-access export --format yaml`.
listings:
  github:
    viewer:
      display_name: Viewer
      priority: -7
      description: Reads.
      resources:
        - a
        - b
integrations:
  okta:
    - groups/platform
";
        assert_eq!(output.text, expected);
        let without = write(&objects(), "", false).unwrap();
        assert_eq!(
            without.text,
            expected.replace("      resources:\n        - a\n        - b\n", "")
        );

        let expected = "
import {
  for_each = {
    \"github/viewer\" = \"listings/github/roles/viewer\"
  }

  to = module.eu.access_listing_role.this[each.key]
  id = each.value
}

import {
  for_each = {
    \"okta/groups/platform\" = \"integrations/okta/owners/own-9\"
  }

  to = module.eu.access_integration_owner.this[each.key]
  id = each.value
}
";
        assert_eq!(output.imports.unwrap(), format!("{IMPORTS_HEAD}{expected}"));

        let mut imports = String::new();
        let ids = [("g/${x}", "1"), ("h", "2")].map(|(key, id)| (key.to_owned(), id.to_owned()));
        write_imports(&mut imports, "a.this", &ids);
        assert!(
            imports.contains("\n    \"g/$${x}\" = \"1\"\n    \"h\"       = \"2\"\n"),
            "{imports}"
        );
    }

    /// The resources of the example must take every setting that the file has.
    #[test]
    fn example_takes_every_setting_of_the_file() {
        let example = include_str!("../../examples/team/region/main.tf");
        let role = whole_role();
        for (name, _) in role_arguments(&role) {
            if ["listing", "role"].contains(&name) {
                continue;
            }
            // As an argument, and in the lists of known keys.
            for part in [format!("each.value.settings.{name}"), format!("\"{name}\"")] {
                assert!(example.contains(&part), "{part}");
            }
        }
    }

    #[test]
    fn objects_that_are_missing_leave_empty_maps() {
        let output = write(&Objects::default(), "", true).unwrap();
        assert!(output.text.ends_with("\nlistings: {}\nintegrations: {}\n"), "{}", output.text);
        assert_eq!(output.imports.as_deref(), Some(IMPORTS_HEAD));
    }

    #[test]
    fn invisible_characters_are_escaped() {
        let mut role = whole_role();
        role.display_name = "a\u{202e}b\u{e0041}\n".to_owned();
        role.resources = vec!["x\u{200b}".to_owned()];
        let output = write(&Objects { roles: vec![role], owners: Vec::new() }, "", true).unwrap();
        for part in ["display_name: \"a\\u202eb\\U000e0041\\n\"\n", "- \"x\\u200b\"\n"] {
            assert!(output.text.contains(part), "{part}: {}", output.text);
        }
    }
}
