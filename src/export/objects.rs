//! What is exported: the attributes of objects, and which of them are arguments.

use std::collections::HashSet;
use std::sync::LazyLock;

use access_client::Principal;
use access_client::api::{IntegrationOwner, ListingRole};
use serde_json::{Value, json};
use unicode_normalization::is_nfc;

use super::arguments::{Format, Selection};
use crate::integration_owner::attributes as integration_owner;
use crate::listing_role::attributes as listing_role;
use crate::resource::attributes::exported;

/// The arguments of a role that the service records, in the order of a block. HCL and YAML write
/// them and no others, so a plan after the export shows no change of them.
pub(super) static ROLE: LazyLock<Vec<&str>> = LazyLock::new(|| exported(listing_role::ATTRIBUTES));

/// The arguments of an owner. An import stores its ID, so the configuration need not.
pub(super) static OWNER: LazyLock<Vec<&str>> =
    LazyLock::new(|| exported(integration_owner::ATTRIBUTES));

/// The objects of an export: by parent in the order of the arguments, then by ID. Each is a JSON
/// object of attributes by name; what the service does not record is null.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) roles: Vec<Value>,
    pub(super) owners: Vec<Value>,
}

/// Returns the attributes of a role.
pub(super) fn role(role: ListingRole) -> Value {
    let name = &role.name;
    let mut resources = role.resources;
    resources.sort();
    resources.dedup();
    json!({
        "name": name.to_string(),
        "listing": name.listing.as_str(),
        "role": name.role.as_str(),
        "display_name": role.display_name,
        "description": Some(role.description).filter(|text| !text.is_empty()),
        "priority": role.priority,
        "resources": resources,
        "management": role.management,
        "manager": role.manager,
        "repo_uri": role.repo_uri,
        "repo_dir": role.repo_dir,
        "create_time": role.create_time,
        "update_time": role.update_time,
    })
}

/// Returns the attributes of an owner.
pub(super) fn owner(owner: IntegrationOwner) -> Value {
    json!({
        "name": owner.name.to_string(),
        "integration": owner.name.integration.as_str(),
        "integration_owner_id": owner.name.owner.as_str(),
        "owner": owner.owner,
        "create_time": owner.create_time,
        "update_time": owner.update_time,
    })
}

impl Objects {
    pub(super) fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.owners.is_empty()
    }

    /// Keeps what a configuration can manage. Adds the rest to `left_out`, each with its reason.
    pub(super) fn retain_manageable(&mut self, selection: &Selection, left_out: &mut Vec<String>) {
        let writes_yaml = selection.format == Format::Yaml;
        let has_principals_as_keys = writes_yaml || selection.target.is_some();
        let mut keep = |object: &Value, problem: Option<String>| {
            let Some(problem) = problem else { return true };
            left_out.push(format!("{} is left out: {problem}.", text(&object["name"])));
            false
        };
        self.roles.retain(|role| keep(role, problem_of_role(role, writes_yaml)));
        let mut seen = HashSet::new();
        self.owners.retain(|owner| {
            let is_first = seen.insert((text(&owner["integration"]), text(&owner["owner"])));
            let is_second = has_principals_as_keys && !is_first;
            keep(owner, problem_of_owner(owner, is_second))
        });
    }
}

/// Returns why a configuration cannot manage a role.
fn problem_of_role(role: &Value, writes_yaml: bool) -> Option<String> {
    let is_merge_key = writes_yaml && role["role"] == "<<";
    let problem = "Terraform merges what is below the key << of YAML, also in quotes";
    problem_of_text(&role["name"]).or_else(|| is_merge_key.then(|| problem.to_owned()))
}

/// Returns why a configuration cannot manage an owner.
fn problem_of_owner(owner: &Value, is_second: bool) -> Option<String> {
    let principal = text(&owner["owner"]);
    if Principal::parse(&principal).is_err() {
        return Some(format!("its owner, {principal:?}, is not a user, group or team"));
    }
    if is_second {
        return Some(format!("{principal} owns the integration under another ID already"));
    }
    problem_of_text(&owner["name"]).or_else(|| problem_of_text(&owner["owner"]))
}

