//! The data sources `access_integration_owner` and `access_integration_owners`.

use access_client::IntegrationOwnerName;
use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::schema::{computed, list_of_objects, new_schema, optional_computed, required};
use plugin_server::validator::exactly_one_of;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::state::{IntegrationOwnerData, principal_key, validate_principal};
use super::{principal, schema};
use crate::object::Entity;
use crate::object::call::{Call, require_run};
use crate::object::data_source::{NotReadAdvice, read_all, read_one};
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::service::Connection;

/// The data source `access_integration_owner`: one owner. GET for `integration_owner_id`, which names
/// it; the list for `owner`, because the service does not find owners by user, group or team.
pub(crate) struct IntegrationOwnerDataSource(pub(crate) Connection);

impl From<IntegrationOwner> for IntegrationOwnerData {
    fn from(owner: IntegrationOwner) -> Self {
        IntegrationOwner::from_response(owner).into()
    }
}

const BY_ID: NotReadAdvice = NotReadAdvice {
    subject: "The owner or its integration",
    attribute: "integration_owner_id",
    alternative: "If the service does not offer reads, set `owner` instead, which is looked up in the list \
        of owners.",
};

const BY_OWNER: NotReadAdvice = NotReadAdvice {
    subject: "The integration",
    attribute: "integration",
    alternative: "If the service does not list owners, set `integration_owner_id` instead, which is read \
        by GET.",
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
        let arguments = [
            ("integration", required(AttributeType::String, schema::INTEGRATION)),
            ("integration_owner_id", either(schema::INTEGRATION_OWNER_ID, "owner")),
            ("owner", either(schema::OWNER, "integration_owner_id")),
        ];
        Some(new_schema(
            0,
            "Reads one owner of an integration, by its ID or by the user, group or team.",
            arguments.into_iter().chain(schema::computed_attributes()),
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
        let run = require_run(&self.0, "read", IntegrationOwner::KIND, diags)?;
        if config.owner.is_null() {
            let id = read_identifier("integration_owner_id", &config.integration_owner_id, diags)?;
            let name = IntegrationOwnerName { integration, owner: id };
            let mut call = Call::new(&run, "read", IntegrationOwner::KIND, &name, diags);
            return Some(read_one::<IntegrationOwner>(&mut call, &name, &BY_ID).await.ok()?.into());
        }
        let wanted = validate_principal(&config.owner, diags)?;
        let object = principal_key(&integration, &wanted.to_string());
        let mut call = Call::new(&run, "read", IntegrationOwner::KIND, object, diags);
        let owners = read_all::<IntegrationOwner>(&mut call, &integration, &BY_OWNER).await.ok()?;
        let by_id = "set `integration_owner_id`";
        let owner = principal::select(&mut call, &owners, &wanted, by_id).ok()?;
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

/// The data source `access_integration_owners`: all owners of an integration, by list.
pub(crate) struct IntegrationOwnersDataSource(pub(crate) Connection);

/// The owners of an integration, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnersData {
    pub(crate) integration: Value<String>,
    pub(crate) owners: Value<Vec<IntegrationOwnerData>>,
}

const ALL: NotReadAdvice = NotReadAdvice {
    subject: "The integration",
    attribute: "integration",
    alternative: "If the service does not list owners, `access_integration_owner` reads one by GET.",
};

#[async_trait]
impl DataSource for IntegrationOwnersDataSource {
    type State<'a> = IntegrationOwnersData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let ids = [
            ("integration", computed(AttributeType::String, schema::INTEGRATION)),
            ("integration_owner_id", computed(AttributeType::String, schema::INTEGRATION_OWNER_ID)),
            ("owner", computed(AttributeType::String, schema::OWNER)),
        ];
        let owner = list_of_objects(ids.into_iter().chain(schema::computed_attributes()));
        Some(new_schema(
            0,
            "Reads all owners of an integration, regardless of who manages them.",
            [
                ("integration", required(AttributeType::String, schema::INTEGRATION)),
                ("owners", computed(owner, "The owners, by ID.")),
            ],
        ))
    }

    async fn validate<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationOwnersData,
    ) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        Some(())
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationOwnersData,
        _meta: ValueEmpty,
    ) -> Option<IntegrationOwnersData> {
        let integration = read_identifier("integration", &config.integration, diags)?;
        let run = require_run(&self.0, "list", "integration owners", diags)?;
        let object = format!("owners of integrations/{integration}");
        let mut call = Call::new(&run, "list", "integration owners", object, diags);
        let owners = read_all::<IntegrationOwner>(&mut call, &integration, &ALL).await.ok()?;
        let owners = owners.into_iter().map(IntegrationOwnerData::from).collect();
        Some(IntegrationOwnersData {
            integration: config.integration,
            owners: Value::Value(owners),
        })
    }
}
