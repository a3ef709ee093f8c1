//! The list resource `access_integration_owner`: the owners of an integration for `terraform
//! query`, and the configuration that `-generate-config-out` writes of them.
//!
//! Calls: list, page by page, no more pages than the limit needs.
//! Known trap: the API document shows no list, so a 404 may mean that there is none.

use std::ops::ControlFlow;

use access_client::Identifier;
use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::{ListItem, ListSink, WithGenerateConfig, WithList};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::TYPE;
use super::identity::IntegrationOwnerIdentity;
use super::resource::{IntegrationOwnerResource, State};
use crate::terraform::schema::{required, schema};
use crate::diagnostic::{Attempt, report_list_failure};
use crate::object::identifier::validate_identifier;

/// Whose owners a `list` block asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnerListConfig {
    integration: Value<String>,
}

#[async_trait]
impl WithList for IntegrationOwnerResource {
    type ListConfig<'a> = IntegrationOwnerListConfig;

    fn list_schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(schema(
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
        sink: &mut ListSink<'_, Self>,
    ) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        let integration = Identifier::parse(config.integration.as_ref_option()?).ok()?;
        let parent = format!("integrations/{integration}/owners");
        let operation = Operation { verb: "list", kind: "integration owners", name: &parent };
        let service = self.connection().require(&operation.summary(), diags)?;
        let mut pages = service.client.integration_owner_pages(&integration);
        loop {
            let wanted = usize::try_from(sink.remaining()).unwrap_or(usize::MAX);
            let page = match pages.next(wanted).await {
                Ok(Some(page)) => page,
                Ok(None) => return Some(()),
                Err(error) => {
                    report_list_failure(&operation, &error, TYPE, diags);
                    return None;
                }
            };
            for owner in page {
                if let ControlFlow::Break(()) = sink.send(item(owner, sink.wants_resource())).await
                {
                    return Some(());
                }
            }
        }
    }
}

fn item<'a>(owner: IntegrationOwner, whole: bool) -> ListItem<'a, IntegrationOwnerResource> {
    let display_name = owner.owner.clone();
    let identity = IntegrationOwnerIdentity::from_name(&owner.name);
    let resource = whole.then(|| {
        let mut state = State::default();
        state.set_from_response(owner);
        state
    });
    ListItem { display_name, identity, resource }
}

#[async_trait]
impl WithGenerateConfig for IntegrationOwnerResource {
    async fn generate_config<'a>(&self, _diags: &mut Diagnostics, state: State) -> Option<State> {
        // The option is about creating, which has happened.
        Some(State { adopt_existing: Value::Null, ..state })
    }
}
