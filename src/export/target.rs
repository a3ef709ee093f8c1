//! `--for ADDRESS`: one `import` block for a resource of the configuration that has `for_each`.
//!
//! The command does not read the configuration. So the keys of the resource have a form that the
//! user chooses, and where the service has more objects than the resource has keys, the user gives
//! the expression of its `for_each`.

use std::collections::BTreeMap;
use std::fmt;

use plugin_server::hcl::quoted;
use serde_json::Value;

use super::objects::{Objects, text};

const ROLE_TYPE: &str = "access_listing_role";
const OWNER_TYPE: &str = "access_integration_owner";

/// The attributes that a key can consist of.
const ROLE_PARTS: &[&str] = &["listing", "role"];
const OWNER_PARTS: &[&str] = &["integration", "owner", "integration_owner_id"];

/// A resource of the configuration.
#[derive(Debug)]
pub(super) struct Target {
    /// Its address without a key.
    address: String,
    is_role: bool,
    key: KeyForm,
    /// The expression of its `for_each`.
    each: Option<String>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

/// The form of keys, such as `listing/role`: names of attributes, and what is between them.
#[derive(Debug)]
pub(super) struct KeyForm(Vec<Part>);

/// A part of a key.
#[derive(Debug)]
enum Part {
    Attribute(String),
    Separator(char),
}

impl KeyForm {
    /// Parses names of attributes, which `select` checks, and what is between them.
    pub(super) fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        for character in text.chars() {
            let is_of_name = character.is_ascii_alphanumeric() || character == '_';
            match parts.last_mut() {
                Some(Part::Attribute(name)) if is_of_name => name.push(character),
                _ if is_of_name => parts.push(Part::Attribute(character.to_string())),
                _ => parts.push(Part::Separator(character)),
            }
        }
        Self(parts)
    }

    /// Returns the names of attributes in the form.
    fn attributes(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Attribute(name) => Some(name.as_str()),
            Part::Separator(_) => None,
        })
    }

    /// Returns the key of an object.
    fn key(&self, object: &Value) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Attribute(name) => text(&object[name]),
            Part::Separator(character) => character.to_string(),
        });
        parts.collect()
    }
}

fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// Returns what follows the address of a module, such as `module.eu["a"].module.b`; `None` if the
/// text does not begin with one.
pub(super) fn after_modules(text: &str) -> Option<&str> {
    let rest = after_key(after_name(text.strip_prefix("module.")?)?)?;
    match rest.strip_prefix('.').and_then(after_modules) {
        None => Some(rest),
        deeper => deeper,
    }
}

fn after_name(text: &str) -> Option<&str> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    is_name(name).then_some(rest)
}

/// Returns what follows the key of a module, if there is one: a number, or a string of HCL.
fn after_key(text: &str) -> Option<&str> {
    let Some(key) = text.strip_prefix('[') else { return Some(text) };
    if let Some(string) = key.strip_prefix('"') {
        let mut is_escaped = false;
        let end = string.find(|character: char| {
            let is_end = character == '"' && !is_escaped || character.is_control();
            is_escaped = character == '\\' && !is_escaped;
            is_end
        });
        return string[end?..].strip_prefix("\"]");
    }
    let rest = key.trim_start_matches(|character: char| character.is_ascii_digit());
    rest.strip_prefix(']').filter(|_| rest.len() < key.len())
}

impl Target {
    /// Parses an address without a key, in any module.
    pub(super) fn parse(address: &str) -> Result<Self, String> {
        let resource = match after_modules(address) {
            None => Some(address),
            Some(rest) => rest.strip_prefix('.'),
        };
        let parts = resource.and_then(|resource| resource.split_once('.'));
        let is_role = parts.filter(|(_, name)| is_name(name)).and_then(|(kind, _)| match kind {
            ROLE_TYPE => Some(true),
            OWNER_TYPE => Some(false),
            _ => None,
        });
        let Some(is_role) = is_role else {
            return Err(format!(
                "--for {address:?} is not the address of an {ROLE_TYPE} or {OWNER_TYPE} without a key, such as \
                 {ROLE_TYPE}.this or module.all[\"eu\"].{ROLE_TYPE}.this, whose quotes need quotes for the shell"
            ));
        };
        let key = KeyForm::parse(if is_role { "role" } else { "owner" });
        Ok(Self { address: address.to_owned(), is_role, key, each: None })
    }

    pub(super) fn is_role(&self) -> bool {
        self.is_role
    }

    /// Returns whether the keys contain the IDs of owners, so that a principal can have several.
    pub(super) fn has_owner_ids(&self) -> bool {
        self.key.attributes().any(|name| name == "integration_owner_id")
    }

