//! The objects of the API, in the form in which requests and responses contain them.
//!
//! Responses are parsed leniently: a proto3 service omits 0, "" and [], a 64-bit integer may be a
//! number or a decimal string, and unknown fields are ignored.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;

use crate::json;
use crate::names::{IntegrationOwnerName, ListingRoleName};

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

/// An owner of an integration, as the service returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegrationOwner {
    /// The resource name. It belongs to the requested integration.
    pub name: IntegrationOwnerName,
    /// `users/{id}`, `groups/{id}` or `teams/{id}`, in the service's spelling.
    pub owner: String,
    /// RFC 3339.
    pub create_time: Option<String>,
    /// RFC 3339.
    pub update_time: Option<String>,
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

/// A role in a response body.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub struct WireRole {
    pub(crate) name: Option<String>,
    display_name: Option<String>,
    description: Option<String>,
    resources: Option<Vec<String>>,
    #[serde(deserialize_with = "int64")]
    priority: i64,
    #[serde(deserialize_with = "json::value_text")]
    management: Option<String>,
    manager: Option<String>,
    repo_uri: Option<String>,
    repo_dir: Option<String>,
    create_time: Option<String>,
    update_time: Option<String>,
    delete_time: Option<String>,
}

/// An owner in a response body.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct WireOwner {
    pub(crate) name: Option<String>,
    pub(crate) owner: Option<String>,
    create_time: Option<String>,
    update_time: Option<String>,
}

/// The request body that creates an owner.
#[derive(Serialize)]
pub(crate) struct NewOwner<'a> {
    pub(crate) owner: &'a str,
}

impl WireRole {
    /// Returns whether the service has sent the field that every role has: a response without it is
    /// not a role.
    pub(crate) fn has_display_name(&self) -> bool {
        self.display_name.as_deref().is_some_and(|text| !text.is_empty())
    }

    /// Returns the role with a name that was checked. Absent fields are empty, as proto3 omits
    /// them.
    pub(crate) fn into_role(self, name: ListingRoleName) -> ListingRole {
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

impl WireOwner {
    /// Returns the owner with a name that was checked.
    pub(crate) fn into_owner(self, name: IntegrationOwnerName) -> IntegrationOwner {
        IntegrationOwner {
            name,
            owner: self.owner.unwrap_or_default(),
            create_time: not_empty(self.create_time),
            update_time: not_empty(self.update_time),
        }
    }
}

/// Returns the string unless it is "", which proto3 does not distinguish from an absent field.
fn not_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Serializes a 64-bit integer as a decimal string, which keeps all digits.
fn decimal_text<S: Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Deserializes a 64-bit integer from a decimal string or a number; null is 0.
fn int64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    let text = raw.get().trim_matches('"').trim();
    match text.parse() {
        Ok(value) => Ok(value),
        Err(_) if raw.get() == "null" => Ok(0),
        // A number may be written as 3.0 or 1e3. Beyond 2^53 a float is not exact.
        Err(_) => match serde_json::from_str::<f64>(raw.get()) {
            #[allow(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
            Ok(value) if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 => {
                Ok(value as i64)
            }
            _ => Err(D::Error::custom("not a 64-bit integer")),
        },
    }
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
pub struct FieldMask(std::collections::BTreeSet<RoleField>);

impl FieldMask {
    /// Creates a mask of these fields; `None` if there are none.
    #[must_use]
    pub fn new(fields: impl IntoIterator<Item = RoleField>) -> Option<Self> {
        let fields: std::collections::BTreeSet<_> = fields.into_iter().collect();
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
