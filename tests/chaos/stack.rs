//! A configuration that changes at random, and the check that service and state agree with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fastrand::Rng;
use serde_json::Value;

use crate::support::{Service, Workspace};

const LISTING: &str = "github";
const INTEGRATION: &str = "github";
pub(super) const MOST_ROLES: usize = 8;
pub(super) const MOST_OWNERS: usize = 4;

/// Returns the service's own spelling of an owner.
pub(super) fn canonical_owner(number: usize) -> String {
    format!("users/id-{number}")
}

/// The configured roles and owners.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    roles: BTreeMap<String, Role>,
    owners: BTreeSet<String>,
    /// Whether the service stores owners under its own spelling.
    canonical_owners: bool,
}

#[derive(Clone, Debug)]
struct Role {
    display_name: String,
    priority: i64,
    description: Option<String>,
    resources: Option<BTreeSet<String>>,
}

impl Role {
    fn random(random: &mut Rng) -> Self {
        let some = |random: &mut Rng| random.u8(..3) > 0;
        Self {
            display_name: format!("Name {}", random.u16(..)),
            priority: if random.bool() { random.i64(..) } else { 0 },
            description: some(random).then(|| format!("Text {}", random.u8(..4))),
            resources: some(random).then(|| {
                (0..random.u8(..4)).map(|number| format!("repositories/{number}")).collect()
            }),
        }
    }
}

impl Stack {
    pub(super) fn new(canonical_owners: bool) -> Self {
        Self { canonical_owners, ..Self::default() }
    }

    /// Returns a user as the service stores it.
    fn stored_owner(&self, number: usize) -> String {
        if self.canonical_owners { canonical_owner(number) } else { format!("users/user-{number}") }
    }

    /// Adds some objects and changes others.
    pub(super) fn grow_and_change(&mut self, random: &mut Rng) {
        for role in self.roles.values_mut() {
            if random.bool() {
                // Resources that were managed once cannot become unmanaged and stay predictable.
                let resources = role.resources.take();
                *role = Role::random(random);
                if resources.is_some() && role.resources.is_none() {
                    role.resources = resources;
                }
            }
        }
        for _ in 0..random.usize(1..4) {
            let name = format!("role-{}", random.usize(..MOST_ROLES));
            self.roles.entry(name).or_insert_with(|| Role::random(random));
            self.owners.insert(format!("users/user-{}", random.usize(..MOST_OWNERS)));
        }
    }

    /// Removes some objects.
    pub(super) fn shrink(&mut self, random: &mut Rng) {
        self.roles.retain(|_, _| random.bool());
        self.owners.retain(|_| random.bool());
    }

