//! The identity of the owners of an integration, their list resource for `terraform query`, and the
//! configuration that `-generate-config-out` writes of them.

use async_trait::async_trait;
use plugin_server::schema::{new_schema, required};
use plugin_server::{
    IdentitySchema, ListResource, ListResult, ListResultsStream, ResourceWithGenerateConfig,
    ResourceWithIdentity,
};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;
use tf_provider::{Diagnostics, Resource};

use super::read::read_all;
use super::schema::WORDS;
use super::state::{Private, integration_name};
use super::{IntegrationOwnersResource, State, call_of};
use crate::integration_owner::schema::INTEGRATION;
use crate::object::call::require_session;
use crate::object::value::{read_identifier, validate_identifier};

/// The integration: the identity of the resource, and the argument of a `list` block.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IntegrationIdentity {
    integration: Value<String>,
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
        state: &State,
    ) -> Option<IntegrationIdentity> {
        state.integration_id()?;
        Some(IntegrationIdentity { integration: state.integration.clone() })
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: IntegrationIdentity,
    ) -> Option<(State, Private)> {
        let integration = read_identifier("integration", &identity.integration, diags)?;
        self.import(diags, integration.to_string()).await
    }
}

#[async_trait]
impl ListResource for IntegrationOwnersResource {
    type ListConfig<'a> = IntegrationIdentity;

    fn list_schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let integration = required(AttributeType::String, INTEGRATION);
        let description = "All owners of an integration, as one resource.";
        Some(new_schema(0, description, [("integration", integration)]))
    }

    async fn validate_list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationIdentity,
    ) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        Some(())
    }

    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationIdentity,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let integration = read_identifier("integration", &config.integration, diags)?;
        let session = require_session(&self.connection, "list", WORDS.kinds, diags)?;
        let mut call = call_of(&session, "list", &integration, diags);
        let stored = read_all(&mut call, integration).await.ok()?;
        if stored.private.entity.owners.is_empty() || stream.remaining() == 0 {
            return Some(());
        }
        let (name, identity) = (integration_name(&stored.integration), config);
        let resource = stream.include_resource().then_some(stored.state);
        // There is nothing else to send, whether the host wants more or not.
        _ = stream.send(ListResult::new(name, identity).with_resource(resource)).await;
        Some(())
    }
}

#[async_trait]
impl ResourceWithGenerateConfig for IntegrationOwnersResource {
    async fn generate_config<'a>(&self, _diags: &mut Diagnostics, state: State) -> Option<State> {
        // The options are about creating and destroying.
        Some(State { adopt_existing: Value::Null, deletion_policy: Value::Null, ..state })
    }
}
