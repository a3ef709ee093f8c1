//! The list resource `access_integration_owner`: the owners of an integration for `terraform
//! query`, and the configuration that `-generate-config-out` writes of them.

use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::schema::{new_schema, required};
use plugin_server::{ListResource, ListResult, ListResultsStream, ResourceWithGenerateConfig};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::resource::IntegrationOwnerResource;
use super::state::State;
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::object::identity::ObjectIdentity;
use crate::object::list_resource::{ListRequest, list_objects};
use crate::object::operation::Operation;

/// The arguments of a `list` block.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnerListConfig {
    integration: Value<String>,
}

#[async_trait]
impl ListResource for IntegrationOwnerResource {
    type ListConfig<'a> = IntegrationOwnerListConfig;

    fn list_schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(new_schema(
            0,
            "The owners of an integration.",
            [("integration", required(AttributeType::String, "ID of the integration."))],
        ))
    }

    async fn validate_list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationOwnerListConfig,
    ) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        Some(())
    }

    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationOwnerListConfig,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let integration = read_identifier("integration", &config.integration, diags)?;
        let name = format!("integrations/{integration}/owners");
        let operation = Operation { verb: "list", kind: "integration owners", name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let request = ListRequest { parent: &integration, is_filtered: false, wanted: &|_| true };
        list_objects(&service, &operation, request, stream, result, diags).await
    }
}

fn result(
    owner: IntegrationOwner,
    include_resource: bool,
) -> ListResult<'static, IntegrationOwnerResource> {
    let display_name = owner.owner.clone();
    let identity = ObjectIdentity::from_name::<IntegrationOwner>(&owner.name);
    let resource = include_resource.then(|| {
        let mut state = State::default();
        state.set_from_response(owner, None);
        state
    });
    ListResult::new(display_name, identity).with_resource(resource)
}

#[async_trait]
impl ResourceWithGenerateConfig for IntegrationOwnerResource {
    async fn generate_config<'a>(&self, _diags: &mut Diagnostics, state: State) -> Option<State> {
        // The options are about creating and destroying.
        Some(State { adopt_existing: Value::Null, deletion_policy: Value::Null, ..state })
    }
}
