//! The data sources `access_listing_role` and `access_listing_roles`, which never write.

use access_client::ListingRoleName;
use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::schema::{computed, list_of_objects, new_schema, required};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::schema;
use super::state::ListingRoleData;
use crate::object::Entity;
use crate::object::call::{Call, require_run};
use crate::object::data_source::{NotReadAdvice, read_all, read_one};
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::service::Connection;

/// The data source `access_listing_role`: one role, by GET.
pub(crate) struct ListingRoleDataSource(pub(crate) Connection);

impl From<ListingRole> for ListingRoleData {
    fn from(role: ListingRole) -> Self {
        ListingRole::from_response(role).into()
    }
}

const ONE: NotReadAdvice = NotReadAdvice {
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
        let arguments = [
            ("listing", required(AttributeType::String, schema::LISTING)),
            ("role", required(AttributeType::String, schema::ROLE)),
        ];
        Some(new_schema(
            0,
            "Reads a role of a listing, regardless of who manages it.",
            arguments.into_iter().chain(schema::data_attributes()),
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
        let run = require_run(&self.0, "read", ListingRole::KIND, diags)?;
        let mut call = Call::new(&run, "read", ListingRole::KIND, &name, diags);
        Some(read_one::<ListingRole>(&mut call, &name, &ONE).await.ok()?.into())
    }
}

/// The data source `access_listing_roles`: all roles of a listing, by list.
pub(crate) struct ListingRolesDataSource(pub(crate) Connection);

/// The roles of a listing, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ListingRolesData {
    pub(crate) listing: Value<String>,
    pub(crate) roles: Value<Vec<ListingRoleData>>,
}

const ALL: NotReadAdvice = NotReadAdvice {
    subject: "The listing",
    attribute: "listing",
    alternative: "If the service does not list roles, `access_listing_role` reads one by GET.",
};

#[async_trait]
impl DataSource for ListingRolesDataSource {
    type State<'a> = ListingRolesData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let ids = [
            ("listing", computed(AttributeType::String, schema::LISTING)),
            ("role", computed(AttributeType::String, schema::ROLE)),
        ];
        let role = list_of_objects(ids.into_iter().chain(schema::data_attributes()));
        Some(new_schema(
            0,
            "Reads all roles of a listing, regardless of who manages them.",
            [
                ("listing", required(AttributeType::String, schema::LISTING)),
                ("roles", computed(role, "The roles, by priority, then by ID.")),
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
        let run = require_run(&self.0, "list", "listing roles", diags)?;
        let object = format!("roles of listings/{listing}");
        let mut call = Call::new(&run, "list", "listing roles", object, diags);
        let mut roles = read_all::<ListingRole>(&mut call, &listing, &ALL).await.ok()?;
        // In the order in which the service shows roles to users. They are in order by ID, and the sort
        // is stable, so a plan does not depend on the order of the service's list.
        roles.sort_by_key(|role| role.priority);
        let roles = roles.into_iter().map(ListingRoleData::from).collect();
        Some(ListingRolesData { listing: config.listing, roles: Value::Value(roles) })
    }
}
