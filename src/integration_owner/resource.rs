//! The resource `access_integration_owner`: one owner of an integration, beside any others.
//!
//! Calls: list (look before a create), POST, GET (refresh, import, and what became of a POST with
//! a fixed ID), DELETE.
//! Replaced by: a change of `integration`, `owner` or `integration_owner_id`.
//! Import id: `integrations/{integration}/owners/{owner}` or `{integration}/{owner}`.
//! Known trap: POST is not idempotent. After a failure that the service may have processed it is
//! never sent again; the owner is looked for instead.

use access_client::Meaning;
use async_trait::async_trait;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::calls::{
    Before, existing_owner, listed, read_back, recover, settle_missing, take_over_or_refuse,
};
use super::stored::SCHEMA_VERSION;
use super::words::{
    report_principal_as_id, report_read_failure, warn_by_name_alone, warn_other_id,
};
use super::{
    IntegrationOwnerMemory, IntegrationOwnerState, KIND, TYPE, attributes, known_name, parse_name,
    to_create, validate_owner,
};
use crate::attribute::{optional, optional_computed, required, schema};
use crate::config::DriftDetection;
use crate::diagnostic::{Attempt, keep_it_advice, report_import_id};
use crate::identifier::validate_identifier;
use crate::plan::replaced_by;
use crate::private::{Private, of_replaced};
use crate::reading::{Verdict, judge, warn_blind};
use crate::service::Connection;

/// The resource `access_integration_owner`.
pub(crate) struct IntegrationOwnerResource {
    connection: Connection,
}

impl IntegrationOwnerResource {
    /// The resource, over a connection that may be configured later.
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// The way to the service, for what is beside the life cycle.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }
}

pub(super) type State = IntegrationOwnerState;
pub(super) type Memory = Private<IntegrationOwnerMemory>;

