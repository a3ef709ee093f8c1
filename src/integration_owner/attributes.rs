//! The attributes of an integration owner, and its words.

use std::convert::Infallible;

use crate::resource::attributes::{Form, Row, ValueType};
use crate::say::Words;

/// The words of messages and schemas.
pub(super) const WORDS: &Words = &Words {
    noun: "integration owner",
    resource_type: "access_integration_owner",
    parent_noun: "integration",
    name_arguments: [("integration", INTEGRATION), ("integration_owner_id", INTEGRATION_OWNER_ID)],
    main_argument: "owner",
};

/// The description of the resource.
pub(super) const RESOURCE: &str = "Manages one owner of an integration: a user, group or team that manages its settings and its other owners. Owners that are not in the configuration are left alone.";

/// The descriptions of the arguments that select an owner, which schemas, identities and data
/// sources share.
pub(crate) const INTEGRATION: &str = "ID of the integration.";
pub(crate) const OWNER: &str =
    "User, group or team that owns the integration: `users/{id}`, `groups/{id}` or `teams/{id}`.";
pub(crate) const INTEGRATION_OWNER_ID: &str = "ID of the owner in its integration.";

/// The attributes, in the order of a block. An owner has no update.
pub(crate) const ATTRIBUTES: &[Row<Infallible>] = &[
    Row {
        name: "integration",
        form: Form::Required,
        value_type: ValueType::Text,
        description: INTEGRATION,
        more: "Changing it replaces the owner.",
        field: None,
        is_exported: true,
    },
    Row {
        name: "owner",
        form: Form::Required,
        value_type: ValueType::Text,
        description: OWNER,
        more: "Changing it replaces the owner.",
        field: None,
        is_exported: true,
    },
    Row {
        name: "integration_owner_id",
        form: Form::OptionalComputed,
        value_type: ValueType::Text,
        description: INTEGRATION_OWNER_ID,
        more: "Changing it replaces the owner. By default the service assigns one. With an ID of your own, an owner whose create got no response is found even without the list.",
        field: None,
        // An import stores it, so the configuration need not.
        is_exported: false,
    },
    Row::behaviour(
        "adopt_existing",
        ValueType::Flag,
        "Whether to adopt an owner that exists already. With `false`, an existing owner is an error that shows how to import it. Defaults to `false`.",
    ),
    Row::computed("id", "Same as `name`."),
    Row::computed("name", "Full name, `integrations/{integration}/owners/{owner}`."),
    Row::computed("create_time", "Time at which the owner was added, in RFC 3339."),
    Row::computed("update_time", "Time of the last update, in RFC 3339."),
];

#[cfg(test)]
mod tests {
    use access_client::IntegrationOwner;
    use serde_json::json;

    use super::*;
    use crate::resource::attributes::tests::check_rows;

    #[test]
    fn every_attribute_is_read_and_generated_and_in_the_example() {
        check_rows::<IntegrationOwner, _>(ATTRIBUTES, |text, number| {
            json!({
                "name": format!("integrations/{text}/owners/{text}"), "owner": format!("users/{text}"),
                "createTime": format!("2026-01-0{number}T00:00:00Z"),
                "updateTime": format!("2026-02-0{number}T00:00:00Z"),
            })
        });
    }
}
