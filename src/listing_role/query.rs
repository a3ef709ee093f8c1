//! Data sources of listing roles, and `terraform query`.

use std::collections::BTreeMap;

use access_client::{ListingRole, ListingRoleName};
use plugin_server::schema::{optional, required};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{Attribute, AttributeType};
use tf_provider::value::Value;

use super::attributes::ATTRIBUTES;
use super::state::ListingRoleData;
use crate::resource::attributes::data_attributes;
use crate::resource::data_source::{DataEntity, read_one};
use crate::resource::describe::Describe as _;
use crate::resource::entity::{Convert as _, Query};
use crate::resource::value::{read_identifier, validate_identifier};
use crate::run::Run;

/// The roles of a listing, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ListingRolesData {
    listing: Value<String>,
    roles: Value<Vec<ListingRoleData>>,
}

impl DataEntity for ListingRole {
    type One = ListingRoleData;
    type All = ListingRolesData;

    const OBJECTS: &'static str = "roles";
    const OBJECTS_DESCRIPTION: &'static str = "The roles, by priority, then by ID.";
    const ONE_DESCRIPTION: &'static str =
        "Reads a role of a listing, regardless of who manages it.";
    const INSTEAD_OF_GET: &'static str = "If the service does not offer reads, take the values from a resource or a variable, or, if the service lists roles, from `access_listing_roles`.";

    fn object_attributes() -> Vec<(&'static str, Attribute)> {
        data_attributes(ATTRIBUTES)
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

    async fn find_one(run: &Run, config: &Self::One, diags: &mut Diagnostics) -> Option<Self> {
        let listing = read_identifier("listing", &config.listing, diags)?;
        let role = read_identifier("role", &config.role, diags)?;
        read_one(run, &ListingRoleName { listing, role }, "role", diags).await
    }

    fn parent_of_all(config: &Self::All) -> &Value<String> {
        &config.listing
    }

    fn all(listing: Value<String>, mut roles: Vec<Self>) -> Self::All {
        // As users see them. The sort is stable: roles of the same priority stay in order by ID.
        roles.sort_by_key(|role| role.priority);
        let roles = roles.into_iter().map(|role| Self::from_response(role).into()).collect();
        ListingRolesData { listing, roles: Value::Value(roles) }
    }
}

const MANAGER_FILTER: &str = "Lists only roles with this manager, such as `TERRAFORM`. `\"\"` lists roles without a manager.";
impl Query for ListingRole {
    const INSTEAD_OF_IMPORT: &'static str = "In place of the `import` block, set `adopt_existing = true` on the resource: the next apply overwrites it unread.";

    fn list_filters() -> Vec<(&'static str, Attribute)> {
        vec![("manager", optional(AttributeType::String, MANAGER_FILTER))]
    }

    fn is_selected(filters: &BTreeMap<String, Value<String>>, role: &Self) -> bool {
        let manager = filters.get("manager").and_then(|value| value.as_ref_option());
        manager.is_none_or(|manager| role.manager.as_deref().unwrap_or_default() == manager)
    }

    fn display_name(&self) -> String {
        match self.display_name.as_str() {
            "" => self.name.role.to_string(),
            name => name.to_owned(),
        }
    }
}
