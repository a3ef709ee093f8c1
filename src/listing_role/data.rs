//! The data sources `access_listing_role` and `access_listing_roles`.

use access_client::ListingRoleName;
use access_client::api::ListingRole;
use plugin_server::schema::required;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{Attribute, AttributeType};
use tf_provider::value::Value;

use super::schema;
use super::state::ListingRoleData;
use crate::object::call::Call;
use crate::object::data_source::{DataEntity, read_one};
use crate::object::needed_read::NeededRead;
use crate::object::value::{read_identifier, validate_identifier};
use crate::object::{Convert as _, Describe as _};
use crate::service::Session;

/// The roles of a listing, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ListingRolesData {
    listing: Value<String>,
    roles: Value<Vec<ListingRoleData>>,
}

impl From<ListingRole> for ListingRoleData {
    fn from(role: ListingRole) -> Self {
        ListingRole::from_response(role).into()
    }
}

impl DataEntity for ListingRole {
    type One = ListingRoleData;
    type All = ListingRolesData;

    const OBJECTS: &'static str = "roles";
    const OBJECTS_DESCRIPTION: &'static str = "The roles, by priority, then by ID.";
    const ONE_DESCRIPTION: &'static str =
        "Reads a role of a listing, regardless of who manages it.";

    fn object_attributes() -> Vec<(&'static str, Attribute)> {
        schema::data_attributes()
    }

    fn one_arguments() -> Vec<(&'static str, Attribute)> {
        Self::WORDS
            .name_arguments
            .map(|(name, description)| (name, required(AttributeType::String, description)))
            .into()
    }

    fn validate_one(config: &Self::One, diags: &mut Diagnostics) {
        validate_identifier("listing", &config.listing, diags);
        validate_identifier("role", &config.role, diags);
    }

    async fn find_one(
        session: &Session,
        config: &Self::One,
        diags: &mut Diagnostics,
    ) -> Option<Self> {
        let listing = read_identifier("listing", &config.listing, diags)?;
        let role = read_identifier("role", &config.role, diags)?;
        let name = ListingRoleName { listing, role };
        let mut call = Call::new(session, "read", Self::WORDS, &name, diags);
        let needed = NeededRead {
            subject: "The role or its listing".to_owned(),
            operation: "reads",
            attribute: Some("role"),
            alternative:
                "If the service does not offer reads, take the values from a resource or a \
                variable, or, if the service lists roles, from `access_listing_roles`."
                    .to_owned(),
        };
        read_one(&mut call, &name, &needed).await.ok()
    }

    fn parent_of_all(config: &Self::All) -> &Value<String> {
        &config.listing
    }

    fn all(listing: Value<String>, mut roles: Vec<Self>) -> Self::All {
        // As users see them. The sort is stable: roles of the same priority stay in order by ID.
        roles.sort_by_key(|role| role.priority);
        let roles = roles.into_iter().map(ListingRoleData::from).collect();
        ListingRolesData { listing, roles: Value::Value(roles) }
    }
}
