//! The data sources `access_integration_owner` and `access_integration_owners`.

use access_client::IntegrationOwnerName;
use access_client::api::IntegrationOwner;
use plugin_server::schema::{computed, optional_computed, required};
use plugin_server::validator::exactly_one_of;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{Attribute, AttributeType};
use tf_provider::value::Value;

use super::query::select;
use super::schema;
use super::state::{IntegrationOwnerData, principal_key, validate_principal};
use crate::object::call::Call;
use crate::object::data_source::{DataEntity, read_all, read_one};
use crate::object::value::{read_identifier, validate_identifier};
use crate::object::{Convert as _, Describe as _, NeededRead};
use crate::service::Session;

/// The owners of an integration, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnersData {
    integration: Value<String>,
    owners: Value<Vec<IntegrationOwnerData>>,
}

impl DataEntity for IntegrationOwner {
    type One = IntegrationOwnerData;
    type All = IntegrationOwnersData;

    const OBJECTS: &'static str = "owners";
    const OBJECTS_DESCRIPTION: &'static str = "The owners, by ID.";
    const ONE_DESCRIPTION: &'static str =
        "Reads one owner of an integration, by its ID or by the user, group or team.";
    const INSTEAD_OF_GET: &'static str = "If the service does not offer reads, set `owner` instead, which is looked up in the list of owners.";

    fn object_attributes() -> Vec<(&'static str, Attribute)> {
        let ids = [
            ("integration", computed(AttributeType::String, schema::INTEGRATION)),
            ("integration_owner_id", computed(AttributeType::String, schema::INTEGRATION_OWNER_ID)),
            ("owner", computed(AttributeType::String, schema::OWNER)),
        ];
        ids.into_iter().chain(schema::computed_attributes()).collect()
    }

    fn one_arguments() -> Vec<(&'static str, Attribute)> {
        let either = |description: &str, other: &str| {
            let description = format!("{description} Either this or `{other}` is set.");
            optional_computed(AttributeType::String, &description)
        };
        vec![
            ("integration", required(AttributeType::String, schema::INTEGRATION)),
            ("integration_owner_id", either(schema::INTEGRATION_OWNER_ID, "owner")),
            ("owner", either(schema::OWNER, "integration_owner_id")),
        ]
    }

    fn validate_one(config: &Self::One, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal("owner", &config.owner, diags);
        validate_choice(config, diags);
    }

    /// By GET with `integration_owner_id`. By the list with `owner`: the service does not find owners by
    /// user, group or team.
    async fn find_one(
        session: &Session,
        config: &Self::One,
        diags: &mut Diagnostics,
    ) -> Option<Self> {
        // Values that were unknown at validation may have become null.
        validate_choice(config, diags)?;
        let integration = read_identifier("integration", &config.integration, diags)?;
        if config.owner.is_null() {
            let id = read_identifier("integration_owner_id", &config.integration_owner_id, diags)?;
            let name = IntegrationOwnerName { integration, owner: id };
            return read_one(session, &name, "integration_owner_id", diags).await;
        }
        let wanted = validate_principal("owner", &config.owner, diags)?;
        let object = principal_key(&integration, &wanted.to_string());
        let mut call = Call::new(session, "read", Self::WORDS, object, diags);
        let needed = NeededRead::of_list(
            Self::WORDS,
            "If the service does not list owners, set `integration_owner_id` instead, which is read by GET.",
        );
        let owners = read_all::<Self>(&mut call, &integration, &needed).await.ok()?;
        let by_id = "set `integration_owner_id`";
        select(&mut call, &owners, &wanted, by_id).ok().cloned()
    }

    fn parent_of_all(config: &Self::All) -> &Value<String> {
        &config.integration
    }

    fn all(integration: Value<String>, owners: Vec<Self>) -> Self::All {
        let owners = owners.into_iter().map(|owner| Self::from_response(owner).into()).collect();
        IntegrationOwnersData { integration, owners: Value::Value(owners) }
    }
}

/// Adds an error unless exactly one attribute selects the owner.
fn validate_choice(config: &IntegrationOwnerData, diags: &mut Diagnostics) -> Option<()> {
    exactly_one_of(
        diags,
        &[("integration_owner_id", &config.integration_owner_id), ("owner", &config.owner)],
    )
}
