//! The report as data. Its JSON form is this, serialized; the page of the report documents it.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_json::Value;

/// What a plan means for access, a member for each section.
#[derive(Default, Serialize)]
pub(super) struct Report {
    pub(super) format_version: &'static str,
    pub(super) counts: Counts,
    /// Resources whose values are not of this provider's types.
    pub(super) unreadable: usize,
    pub(super) notes: Vec<Note>,
    pub(super) approvers: Vec<Approvers>,
    pub(super) owners: Vec<Entry<Control>>,
    pub(super) roles: Vec<Entry<RoleChange>>,
    pub(super) revoke: Vec<Entry<Revocation>>,
    pub(super) drift: Vec<Entry<Drift>>,
    pub(super) management: Vec<Entry<Transfer>>,
    pub(super) unknown: Vec<Entry<Unknown>>,
    /// Integrations of which the plan shows single owners, and not whether there are others.
    pub(super) unseen_owners: BTreeSet<String>,
    /// Whether a variable of the apply's environment can keep what is deleted.
    #[serde(skip)]
    pub(super) can_abandon: bool,
    /// Whether an owner loses control because a resource is deleted.
    #[serde(skip)]
    pub(super) deletes_owner: bool,
    /// Whether the plan failed, so that changes are missing.
    #[serde(skip)]
    pub(super) has_failed: bool,
}

/// The counts of the first line.
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
    /// Returns whether the apply changes access, or may: also in a way that only the apply shows,
    /// and by what cannot be read.
    pub(super) fn changes_access(&self) -> bool {
        let is_in_plan = |unknown: &Entry<Unknown>| unknown.what.deferred.is_none();
        let is_unnamed = |owner: &Entry<Control>| owner.what == Control::UnlistedLose;
        self.counts != Counts::default()
            || self.unreadable > 0
            || self.unknown.iter().any(is_in_plan)
            || self.owners.iter().any(is_unnamed)
    }
}

/// A sentence beneath the first line.
pub(super) struct Note {
    pub(super) parts: Vec<Part>,
    /// Whether it is about one object, of which there may be many.
    pub(super) is_about_object: bool,
}

/// A part of a sentence.
pub(super) enum Part {
    Words(String),
    /// Text of a configuration or of the service.
    Code(String),
}

impl Note {
    /// Returns a note about the plan as a whole.
    pub(super) fn of_words(words: impl Into<String>) -> Self {
        Self { parts: vec![Part::Words(words.into())], is_about_object: false }
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |part: &Part| match part {
            Part::Words(text) | Part::Code(text) => text.clone(),
        };
        self.parts.iter().map(text).collect::<String>().serialize(serializer)
    }
}

/// Who can be asked about the changes of a listing or an integration.
#[derive(Serialize)]
pub(super) struct Approvers {
    #[serde(flatten)]
    pub(super) parent: Parent,
    pub(super) owners: BTreeSet<String>,
    /// Whether they are owners only after the apply.
    pub(super) become_owners: bool,
    /// The resources and data sources that name them.
    pub(super) addresses: BTreeSet<String>,
    /// Whether the name alone does not identify the parent.
    #[serde(skip)]
    pub(super) is_ambiguous: bool,
}

/// What the owners of an integration or listing are asked about, by ID.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Parent {
    Integration(String),
    Listing(String),
}

/// What happens to an object.
#[derive(Clone, Serialize)]
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
    /// Returns an entry whose name identifies its object. `Naming` in `findings` finds out which do
    /// not.
    pub(super) fn new(name: Name, addresses: BTreeSet<String>, what: T) -> Self {
        Self { name, addresses, is_ambiguous: false, what }
    }
}

/// The name of an object, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

/// What happens to an owner's control of an integration.
#[derive(Clone, PartialEq, Serialize)]
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

/// What happens to a role at the service.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RoleAction {
    Created,
    CreatedOrOverwritten,
    Overwritten,
    /// Terraform gives up the role and creates it again, which fails while it exists.
    ForgottenAndCreated,
    /// Deleted and created under its own name.
    Replaced,
    /// Deleted, while its resource creates a role of another name.
    Becomes,
    Updated,
    Deleted,
}

/// How a configuration treats the resources of a role.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Resources {
    Managed,
    NotManaged,
    /// Some elements are known only after apply.
    PartlyUnknown,
    NotManagedOrUnknown,
}

/// What a plan changes about a role.
#[derive(Clone, PartialEq, Serialize)]
pub(super) struct RoleChange {
    pub(super) action: RoleAction,
    /// The role that a renamed role becomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) successor: Option<Successor>,
    /// None for a role that is deleted.
    pub(super) resources: Option<Resources>,
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) attributes: Vec<AttributeChange>,
}

/// The role that a resource has after its name was changed, and what happens to that role.
#[derive(Clone, PartialEq, Serialize)]
pub(super) struct Successor {
    pub(super) role: String,
    pub(super) action: RoleAction,
}

/// Of a set, the elements that were removed and added.
#[derive(Clone, PartialEq, Serialize)]
pub(super) struct AttributeChange {
    pub(super) attribute: &'static str,
    pub(super) before: Value,
    pub(super) after: Value,
}

/// A grant that outlives the change of its role.
#[derive(Clone, Serialize)]
pub(super) struct Revocation {
    pub(super) resource: String,
}

/// A change outside Terraform.
#[derive(Serialize)]
pub(super) struct Drift {
    pub(super) deleted: bool,
    /// Whether this is an owner that a data source shows and no resource has.
    pub(super) unmanaged: bool,
    pub(super) attributes: Vec<AttributeChange>,
    pub(super) update_time: Option<String>,
    pub(super) by: Option<Writer>,
}

/// Who has written a role last, as far as its fields show. The API names no person.
#[derive(Serialize)]
#[serde(tag = "writer", rename_all = "snake_case")]
pub(super) enum Writer {
    NotTerraform,
    SameRepository,
    Terraform { repo_uri: Option<String>, repo_dir: Option<String> },
}

/// How an object comes under Terraform or leaves it.
#[derive(Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub(super) enum Transfer {
    Imported,
    Overwrites,
    Adopts,
    /// By a `removed` block.
    Forgotten,
    /// By `lifecycle { destroy = false }`.
    KeptByLifecycle,
    Abandoned,
}

/// What is known only after apply about an object.
#[derive(Serialize)]
pub(super) struct Unknown {
    pub(super) attributes: Vec<&'static str>,
    /// The elements that a set has now, if nothing of it is known after the apply.
    pub(super) now: Vec<String>,
    /// Why the host has put the change off.
    pub(super) deferred: Option<String>,
}
