//! The identity of a listing role: listing and role, by which it can be imported.

use access_client::{Identifier, ListingRoleName};
use async_trait::async_trait;
use plugin_server::{IdentitySchema, ResourceWithIdentity};
use serde::{Deserialize, Serialize};
use tf_provider::schema::AttributeType;
use tf_provider::value::Value;
use tf_provider::{Diagnostics, Resource};

use super::resource::{ListingRoleResource, Private, State};
use crate::object::identifier::validate_identifier;

/// The identity of a role. It never changes: another listing or role replaces it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ListingRoleIdentity {
    pub(crate) listing: Value<String>,
    pub(crate) role: Value<String>,
}

impl ListingRoleIdentity {
    pub(super) fn from_name(name: &ListingRoleName) -> Self {
        Self {
            listing: Value::Value(name.listing.to_string()),
            role: Value::Value(name.role.to_string()),
        }
    }

    /// Returns the name, or adds an error for an ID that no role can have.
    fn name(&self, diags: &mut Diagnostics) -> Option<ListingRoleName> {
        validate_identifier("listing", &self.listing, diags);
        validate_identifier("role", &self.role, diags);
        Some(ListingRoleName {
            listing: Identifier::parse(self.listing.as_ref_option()?).ok()?,
            role: Identifier::parse(self.role.as_ref_option()?).ok()?,
        })
    }
}

#[async_trait]
impl ResourceWithIdentity for ListingRoleResource {
    type Identity<'a> = ListingRoleIdentity;

    fn identity_schema(&self, _diags: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(
            IdentitySchema::new()
                .required("listing", AttributeType::String, "ID of the listing.")
                .required("role", AttributeType::String, "ID of the role in its listing."),
        )
    }

    async fn identity<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: &State,
    ) -> Option<ListingRoleIdentity> {
        // Known whole or not at all: OpenTofu 1.12 cannot keep an identity that is known in part,
        // as in the plan of a role whose listing is created by the same apply.
        Some(ListingRoleIdentity::from_name(&state.role_name()?))
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: ListingRoleIdentity,
    ) -> Option<(State, Private)> {
        let name = identity.name(diags)?;
        self.import(diags, name.to_string()).await
    }
}
