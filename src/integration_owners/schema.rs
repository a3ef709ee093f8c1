//! The attributes of the owners of an integration.

use plugin_server::schema::{computed, new_schema, optional, required, set_of_strings};
use tf_provider::schema::{AttributeType, Schema};

use crate::integration_owner::schema::INTEGRATION;

/// Returns the schema of the resource.
pub(super) fn resource_schema() -> Schema {
    let text = |description| computed(AttributeType::String, description);
    new_schema(
        0,
        "Manages all owners of an integration: adds those that are missing, and removes those that are not in the configuration.",
        [
            // Required
            (
                "integration",
                required(
                    AttributeType::String,
                    &format!("{INTEGRATION} Changing it replaces the resource."),
                ),
            ),
            (
                "owners",
                required(
                    set_of_strings(),
                    "Users, groups and teams that own the integration: `users/{id}`, `groups/{id}` or `teams/{id}`. At least one. Any other owner is removed.",
                ),
            ),
            // Optional
            (
                "adopt_existing",
                optional(
                    AttributeType::Bool,
                    "Whether to adopt an integration that has owners already. With `true`, the create removes the owners that `owners` lacks, and the plan names them. With `false`, existing owners are an error that shows how to import them. Defaults to `false`.",
                ),
            ),
            (
                "deletion_policy",
                optional(
                    AttributeType::String,
                    "What destroying the resource does: `delete` removes the owners that the state contains, `abandon` leaves them at the service and sends no request. Defaults to the provider's `deletion_policy`.",
                ),
            ),
            // Computed
            ("id", text("Same as `name`.")),
            ("name", text("Name of the integration, `integrations/{integration}`.")),
        ],
    )
}
