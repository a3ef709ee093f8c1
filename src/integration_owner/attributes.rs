//! The attributes of an integration owner in words, written once for the resource and the data
//! sources.

use tf_provider::schema::{Attribute, AttributeType};

use crate::attribute::computed;

pub(super) const INTEGRATION: &str = "ID of the integration.";
pub(super) const OWNER: &str =
    "Who owns the integration: `users/{id}`, `groups/{id}` or `teams/{id}`.";
pub(super) const INTEGRATION_OWNER_ID: &str = "ID of the owner in its integration.";

/// What a configuration never sets.
pub(super) fn set_by_service() -> [(&'static str, Attribute); 4] {
    let text = |description| computed(AttributeType::String, description);
    [
        ("id", text("The same as `name`.")),
        ("name", text("Full name, `integrations/{integration}/owners/{owner}`.")),
        ("create_time", text("When the owner was added, in RFC 3339.")),
        ("update_time", text("When the owner was last updated, in RFC 3339.")),
    ]
}
