//! The attributes of a listing role.

use access_client::RoleField;

use crate::object::attributes::{Form, InReport, Kind, Row};

/// The descriptions of the arguments that make up the name, which schemas and identities share.
pub(crate) const LISTING: &str = "ID of the listing.";
pub(crate) const ROLE: &str = "ID of the role in its listing.";

/// The attributes, in the order of a block.
pub(crate) const ATTRIBUTES: &[Row] = &[
    Row {
        name: "listing",
        form: Form::Required,
        kind: Kind::Text,
        description: LISTING,
        more: "Changing it replaces the role.",
        field: None,
        report: InReport::No,
        is_exported: true,
    },
    Row {
        name: "role",
        form: Form::Required,
        kind: Kind::Text,
        description: ROLE,
        more: "Changing it replaces the role.",
        field: None,
        report: InReport::No,
        is_exported: true,
    },
    Row {
        name: "display_name",
        form: Form::Required,
        kind: Kind::Text,
        description: "Short name shown to users, such as Viewer, Editor or Admin.",
        more: "Must not be blank.",
        field: Some(RoleField::DisplayName),
        report: InReport::Text,
        is_exported: true,
    },
    Row {
        name: "priority",
        form: Form::Required,
        kind: Kind::Integer,
        description: "Display order, a 64-bit integer. Roles with lower values are displayed first.",
        more: "Roles with less access should come first.",
        field: Some(RoleField::Priority),
        report: InReport::Text,
        is_exported: true,
    },
    Row {
        name: "description",
        form: Form::Optional,
        kind: Kind::Text,
        description: "Longer text that explains when to request this role instead of another.",
        more: "Omitting it clears the description.",
        field: Some(RoleField::Description),
        report: InReport::Text,
        is_exported: true,
    },
    Row {
        name: "resources",
        form: Form::OptionalComputed,
        kind: Kind::SetOfTexts,
        description: "Resources that the role grants.",
        more: "If omitted, they are not managed and never sent, as non-admin API keys require. `[]` clears them. A change neither grants nor revokes entitlements of earlier requests.",
        field: Some(RoleField::Resources),
        // A change of access has entries of its own.
        report: InReport::Drift,
        is_exported: true,
    },
    Row::behaviour(
        "allow_missing",
        Kind::Flag,
        "Whether to create the role if it does not exist. With `false`, the role must exist and is adopted. Defaults to `true`.",
    ),
    Row::behaviour(
        "adopt_existing",
        Kind::Flag,
        "Whether to adopt a role that exists already and overwrite it with this configuration. With `false`, an existing role is an error that shows how to import it. Defaults to `false`.",
    ),
    Row::behaviour(
        "deletion_policy",
        Kind::Text,
        "What destroying the resource does: `delete` deletes the role, `abandon` leaves it at the service and sends no request. Defaults to the provider's `deletion_policy`.",
    ),
    Row::computed("id", "Same as `name`.", InReport::No),
    Row::computed("name", "Full name, `listings/{listing}/roles/{role}`.", InReport::No),
    Row::computed(
        "management",
        "How the role is managed, inherited from the listing: plain text as the service returns it, a structure as JSON text, null for a manually managed listing.",
        InReport::Drift,
    ),
    Row::computed(
        "manager",
        "Manager of the role: `TERRAFORM` after this provider has written it and the service has recognised it.",
        InReport::Drift,
    ),
    Row::computed("repo_uri", "Repository recorded for the role.", InReport::Drift),
    Row::computed(
        "repo_dir",
        "Directory in the repository recorded for the role.",
        InReport::Drift,
    ),
    Row::computed("create_time", "Time of creation, in RFC 3339.", InReport::Drift),
    // It says when something else has changed.
    Row::computed("update_time", "Time of the last update, in RFC 3339.", InReport::No),
];
