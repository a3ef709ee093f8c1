//! The data source `access_integration_owner`: reads one owner of an integration.
//!
//! Calls: GET for `integration_owner_id`, which names the owner; the list for `owner`, since the
//! service finds nobody by user, group or team.
//! Known trap: the same user, group or team may be an owner twice. Then `owner` tells no one of
//! them, and that is an error.

use access_client::api::IntegrationOwner;
use access_client::{Identifier, IntegrationOwnerName, Principal};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics};

use super::calls::{all, listed};
use super::words::report_not_one;
use super::{IntegrationOwnerState, KIND, attributes, validate_owner};
use crate::terraform::schema::{optional_computed, required, schema};
use crate::config::DriftDetection;
use crate::diagnostic::{Attempt, Report};
use crate::object::identifier::{read_identifier, validate_identifier};
use crate::reading::{Wanted, report_unread};
use crate::service::{Connection, Service};

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
        state.set_from_response(owner);
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
pub(crate) struct IntegrationOwnerDataSource {
    connection: Connection,
}

impl IntegrationOwnerDataSource {
    /// The data source, over a connection that may be configured later.
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection }
    }
}

const WANTED_BY_ID: Wanted = Wanted {
    what: "The owner or its integration",
    attribute: "integration_owner_id",
    otherwise: "Where the service offers no reads, give `owner` instead, which is looked up in \
        the list of owners.",
};

const WANTED_BY_OWNER: Wanted = Wanted {
    what: "The integration",
    attribute: "integration",
    otherwise: "Where the service lists no owners, give `integration_owner_id` instead, which is \
        read by GET.",
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
        Some(schema(
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
        validate_owner(&config.owner, diags);
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
        let owner = if config.owner.is_null() {
            let id = read_identifier("integration_owner_id", &config.integration_owner_id, diags)?;
            let name = IntegrationOwnerName { integration, owner: id };
            let operation = Operation { verb: "read", kind: IntegrationOwner::KIND, name: &name };
            let service = self.connection.require(&operation.summary(), diags)?;
            by_id(&service, &operation, &name, diags).await?
        } else {
            let owner = validate_owner(&config.owner, diags)?;
            let object = format!("{owner} of integrations/{integration}");
            let operation = Operation { verb: "read", kind: IntegrationOwner::KIND, name: &object };
            let service = self.connection.require(&operation.summary(), diags)?;
            by_owner(&service, &operation, &integration, &owner, diags).await?
        };
        Some(owner.into())
    }
}

/// Reports where not exactly one attribute says which owner it is. What is unknown may be null.
fn validate_choice(config: &IntegrationOwnerData, diags: &mut Diagnostics) -> Option<()> {
    let (detail, attribute) = match (&config.integration_owner_id, &config.owner) {
        (Value::Null, Value::Null) => ("Neither of them is set.", None),
        (Value::Value(_), Value::Value(_)) => ("Both of them are set.", Some("owner")),
        _ => return Some(()),
    };
    diags.report_error(
        "Either integration_owner_id or owner".to_owned(),
        format!(
            "{detail} Set integration_owner_id to read the owner with this ID, or owner to look \
             up a user, group or team among the owners of the integration."
        ),
        attribute,
    );
    None
}

async fn by_id(
    service: &Service,
    operation: &Operation<'_>,
    name: &IntegrationOwnerName,
    diags: &mut Diagnostics,
) -> Option<IntegrationOwner> {
    if service.drift_detection == DriftDetection::List
        && let Some(owner) = listed(service, name).await
    {
        return Some(owner);
    }
    match service.client.get_integration_owner(name).await {
        Ok(owner) => Some(owner),
        Err(error) => {
            report_unread(attempt, &error, &WANTED_BY_ID, diags);
            None
        }
    }
}

async fn by_owner(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    wanted: &Principal,
    diags: &mut Diagnostics,
) -> Option<IntegrationOwner> {
    let owners = match all(service, integration).await {
        Ok(owners) => owners,
        Err(error) => {
            report_unread(attempt, &error, &WANTED_BY_OWNER, diags);
            return None;
        }
    };
    let wanted = wanted.to_string();
    let mut found: Vec<_> = owners.into_values().filter(|owner| owner.owner == wanted).collect();
    if found.len() == 1 {
        return found.pop();
    }
    report_not_one(attempt, &found, diags);
    None
}
