//! The kinds of objects, with what is about one kind alone.

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
    /// Every kind.
    pub(crate) const ALL: [Self; 2] = [Self::Role, Self::Owner];

    /// Returns the names of the collection of the parents and of that of the objects.
    pub(crate) fn collections(self) -> (&'static str, &'static str) {
        match self {
            Self::Role => ("listings", "roles"),
            Self::Owner => ("integrations", "owners"),
        }
    }

    /// Returns the kind of a parent's objects: of `listings/github`, roles.
    pub(crate) fn of_parent(name: &str) -> Option<Self> {
        let (parents, _) = name.split_once('/')?;
        Self::ALL.into_iter().find(|kind| kind.collections().0 == parents)
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
        match self {
            Self::Role => true,
            Self::Owner => false,
        }
    }

    /// Returns the parents of a new service.
    pub(crate) fn parents(self) -> &'static [&'static str] {
        match self {
            Self::Role => &["github", "production", "iac"],
            Self::Owner => &["github", "okta"],
        }
    }

    /// Returns the ID of the object that each parent begins with.
    pub(crate) fn first_id(self) -> Option<&'static str> {
        match self {
            Self::Role => None,
            Self::Owner => Some("founder"),
        }
    }

    /// Returns the field that names an object to people, and its value if nothing is said about it.
    pub(crate) fn label(self, id: &str) -> (&'static str, Value) {
        match self {
            Self::Role => ("displayName", json!(id)),
            Self::Owner => ("owner", json!(format!("users/{id}"))),
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
