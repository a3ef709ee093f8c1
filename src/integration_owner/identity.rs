//! The identity of an integration owner: the integration, and the owner's ID in it, by which it
//! can be imported.

use access_client::{Identifier, IntegrationOwnerName};
use async_trait::async_trait;
use plugin_server::{IdentitySchema, ResourceWithIdentity};
use serde::{Deserialize, Serialize};
use tf_provider::schema::AttributeType;
use tf_provider::value::Value;
use tf_provider::{Diagnostics, Resource};

use super::resource::{IntegrationOwnerResource, Private, State};
use crate::object::identifier::validate_identifier;

/// What tells an owner from all others. It never changes: whatever changes replaces the owner.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnerIdentity {
    pub(crate) integration: Value<String>,
    /// The owner's ID, not the user, group or team.
    pub(crate) owner: Value<String>,
}

impl IntegrationOwnerIdentity {
    pub(super) fn from_name(name: &IntegrationOwnerName) -> Self {
        Self {
            integration: Value::Value(name.integration.to_string()),
            owner: Value::Value(name.owner.to_string()),
        }
    }

    /// The name, or an error for an ID that no owner can have.
    fn name(&self, diags: &mut Diagnostics) -> Option<IntegrationOwnerName> {
        validate_identifier("integration", &self.integration, diags);
        validate_identifier("owner", &self.owner, diags);
        Some(IntegrationOwnerName {
            integration: Identifier::parse(self.integration.as_ref_option()?).ok()?,
            owner: Identifier::parse(self.owner.as_ref_option()?).ok()?,
        })
    }
}

#[async_trait]
impl ResourceWithIdentity for IntegrationOwnerResource {
    type Identity<'a> = IntegrationOwnerIdentity;

    fn identity_schema(&self, _diags: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(
            IdentitySchema::new()
                .required("integration", AttributeType::String, "ID of the integration.")
                .required(
                    "owner",
                    AttributeType::String,
                    "ID of the owner in its integration, as in `integration_owner_id`.",
                ),
        )
    }

    async fn identity<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: &State,
    ) -> Option<IntegrationOwnerIdentity> {
        // The name and not `integration_owner_id`: the service may have given another ID than was
        // planned, which stays in the state until the next read. A plan of a create has none:
        // OpenTofu 1.12 cannot keep an identity that is known in part.
        let name = IntegrationOwnerName::parse(state.name.as_ref_option()?).ok()?;
        Some(IntegrationOwnerIdentity::from_name(&name))
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: IntegrationOwnerIdentity,
    ) -> Option<(State, Private)> {
        let name = identity.name(diags)?;
        self.import(diags, name.to_string()).await
    }
}
