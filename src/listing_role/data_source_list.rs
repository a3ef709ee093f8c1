//! The data source `access_listing_roles`: reads all roles of a listing.
//!
//! Calls: list, all pages; under `drift_detection = "list"` the list that answers all reads of the
//! run.
//! Order: by priority, as the service shows roles to users, then by ID, so that a plan does not
//! depend on how the service lists them.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::attributes;
use super::calls::all;
use super::data_source::ListingRoleData;
use crate::terraform::schema::{computed, list_of_objects, required, schema};
use crate::diagnostic::Attempt;
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::reading::{Wanted, report_unread};
use crate::service::Connection;

/// The roles of a listing, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ListingRolesData {
    pub(crate) listing: Value<String>,
    pub(crate) roles: Value<Vec<ListingRoleData>>,
}

/// The data source `access_listing_roles`.
pub(crate) struct ListingRolesDataSource {
    connection: Connection,
}

impl ListingRolesDataSource {
    /// The data source, over a connection that may be configured later.
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection }
    }
}

const WANTED: Wanted = Wanted {
    what: "The listing",
    attribute: "listing",
    otherwise: "Where the service lists no roles, access_listing_role reads one by GET.",
};

#[async_trait]
impl DataSource for ListingRolesDataSource {
    type State<'a> = ListingRolesData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let role = [
            ("listing", computed(AttributeType::String, schema::LISTING)),
            ("role", computed(AttributeType::String, schema::ROLE)),
        ];
        Some(schema(
            0,
            "Reads all roles of a listing, whoever manages them.",
            [
                // Required
                ("listing", required(AttributeType::String, schema::LISTING)),
                // Computed
                (
                    "roles",
                    computed(
                        list_of_objects(role.into_iter().chain(schema::data_attributes())),
                        "The roles, by priority, then by ID.",
                    ),
                ),
            ],
        ))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: ListingRolesData) -> Option<()> {
        validate_identifier("listing", &config.listing, diags);
        Some(())
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        config: ListingRolesData,
        _meta: ValueEmpty,
    ) -> Option<ListingRolesData> {
        let listing = read_identifier("listing", &config.listing, diags)?;
        let object = format!("roles of listings/{listing}");
        let operation = Operation { verb: "list", kind: "listing roles", name: &object };
        let service = self.connection.require(&operation.summary(), diags)?;
        let roles = match all(&service, &listing).await {
            Ok(roles) => roles,
            Err(error) => {
                report_unread(&operation, &error, &WANTED, diags);
                return None;
            }
        };
        let mut roles: Vec<_> =
            roles.into_values().filter(|role| role.delete_time.is_none()).collect();
        // By ID already; the sort is stable.
        roles.sort_by_key(|role| role.priority);
        let roles = roles.into_iter().map(ListingRoleData::from).collect();
        Some(ListingRolesData { listing: config.listing, roles: Value::Value(roles) })
    }
}
