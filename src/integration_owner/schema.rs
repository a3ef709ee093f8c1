//! The schema of an integration owner, and the values that the service can never accept.

use access_client::api::IntegrationOwner;
use plugin_server::schema::new_schema;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;

use super::attributes::{ATTRIBUTES, INTEGRATION, INTEGRATION_OWNER_ID};
use super::state::validate_principal;
use crate::object::attributes::resource_attributes;
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
        new_schema(SCHEMA_VERSION, RESOURCE, resource_attributes(ATTRIBUTES))
    }

    fn validate(config: &Self::State, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal("owner", &config.owner, diags);
    }
}

const RESOURCE: &str = "Manages one owner of an integration: a user, group or team that manages its settings and its other owners. Owners that are not in the configuration are left alone.";
