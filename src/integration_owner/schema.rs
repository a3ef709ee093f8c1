//! The attributes of an integration owner: descriptions, written once for the resource and the data
//! sources, and the schema of the resource.

use access_client::api::IntegrationOwner;
use plugin_server::schema::{computed, new_schema, optional, optional_computed, required};
use tf_provider::Diagnostics;
use tf_provider::schema::{Attribute, AttributeType, Schema};

use super::state::validate_principal;
use crate::object::value::validate_identifier;
use crate::object::{Describe, SCHEMA_VERSION, Words};

impl Describe for IntegrationOwner {
    const WORDS: &'static Words = &Words {
        kind: "integration owner",
        kinds: "integration owners",
        resource_type: "access_integration_owner",
        parent_kind: "integration",
        name_form: "integrations/{integration}/owners/{owner}",
        name_arguments: [("integration", INTEGRATION), ("owner", INTEGRATION_OWNER_ID)],
        subject_argument: "owner",
        shared: "`owner` or the same `integration_owner_id`",
        adoption: "Or set `adopt_existing = true`, which changes nothing about it.",
        create_overwrites: false,
    };

    fn resource_schema() -> Schema {
        let text = AttributeType::String;
        let replaces = |description: &str| format!("{description} Changing it replaces the owner.");
        let id = format!("{} {MORE_ID}", replaces(INTEGRATION_OWNER_ID));
        let attributes = [
            ("integration", required(text.clone(), &replaces(INTEGRATION))),
            ("owner", required(text.clone(), &replaces(OWNER))),
            ("integration_owner_id", optional_computed(text.clone(), &id)),
            ("adopt_existing", optional(AttributeType::Bool, ADOPT_EXISTING)),
            ("deletion_policy", optional(text, DELETION_POLICY)),
        ];
        new_schema(SCHEMA_VERSION, RESOURCE, attributes.into_iter().chain(computed_attributes()))
    }

    fn validate(config: &Self::State, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal("owner", &config.owner, diags);
    }
}

pub(crate) const INTEGRATION: &str = "ID of the integration.";
pub(super) const OWNER: &str =
    "User, group or team that owns the integration: `users/{id}`, `groups/{id}` or `teams/{id}`.";
pub(super) const INTEGRATION_OWNER_ID: &str = "ID of the owner in its integration.";
const RESOURCE: &str = "Manages one owner of an integration: a user, group or team that manages its settings and its other owners. Owners that are not in the configuration are left alone.";
const MORE_ID: &str = "By default the service assigns one. With an ID of your own, a create whose response was lost can always be found again.";
const ADOPT_EXISTING: &str = "Whether to adopt an owner that exists already. With `false`, an existing owner is an error that shows how to import it. Defaults to `false`.";
const DELETION_POLICY: &str = "What destroying the resource does: `delete` removes the owner, `abandon` leaves it at the service and sends no request. Defaults to the provider's `deletion_policy`.";

/// Returns the attributes that only the service sets.
pub(super) fn computed_attributes() -> [(&'static str, Attribute); 4] {
    [
        ("id", "Same as `name`."),
        ("name", "Full name, `integrations/{integration}/owners/{owner}`."),
        ("create_time", "Time at which the owner was added, in RFC 3339."),
        ("update_time", "Time of the last update, in RFC 3339."),
    ]
    .map(|(name, description)| (name, computed(AttributeType::String, description)))
}