/// Returns why Terraform would change a text with an ID: it stores every text in normal form C.
fn problem_of_text(id: &Value) -> Option<String> {
    let text = text(id);
    let problem = "Terraform changes its ID, which is not in Unicode's form C";
    (!is_nfc(&text)).then(|| format!("{problem} ({})", text.escape_default()))
}

/// Returns an attribute as text: "" for null.
pub(super) fn text(attribute: &Value) -> String {
    match attribute {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use access_client::{IntegrationOwnerName, ListingRoleName, ObjectName as _};

    use super::*;
    use crate::resource::attributes::{Form, Row};

    /// An argument that is missing here would be cleared by the apply after an export.
    #[test]
    fn every_argument_that_the_service_records_is_exported() {
        fn settable<F>(rows: &[Row<F>]) -> Vec<&'static str> {
            let is_settable = |row: &&Row<F>| !matches!(row.form, Form::Computed | Form::Behaviour);
            rows.iter().filter(is_settable).map(|row| row.name).collect()
        }
        assert_eq!(settable(listing_role::ATTRIBUTES), *ROLE);
        let mut owner = settable(integration_owner::ATTRIBUTES);
        owner.retain(|name| *name != "integration_owner_id");
        assert_eq!(owner, *OWNER);
    }

    #[test]
    fn objects_have_every_attribute() {
        fn names<F>(rows: &[Row<F>]) -> BTreeSet<&'static str> {
            let recorded = rows.iter().filter(|row| row.form != Form::Behaviour);
            recorded.map(|row| row.name).filter(|name| *name != "id").collect()
        }
        let role = role(ListingRole {
            name: ListingRoleName::parse("listings/l/roles/r").unwrap(),
            display_name: "R".to_owned(),
            description: String::new(),
            resources: ["b", "a", "b"].map(str::to_owned).into(),
            priority: 1,
            management: None,
            manager: None,
            repo_uri: None,
            repo_dir: None,
            create_time: None,
            update_time: None,
            delete_time: None,
        });
        let owner = owner(IntegrationOwner {
            name: IntegrationOwnerName::parse("integrations/i/owners/o").unwrap(),
            owner: "users/ada".to_owned(),
            create_time: None,
            update_time: None,
        });
        for (object, names) in [
            (&role, names(listing_role::ATTRIBUTES)),
            (&owner, names(integration_owner::ATTRIBUTES)),
        ] {
            let found = object.as_object().unwrap().keys().map(String::as_str);
            assert_eq!(found.collect::<BTreeSet<_>>(), names);
        }
        assert_eq!((&role["description"], &role["resources"]), (&Value::Null, &json!(["a", "b"])));
    }

    #[test]
    fn what_no_configuration_can_manage_is_left_out_with_the_reason() {
        let role = |id: &str| json!({"name": format!("listings/l/roles/{id}"), "role": id});
        let owner = |id: &str, principal: &str| json!({"name": format!("integrations/i/owners/{id}"), "integration": "i", "owner": principal});
        let decomposed = "e\u{301}";
        for (format, target, expected) in [
            (
                Format::Hcl,
                None,
                vec![" form C (listings/l/roles/e\\u{301})", "\"bots/x\"", "users/e\\u{301}"],
            ),
            (
                Format::Hcl,
                Some("a".to_owned()),
                vec![" form C", "o2 is left out: users/a owns", "\"bots/x\"", " form C"],
            ),
            (
                Format::Yaml,
                None,
                vec!["key <<", " form C", "o2 is left out: users/a", "\"bots/x\"", " form C"],
            ),
        ] {
            let principal = format!("users/{decomposed}");
            let mut objects = Objects {
                roles: ["<<", "\u{e9}", decomposed].map(role).into(),
                owners: [
                    ("o1", "users/a"),
                    ("o2", "users/a"),
                    ("o3", "bots/x"),
                    ("o4", &principal),
                ]
                .map(|(id, principal)| owner(id, principal))
                .into(),
            };
            let mut left_out = Vec::new();
            let selection = Selection { format, target, ..Selection::default() };
            objects.retain_manageable(&selection, &mut left_out);
            assert_eq!(left_out.len(), expected.len(), "{left_out:#?}");
            for (text, part) in left_out.iter().zip(expected) {
                assert!(text.contains(part), "{text}: {part}");
            }
            let kept = objects.roles.len() + objects.owners.len() + left_out.len();
            assert_eq!(kept, 7);
        }
    }
}
