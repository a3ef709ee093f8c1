//! The schema of a listing role, and the values that the service can never accept.

use access_client::api::ListingRole;
use plugin_server::schema::new_schema;
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tf_provider::value::Value;

use super::attributes::{ATTRIBUTES, LISTING, ROLE};
use super::state::{ListingRoleState, RolePrivate};
use crate::resource::attributes::resource_attributes;
use crate::resource::describe::Describe;
use crate::resource::entity::Convert as _;
use crate::resource::value::{known_text, validate_identifier};
use crate::run::Key;
use crate::say::Words;

impl Describe for ListingRole {
    type State = ListingRoleState;
    type Private = RolePrivate;
    const WORDS: &'static Words = &Words {
        noun: "listing role",
        resource_type: "access_listing_role",
        parent_noun: "listing",
        name_arguments: [("listing", LISTING), ("role", ROLE)],
        main_argument: "role",
    };

    fn resource_schema() -> Schema {
        new_schema(0, RESOURCE, resource_attributes(ATTRIBUTES))
    }

    fn full_name(state: &Self::State) -> Option<String> {
        Some(Self::state_name(state)?.to_string())
    }

    fn keys(state: &Self::State) -> Vec<Key> {
        Self::full_name(state).map(Key::Name).into_iter().collect()
    }

    fn new_name(planned: &Self::State) -> Option<String> {
        Self::full_name(planned)
    }

    fn generate_config(state: Self::State) -> Self::State {
        // `resources` stay: with them the configuration describes the whole role, and its plan changes
        // nothing.
        ListingRoleState { adopt_existing: Value::Null, ..state }
    }

    fn validate(config: &Self::State, diags: &mut Diagnostics) {
        validate_identifier("listing", &config.listing, diags);
        validate_identifier("role", &config.role, diags);
        diags.validate("display_name", &config.display_name).not_blank();
        diags.validate("priority", &config.priority).satisfies(|priority| {
            priority.as_i64().ok_or_else(|| {
                format!("must be a whole number from {} to {}, not {priority}", i64::MIN, i64::MAX)
            })
        });
        let is_empty = |resource: &Value<String>| known_text(resource) == Some("");
        diags.validate("resources", &config.resources).satisfies(|resources| {
            let is_valid = !resources.iter().any(is_empty);
            is_valid.then_some(()).ok_or("must not contain an empty resource")
        });
    }
}

const RESOURCE: &str =
    "Manages a role of a listing: a named set of resources that users can request.";