    /// Sets the form of the keys, and the expression of `for_each`.
    pub(super) fn select(
        &mut self,
        key: Option<KeyForm>,
        each: Option<String>,
    ) -> Result<(), String> {
        self.each = each;
        let Some(key) = key else { return Ok(()) };
        let known = if self.is_role { ROLE_PARTS } else { OWNER_PARTS };
        if let Some(other) = key.attributes().find(|name| !known.contains(name)) {
            let known = known.join(", ");
            return Err(format!(
                "--key: {other:?} is not one of {known}, with a separator such as /"
            ));
        }
        if key.attributes().next().is_none() {
            return Err("--key names no attribute, such as listing/role".to_owned());
        }
        self.key = key;
        Ok(())
    }

    /// Returns the `import` block.
    ///
    /// # Errors
    ///
    /// Two objects have the same key.
    pub(super) fn block(&self, objects: &Objects) -> Result<String, String> {
        let objects = if self.is_role { &objects.roles } else { &objects.owners };
        let mut names = BTreeMap::new();
        for object in objects {
            let key = self.key.key(object);
            let name = text(&object["name"]);
            if let Some(other) = names.insert(key.clone(), name.clone()) {
                let form = if self.is_role { "listing/role" } else { "integration/owner" };
                return Err(format!(
                    "{other} and {name} have the same key {key:?}. Add the form of the resource's keys, such as \
                     `--key {form}`, or select one parent."
                ));
            }
        }
        let keys: Vec<_> = names.keys().map(|key| quoted(key)).collect();
        let width = keys.iter().map(|key| key.chars().count()).max().unwrap_or_default();
        let line = |(key, name): (&String, &String)| format!("{key:width$} = {}\n", quoted(name));
        let lines: Vec<_> = keys.iter().zip(names.values()).map(line).collect();
        let entries = |indent: &str| -> String {
            lines.iter().map(|line| format!("{indent}{line}")).collect()
        };
        let for_each = match &self.each {
            None if lines.is_empty() => "{}".to_owned(),
            None => format!("{{\n{}  }}", entries("    ")),
            Some(each) => format!(
                "{{\n    for key, name in {{\n{}    }} : key => name\n    if can({each}[key]) || \
                 try(contains({each}, key), false)\n  }}",
                entries("      ")
            ),
        };
        Ok(format!(
            "\nimport {{\n  for_each = {for_each}\n\n  to = {}[each.key]\n  id = each.value\n}}\n",
            self.address
        ))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn address_is_of_a_role_or_an_owner_in_any_module_without_a_key() {
        for (address, expected) in [
            ("access_listing_role.this", Some(true)),
            ("access_integration_owner.a-b", Some(false)),
            ("module.eu.access_listing_role.this", Some(true)),
            ("module.eu[\"a.b\"].module.c[0].access_integration_owner.this", Some(false)),
            (r#"module.eu["a\"].x"].access_listing_role.this"#, Some(true)),
            ("module.eu[a].access_listing_role.this", None),
            ("module.eu[].access_listing_role.this", None),
            ("module.eu[\"a\n\"].access_listing_role.this", None),
            ("module.eu[\"a\"access_listing_role.this", None),
            ("module.eu[\"a\"].b.access_listing_role.this", None),
            ("access_listing_role.this[\"viewer\"]", None),
            ("access_listing_role.this[each.key]", None),
            ("access_integration_owners.this", None),
            ("data.access_listing_role.this", None),
            ("my_access_listing_role.this", None),
            ("module.eu\n.access_listing_role.this", None),
            ("access_listing_role", None),
            ("access_listing_role.", None),
            ("", None),
        ] {
            let parsed = Target::parse(address).ok().map(|target| target.is_role());
            assert_eq!(parsed, expected, "{address}");
        }
    }

    #[test]
    fn keys_have_the_form_of_the_resource() {
        let role = |listing: &str, role: &str| json!({"listing": listing, "role": role, "name": format!("listings/{listing}/roles/{role}")});
        let roles = vec![role("a", "viewer"), role("b", "viewer")];
        let objects = Objects { roles, owners: Vec::new() };
        let block = |form: Option<&str>| {
            let mut target = Target::parse("access_listing_role.this").unwrap();
            target.select(form.map(KeyForm::parse), None).unwrap();
            target.block(&objects)
        };
        let error = block(None).unwrap_err();
        assert!(error.contains("have the same key \"viewer\""), "{error}");
        assert!(error.contains("`--key listing/role`"), "{error}");
        for (form, key) in [("listing/role", "b/viewer"), ("role-listing", "viewer-b")] {
            let block = block(Some(form)).unwrap();
            assert!(block.contains(&format!("\"{key}\" = \"listings/b/roles/viewer\"")), "{block}");
        }
    }
}
