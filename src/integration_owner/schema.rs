//! The schema of an integration owner, and the values that the service can never accept.

use access_client::Principal;
use access_client::api::IntegrationOwner;
use plugin_server::schema::new_schema;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tf_provider::value::Value;

use super::attributes::{ATTRIBUTES, INTEGRATION, INTEGRATION_OWNER_ID};
use super::say::invalid_principal;
use super::state::{IntegrationOwnerState, keys_of};
use crate::resource::attributes::resource_attributes;
use crate::resource::describe::Describe;
use crate::resource::entity::Convert as _;
use crate::resource::value::{known_text, validate_identifier};
use crate::run::Key;
use crate::say::Words;

impl Describe for IntegrationOwner {
    type State = IntegrationOwnerState;
    type Private = ();
    const WORDS: &'static Words = &Words {
        noun: "integration owner",
        resource_type: "access_integration_owner",
        parent_noun: "integration",
        name_arguments: [("integration", INTEGRATION), ("owner", INTEGRATION_OWNER_ID)],
        main_argument: "owner",
    };

    fn resource_schema() -> Schema {
        new_schema(0, RESOURCE, resource_attributes(ATTRIBUTES))
    }

    fn full_name(state: &Self::State) -> Option<String> {
        Some(Self::state_name(state)?.to_string())
    }

    fn keys(state: &Self::State) -> Vec<Key> {
        let Some(name) = Self::state_name(state) else { return Vec::new() };
        keys_of(&name.integration, known_text(&state.owner), Some(&name))
    }

    fn new_name(planned: &Self::State) -> Option<String> {
        Some(Self::to_create(planned)?.to_string())
    }

    fn generate_config(state: Self::State) -> Self::State {
        IntegrationOwnerState { adopt_existing: Value::Null, ..state }
    }

    fn validate(config: &Self::State, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal("owner", &config.owner, diags);
    }
}

const RESOURCE: &str = "Manages one owner of an integration: a user, group or team that manages its settings and its other owners. Owners that are not in the configuration are left alone.";

/// Returns a principal in the configuration of an attribute, or adds an error. Unknown and null
/// pass.
pub(crate) fn validate_principal(
    attribute: &'static str,
    owner: &Value<String>,
    diags: &mut Diagnostics,
) -> Option<Principal> {
    let owner = owner.as_ref_option()?;
    let refuse = |fault: access_client::Invalid| {
        invalid_principal(owner, &fault.to_string()).at(attribute).refuse(diags)
    };
    Principal::parse(owner).map_err(refuse).ok()
}
