//! The attributes of a listing role: descriptions, written once for the resource and the data
//! sources, and the schema of the resource.

use access_client::api::ListingRole;
use plugin_server::schema::{
    computed, new_schema, optional, optional_computed, required, set_of_strings,
};
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::schema::{Attribute, AttributeType, Schema};
use tf_provider::value::Value;

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
        let described = described_attributes().map(|(name, new, kind, description, more)| {
            (name, new(kind, &format!("{description} {more}")))
        });
        let options = [
            ("allow_missing", optional(AttributeType::Bool, ALLOW_MISSING)),
            ("adopt_existing", optional(AttributeType::Bool, ADOPT_EXISTING)),
            ("deletion_policy", optional(AttributeType::String, DELETION_POLICY)),
        ];
        let attributes = described.into_iter().chain(options).chain(computed_attributes());
        new_schema(SCHEMA_VERSION, RESOURCE, attributes)
    }

    fn validate(config: &Self::State, diags: &mut Diagnostics) {
        validate_identifier("listing", &config.listing, diags);
        validate_identifier("role", &config.role, diags);
        diags.validate("display_name", &config.display_name).not_blank();
        diags.validate("priority", &config.priority).satisfies(|priority| {
            let (least, most) = (i64::MIN, i64::MAX);
            let fault = || format!("must be a whole number from {least} to {most}, not {priority}");
            priority.as_i64().ok_or_else(fault)
        });
        let is_empty = |resource: &Value<String>| known_text(resource) == Some("");
        diags.validate("resources", &config.resources).satisfies(|resources| {
            let is_valid = !resources.iter().any(is_empty);
            is_valid.then_some(()).ok_or("must not contain an empty resource")
        });
    }
}

type NewAttribute = fn(AttributeType, &str) -> Attribute;

/// Returns the attributes that describe a role: the name, how a resource has it, its type, the description for
/// resource and data sources, and what the resource adds to that.
fn described_attributes()
-> [(&'static str, NewAttribute, AttributeType, &'static str, &'static str); 6] {
    let text = || AttributeType::String;
    [
        ("listing", required, text(), LISTING, "Changing it replaces the role."),
        ("role", required, text(), ROLE, "Changing it replaces the role."),
        ("display_name", required, text(), DISPLAY_NAME, "Must not be blank."),
        ("priority", required, AttributeType::Number, PRIORITY, MORE_PRIORITY),
        ("description", optional, text(), DESCRIPTION, MORE_DESCRIPTION),
        ("resources", optional_computed, set_of_strings(), RESOURCES, MORE_RESOURCES),
    ]
}

const RESOURCE: &str =
    "Manages a role of a listing: a named set of resources that users can request.";
const LISTING: &str = "ID of the listing.";
const ROLE: &str = "ID of the role in its listing.";
const DISPLAY_NAME: &str = "Short name shown to users, such as Viewer, Editor or Admin.";
const PRIORITY: &str =
    "Display order, a 64-bit integer. Roles with lower values are displayed first.";
const MORE_PRIORITY: &str = "Roles with less access should come first.";
const DESCRIPTION: &str = "Longer text that explains when to request this role instead of another.";
const MORE_DESCRIPTION: &str = "Omitting it clears the description.";
const RESOURCES: &str = "Resources that the role grants.";
const MORE_RESOURCES: &str = "If omitted, they are not managed and never sent, as non-admin API keys require. `[]` clears them. A change neither grants nor revokes entitlements of earlier requests.";
const ALLOW_MISSING: &str = "Whether to create the role if it does not exist. With `false`, the role must exist and is adopted. Defaults to `true`.";
const ADOPT_EXISTING: &str = "Whether to adopt a role that exists already and overwrite it with this configuration. With `false`, an existing role is an error that shows how to import it. Defaults to `false`.";
const DELETION_POLICY: &str = "What destroying the resource does: `delete` deletes the role, `abandon` leaves it at the service and sends no request. Defaults to the provider's `deletion_policy`.";
const MANAGEMENT: &str = "How the role is managed, inherited from the listing: plain text as the service returns it, a structure as JSON text, null for a manually managed listing.";
const MANAGER: &str = "Manager of the role: `TERRAFORM` after this provider has written it and the service has recognised it.";

/// Returns the attributes that only the service sets.
fn computed_attributes() -> [(&'static str, Attribute); 8] {
    [
        ("id", "Same as `name`."),
        ("name", "Full name, `listings/{listing}/roles/{role}`."),
        ("management", MANAGEMENT),
        ("manager", MANAGER),
        ("repo_uri", "Repository recorded for the role."),
        ("repo_dir", "Directory in the repository recorded for the role."),
        ("create_time", "Time of creation, in RFC 3339."),
        ("update_time", "Time of the last update, in RFC 3339."),
    ]
    .map(|(name, description)| (name, computed(AttributeType::String, description)))
}

pub(super) fn data_attributes() -> Vec<(&'static str, Attribute)> {
    let described = described_attributes()
        .map(|(name, _, kind, description, _)| (name, computed(kind, description)));
    described.into_iter().chain(computed_attributes()).collect()
}
