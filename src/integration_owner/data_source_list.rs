//! The data source `access_integration_owners`: reads all owners of an integration.
//!
//! Calls: list, all pages; under `drift_detection = "list"` the list that answers all reads of the
//! run.
//! Order: by ID, so that a plan does not depend on how the service lists them.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::attributes;
use super::calls::all;
use super::data_source::IntegrationOwnerData;
use crate::terraform::schema::{computed, list_of_objects, required, schema};
use crate::diagnostic::Attempt;
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::reading::{Wanted, report_unread};
use crate::service::Connection;

/// The owners of an integration, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IntegrationOwnersData {
    pub(crate) integration: Value<String>,
    pub(crate) owners: Value<Vec<IntegrationOwnerData>>,
}

/// The data source `access_integration_owners`.
pub(crate) struct IntegrationOwnersDataSource {
    connection: Connection,
}

impl IntegrationOwnersDataSource {
    /// The data source, over a connection that may be configured later.
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection }
    }
}

const WANTED: Wanted = Wanted {
    what: "The integration",
    attribute: "integration",
    otherwise: "Where the service lists no owners, access_integration_owner reads one by GET.",
};

#[async_trait]
impl DataSource for IntegrationOwnersDataSource {
    type State<'a> = IntegrationOwnersData;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let owner = [
            ("integration", computed(AttributeType::String, schema::INTEGRATION)),
            (
                "integration_owner_id",
                computed(AttributeType::String, schema::INTEGRATION_OWNER_ID),
            ),
            ("owner", computed(AttributeType::String, schema::OWNER)),
        ];
        Some(schema(
            0,
            "Reads all owners of an integration, whoever manages them.",
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
        let integration = read_identifier("integration", &config.integration, diags)?;
        let object = format!("owners of integrations/{integration}");
        let operation = Operation { verb: "list", kind: "integration owners", name: &object };
        let service = self.connection.require(&operation.summary(), diags)?;
        let owners = match all(&service, &integration).await {
            Ok(owners) => owners,
            Err(error) => {
                report_unread(&operation, &error, &WANTED, diags);
                return None;
            }
        };
        let owners = owners.into_values().map(IntegrationOwnerData::from).collect();
        Some(IntegrationOwnersData {
            integration: config.integration,
            owners: Value::Value(owners),
        })
    }
}
