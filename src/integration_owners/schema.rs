//! The attributes of the owners of an integration, and the words of their messages.

use plugin_server::schema::{computed, new_schema, optional, required, set_of_strings};
use tf_provider::schema::{AttributeType, Schema};

use crate::integration_owner::schema::INTEGRATION;
use crate::object::Words;

/// The words of messages about the owners of an integration as a whole.
pub(super) const WORDS: &Words = &Words {
    kind: "list of owners",
    a_kind: "a list of owners",
    kinds: "integration owners",
    resource_type: "access_integration_owners",
    parent_kind: "integration",
    a_parent_kind: "an integration",
    parents: "integrations",
    name_form: "integrations/{integration}",
    name_arguments: [("integration", INTEGRATION), ("owners", OWNERS)],
    subject_argument: "integration",
    adoption: "",
    create_overwrites: false,
};

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

const RESOURCE: &str = "Manages all owners of an integration: adds those that are missing, and removes those that are not in the configuration.";
const OWNERS: &str = "Users, groups and teams that own the integration: `users/{id}`, `groups/{id}` or `teams/{id}`. At least one. Any other owner is removed.";
const ADOPT_EXISTING: &str = "Whether to adopt an integration that has owners already. With `true`, the create removes the owners that `owners` lacks, and the plan names them. With `false`, existing owners are an error that shows how to import them. Defaults to `false`.";
const DELETION_POLICY: &str = "What destroying the resource does: `delete` removes the owners that the state contains, `abandon` leaves them at the service and sends no request. Defaults to the provider's `deletion_policy`.";
