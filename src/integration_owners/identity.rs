//! The identity of the owners of an integration: the integration.

use async_trait::async_trait;
use plugin_server::{IdentitySchema, ResourceWithIdentity};
use serde::{Deserialize, Serialize};
use tf_provider::schema::AttributeType;
use tf_provider::value::Value;
use tf_provider::{Diagnostics, Resource};

use super::IntegrationOwnersResource;
use super::state::{IntegrationOwnersState, Private};
use crate::integration_owner::schema::INTEGRATION;
use crate::object::value::read_identifier;

/// The ID of the integration.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IntegrationIdentity {
    pub(super) integration: Value<String>,
}

#[async_trait]
impl ResourceWithIdentity for IntegrationOwnersResource {
    type Identity<'a> = IntegrationIdentity;

    fn identity_schema(&self, _diags: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(IdentitySchema::new().required("integration", AttributeType::String, INTEGRATION))
    }

    async fn identity<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: &IntegrationOwnersState,
    ) -> Option<IntegrationIdentity> {
        state.integration_id()?;
        Some(IntegrationIdentity { integration: state.integration.clone() })
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: IntegrationIdentity,
    ) -> Option<(IntegrationOwnersState, Private)> {
        let integration = read_identifier("integration", &identity.integration, diags)?;
        self.import(diags, integration.to_string()).await
    }
}
