//! The list resource `access_integration_owners`: the owners of an integration as one resource for
//! `terraform query`, and the configuration that `-generate-config-out` writes of them.

use async_trait::async_trait;
use plugin_server::schema::{new_schema, required};
use plugin_server::{ListResource, ListResult, ListResultsStream, ResourceWithGenerateConfig};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::identity::IntegrationIdentity;
use super::read::{entries_of, list_needed};
use super::schema::WORDS;
use super::state::{IntegrationOwnersState, integration_name};
use super::{IntegrationOwnersResource, State};
use crate::integration_owner::schema::INTEGRATION;
use crate::object::ObjectPrivateState;
use crate::object::call::{Call, require_session};
use crate::object::identifier::{read_identifier, validate_identifier};

/// The integration that a `list` block asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListConfig {
    integration: Value<String>,
}

#[async_trait]
impl ListResource for IntegrationOwnersResource {
    type ListConfig<'a> = ListConfig;

    fn list_schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(new_schema(
            0,
            "All owners of an integration, as one resource.",
            [("integration", required(AttributeType::String, INTEGRATION))],
        ))
    }

    async fn validate_list<'a>(&self, diags: &mut Diagnostics, config: ListConfig) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        Some(())
    }

    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: ListConfig,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let integration = read_identifier("integration", &config.integration, diags)?;
        let name = integration_name(&integration);
        let session = require_session(&self.0, "list", WORDS.kinds, diags)?;
        let mut call = Call::new(&session, "list", WORDS, &name, diags).of_all();
        let list =
            list_needed(&mut call, &integration, &ObjectPrivateState::default()).await.ok()?;
        let entries = entries_of(&session, &list);
        if entries.is_empty() || stream.remaining() == 0 {
            return Some(());
        }
        let owners = entries.into_iter().map(|entry| entry.owner).collect();
        let state = IntegrationOwnersState::new(&integration, owners);
        let identity = IntegrationIdentity { integration: state.integration.clone() };
        let resource = stream.include_resource().then_some(state);
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
