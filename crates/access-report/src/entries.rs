//! The entries of a report. Its JSON form is this, serialized; `help.txt` documents it.

use serde::Serialize;
use serde_json::Value;

/// The entries of each section, in their order.
#[derive(Default, Serialize)]
pub(crate) struct Entries {
    pub(crate) owners: Vec<Entry<Control>>,
    pub(crate) roles: Vec<Entry<RoleChange>>,
    pub(crate) revoke: Vec<Entry<Revocation>>,
    pub(crate) unknown: Vec<Entry<Unknown>>,
    pub(crate) drift: Vec<Entry<Drift>>,
    pub(crate) management: Vec<Entry<Transfer>>,
    /// Whether a principal who gains control may have it already: a list of owners is created or
    /// replaced, or an owner may be adopted.
    #[serde(skip)]
    pub(crate) may_gain_less: bool,
}

impl Entries {
    /// Sorts each section.
    pub(crate) fn sort(&mut self) {
        let Self { owners, roles, revoke, unknown, drift, management, may_gain_less: _ } = self;
        sort(owners, Control::rank);
        sort(roles, RoleChange::rank);
        sort(revoke, |_| 0);
        sort(unknown, |_| 0);
        sort(drift, |_| 0);
        sort(management, |transfer| u8::from(transfer.action == TransferAction::Leaves));
    }
}

/// Sorts entries by rank, then by name: owners before roles, and owners by integration and
/// principal.
fn sort<T>(entries: &mut [Entry<T>], rank: impl Fn(&T) -> u8) {
    entries.sort_by(|one, other| {
        let key = |entry: &Entry<T>| rank(&entry.what);
        (key(one), &one.name, &one.origin).cmp(&(key(other), &other.name, &other.origin))
    });
}

/// What happens to an object.
#[derive(Serialize)]
pub(crate) struct Entry<T> {
    #[serde(flatten)]
    pub(crate) name: Name,
    #[serde(flatten)]
    pub(crate) origin: Origin,
    #[serde(flatten)]
    pub(crate) what: T,
}

/// The name of an object, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub(crate) enum Name {
    /// An owner, or without a principal all owners.
    Owner {
        integration: String,
        principal: Option<String>,
    },
    Role {
        role: String,
    },
}

/// The place of an object in the state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Origin {
    pub(crate) address: String,
    /// The key of a deposed object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deposed: Option<String>,
}

/// What happens to the control of an integration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub(crate) enum Control {
    Gains,
    /// The owner may exist already.
    GainsOrHas,
    Loses,
    /// The owner may be among those that are known only after apply.
    LosesOrKeeps,
    /// Is removed and added again.
    Again,
    /// Owners that a new list does not name stay.
    Stays,
    /// The number of owners that a list names afterwards.
    Names {
        owners: usize,
        /// Whether more owners are known only after apply.
        at_least: bool,
    },
}

impl Control {
    pub(crate) fn gains(self) -> bool {
        matches!(self, Self::Gains | Self::GainsOrHas | Self::Again)
    }

    pub(crate) fn loses(self) -> bool {
        matches!(self, Self::Loses | Self::LosesOrKeeps | Self::Again)
    }

    /// Returns the place in the section: gains, then losses, then facts about lists.
    fn rank(&self) -> u8 {
        match (self.gains(), self.loses()) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        }
    }
}

/// What happens to a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RoleAction {
    Changed,
    Created,
    /// The role may exist already.
    CreatedOrOverwritten,
    Deleted,
    /// Deleted and created under its own name.
    Replaced,
}

/// What a plan changes about a role.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RoleChange {
    pub(crate) action: RoleAction,
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    /// The resources after the apply; `None` if the plan does not have them.
    pub(crate) resources: Option<Vec<String>>,
    pub(crate) attributes: Vec<AttributeChange>,
}

impl RoleChange {
    pub(crate) fn is_created(&self) -> bool {
        use RoleAction::{Created, CreatedOrOverwritten, Replaced};
        matches!(self.action, Created | CreatedOrOverwritten | Replaced)
    }

    pub(crate) fn is_deleted(&self) -> bool {
        matches!(self.action, RoleAction::Deleted | RoleAction::Replaced)
    }

    pub(crate) fn changes_grants(&self) -> bool {
        let has_difference = !self.added.is_empty() || !self.removed.is_empty();
        self.action == RoleAction::Changed && has_difference
    }

    pub(crate) fn changes_texts_alone(&self) -> bool {
        self.action == RoleAction::Changed && !self.changes_grants()
    }

    /// Returns the place in the section: changed resources, then creates, deletes and replacements,
    /// then changed texts.
    pub(crate) fn rank(&self) -> u8 {
        match self.action {
            RoleAction::Changed if self.changes_grants() => 0,
            RoleAction::Created | RoleAction::CreatedOrOverwritten => 1,
            RoleAction::Deleted => 2,
            RoleAction::Replaced => 3,
            RoleAction::Changed => 4,
        }
    }
}

/// An attribute before and after a change. Of a set, the elements that are removed and added.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct AttributeChange {
    pub(crate) name: &'static str,
    pub(crate) before: Value,
    pub(crate) after: Value,
}

/// The grants of a role that outlive its change.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Revocation {
    pub(crate) resources: Vec<String>,
}

/// What is known only after apply about an object.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Unknown {
    pub(crate) attributes: Vec<&'static str>,
    /// Why the host has put the change off.
    pub(crate) deferred: Option<String>,
}

/// A change outside Terraform.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Drift {
    pub(crate) gone: bool,
    pub(crate) attributes: Vec<AttributeChange>,
    /// What the object records now.
    pub(crate) manager: Option<String>,
    pub(crate) repo_uri: Option<String>,
    pub(crate) repo_dir: Option<String>,
    pub(crate) update_time: Option<String>,
}

/// An object comes under Terraform or leaves it.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Transfer {
    pub(crate) action: TransferAction,
    /// What the object records.
    pub(crate) repo_uri: Option<String>,
    pub(crate) repo_dir: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TransferAction {
    Comes,
    Leaves,
}
