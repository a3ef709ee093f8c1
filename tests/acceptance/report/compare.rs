//! What an apply changes at the services, against what the report of its plan says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::Service;

/// The listings and the integrations of the tests.
pub(super) const PARENTS: [&str; 3] = ["github", "okta", "eng"];

/// What is shown in place of a name.
const UNKNOWN: &str = "(known after apply)";

/// What services hold: owners by service, integration and principal, and roles by service and name.
pub(super) struct Snapshot {
    owners: BTreeSet<(usize, String, String)>,
    roles: BTreeMap<(usize, String), Value>,
}

impl Snapshot {
    pub(super) fn of(services: &[&Service]) -> Self {
        let mut snapshot = Self { owners: BTreeSet::new(), roles: BTreeMap::new() };
        for (place, service) in services.iter().enumerate() {
            for parent in PARENTS {
                for owner in service.principals(parent) {
                    snapshot.owners.insert((place, parent.to_owned(), owner));
                }
                for role in service.roles(parent) {
                    let name = role["name"].as_str().expect("a name").to_owned();
                    snapshot.roles.insert((place, name), role);
                }
            }
        }
        snapshot
    }

    fn resources(&self, role: &(usize, String)) -> BTreeSet<String> {
        let resources = self.roles.get(role).and_then(|role| role["resources"].as_array());
        resources.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// A change of access at a service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    Gains(usize, String, String),
    Loses(usize, String, String),
    Role(usize, String),
    Adds(usize, String, String),
    Removes(usize, String, String),
}

/// Returns what has changed between two snapshots.
pub(super) fn changes(before: &Snapshot, after: &Snapshot) -> BTreeSet<Change> {
    let mut changes = BTreeSet::new();
    let of = |it: &(usize, String, String)| it.clone();
    for (service, integration, principal) in after.owners.difference(&before.owners).map(of) {
        changes.insert(Change::Gains(service, integration, principal));
    }
    for (service, integration, principal) in before.owners.difference(&after.owners).map(of) {
        changes.insert(Change::Loses(service, integration, principal));
    }
    for role in before.roles.keys().chain(after.roles.keys()) {
        let (service, name) = role.clone();
        let fields = ["displayName", "description", "priority", "resources", "createTime"];
        let fields = |snapshot: &Snapshot| {
            let role = snapshot.roles.get(role);
            fields.map(|field| role.map(|role| role[field].clone()))
        };
        if fields(before) != fields(after) {
            changes.insert(Change::Role(service, name.clone()));
        }
        let (held, holds) = (before.resources(role), after.resources(role));
        for added in holds.difference(&held) {
            changes.insert(Change::Adds(service, name.clone(), added.clone()));
        }
        for removed in held.difference(&holds) {
            changes.insert(Change::Removes(service, name.clone(), removed.clone()));
        }
    }
    changes
}

/// A report, and the service of each address in it.
pub(super) struct Said<'a> {
    pub(super) report: &'a Value,
    pub(super) service_of: &'a dyn Fn(&str) -> usize,
}

impl Said<'_> {
    fn any(&self, list: &str, service: usize, is_said: impl Fn(&Value) -> bool) -> bool {
        let entries = self.report[list].as_array().expect(list).iter();
        let is_of = |entry: &Value| {
            (self.service_of)(entry["address"].as_str().expect("an address")) == service
        };
        entries.filter(|entry| is_of(entry)).any(is_said)
    }

    /// Returns whether the report says a change.
    pub(super) fn says(&self, change: &Change) -> bool {
        match change {
            Change::Gains(service, integration, principal) => {
                let actions = ["gains", "gains_or_has", "again"];
                self.says_owner(*service, integration, principal, &actions)
                    || self.is_late_owner(*service, integration, principal)
            }
            Change::Loses(service, integration, principal) => {
                let actions = ["loses", "loses_or_keeps", "again"];
                self.says_owner(*service, integration, principal, &actions)
            }
            Change::Role(service, name) => {
                self.any("roles", *service, |entry| is_role(entry, name))
                    || self.is_late(*service, name)
            }
            Change::Adds(service, name, resource) => {
                let is_in = |list: &Value| {
                    list.as_array().is_some_and(|list| list.iter().any(|it| it == resource))
                };
                // The resources of a new role may be "not in the plan".
                let is_said = |entry: &Value| {
                    let resources = &entry["resources"];
                    let is_new = entry["action"] != "changed" && entry["action"] != "deleted";
                    let is_new_with = is_new && (resources.is_null() || is_in(resources));
                    is_role(entry, name) && (is_in(&entry["added"]) || is_new_with)
                };
                self.any("roles", *service, is_said) || self.is_late(*service, name)
            }
            Change::Removes(service, name, resource) => {
                let is_said = |entry: &Value| {
                    let mut resources = entry["resources"].as_array().expect("a list").iter();
                    is_role(entry, name) && resources.any(|it| it == resource)
                };
                let overwrites = |entry: &Value| {
                    is_role(entry, name) && entry["action"] == "created_or_overwritten"
                };
                self.any("revoke", *service, is_said) || self.any("roles", *service, overwrites)
            }
        }
    }

    fn says_owner(
        &self,
        service: usize,
        integration: &str,
        principal: &str,
        actions: &[&str],
    ) -> bool {
        self.any("owners", service, |entry| {
            (entry["integration"] == integration || entry["integration"] == UNKNOWN)
                && entry["principal"] == principal
                && actions.iter().any(|action| entry["action"] == *action)
        })
    }

    /// Returns whether the principal may be one that is known only after apply.
    fn is_late_owner(&self, service: usize, integration: &str, principal: &str) -> bool {
        self.any("unknown", service, |entry| {
            let is_principal = entry["principal"] == principal
                || entry["principal"] == UNKNOWN
                || entry["attributes"].as_array().expect("names").contains(&"owners".into());
            (entry["integration"] == integration || entry["integration"] == UNKNOWN) && is_principal
        })
    }

    /// Returns whether the name of the role, or its resources, are known only after apply.
    fn is_late(&self, service: usize, name: &str) -> bool {
        self.any("unknown", service, |entry| {
            is_role(entry, name)
                || entry["role"].as_str().is_some_and(|role| role.contains(UNKNOWN))
        })
    }

    /// Returns the changes that the report claims without a doubt.
    pub(super) fn claims(&self) -> BTreeSet<Change> {
        let mut claims = BTreeSet::new();
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let entries = |list: &str| self.report[list].as_array().expect("a list").clone();
        for entry in entries("owners") {
            let service = (self.service_of)(&text(&entry, "address"));
            let (integration, principal) = (text(&entry, "integration"), text(&entry, "principal"));
            match entry["action"].as_str() {
                Some("gains") => claims.insert(Change::Gains(service, integration, principal)),
                Some("loses") => claims.insert(Change::Loses(service, integration, principal)),
                _ => false,
            };
        }
        for entry in entries("roles") {
            let service = (self.service_of)(&text(&entry, "address"));
            claims.insert(Change::Role(service, text(&entry, "role")));
        }
        for entry in entries("revoke") {
            let service = (self.service_of)(&text(&entry, "address"));
            for resource in entry["resources"].as_array().expect("a list") {
                let resource = resource.as_str().expect("a text").to_owned();
                claims.insert(Change::Removes(service, text(&entry, "role"), resource));
            }
        }
        claims
    }
}

fn is_role(entry: &Value, name: &str) -> bool {
    entry["role"] == name
}
