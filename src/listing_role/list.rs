//! The list resource `access_listing_role`: the roles of a listing for `terraform query`, and the
//! configuration that `-generate-config-out` writes of them.

use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::schema::{new_schema, optional, required};
use plugin_server::{ListResource, ListResult, ListResultsStream, ResourceWithGenerateConfig};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::resource::ListingRoleResource;
use super::state::{ListingRolePrivateState, State};
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::object::identity::ObjectIdentity;
use crate::object::list_resource::{ListRequest, list_objects};
use crate::object::operation::Operation;

/// The arguments of a `list` block.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListingRoleListConfig {
    listing: Value<String>,
    manager: Value<String>,
}

#[async_trait]
impl ListResource for ListingRoleResource {
    type ListConfig<'a> = ListingRoleListConfig;

    fn list_schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(new_schema(
            0,
            "The roles of a listing.",
            [
                ("listing", required(AttributeType::String, "ID of the listing.")),
                (
                    "manager",
                    optional(
                        AttributeType::String,
                        "Lists only roles with this manager, such as `TERRAFORM`. `\"\"` lists roles without a manager.",
                    ),
                ),
            ],
        ))
    }

    async fn validate_list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: ListingRoleListConfig,
    ) -> Option<()> {
        validate_identifier("listing", &config.listing, diags);
        Some(())
    }

    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: ListingRoleListConfig,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let manager = config.manager.as_ref_option().map(String::as_str);
        let listing = read_identifier("listing", &config.listing, diags)?;
        let name = format!("listings/{listing}/roles");
        let operation = Operation { verb: "list", kind: "listing roles", name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let wanted = |role: &ListingRole| {
            manager.is_none_or(|manager| role.manager.as_deref().unwrap_or_default() == manager)
        };
        let request =
            ListRequest { parent: &listing, is_filtered: manager.is_some(), wanted: &wanted };
        list_objects(&service, &operation, request, stream, result, diags).await
    }
}

fn result(role: ListingRole, include_resource: bool) -> ListResult<'static, ListingRoleResource> {
    let display_name = match role.display_name.as_str() {
        "" => role.name.role.to_string(),
        name => name.to_owned(),
    };
    let identity = ObjectIdentity::from_name::<ListingRole>(&role.name);
    let resource = include_resource.then(|| {
        let mut state = State::default();
        state.set_from_response(role, &ListingRolePrivateState::default());
        state
    });
    ListResult::new(display_name, identity).with_resource(resource)
}

#[async_trait]
impl ResourceWithGenerateConfig for ListingRoleResource {
    async fn generate_config<'a>(&self, _diags: &mut Diagnostics, state: State) -> Option<State> {
        // `resources` stay: with them the configuration describes the whole role, and its plan
        // changes nothing. The other options are about creating and destroying.
        let description =
            state.description.as_ref_option().filter(|text| !text.is_empty()).cloned();
        Some(State {
            description: description.into(),
            allow_missing: Value::Null,
            adopt_existing: Value::Null,
            deletion_policy: Value::Null,
            ..state
        })
    }
}
