//! The attributes of a listing role, and its words.

use access_client::RoleField;

use crate::resource::attributes::{Form, Row, ValueType};
use crate::say::Words;

/// The words of messages and schemas.
pub(super) const WORDS: &Words = &Words {
    noun: "listing role",
    resource_type: "access_listing_role",
    parent_noun: "listing",
    name_arguments: [("listing", LISTING), ("role", ROLE)],
    main_argument: "role",
};

/// The description of the resource.
pub(super) const RESOURCE: &str =
    "Manages a role of a listing: a named set of resources that users can request.";

/// The descriptions of the arguments that make up the name, which schemas and identities share.
pub(crate) const LISTING: &str = "ID of the listing.";
pub(crate) const ROLE: &str = "ID of the role in its listing.";

/// The attributes, in the order of a block.
pub(crate) const ATTRIBUTES: &[Row<RoleField>] = &[
    Row {
        name: "listing",
        form: Form::Required,
        value_type: ValueType::Text,
        description: LISTING,
        more: "Changing it replaces the role.",
        field: None,
        is_exported: true,
    },
    Row {
        name: "role",
        form: Form::Required,
        value_type: ValueType::Text,
        description: ROLE,
        more: "Changing it replaces the role.",
        field: None,
        is_exported: true,
    },
    Row {
        name: "display_name",
        form: Form::Required,
        value_type: ValueType::Text,
        description: "Short name shown to users, such as Viewer, Editor or Admin.",
        more: "Must not be blank.",
        field: Some(RoleField::DisplayName),
        is_exported: true,
    },
    Row {
        name: "priority",
        form: Form::Required,
        value_type: ValueType::Integer,
        description: "Display order, a 64-bit integer. Roles with lower values are displayed first.",
        more: "Roles with less access should come first.",
        field: Some(RoleField::Priority),
        is_exported: true,
    },
    Row {
        name: "description",
        form: Form::Optional,
        value_type: ValueType::Text,
        description: "Longer text that explains when to request this role instead of another.",
        more: "Omitting it clears the description.",
        field: Some(RoleField::Description),
        is_exported: true,
    },
    Row {
        name: "resources",
        form: Form::OptionalComputed,
        value_type: ValueType::SetOfTexts,
        description: "Resources that the role grants.",
        more: "If omitted, they are not managed and never sent, as non-admin API keys require. `[]` clears them. A change neither grants nor revokes entitlements of earlier requests.",
        field: Some(RoleField::Resources),
        is_exported: true,
    },
    Row::behaviour(
        "adopt_existing",
        ValueType::Flag,
        "Whether to adopt a role that exists already and overwrite it with this configuration. With `false`, an existing role is an error that shows how to import it. Defaults to `false`.",
    ),
    Row::computed("id", "Same as `name`."),
    Row::computed("name", "Full name, `listings/{listing}/roles/{role}`."),
    Row::computed(
        "management",
        "How the role is managed, inherited from the listing: plain text as the service returns it, a structure as JSON text, null for a manually managed listing.",
    ),
    Row::computed(
        "manager",
        "Manager of the role: `TERRAFORM` after this provider has written it and the service has recognised it.",
    ),
    Row::computed("repo_uri", "Repository recorded for the role."),
    Row::computed("repo_dir", "Directory in the repository recorded for the role."),
    Row::computed("create_time", "Time of creation, in RFC 3339."),
    Row::computed("update_time", "Time of the last update, in RFC 3339."),
];
