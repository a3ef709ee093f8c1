//! Data sources of listing roles, `terraform query`, and generated configurations.

use std::collections::BTreeMap;

use access_client::ListingRoleName;
use access_client::api::ListingRole;
use plugin_server::schema::{optional, required};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{Attribute, AttributeType};
use tf_provider::value::Value;

use super::attributes::ATTRIBUTES;
use super::state::{ListingRoleData, ListingRoleState};
use crate::object::attributes::data_attributes;
use crate::object::data_source::{DataEntity, read_one};
use crate::object::value::{read_identifier, validate_identifier};
use crate::object::{Convert as _, Describe as _, Query};
use crate::repository::{same_dir, same_uri};
use crate::service::Session;

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

    async fn find_one(
        session: &Session,
        config: &Self::One,
        diags: &mut Diagnostics,
    ) -> Option<Self> {
        let listing = read_identifier("listing", &config.listing, diags)?;
        let role = read_identifier("role", &config.role, diags)?;
        read_one(session, &ListingRoleName { listing, role }, "role", diags).await
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

const MANAGER: &str = "Lists only roles with this manager, such as `TERRAFORM`. `\"\"` lists roles without a manager.";
const REPO_URI: &str = "Lists only roles that record this repository, in any spelling. `\"\"` lists roles without a repository.";
const REPO_DIR: &str = "Lists only roles that record this directory. `\"\"` lists roles of the top directory, or without a directory.";

impl Query for ListingRole {
    const INSTEAD_OF_IMPORT: &'static str = "Set `adopt_existing = true` on the resource instead, with which the next apply does the same.";

    fn list_filters() -> Vec<(&'static str, Attribute)> {
        [("manager", MANAGER), ("repo_uri", REPO_URI), ("repo_dir", REPO_DIR)]
            .map(|(name, description)| (name, optional(AttributeType::String, description)))
            .into()
    }

    fn is_selected(filters: &BTreeMap<String, Value<String>>, role: &Self) -> bool {
        let filter = |name: &str| filters.get(name).and_then(|value| value.as_ref_option());
        let is_manager =
            |manager: &String| role.manager.as_deref().unwrap_or_default() == manager.as_str();
        filter("manager").is_none_or(is_manager)
            && filter("repo_uri").is_none_or(|uri| same_uri(role.repo_uri.as_ref(), Some(uri)))
            && filter("repo_dir").is_none_or(|dir| same_dir(role.repo_dir.as_ref(), Some(dir)))
    }

    fn display_name(&self) -> String {
        match self.display_name.as_str() {
            "" => self.name.role.to_string(),
            name => name.to_owned(),
        }
    }

    fn generate_config(state: Self::State) -> Self::State {
        // `resources` stay: with them the configuration describes the whole role, and its plan
        // changes nothing. The other options are about creating and destroying.
        ListingRoleState {
            allow_missing: Value::Null,
            adopt_existing: Value::Null,
            deletion_policy: Value::Null,
            ..state
        }
    }
}
