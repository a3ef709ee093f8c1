//! The list resource `access_listing_role`: the roles of a listing for `terraform query`, and the
//! configuration that `-generate-config-out` writes of them.
//!
//! Calls: list, page by page, no more pages than the limit needs.
//! Known trap: the API document shows no list, so a 404 may mean that there is none.

use std::ops::ControlFlow;

use access_client::Identifier;
use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::{ListItem, ListSink, WithGenerateConfig, WithList};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::TYPE;
use super::identity::ListingRoleIdentity;
use super::resource::{ListingRoleResource, State};
use crate::terraform::schema::{optional, required, schema};
use crate::diagnostic::{Attempt, report_list_failure};
use crate::object::identifier::validate_identifier;

/// Which roles a `list` block asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListingRoleListConfig {
    listing: Value<String>,
    manager: Value<String>,
}

#[async_trait]
impl WithList for ListingRoleResource {
    type ListConfig<'a> = ListingRoleListConfig;

    fn list_schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(schema(
            0,
            "The roles of a listing.",
            [
                ("listing", required(AttributeType::String, "ID of the listing.")),
                (
                    "manager",
                    optional(
                        AttributeType::String,
                        "Lists only roles with this manager, such as `TERRAFORM`; `\"\"` lists those that nothing manages.",
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
        sink: &mut ListSink<'_, Self>,
    ) -> Option<()> {
        validate_identifier("listing", &config.listing, diags);
        let listing = Identifier::parse(config.listing.as_ref_option()?).ok()?;
        let parent = format!("listings/{listing}/roles");
        let operation = Operation { verb: "list", kind: "listing roles", name: &parent };
        let service = self.connection().require(&operation.summary(), diags)?;
        let manager = config.manager.as_ref_option().map(String::as_str);
        let mut pages = service.client.listing_role_pages(&listing);
        loop {
            // What a filter leaves of a page is not known beforehand.
            let wanted = if manager.is_some() { usize::MAX } else { page_size(sink.remaining()) };
            let page = match pages.next(wanted).await {
                Ok(Some(page)) => page,
                Ok(None) => return Some(()),
                Err(error) => {
                    report_list_failure(&operation, &error, TYPE, diags);
                    return None;
                }
            };
            for role in page.into_iter().filter(|role| is_wanted(role, manager)) {
                if let ControlFlow::Break(()) = sink.send(item(role, sink.wants_resource())).await {
                    return Some(());
                }
            }
        }
    }
}

/// Roles that are deleted are not listed, whether the service leaves them out or not.
fn is_wanted(role: &ListingRole, manager: Option<&str>) -> bool {
    role.delete_time.is_none()
        && manager.is_none_or(|manager| role.manager.as_deref().unwrap_or_default() == manager)
}

fn page_size(remaining: u64) -> usize {
    usize::try_from(remaining).unwrap_or(usize::MAX)
}

fn item<'a>(role: ListingRole, whole: bool) -> ListItem<'a, ListingRoleResource> {
    let display_name = match role.display_name.as_str() {
        "" => role.name.role.to_string(),
        name => name.to_owned(),
    };
    let identity = ListingRoleIdentity::from_name(&role.name);
    let resource = whole.then(|| {
        let mut state = State::default();
        state.set_from_response(role, &ListingRolePrivateState::default());
        state
    });
    ListItem { display_name, identity, resource }
}

#[async_trait]
impl WithGenerateConfig for ListingRoleResource {
    async fn generate_config<'a>(&self, _diags: &mut Diagnostics, state: State) -> Option<State> {
        // `resources` stay: with them the configuration says all that the role is, and a plan of
        // it changes nothing. The two options are about creating, which has happened.
        let description = state.description.as_ref_option().filter(|it| !it.is_empty()).cloned();
        Some(State {
            description: description.into(),
            allow_missing: Value::Null,
            adopt_existing: Value::Null,
            ..state
        })
    }
}