#[async_trait]
impl Resource for IntegrationOwnerResource {
    type State<'a> = State;
    type PrivateState<'a> = Memory;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(schema(
            SCHEMA_VERSION,
            "One owner of an integration: a user, group or team that manages its settings and its other owners. Owners that are not in the configuration are left alone.",
            [
                // Required
                (
                    "integration",
                    required(AttributeType::String, &replaces(attributes::INTEGRATION)),
                ),
                ("owner", required(AttributeType::String, &replaces(attributes::OWNER))),
                // Optional
                (
                    "integration_owner_id",
                    optional_computed(
                        AttributeType::String,
                        &format!(
                            "{} The service assigns one where it is left out. With an ID of its own, a create whose answer was lost is found again.",
                            replaces(attributes::INTEGRATION_OWNER_ID)
                        ),
                    ),
                ),
                (
                    "adopt_existing",
                    optional(
                        AttributeType::Bool,
                        "Whether creating takes over an owner that exists already. Default: `false`, which refuses and shows how to import it.",
                    ),
                ),
            ]
            .into_iter()
            // Computed
            .chain(attributes::set_by_service()),
        ))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: State) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_owner(&config.owner, diags);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        _diags: &mut Diagnostics,
        proposed: State,
        _config: State,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory)> {
        self.connection.defer_if_unknown();
        // Of a replacement Terraform hands this to the destroy of the old owner as well, which has
        // use of what is known of it. The create takes no notice.
        Some((proposed.all_computed_unknown(), of_replaced()))
    }

    async fn plan_update<'a>(
        &self,
        _diags: &mut Diagnostics,
        prior: State,
        proposed: State,
        config: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory, Vec<AttributePath>)> {
        self.connection.defer_if_unknown();
        let mut replaced =
            replaced_by(&[("integration", &prior.integration, &proposed.integration)]);
        // Imported by name alone: the configuration says whose owner it is.
        if !prior.owner.is_null() {
            replaced.extend(replaced_by(&[("owner", &prior.owner, &proposed.owner)]));
        }
        replaced.extend(replaced_by(&[(
            "integration_owner_id",
            &prior.integration_owner_id,
            &proposed.integration_owner_id,
        )]));
        if replaced.is_empty() {
            return Some((proposed, memory, replaced));
        }
        let mut planned = proposed;
        if config.integration_owner_id.is_null() {
            planned.integration_owner_id = Value::Null;
        }
        Some((planned.all_computed_unknown(), memory, replaced))
    }

    async fn plan_destroy<'a>(
        &self,
        _diags: &mut Diagnostics,
        _prior: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<Memory> {
        self.connection.defer_if_unknown();
        Some(memory)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: State,
        _config: State,
        _memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory)> {
        let wanted = to_create(&planned, diags)?;
        let object = format!("{} of integrations/{}", wanted.owner, wanted.integration);
        let attempt = Attempt { verb: "create", kind: KIND, name: &object };
        let service = self.connection.require(&attempt.summary(), diags)?;
        service.begin_create(&attempt, diags)?;
        let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
        let before = existing_owner(&service, &attempt, &wanted, diags).await?;
        if let Before::Exists(owner) = before {
            let owner = take_over_or_refuse(&attempt, &wanted, adopts, *owner, diags)?;
            // It may have been seen in the list alone, which is no evidence of a GET.
            let reads = read_back(&service, &owner.name).await;
            return Some((planned.written(owner), Private(IntegrationOwnerMemory { reads })));
        }
        let created = service
            .client
            .create_integration_owner(&wanted.integration, &wanted.owner, wanted.id.as_ref())
            .await;
        service.listed_owners.forget(&wanted.integration);
        let owner = match created {
            Ok(owner) => owner,
            Err(error) => {
                recover(&service, &attempt, &wanted, &before, adopts, &error, diags).await?
            }
        };
        warn_other_id(&wanted, &owner.name, diags);
        let reads = read_back(&service, &owner.name).await;
        Some((planned.written(owner), Private(IntegrationOwnerMemory { reads })))
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory)> {
        let Ok(service) = self.connection.service() else {
            self.connection.defer_if_unknown();
            return Some((prior, memory));
        };
        // Owners have no update, so no documented call that could stand in for a read.
        if !service.drift_detection.uses_get() {
            return Some((prior, memory));
        }
        let name = known_name(&prior, diags)?;
        if service.drift_detection == DriftDetection::List
            && let Some(owner) = listed(&service, &name).await
        {
            let mut state = prior;
            state.fill(owner);
            return Some((state, memory));
        }
        let attempt = Attempt { verb: "read", kind: KIND, name: &name };
        match service.client.get_integration_owner(&name).await {
            Ok(owner) => {
                service.owner_reads.saw_read();
                let mut state = prior;
                state.fill(owner);
                Some((state, Private(IntegrationOwnerMemory { reads: true })))
            }
            Err(error) => match judge(&error, memory.0.reads) {
                Verdict::Gone => None,
                Verdict::Blind => {
                    warn_blind(&service.owner_reads, KIND, &error, diags);
                    Some((prior, memory))
                }
                Verdict::Failed => {
                    report_read_failure(&attempt, &error, diags);
                    None
                }
            },
        }
    }

    async fn update<'a>(
        &self,
        _diags: &mut Diagnostics,
        _prior: State,
        planned: State,
        _config: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<(State, Memory)> {
        // Only `adopt_existing` changes in place, and the owner of one imported by name alone.
        Some((planned, memory))
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        memory: Memory,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let name = known_name(&prior, diags)?;
        let attempt = Attempt { verb: "delete", kind: KIND, name: &name };
        let service = self.connection.require(&attempt.summary(), diags)?;
        let deleted = service.client.delete_integration_owner(&name).await;
        service.listed_owners.forget(&name.integration);
        let error = match deleted {
            Ok(()) => return Some(()),
            Err(error) => error,
        };
        match (error.meaning(), memory.0.reads) {
            (Meaning::NotFound { json: true }, true) => Some(()),
            (Meaning::NotFound { .. }, _) => {
                let principal = prior.owner.as_ref_option();
                settle_missing(&service, &attempt, &name, principal, &error, diags).await
            }
            (Meaning::NotImplemented, _) => {
                attempt.failed(&error, Some(keep_it_advice(TYPE, KIND)), None, diags);
                None
            }
            _ => {
                attempt.failed(&error, None, None, diags);
                None
            }
        }
    }

    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Option<(State, Memory)> {
        let Ok(name) = parse_name(&id) else {
            if report_principal_as_id(&id, diags) {
                return None;
            }
            report_import_id(KIND, &id, "integrations/{integration}/owners/{owner}", diags);
            return None;
        };
        let attempt = Attempt { verb: "import", kind: KIND, name: &name };
        let service = self.connection.require(&attempt.summary(), diags)?;
        let error = match service.client.get_integration_owner(&name).await {
            Ok(owner) => {
                service.owner_reads.saw_read();
                let mut state = State::default();
                state.fill(owner);
                return Some((state, Private(IntegrationOwnerMemory { reads: true })));
            }
            Err(error) => error,
        };
        let off = service.drift_detection == DriftDetection::Off;
        match error.meaning() {
            Meaning::NotImplemented => {}
            Meaning::NotFound { .. } | Meaning::Forbidden if off => {}
            _ => {
                report_read_failure(&attempt, &error, diags);
                return None;
            }
        }
        warn_by_name_alone(&attempt, &error, diags);
        Some((State::of(&name), Memory::default()))
    }
}

/// The description of an attribute that replaces the owner.
fn replaces(description: &str) -> String {
    format!("{description} Changing it replaces the owner.")
}
