//! The data source `access_integration_owner`: reads one owner of an integration.
//!
//! Calls: GET for `integration_owner_id`, which names the owner; the list for `owner`, since the
//! service does not find owners by user, group or team.
//! Known trap: the same user, group or team may be an owner twice. Then `owner` does not select one
//! of them, and that is an error.

use access_client::IntegrationOwnerName;
use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::schema::{new_schema, optional_computed, required};
use plugin_server::validator::exactly_one_of;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::principal::select_by_principal;
use super::schema;
use super::state::{IntegrationOwnerState, principal_key, validate_principal};
use crate::object::Object;
use crate::object::data_source::{NotReadAdvice, read_all, read_one};
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::object::operation::Operation;
use crate::service::Connection;

/// An integration owner as data sources show it, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnerData {
    pub(crate) integration: Value<String>,
    pub(crate) integration_owner_id: Value<String>,
    pub(crate) owner: Value<String>,
    pub(crate) id: Value<String>,
    pub(crate) name: Value<String>,
    pub(crate) create_time: Value<String>,
    pub(crate) update_time: Value<String>,
}

impl From<IntegrationOwner> for IntegrationOwnerData {
    fn from(owner: IntegrationOwner) -> Self {
        let mut state = IntegrationOwnerState::default();
        state.set_from_response(owner, None);
        Self {
            integration: state.integration,
            integration_owner_id: state.integration_owner_id,
            owner: state.owner,
            id: state.id,
            name: state.name,
            create_time: state.create_time,
            update_time: state.update_time,
        }
    }
}

/// The data source `access_integration_owner`.
pub(crate) struct IntegrationOwnerDataSource(pub(crate) Connection);

const BY_ID_ADVICE: NotReadAdvice = NotReadAdvice {
    subject: "The owner or its integration",
    attribute: "integration_owner_id",
    alternative: "If the service does not offer reads, set `owner` instead, which is looked up in \
        the list of owners.",
};

const BY_OWNER_ADVICE: NotReadAdvice = NotReadAdvice {
    subject: "The integration",
    attribute: "integration",
    alternative: "If the service does not list owners, set `integration_owner_id` instead, which \
        is read by GET.",
};

#[async_trait]
impl DataSource for IntegrationOwnerDataSource {
    type State<'a> = IntegrationOwnerData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let either = |description: &str, other: &str| {
            let description = format!("{description} Either this or `{other}` is set.");
            optional_computed(AttributeType::String, &description)
        };
        Some(new_schema(
            0,
            "Reads one owner of an integration, by its ID or by the user, group or team.",
            [
                // Required
                ("integration", required(AttributeType::String, schema::INTEGRATION)),
                // Optional
                ("integration_owner_id", either(schema::INTEGRATION_OWNER_ID, "owner")),
                ("owner", either(schema::OWNER, "integration_owner_id")),
            ]
            .into_iter()
            // Computed
            .chain(schema::computed_attributes()),
        ))
    }

    async fn validate<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationOwnerData,
    ) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal(&config.owner, diags);
        validate_choice(&config, diags)
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationOwnerData,
        _meta: ValueEmpty,
    ) -> Option<IntegrationOwnerData> {
        validate_choice(&config, diags)?;
        let integration = read_identifier("integration", &config.integration, diags)?;
        if config.owner.is_null() {
            let id = read_identifier("integration_owner_id", &config.integration_owner_id, diags)?;
            let name = IntegrationOwnerName { integration, owner: id };
            let operation = Operation { verb: "read", kind: IntegrationOwner::KIND, name: &name };
            let service = self.0.require(&operation.summary(), diags)?;
            let owner: IntegrationOwner =
                read_one(&service, &operation, &name, &BY_ID_ADVICE, diags).await?;
            return Some(owner.into());
        }
        let principal = validate_principal(&config.owner, diags)?;
        let name = principal_key(integration.as_str(), &principal.to_string());
        let operation = Operation { verb: "read", kind: IntegrationOwner::KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let owners: Vec<IntegrationOwner> =
            read_all(&service, &operation, &integration, &BY_OWNER_ADVICE, diags).await?;
        let by_id = "set `integration_owner_id`";
        let owner = select_by_principal(&service, &operation, &owners, &principal, by_id, diags)?;
        Some(owner.clone().into())
    }
}

/// Adds an error unless exactly one attribute selects the owner. Unknown values may become null.
fn validate_choice(config: &IntegrationOwnerData, diags: &mut Diagnostics) -> Option<()> {
    exactly_one_of(
        diags,
        &[("integration_owner_id", &config.integration_owner_id), ("owner", &config.owner)],
    )
}
