//! The attributes of the owners of an integration, and the words of their messages.

use plugin_server::schema::{computed, new_schema, required, set_of_strings};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::IntegrationOwners;
use super::say::no_owners;
use super::state::{IntegrationOwnersState, OwnersPrivate, integration_name};
use crate::integration_owner::attributes::INTEGRATION;
use crate::integration_owner::attributes::validate_principal;
use crate::resource::describe::Describe;
use crate::resource::value::validate_identifier;
use crate::run::Key;
use crate::say::Words;

impl Describe for IntegrationOwners {
    type State = IntegrationOwnersState;
    type Private = OwnersPrivate;
    const WORDS: &'static Words = &Words {
        noun: "list of owners",
        resource_type: "access_integration_owners",
        parent_noun: "integration",
        name_arguments: [("integration", INTEGRATION), ("owners", OWNERS)],
        main_argument: "integration",
    };

    /// It has no table of attributes, because no data source shows this resource.
    fn resource_schema() -> Schema {
        let text = AttributeType::String;
        let integration = format!("{INTEGRATION} Changing it replaces the resource.");
        let name = "Name of the integration, `integrations/{integration}`.";
        let attributes = [
            ("integration", required(text.clone(), &integration)),
            ("owners", required(set_of_strings(), OWNERS)),
            ("id", computed(text.clone(), "Same as `name`.")),
            ("name", computed(text, name)),
        ];
        new_schema(0, RESOURCE, attributes)
    }

    fn validate(config: &IntegrationOwnersState, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        let Value::Value(owners) = &config.owners else { return };
        if owners.is_empty() {
            no_owners().refuse(diags);
        }
        for owner in owners {
            validate_principal("owners", owner, diags);
        }
    }

    fn full_name(state: &IntegrationOwnersState) -> Option<String> {
        Some(integration_name(&state.integration_id()?))
    }

    fn keys(state: &IntegrationOwnersState) -> Vec<Key> {
        Self::full_name(state).map(Key::Name).into_iter().collect()
    }

    fn new_name(planned: &IntegrationOwnersState) -> Option<String> {
        Self::full_name(planned)
    }

    fn generate_config(state: IntegrationOwnersState) -> IntegrationOwnersState {
        state
    }
}

const RESOURCE: &str = "Manages all owners of an integration. A create only adds owners; an update adds those that are missing, and removes those that are not in the configuration.";
const OWNERS: &str = "Users, groups and teams that own the integration: `users/{id}`, `groups/{id}` or `teams/{id}`. At least one. Any other owner is removed by the apply after the create.";
