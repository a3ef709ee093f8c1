//! Import of a listing role, `terraform query`, and generated configurations.

use std::collections::BTreeMap;

use access_client::api::ListingRole;
use access_client::repository::{same_dir, same_uri};
use plugin_server::schema::optional;
use tf_provider::schema::{Attribute, AttributeType};
use tf_provider::value::Value;

use super::state::ListingRoleState;
use crate::object::Query;
use crate::object::value::known_text;

const MANAGER: &str = "Lists only roles with this manager, such as `TERRAFORM`. `\"\"` lists roles without a manager.";
const REPO_URI: &str = "Lists only roles that record this repository, in any spelling. `\"\"` lists roles without a repository.";
const REPO_DIR: &str = "Lists only roles that record this directory. `\"\"` lists roles of the top directory, or without a directory.";

impl Query for ListingRole {
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
        // `resources` stay: with them the configuration describes the whole role, and its plan changes
        // nothing. The other options are about creating and destroying.
        let description =
            known_text(&state.description).filter(|text| !text.is_empty()).map(str::to_owned);
        ListingRoleState {
            description: description.into(),
            allow_missing: Value::Null,
            adopt_existing: Value::Null,
            deletion_policy: Value::Null,
            ..state
        }
    }
}
