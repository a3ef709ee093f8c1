//! The data source `access_listing_role`: reads one role of a listing.
//!
//! Calls: GET; under `drift_detection = "list"` the list that answers all reads of the run, and
//! GET for what it lacks. It never writes: the documented PATCH, which stands in for the reads of
//! managed roles under `"patch"`, would record this configuration on a role of somebody else.
//! Known trap: there is no state to keep, so every answer that is not the role is an error.

use access_client::ListingRoleName;
use access_client::api::ListingRole;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::calls::listed;
use super::words::report_deleted;
use super::{KIND, ListingRoleState, attributes};
use crate::terraform::schema::{required, schema};
use crate::config::DriftDetection;
use crate::diagnostic::Attempt;
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::terraform::number::Number;
use crate::reading::{Wanted, report_unread};
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
pub(crate) struct ListingRoleDataSource {
    connection: Connection,
}

impl ListingRoleDataSource {
    /// The data source, over a connection that may be configured later.
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection }
    }
}

const WANTED: Wanted = Wanted {
    what: "The role or its listing",
    attribute: "role",
    otherwise: "Where the service offers no reads, take the values from a resource or a variable.",
};

#[async_trait]
impl DataSource for ListingRoleDataSource {
    type State<'a> = ListingRoleData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(schema(
            0,
            "Reads a role of a listing, whoever manages it.",
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
        let service = self.connection.require(&operation.summary(), diags)?;
        let in_list = match service.drift_detection {
            DriftDetection::List => listed(&service, &name).await,
            DriftDetection::Auto | DriftDetection::Patch | DriftDetection::Off => None,
        };
        let read = match in_list {
            Some(role) => Ok(role),
            None => service.client.get_listing_role(&name).await,
        };
        match read {
            Ok(role) if role.delete_time.is_some() => {
                report_deleted(&service.client, &operation, &role, diags);
                None
            }
            Ok(role) => Some(role.into()),
            Err(error) => {
                report_unread(&operation, &error, &WANTED, diags);
                None
            }
        }
    }
}
