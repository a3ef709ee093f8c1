//! The data source `access_listing_role`: reads one role of a listing.
//!
//! Calls: GET, under every `drift_detection`. It never writes: the documented PATCH, which stands in
//! for the reads of managed roles under `drift_detection = "patch"`, would record this configuration
//! on a role that another one manages.

use access_client::ListingRoleName;
use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::schema::{new_schema, required};
use plugin_server::value::Number;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::schema;
use super::state::{ListingRolePrivateState, ListingRoleState};
use crate::object::Object;
use crate::object::data_source::{NotReadAdvice, read_one};
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::object::operation::Operation;
use crate::service::Connection;

/// A listing role as data sources show it, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ListingRoleData {
    pub(crate) listing: Value<String>,
    pub(crate) role: Value<String>,
    pub(crate) display_name: Value<String>,
    pub(crate) priority: Value<Number>,
    pub(crate) description: Value<String>,
    pub(crate) resources: Value<Vec<Value<String>>>,
    pub(crate) id: Value<String>,
    pub(crate) name: Value<String>,
    pub(crate) management: Value<String>,
    pub(crate) manager: Value<String>,
    pub(crate) repo_uri: Value<String>,
    pub(crate) repo_dir: Value<String>,
    pub(crate) create_time: Value<String>,
    pub(crate) update_time: Value<String>,
}

impl From<ListingRole> for ListingRoleData {
    fn from(role: ListingRole) -> Self {
        let mut state = ListingRoleState::default();
        state.set_from_response(role, &ListingRolePrivateState::default());
        Self {
            listing: state.listing,
            role: state.role,
            display_name: state.display_name,
            priority: state.priority,
            description: state.description,
            resources: state.resources,
            id: state.id,
            name: state.name,
            management: state.management,
            manager: state.manager,
            repo_uri: state.repo_uri,
            repo_dir: state.repo_dir,
            create_time: state.create_time,
            update_time: state.update_time,
        }
    }
}

/// The data source `access_listing_role`.
pub(crate) struct ListingRoleDataSource(pub(crate) Connection);

const NOT_READ_ADVICE: NotReadAdvice = NotReadAdvice {
    subject: "The role or its listing",
    attribute: "role",
    alternative: "If the service does not offer reads, take the values from a resource or a variable, or, \
        if the service lists roles, from `access_listing_roles`.",
};

#[async_trait]
impl DataSource for ListingRoleDataSource {
    type State<'a> = ListingRoleData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(new_schema(
            0,
            "Reads a role of a listing, regardless of who manages it.",
            [
                // Required
                ("listing", required(AttributeType::String, schema::LISTING)),
                ("role", required(AttributeType::String, schema::ROLE)),
            ]
            .into_iter()
            // Computed
            .chain(schema::data_attributes()),
        ))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: ListingRoleData) -> Option<()> {
        validate_identifier("listing", &config.listing, diags);
        validate_identifier("role", &config.role, diags);
        Some(())
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        config: ListingRoleData,
        _meta: ValueEmpty,
    ) -> Option<ListingRoleData> {
        let listing = read_identifier("listing", &config.listing, diags)?;
        let role = read_identifier("role", &config.role, diags)?;
        let name = ListingRoleName { listing, role };
        let operation = Operation { verb: "read", kind: ListingRole::KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let role: ListingRole =
            read_one(&service, &operation, &name, &NOT_READ_ADVICE, diags).await?;
        Some(role.into())
    }
}