    /// Writes the configuration, with this block of the provider.
    pub(super) fn write(&self, workspace: &Workspace, provider: &str) {
        let mut text = provider.to_owned();
        for (name, role) in &self.roles {
            write!(
                text,
                "resource \"access_listing_role\" \"{name}\" {{
  listing      = \"{LISTING}\"
  role         = \"{name}\"
  display_name = \"{}\"
  priority     = {}
",
                role.display_name, role.priority
            )
            .expect("a string");
            if let Some(description) = &role.description {
                writeln!(text, "  description  = \"{description}\"").expect("a string");
            }
            if let Some(resources) = &role.resources {
                writeln!(text, "  resources    = {resources:?}", resources = list(resources))
                    .expect("a string");
            }
            text.push_str("}\n");
        }
        for owner in &self.owners {
            let name = owner.replace('/', "-");
            write!(
                text,
                "resource \"access_integration_owner\" \"{name}\" {{
  integration    = \"{INTEGRATION}\"
  owner          = \"{owner}\"
  adopt_existing = true
}}
"
            )
            .expect("a string");
        }
        workspace.configure(&text);
    }

    /// Imports the configured objects that exist at the service and are not in the state. Owners
    /// adopt by themselves unless the service spells them its own way.
    pub(super) fn import_orphans(&self, service: &Service, workspace: &Workspace, seed: u64) {
        let known = in_state(workspace);
        for role in service.roles(LISTING) {
            let name = last_part(&role["name"]);
            if self.roles.contains_key(&name) && !known.contains(&format!("role/{name}")) {
                let (address, id) =
                    (format!("access_listing_role.{name}"), format!("{LISTING}/{name}"));
                let outcome = workspace.run(&["import", "-lock=false", &address, &id]);
                assert_eq!(outcome.code, 0, "seed {seed}: {}", outcome.output());
            }
        }
        for number in (0..MOST_OWNERS).filter(|_| self.canonical_owners) {
            let owner = format!("users/user-{number}");
            let stored = self.stored_owner(number);
            let entries = service.local().owners(INTEGRATION);
            let Some(entry) = entries.iter().find(|entry| entry["owner"] == stored.as_str()) else {
                continue;
            };
            let id = format!("{INTEGRATION}/{}", last_part(&entry["name"]));
            let is_known = known.contains(&format!("owner/{owner}"))
                || known.contains(&format!("owner/{stored}"));
            if self.owners.contains(&owner) && !is_known {
                let address = format!("access_integration_owner.{}", owner.replace('/', "-"));
                let outcome = workspace.run(&["import", "-lock=false", &address, &id]);
                assert_eq!(outcome.code, 0, "seed {seed}: {}", outcome.output());
            }
        }
    }

    /// Fails the test unless service and state contain all of the configuration and nothing else.
    pub(super) fn assert_agreement(&self, service: &Service, workspace: &Workspace, seed: u64) {
        let roles: BTreeMap<String, Value> = service
            .roles(LISTING)
            .into_iter()
            .map(|role| (last_part(&role["name"]), role))
            .collect();
        let names: Vec<_> = roles.keys().collect();
        assert_eq!(names, self.roles.keys().collect::<Vec<_>>(), "roles, seed {seed}");
        for (name, role) in &self.roles {
            let stored = &roles[name];
            assert_eq!(stored["displayName"], role.display_name.as_str(), "{name}, seed {seed}");
            let priority = stored["priority"].as_str().unwrap_or("0");
            assert_eq!(priority, role.priority.to_string(), "{name}, seed {seed}");
            let description = stored["description"].as_str().unwrap_or_default();
            let wanted = role.description.as_deref().unwrap_or_default();
            assert_eq!(description, wanted, "{name}, seed {seed}");
            if let Some(wanted) = &role.resources {
                let resources = stored["resources"].as_array().into_iter().flatten();
                let resources: BTreeSet<_> = resources.filter_map(Value::as_str).collect();
                let wanted: BTreeSet<_> = wanted.iter().map(String::as_str).collect();
                assert_eq!(resources, wanted, "{name}, seed {seed}");
            }
            assert_eq!(stored["manager"], "TERRAFORM", "{name}, seed {seed}");
        }
        for number in 0..MOST_OWNERS {
            let owner = format!("users/user-{number}");
            let wanted = usize::from(self.owners.contains(&owner));
            let stored = self.stored_owner(number);
            assert_eq!(service.owners_named(INTEGRATION, &stored), wanted, "{owner}, seed {seed}");
        }
        let wanted: BTreeSet<String> = (self.roles.keys().map(|name| format!("role/{name}")))
            .chain(self.owners.iter().map(|owner| format!("owner/{owner}")))
            .collect();
        assert_eq!(in_state(workspace), wanted, "state, seed {seed}");
    }
}

fn list(texts: &BTreeSet<String>) -> Vec<&String> {
    texts.iter().collect()
}

fn last_part(name: &Value) -> String {
    name.as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned()
}

fn in_state(workspace: &Workspace) -> BTreeSet<String> {
    let state = workspace.state();
    let resources = state["resources"].as_array().into_iter().flatten();
    resources
        .flat_map(|resource| resource["instances"].as_array().into_iter().flatten())
        .map(|instance| {
            assert!(instance["status"].is_null(), "tainted: {instance}");
            let attributes = &instance["attributes"];
            match attributes["role"].as_str() {
                Some(role) => format!("role/{role}"),
                None => format!("owner/{}", attributes["owner"].as_str().expect("an owner")),
            }
        })
        .collect()
}
