//! The resource `access_integration_owners`: manages all owners of an integration.
//!
//! Calls: list (existence check, refresh, import, and before each write), POST for each owner that is
//! missing, then DELETE for each that is not wanted; GET for owners that a list lacks.
//! Requires replacement: a change of `integration`.
//! Import ID: `integrations/{integration}` or `{integration}`.
//! Known trap: an integration without owners cannot be managed any more. Owners are removed only
//! after all others were added, and never the last one, except by a destroy.

use async_trait::async_trait;
use plugin_server::Report as _;
use tf_provider::schema::Schema;
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::schema::resource_schema;
use super::state::{KIND, Private, State};
use super::{create_update, delete, import, plan, read};
use crate::integration_owner::state::integration_name;
use crate::object::delete::validate_deletion_policy;
use crate::object::identifier::validate_identifier;
use crate::object::operation::Operation;
use crate::private_state::PrivateState;
use crate::service::Connection;

/// The resource `access_integration_owners`.
pub(crate) struct IntegrationOwnersResource(pub(crate) Connection);

#[async_trait]
impl Resource for IntegrationOwnersResource {
    type State<'a> = State;
    type PrivateState<'a> = Private;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(resource_schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: State) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        validate_deletion_policy(&config.deletion_policy, diags);
        validate_owners(&config, diags);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        diags: &mut Diagnostics,
        proposed: State,
        _config: State,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        self.0.defer_if_unknown();
        plan::plan_create(self.0.service().ok().as_deref(), proposed, diags).await
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        proposed: State,
        _config: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private, Vec<AttributePath>)> {
        self.0.defer_if_unknown();
        let service = self.0.service().ok();
        plan::plan_update(service.as_deref(), &prior, proposed, private, diags).await
    }

    async fn plan_destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<Private> {
        self.0.defer_if_unknown();
        let service = self.0.service().ok();
        plan::plan_destroy(service.as_deref(), &prior, &private.0, diags).await?;
        Some(private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: State,
        _config: State,
        _private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        // Planned before the integration was known.
        let planned = planned.planned_create();
        let integration = planned.require_integration(diags)?;
        let name = integration_name(&integration);
        let operation = Operation { verb: "create", kind: KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let (state, private) =
            create_update::create(&service, &operation, &integration, planned, diags).await?;
        Some((state, PrivateState(private)))
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let Ok(service) = self.0.service() else {
            self.0.defer_if_unknown();
            return Some((prior, private));
        };
        service.begin_refresh();
        let integration = prior.require_integration(diags)?;
        let name = integration_name(&integration);
        let operation = Operation { verb: "read", kind: KIND, name: &name };
        let (state, private) =
            read::read(&service, &operation, &integration, (prior, private.0), diags).await;
        let mut known = private.clone();
        known.object.identify(&state.name, &Value::Null);
        service.owners.conflicts.record_in_state(&vec![name.clone()], known);
        Some((state, PrivateState(private)))
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        planned: State,
        _config: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let integration = prior.require_integration(diags)?;
        let name = integration_name(&integration);
        let operation = Operation { verb: "update", kind: KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let known = (prior, private.0);
        let (state, private) =
            create_update::update(&service, &operation, &integration, known, planned, diags)
                .await?;
        Some((state, PrivateState(private)))
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let integration = prior.require_integration(diags)?;
        let name = integration_name(&integration);
        let operation = Operation { verb: "delete", kind: KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        delete::destroy(&service, &operation, &integration, &prior, &private.0, diags).await
    }

    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Option<(State, Private)> {
        let integration = import::parse_id(&id, diags)?;
        let name = integration_name(&integration);
        let operation = Operation { verb: "import", kind: KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let (state, private) = import::import(&service, &operation, &integration, diags).await?;
        Some((state, PrivateState(private)))
    }
}

/// Adds an error if the owners are empty, or if one of them is not a user, group or team.
fn validate_owners(config: &State, diags: &mut Diagnostics) {
    let Some(owners) = config.owners.as_ref_option() else { return };
    if owners.is_empty() {
        diags.report_attribute_error(
            "owners",
            "Invalid owners",
            "An integration without owners cannot be managed any more. List at least one owner.",
        );
    }
    for owner in owners {
        let fault = match owner {
            Value::Value(text) => access_client::Principal::parse(text)
                .err()
                .map(|error| format!("{text:?} is not a user, group or team: it {error}.")),
            Value::Null => Some("An owner must not be null.".to_owned()),
            Value::Unknown => None,
        };
        if let Some(fault) = fault {
            diags.report_attribute_error("owners", "Invalid owners", fault);
        }
    }
}
