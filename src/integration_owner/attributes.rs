//! The attributes of an integration owner: its words and schema, and the values that the service can
//! never accept.

use std::convert::Infallible;

use access_client::{IntegrationOwner, Principal};
use plugin_server::schema::new_schema;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tf_provider::value::Value;

use super::say::invalid_principal;
use super::state::{IntegrationOwnerState, keys_of};
use crate::resource::attributes::{Form, Row, ValueType, resource_attributes};
use crate::resource::describe::Describe;
use crate::resource::entity::Convert as _;
use crate::resource::value::{known_text, validate_identifier};
use crate::run::Key;
use crate::say::Words;

const RESOURCE: &str = "Manages one owner of an integration: a user, group or team that manages its settings and its other owners. Owners that are not in the configuration are left alone.";

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
        more: "Changing it replaces the owner. By default the service assigns one. With an ID of your own, a create whose response was lost can always be found again.",
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

impl Describe for IntegrationOwner {
    type State = IntegrationOwnerState;
    type Private = ();
    const WORDS: &'static Words = &Words {
        noun: "integration owner",
        resource_type: "access_integration_owner",
        parent_noun: "integration",
        name_arguments: [("integration", INTEGRATION), ("owner", INTEGRATION_OWNER_ID)],
        main_argument: "owner",
    };

    fn resource_schema() -> Schema {
        new_schema(0, RESOURCE, resource_attributes(ATTRIBUTES))
    }

    fn full_name(state: &Self::State) -> Option<String> {
        Some(Self::state_name(state)?.to_string())
    }

    fn keys(state: &Self::State) -> Vec<Key> {
        let Some(name) = Self::state_name(state) else { return Vec::new() };
        keys_of(&name.integration, known_text(&state.owner), Some(&name))
    }

    fn new_name(planned: &Self::State) -> Option<String> {
        Some(Self::to_create(planned)?.to_string())
    }

    fn generate_config(state: Self::State) -> Self::State {
        IntegrationOwnerState { adopt_existing: Value::Null, ..state }
    }

    fn validate(config: &Self::State, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal("owner", &config.owner, diags);
    }
}

/// Returns a principal in the configuration of an attribute, or adds an error. Unknown and null
/// pass.
pub(crate) fn validate_principal(
    attribute: &'static str,
    owner: &Value<String>,
    diags: &mut Diagnostics,
) -> Option<Principal> {
    let owner = owner.as_ref_option()?;
    let refuse = |fault: access_client::Invalid| {
        invalid_principal(owner, &fault.to_string()).at(attribute).refuse(diags)
    };
    Principal::parse(owner).map_err(refuse).ok()
}

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
