//! What an apply changes at the service, against what the report of its plan says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::Service;

/// The listings and the integrations of the tests.
pub(super) const PARENTS: [&str; 3] = ["github", "okta", "eng"];

/// What is shown in place of a name.
const UNKNOWN: &str = "(known after apply)";

/// What a service holds: owners by integration and principal, and roles by name.
pub(super) struct Snapshot {
    owners: BTreeSet<(String, String)>,
    roles: BTreeMap<String, Value>,
}

impl Snapshot {
    pub(super) fn of(service: &Service) -> Self {
        let mut snapshot = Self { owners: BTreeSet::new(), roles: BTreeMap::new() };
        for parent in PARENTS {
            let owners = service.principals(parent).into_iter();
            snapshot.owners.extend(owners.map(|owner| (parent.to_owned(), owner)));
            for role in service.roles(parent) {
                snapshot.roles.insert(text(&role, "name"), role);
            }
        }
        snapshot
    }

    fn resources(&self, role: &str) -> BTreeSet<String> {
        self.roles.get(role).map(|role| texts(&role["resources"])).unwrap_or_default()
    }
}

/// A change of access at the service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    Gains(String, String),
    Loses(String, String),
    Role(String),
    Adds(String, String),
    Removes(String, String),
}

/// Returns what has changed between two snapshots.
pub(super) fn changes(before: &Snapshot, after: &Snapshot) -> BTreeSet<Change> {
    let mut changes = BTreeSet::new();
    for (integration, principal) in after.owners.difference(&before.owners).cloned() {
        changes.insert(Change::Gains(integration, principal));
    }
    for (integration, principal) in before.owners.difference(&after.owners).cloned() {
        changes.insert(Change::Loses(integration, principal));
    }
    for name in before.roles.keys().chain(after.roles.keys()) {
        let fields = |snapshot: &Snapshot| {
            let fields = ["displayName", "description", "priority", "resources", "createTime"];
            let role = snapshot.roles.get(name);
            fields.map(|field| role.map(|role| role[field].clone()))
        };
        if fields(before) != fields(after) {
            changes.insert(Change::Role(name.clone()));
        }
        let (held, holds) = (before.resources(name), after.resources(name));
        let of = |resource: &String| (name.clone(), resource.clone());
        changes.extend(holds.difference(&held).map(of).map(|(role, it)| Change::Adds(role, it)));
        changes.extend(held.difference(&holds).map(of).map(|(role, it)| Change::Removes(role, it)));
    }
    changes
}

/// Returns whether a report says a change.
pub(super) fn says(report: &Value, change: &Change) -> bool {
    let any = |list: &str, is_said: &dyn Fn(&Value) -> bool| entries(report, list).any(is_said);
    let owner = |integration: &String, principal: &String, actions: &[&str]| {
        any("owners", &|entry| {
            (entry["integration"] == *integration || entry["integration"] == UNKNOWN)
                && entry["principal"] == *principal
                && actions.iter().any(|action| entry["action"] == *action)
        })
    };
    // The name of the role, or its resources, are known only after apply.
    let is_late = |role: &String| {
        any("unknown", &|entry| {
            let name = entry["role"].as_str();
            name.is_some_and(|name| name == role || name.contains(UNKNOWN))
        })
    };
    match change {
        Change::Gains(integration, principal) => {
            let is_late = || {
                any("unknown", &|entry| {
                    let is_principal = entry["principal"] == *principal
                        || entry["principal"] == UNKNOWN
                        || texts(&entry["attributes"]).contains("owners");
                    (entry["integration"] == *integration || entry["integration"] == UNKNOWN)
                        && is_principal
                })
            };
            owner(integration, principal, &["gains", "gains_or_has", "again"]) || is_late()
        }
        Change::Loses(integration, principal) => {
            owner(integration, principal, &["loses", "loses_or_keeps", "again"])
        }
        Change::Role(role) => any("roles", &|entry| entry["role"] == *role) || is_late(role),
        Change::Adds(role, resource) => {
            // The resources of a new role may be "not in the plan".
            let is_said = |entry: &Value| {
                let is_new = entry["action"] != "changed" && entry["action"] != "deleted";
                let of_new = is_new && entry["resources"].is_null();
                let is_with = is_new && texts(&entry["resources"]).contains(resource);
                entry["role"] == *role
                    && (of_new || is_with || texts(&entry["added"]).contains(resource))
            };
            any("roles", &is_said) || is_late(role)
        }
        Change::Removes(role, resource) => {
            let is_said = |entry: &Value| {
                entry["role"] == *role && texts(&entry["resources"]).contains(resource)
            };
            let overwrites = |entry: &Value| {
                entry["role"] == *role && entry["action"] == "created_or_overwritten"
            };
            any("revoke", &is_said) || any("roles", &overwrites)
        }
    }
}

/// Returns the changes that a report claims without a doubt.
pub(super) fn claims(report: &Value) -> BTreeSet<Change> {
    let mut claims = BTreeSet::new();
    for entry in entries(report, "owners") {
        let (integration, principal) = (text(entry, "integration"), text(entry, "principal"));
        match entry["action"].as_str() {
            Some("gains") => claims.insert(Change::Gains(integration, principal)),
            Some("loses") => claims.insert(Change::Loses(integration, principal)),
            _ => false,
        };
    }
    claims.extend(entries(report, "roles").map(|entry| Change::Role(text(entry, "role"))));
    for entry in entries(report, "revoke") {
        let resources = texts(&entry["resources"]).into_iter();
        claims.extend(resources.map(|it| Change::Removes(text(entry, "role"), it)));
    }
    claims
}

fn entries<'a>(report: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    report[list].as_array().expect("a list of the report").iter()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn texts(list: &Value) -> BTreeSet<String> {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}
