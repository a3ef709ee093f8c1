//! The schema of a listing role, and the values that the service can never accept.

use access_client::api::ListingRole;
use plugin_server::schema::new_schema;
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tf_provider::value::Value;

use super::attributes::{ATTRIBUTES, LISTING, ROLE};
use crate::object::attributes::resource_attributes;
use crate::object::value::{known_text, validate_identifier};
use crate::object::{Describe, SCHEMA_VERSION, Words};

impl Describe for ListingRole {
    const WORDS: &'static Words = &Words {
        kind: "listing role",
        kinds: "listing roles",
        resource_type: "access_listing_role",
        parent_kind: "listing",
        name_form: "listings/{listing}/roles/{role}",
        name_arguments: [("listing", LISTING), ("role", ROLE)],
        subject_argument: "role",
        shared: "`role`",
        adoption: "Or set `adopt_existing = true`, which overwrites it with this configuration.",
        create_overwrites: true,
    };

    fn resource_schema() -> Schema {
        new_schema(SCHEMA_VERSION, RESOURCE, resource_attributes(ATTRIBUTES))
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
