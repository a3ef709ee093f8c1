//! Roles: their name, their fields in requests and responses, and UpdateListingRole, which the API
//! document shows.

use std::collections::BTreeSet;
use std::fmt;

use http::Method;
use serde::{Deserialize, Serialize};

use crate::client::{Client, Response, to_json};
use crate::error::Error;
use crate::exchange::Request;
use crate::json::{decimal_text, int64, not_empty, value_text};
use crate::names::{Identifier, ObjectName};
use crate::object::{Object, check_name, object_path, read};
use crate::path::query;

/// The name of a role: `listings/{listing}/roles/{role}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListingRoleName {
    /// ID of the listing.
    pub listing: Identifier,
    /// ID of the role in its listing.
    pub role: Identifier,
}

impl ObjectName for ListingRoleName {
    const WORDS: (&'static str, &'static str) = ("listing", "role");

    fn new(listing: Identifier, role: Identifier) -> Self {
        Self { listing, role }
    }

    fn parent(&self) -> &Identifier {
        &self.listing
    }

    fn id(&self) -> &Identifier {
        &self.role
    }
}

impl fmt::Display for ListingRoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "listings/{}/roles/{}", self.listing, self.role)
    }
}

/// A role of a listing, as the service returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListingRole {
    /// The resource name. It equals the requested name.
    pub name: ListingRoleName,
    /// Short name shown to users.
    pub display_name: String,
    /// Longer description; empty if the role does not have one.
    pub description: String,
    /// Resources that the role grants, in the service's order.
    pub resources: Vec<String>,
    /// Display order, lower first.
    pub priority: i64,
    /// How the role is managed. The API document does not show the type of this field: a string is
    /// returned unchanged, a structure as JSON.
    pub management: Option<String>,
    /// The manager recorded for the role, for example `TERRAFORM`.
    pub manager: Option<String>,
    /// Repository recorded for the role.
    pub repo_uri: Option<String>,
    /// Directory in that repository.
    pub repo_dir: Option<String>,
    /// RFC 3339.
    pub create_time: Option<String>,
    /// RFC 3339.
    pub update_time: Option<String>,
    /// RFC 3339; present if the role has been deleted.
    pub delete_time: Option<String>,
}

/// The request body that creates or updates a role. `None` is not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListingRolePatch {
    /// Required by the API's schema, regardless of the mask.
    pub display_name: String,
    /// Required by the API's schema, regardless of the mask. Sent as a decimal string.
    #[serde(serialize_with = "decimal_text")]
    pub priority: i64,
    /// Longer description; "" clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Resources; an empty list clears them. Only admin API keys may set them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Vec<String>>,
    /// Repository to record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_uri: Option<String>,
    /// Directory in that repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_dir: Option<String>,
}

/// A field of a role that a write may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoleField {
    /// `displayName`
    DisplayName,
    /// `description`
    Description,
    /// `priority`
    Priority,
    /// `resources`
    Resources,
    /// `repoUri`
    RepoUri,
    /// `repoDir`
    RepoDir,
}

impl RoleField {
    /// Returns the field's name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DisplayName => "displayName",
            Self::Description => "description",
            Self::Priority => "priority",
            Self::Resources => "resources",
            Self::RepoUri => "repoUri",
            Self::RepoDir => "repoDir",
        }
    }
}

/// The fields that a write sets: at least one, and never a wildcard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMask(BTreeSet<RoleField>);

impl FieldMask {
    /// Creates a mask of these fields; `None` if there are none.
    #[must_use]
    pub fn new(fields: impl IntoIterator<Item = RoleField>) -> Option<Self> {
        let fields: BTreeSet<_> = fields.into_iter().collect();
        (!fields.is_empty()).then_some(Self(fields))
    }

    /// Returns whether the mask contains the field.
    #[must_use]
    pub fn contains(&self, field: RoleField) -> bool {
        self.0.contains(&field)
    }
}

impl fmt::Display for FieldMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for field in &self.0 {
            write!(f, "{separator}{}", field.as_str())?;
            separator = ",";
        }
        Ok(())
    }
}

/// The effect of an update if the role does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The update creates the role (`allowMissing=true`).
    Create,
    /// The update fails with 404.
    Fail,
}

impl Client {
    /// Sets the masked fields of a role (UpdateListingRole).
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind.
    pub async fn update_listing_role(
        &self,
        name: &ListingRoleName,
        patch: &ListingRolePatch,
        mask: &FieldMask,
        missing: Missing,
    ) -> Result<Response<ListingRole>, Error> {
        let mask = mask.to_string();
        let mut parameters = vec![("updateMask", mask.as_str())];
        if missing == Missing::Create {
            parameters.push(("allowMissing", "true"));
        }
        let request = Request {
            method: Method::PATCH,
            path: object_path(name),
            query: query(&parameters),
            body: Some(to_json(patch)),
            // The values are absolute, so that a repeated request results in the same role.
            idempotent: true,
        };
        self.call_for(request, |body| read(body, &name.listing, Some(name))).await
    }
}

/// A role in a response body.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub struct WireRole {
    name: Option<String>,
    display_name: Option<String>,
    description: Option<String>,
    resources: Option<Vec<String>>,
    #[serde(deserialize_with = "int64")]
    priority: i64,
    #[serde(deserialize_with = "value_text")]
    management: Option<String>,
    manager: Option<String>,
    repo_uri: Option<String>,
    repo_dir: Option<String>,
    create_time: Option<String>,
    update_time: Option<String>,
    delete_time: Option<String>,
}

impl WireRole {
    /// Returns whether the service has sent the field that every role has: a response without it is
    /// not a role.
    fn has_display_name(&self) -> bool {
        self.display_name.as_deref().is_some_and(|text| !text.is_empty())
    }

    /// Returns the role with a name that was checked. Absent fields are empty, as proto3 omits
    /// them.
    fn into_role(self, name: ListingRoleName) -> ListingRole {
        ListingRole {
            name,
            display_name: self.display_name.unwrap_or_default(),
            description: self.description.unwrap_or_default(),
            resources: self.resources.unwrap_or_default(),
            priority: self.priority,
            management: self.management,
            manager: not_empty(self.manager),
            repo_uri: not_empty(self.repo_uri),
            repo_dir: not_empty(self.repo_dir),
            create_time: not_empty(self.create_time),
            update_time: not_empty(self.update_time),
            delete_time: not_empty(self.delete_time),
        }
    }
}

impl Object for ListingRole {
    type Name = ListingRoleName;
    type Wire = WireRole;

    const LIST_FIELDS: &'static [&'static str] = &["listingRoles", "roles"];

    fn name(&self) -> &ListingRoleName {
        &self.name
    }

    fn create_time(&self) -> Option<&str> {
        self.create_time.as_deref()
    }

    fn update_time(&self) -> Option<&str> {
        self.update_time.as_deref()
    }

    fn delete_time(&self) -> Option<&str> {
        self.delete_time.as_deref()
    }

    fn of_wire(
        wire: WireRole,
        listing: &Identifier,
        requested: Option<&ListingRoleName>,
    ) -> Result<Self, String> {
        let name = match (wire.name.as_deref().unwrap_or_default(), requested) {
            // A service may omit the name of the object that was requested. Every role has a
            // display name: an object without one is not a role.
            ("", Some(requested)) if wire.has_display_name() => requested.clone(),
            ("", Some(_)) => return Err("not a role".to_owned()),
            (text, _) => check_name(text, listing, requested)?,
        };
        Ok(wire.into_role(name))
    }
}
