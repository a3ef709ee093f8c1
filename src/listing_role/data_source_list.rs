//! The data source `access_listing_roles`: reads all roles of a listing.
//!
//! Calls: list, all pages, shared with the other reads of the run.
//! Order: by priority, as the service shows roles to users, then by ID, so that a plan does not
//! depend on the order of the service's list.

use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::schema::{computed, list_of_objects, new_schema, required};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::data_source::ListingRoleData;
use super::schema;
use crate::object::data_source::{NotReadAdvice, read_all};
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::object::operation::Operation;
use crate::service::Connection;

/// The data source `access_listing_roles`.
pub(crate) struct ListingRolesDataSource(pub(crate) Connection);

/// The roles of a listing, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ListingRolesData {
    pub(crate) listing: Value<String>,
    pub(crate) roles: Value<Vec<ListingRoleData>>,
}

#[async_trait]
impl DataSource for ListingRolesDataSource {
    type State<'a> = ListingRolesData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let role = [
            ("listing", computed(AttributeType::String, schema::LISTING)),
            ("role", computed(AttributeType::String, schema::ROLE)),
        ];
        Some(new_schema(
            0,
            "Reads all roles of a listing, regardless of who manages them.",
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
        let name = format!("roles of listings/{listing}");
        let advice = NotReadAdvice {
            subject: "The listing",
            attribute: "listing",
            alternative: "If the service does not list roles, `access_listing_role` reads one by GET.",
        };
        let operation = Operation { verb: "list", kind: "listing roles", name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let mut roles: Vec<ListingRole> =
            read_all(&service, &operation, &listing, &advice, diags).await?;
        // They are in order by ID, and the sort is stable.
        roles.sort_by_key(|role| role.priority);
        let roles = roles.into_iter().map(ListingRoleData::from).collect();
        Some(ListingRolesData { listing: config.listing, roles: Value::Value(roles) })
    }
}
