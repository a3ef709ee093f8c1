//! The attributes of the owners of an integration, and the words of their messages.

use plugin_server::schema::{computed, new_schema, optional, required, set_of_strings};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::state::IntegrationOwnersState;
use crate::integration_owner::attributes::INTEGRATION;
use crate::integration_owner::state::validate_principal;
use crate::messages::owners::NoOwners;
use crate::object::value::validate_identifier;
use crate::object::{Message, Words};

/// The words of messages about the owners of an integration as a whole.
pub(super) const WORDS: &Words = &Words {
    kind: "list of owners",
    kinds: "integration owners",
    resource_type: "access_integration_owners",
    parent_kind: "integration",
    name_form: "integrations/{integration}",
    name_arguments: [("integration", INTEGRATION), ("owners", OWNERS)],
    subject_argument: "integration",
    shared: "`integration`",
    adoption: "",
    create_overwrites: false,
};

/// Returns the schema. It has no table of attributes, because no data source shows this resource.
pub(super) fn resource_schema() -> Schema {
    let text = AttributeType::String;
    let integration = format!("{INTEGRATION} Changing it replaces the resource.");
    let name = "Name of the integration, `integrations/{integration}`.";
    let attributes = [
        ("integration", required(text.clone(), &integration)),
        ("owners", required(set_of_strings(), OWNERS)),
        ("adopt_existing", optional(AttributeType::Bool, ADOPT_EXISTING)),
        ("deletion_policy", optional(text.clone(), DELETION_POLICY)),
        ("id", computed(text.clone(), "Same as `name`.")),
        ("name", computed(text, name)),
    ];
    new_schema(0, RESOURCE, attributes)
}

/// Adds errors for values that the service can never accept.
pub(super) fn validate(config: &IntegrationOwnersState, diags: &mut Diagnostics) {
    validate_identifier("integration", &config.integration, diags);
    let Value::Value(owners) = &config.owners else { return };
    if owners.is_empty() {
        Message::from(NoOwners { argument: &"owners" }).fail(diags);
    }
    for owner in owners {
        validate_principal("owners", owner, diags);
    }
}

const RESOURCE: &str = "Manages all owners of an integration: adds those that are missing, and removes those that are not in the configuration.";
const OWNERS: &str = "Users, groups and teams that own the integration: `users/{id}`, `groups/{id}` or `teams/{id}`. At least one. Any other owner is removed.";
const ADOPT_EXISTING: &str = "Whether to adopt an integration that has owners already. With `true`, the create removes the owners that `owners` lacks, and the plan names them. With `false`, existing owners are an error that shows how to import them. Defaults to `false`.";
const DELETION_POLICY: &str = "What destroying the resource does: `delete` removes the owners that the state contains, `abandon` leaves them at the service and sends no request. Defaults to the provider's `deletion_policy`.";
