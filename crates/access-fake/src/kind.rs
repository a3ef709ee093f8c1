//! The kinds of objects, with what is about one kind alone.

use std::iter;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::field::{Field, Form, sent, set_by_service};
use crate::operations::Operations;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Role,
    Owner,
}

impl Kind {
    /// Returns all kinds.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        // The match does not compile without a new kind.
        let next = |kind: &Self| match kind {
            Self::Role => Some(Self::Owner),
            Self::Owner => None,
        };
        iter::successors(Some(Self::Role), next)
    }

    /// Returns the names of the collection of the parents and of that of the objects.
    pub(crate) fn collections(self) -> (&'static str, &'static str) {
        match self {
            Self::Role => ("listings", "roles"),
            Self::Owner => ("integrations", "owners"),
        }
    }

    /// Returns the fields of the objects of this kind.
    pub(crate) fn fields(self) -> &'static [Field] {
        match self {
            Self::Role => &ROLE,
            Self::Owner => &OWNER,
        }
    }

    /// Returns the fields that a body must contain.
    pub(crate) fn required(self) -> &'static [&'static str] {
        match self {
            Self::Role => &["displayName", "priority"],
            Self::Owner => &["owner"],
        }
    }

    /// Returns the field of a page that contains the objects.
    pub(crate) fn list_field(self) -> &'static str {
        match self {
            Self::Role => "listingRoles",
            Self::Owner => "integrationOwners",
        }
    }

    /// Returns the undocumented operations.
    pub(crate) fn operations(self, all: &OperationsByKind) -> Operations {
        match self {
            Self::Role => all.roles,
            Self::Owner => all.owners,
        }
    }

    /// Returns whether an object stays stored after its delete.
    pub(crate) fn keeps_deleted(self) -> bool {
        self == Self::Role
    }

    /// Returns what an object has if nothing was said about it.
    pub(crate) fn made_up(self, id: &str) -> Value {
        match self {
            Self::Role => json!({"displayName": id, "priority": "0"}),
            Self::Owner => json!({"owner": format!("users/{id}")}),
        }
    }
}

/// The fields of a role, without `name` and `management`, which are not stored with it.
static ROLE: [Field; 10] = [
    sent("displayName", Form::Text),
    sent("description", Form::Text),
    sent("resources", Form::Texts),
    sent("priority", Form::Decimal),
    sent("repoUri", Form::Text),
    sent("repoDir", Form::Text),
    set_by_service("manager", true),
    set_by_service("createTime", false),
    set_by_service("updateTime", false),
    set_by_service("deleteTime", true),
];

/// The fields of an owner, without `name`.
static OWNER: [Field; 3] = [
    sent("owner", Form::Text),
    set_by_service("createTime", false),
    set_by_service("updateTime", false),
];

/// The undocumented operations on the objects of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OperationsByKind {
    /// On roles.
    pub roles: Operations,
    /// On integration owners.
    pub owners: Operations,
}

impl OperationsByKind {
    /// Returns the same operations on objects of every kind.
    pub(crate) fn all(operations: Operations) -> Self {
        Self { roles: operations, owners: operations }
    }
}
