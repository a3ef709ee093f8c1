//! Roles: their name, their fields in requests and responses, and UpdateListingRole, which the API
//! document shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use http::Method;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::client::{Client, to_json};
use crate::error::Error;
use crate::exchange::Request;
use crate::json::{AnyText, Fields, Raw, name_text};
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

/// The fields of a role that a write may set, in order: the field here with its type, and its name in the
/// API. Reading, sending and the mask come from this table.
macro_rules! fields {
    ($($(#[$doc:meta])* $variant:ident $field:ident: $type:ty = $name:literal,)*) => {
        /// A role of a listing, as the service returns it.
        #[derive(Clone, Debug, PartialEq)]
        pub struct ListingRole {
            /// The resource name. It equals the requested name.
            pub name: ListingRoleName,
            $($(#[$doc])* pub $field: $type,)*
            /// How the role is managed. The API document does not show the type of this field: a string is
            /// returned unchanged, a structure as JSON.
            pub management: Option<String>,
            /// The manager recorded for the role, for example `TERRAFORM`.
            pub manager: Option<String>,
            /// RFC 3339.
            pub create_time: Option<String>,
            /// RFC 3339.
            pub update_time: Option<String>,
            /// RFC 3339; present if the role has been deleted.
            pub delete_time: Option<String>,
            /// What is missing here although the service has it.
            pub defect: Option<String>,
        }

        /// A field of a role that a write may set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RoleField {
            $($(#[$doc])* $variant,)*
        }

        impl RoleField {
            /// Returns the field's name in the API.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        /// A role in a response body.
        #[derive(Deserialize, Default)]
        #[serde(rename_all = "camelCase", default)]
        pub struct WireRole {
            name: Raw,
            $(#[serde(rename = $name)] $field: Raw,)*
            management: Raw,
            manager: Raw,
            create_time: Raw,
            update_time: Raw,
            delete_time: Raw,
        }

        impl WireRole {
            /// Returns the role with a name that was checked. Absent fields are empty, as proto3 omits them.
            fn into_role(self, name: ListingRoleName) -> ListingRole {
                let mut fields = Fields::default();
                let time = |fields: &mut Fields, name, raw| fields.read::<AnyText>(name, raw).0;
                ListingRole {
                    name,
                    $($field: fields.read($name, &self.$field),)*
                    management: fields.read::<AnyText>("management", &self.management).0,
                    manager: fields.read("manager", &self.manager),
                    create_time: time(&mut fields, "createTime", &self.create_time),
                    update_time: time(&mut fields, "updateTime", &self.update_time),
                    delete_time: time(&mut fields, "deleteTime", &self.delete_time),
                    defect: fields.defect,
                }
            }
        }
    };
}

fields! {
    /// Short name shown to users.
    DisplayName display_name: String = "displayName",
    /// Longer description; empty if the role does not have one, and "" clears it.
    Description description: String = "description",
    /// Display order, lower first.
    Priority priority: i64 = "priority",
    /// Resources that the role grants, in the service's order. Only admin API keys may set them.
    Resources resources: Vec<String> = "resources",
    /// Repository recorded for the role.
    RepoUri repo_uri: Option<String> = "repoUri",
    /// Directory in that repository.
    RepoDir repo_dir: Option<String> = "repoDir",
}

/// The request body that creates or updates a role. The API's schema requires the display name and the
/// priority, regardless of the mask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListingRolePatch(BTreeMap<RoleField, Value>);

impl ListingRolePatch {
    /// Sets a field. The service takes a 64-bit integer as a decimal string.
    pub fn set(&mut self, field: RoleField, value: Value) {
        self.0.insert(field, value);
    }

    /// Returns the text that a field is set to.
    #[must_use]
    pub fn text(&self, field: RoleField) -> Option<&str> {
        self.0.get(&field).and_then(Value::as_str)
    }
}

impl Serialize for ListingRolePatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(field, value)| (field.as_str(), value)))
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
    ) -> Result<ListingRole, Error> {
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

    fn defect(&self) -> Option<&str> {
        self.defect.as_deref()
    }

    fn of_wire(
        wire: WireRole,
        listing: &Identifier,
        requested: Option<&ListingRoleName>,
    ) -> Result<Self, String> {
        let name = match (name_text(&wire.name).as_str(), requested) {
            // A service may omit the name of the object that was requested. Every role has a
            // display name: an object without one is not a role.
            ("", Some(requested)) if !name_text(&wire.display_name).is_empty() => requested.clone(),
            ("", Some(_)) => return Err("not a role".to_owned()),
            (text, _) => check_name(text, listing, requested)?,
        };
        Ok(wire.into_role(name))
    }
}
