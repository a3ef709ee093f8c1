//! The attributes of a listing role in words, written once for the resource and the data sources.

use tf_provider::schema::{Attribute, AttributeType};

use crate::attribute::{computed, set_of_strings};

pub(super) const LISTING: &str = "ID of the listing.";
pub(super) const ROLE: &str = "ID of the role in its listing.";
pub(super) const DISPLAY_NAME: &str = "Short name shown to users, such as Viewer, Editor or Admin.";
pub(super) const PRIORITY: &str =
    "Display order, a whole number of 64 bits: roles with lower values are shown first.";
pub(super) const DESCRIPTION: &str =
    "Longer text that tells users when to request this role over another.";
pub(super) const RESOURCES: &str = "Resources that the role grants.";

/// What a configuration never sets.
pub(super) fn set_by_service() -> [(&'static str, Attribute); 8] {
    let text = |description| computed(AttributeType::String, description);
    [
        ("id", text("The same as `name`.")),
        ("name", text("Full name, `listings/{listing}/roles/{role}`.")),
        (
            "management",
            text(
                "How the role is managed, inherited from the listing: as the service says it, a structure as JSON text, null for a manually managed listing.",
            ),
        ),
        (
            "manager",
            text(
                "What manages the role: `TERRAFORM` once this provider has written it and the service has recognised it.",
            ),
        ),
        ("repo_uri", text("Repository that is recorded for the role.")),
        ("repo_dir", text("Directory in that repository that is recorded for the role.")),
        ("create_time", text("When the role was created, in RFC 3339.")),
        ("update_time", text("When the role was last updated, in RFC 3339.")),
    ]
}

/// Everything of a role but its two IDs, where it is only read.
pub(super) fn read() -> impl Iterator<Item = (&'static str, Attribute)> {
    [
        ("display_name", computed(AttributeType::String, DISPLAY_NAME)),
        ("priority", computed(AttributeType::Number, PRIORITY)),
        ("description", computed(AttributeType::String, DESCRIPTION)),
        ("resources", computed(set_of_strings(), RESOURCES)),
    ]
    .into_iter()
    .chain(set_by_service())
}
