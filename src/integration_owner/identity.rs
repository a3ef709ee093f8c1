//! The identity of an integration owner: the integration, and the owner's ID in it, by which it
//! can be imported.

use access_client::{Identifier, IntegrationOwnerName, Principal};
use async_trait::async_trait;
use plugin_server::{IdentitySchema, ResourceWithIdentity};
use serde::{Deserialize, Serialize};
use tf_provider::schema::AttributeType;
use tf_provider::value::Value;
use tf_provider::{Diagnostics, Resource};

use super::resource::{IntegrationOwnerResource, Private, State};
use crate::object::identifier::validate_identifier;
use crate::terraform::diagnostics::Report;

/// The identity of an owner. It never changes: every change replaces the owner.
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

    /// Returns the name, or adds an error for an ID that no owner can have.
    fn name(&self, diags: &mut Diagnostics) -> Option<IntegrationOwnerName> {
        if let Some(principal) = self.owner.as_ref_option()
            && Principal::parse(principal).is_ok()
        {
            let integration = self.integration.as_ref_option().map_or("", String::as_str);
            diags.report_error(
                "Invalid owner",
                format!(
                    "{principal:?} is a user, group or team. `owner` of the identity is the ID \
                     that the service assigned to the owner, as in `integration_owner_id`. To \
                     import by user, group or team, use `id = \"{integration}/{principal}\"` in \
                     place of `identity`."
                ),
                Some("owner"),
            );
            return None;
        }
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
        // From `name` and not from `integration_owner_id`: the service may have assigned another
        // ID than was planned, which stays in the state until the next read. The plan of a create
        // has no identity, because OpenTofu 1.12 cannot keep one that is known in part.
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
