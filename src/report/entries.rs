//! The report as data. Its JSON form is this, serialized; the page of the report documents it.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

#[derive(Default, Serialize)]
pub(super) struct Report {
    pub(super) format_version: &'static str,
    pub(super) counts: Counts,
    pub(super) notes: Vec<String>,
    pub(super) owners: Vec<Entry<Control>>,
    pub(super) roles: Vec<Entry<RoleChange>>,
    pub(super) revoke: Vec<Entry<Revocation>>,
    pub(super) drift: Vec<Entry<Drift>>,
    pub(super) management: Vec<Entry<Transfer>>,
    pub(super) unknown: Vec<Entry<Unknown>>,
    /// Whether a variable of the apply's environment can keep what is deleted.
    #[serde(skip)]
    pub(super) can_abandon: bool,
}

#[derive(Default, PartialEq, Serialize)]
pub(super) struct Counts {
    /// Pairs of integration and principal.
    pub(super) gain: usize,
    pub(super) lose: usize,
    /// Role objects.
    pub(super) roles: usize,
    /// Pairs of role and resource.
    pub(super) revoke: usize,
}

impl Report {
    /// Returns whether the apply changes access, also in a way that only the apply shows.
    pub(super) fn changes_access(&self) -> bool {
        let is_in_plan = |unknown: &Entry<Unknown>| unknown.what.deferred.is_none();
        self.counts != Counts::default() || self.unknown.iter().any(is_in_plan)
    }
}

/// What happens to an object.
#[derive(Serialize)]
pub(super) struct Entry<T> {
    #[serde(flatten)]
    pub(super) name: Name,
    pub(super) addresses: BTreeSet<String>,
    /// Whether the name alone does not identify the object.
    #[serde(skip)]
    pub(super) is_ambiguous: bool,
    #[serde(flatten)]
    pub(super) what: T,
}

impl<T> Entry<T> {
    pub(super) fn new(name: Name, addresses: BTreeSet<String>, what: T) -> Self {
        Self { name, addresses, is_ambiguous: false, what }
    }
}

/// The name of an object, as it may be shown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub(super) enum Name {
    Role {
        role: String,
    },
    /// An owner, or without a principal all owners.
    Owner {
        integration: String,
        principal: Option<String>,
    },
}

impl Name {
    /// Returns the name as it is shown, for the order of entries.
    pub(super) fn sort_key(&self) -> [String; 2] {
        match self.clone() {
            Self::Role { role } => [role, String::new()],
            Self::Owner { integration, principal: Some(principal) } => [principal, integration],
            Self::Owner { integration, principal: None } => [integration, String::new()],
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub(super) enum Control {
    Gains,
    /// The owner may exist, and is then adopted.
    GainsUnlessOwner,
    Loses,
    /// Owners that the plan does not name.
    UnlistedLose,
    Remain {
        owners: usize,
        /// Whether more owners are known only after apply.
        at_least: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RoleAction {
    Created,
    CreatedOrOverwritten,
    Overwritten,
    Replaced,
    Updated,
    Deleted,
}

/// How a configuration treats the resources of a role.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Resources {
    Managed,
    NotManaged,
    /// Some elements are known only after apply.
    PartlyUnknown,
    NotManagedOrUnknown,
}

#[derive(Serialize)]
pub(super) struct RoleChange {
    pub(super) action: RoleAction,
    /// None for a role that is deleted.
    pub(super) resources: Option<Resources>,
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) attributes: Vec<AttributeChange>,
}

/// Of a set, the elements that were removed and added.
#[derive(Serialize)]
pub(super) struct AttributeChange {
    pub(super) attribute: &'static str,
    pub(super) before: Value,
    pub(super) after: Value,
}

#[derive(Serialize)]
pub(super) struct Revocation {
    pub(super) resource: String,
}

#[derive(Serialize)]
pub(super) struct Drift {
    pub(super) deleted: bool,
    pub(super) attributes: Vec<AttributeChange>,
    pub(super) update_time: Option<String>,
    pub(super) by: Option<Writer>,
}

#[derive(Serialize)]
#[serde(tag = "writer", rename_all = "snake_case")]
pub(super) enum Writer {
    NotTerraform,
    SameRepository,
    Terraform { repo_uri: Option<String>, repo_dir: Option<String> },
}

#[derive(Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub(super) enum Transfer {
    Imported,
    Overwrites,
    Adopts,
    Forgotten,
    Abandoned,
}

#[derive(Serialize)]
pub(super) struct Unknown {
    pub(super) attributes: Vec<&'static str>,
    /// Why the host has put the change off.
    pub(super) deferred: Option<String>,
}
