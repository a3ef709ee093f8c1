//! The data source `access_integration_owners`: reads all owners of an integration.
//!
//! Calls: list, all pages, shared with the other reads of the run.
//! Order: by ID, so that a plan does not depend on the order of the service's list.

use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::schema::{computed, list_of_objects, new_schema, required};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::data_source::IntegrationOwnerData;
use super::schema;
use crate::object::data_source::{NotReadAdvice, read_all};
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::object::operation::Operation;
use crate::service::Connection;

/// The owners of an integration, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnersData {
    pub(crate) integration: Value<String>,
    pub(crate) owners: Value<Vec<IntegrationOwnerData>>,
}

/// The data source `access_integration_owners`.
pub(crate) struct IntegrationOwnersDataSource(pub(crate) Connection);

#[async_trait]
impl DataSource for IntegrationOwnersDataSource {
    type State<'a> = IntegrationOwnersData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let owner = [
            ("integration", computed(AttributeType::String, schema::INTEGRATION)),
            ("integration_owner_id", computed(AttributeType::String, schema::INTEGRATION_OWNER_ID)),
            ("owner", computed(AttributeType::String, schema::OWNER)),
        ];
        Some(new_schema(
            0,
            "Reads all owners of an integration, regardless of who manages them.",
            [
                // Required
                ("integration", required(AttributeType::String, schema::INTEGRATION)),
                // Computed
                (
                    "owners",
                    computed(
                        list_of_objects(owner.into_iter().chain(schema::computed_attributes())),
                        "The owners, by ID.",
                    ),
                ),
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
        let advice = NotReadAdvice {
            subject: "The integration",
            attribute: "integration",
            alternative: "If the service does not list owners, `access_integration_owner` reads one by GET.",
        };
        let integration = read_identifier("integration", &config.integration, diags)?;
        let name = format!("owners of integrations/{integration}");
        let operation = Operation { verb: "list", kind: "integration owners", name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let owners: Vec<IntegrationOwner> =
            read_all(&service, &operation, &integration, &advice, diags).await?;
        let owners = owners.into_iter().map(IntegrationOwnerData::from).collect();
        Some(IntegrationOwnersData {
            integration: config.integration,
            owners: Value::Value(owners),
        })
    }
}
