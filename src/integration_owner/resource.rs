//! The resource `access_integration_owner`: manages one owner of an integration, in addition to any
//! others.
//!
//! Calls: list and GET (existence check, refresh, import, outcome of a POST), POST, DELETE.
//! Requires replacement: a change of `integration`, `owner` or `integration_owner_id`.
//! Import ID: `integrations/{integration}/owners/{id}`, `{integration}/{id}`, or by principal
//! `{integration}/users/{user}`.
//! Known trap: POST is not idempotent. After a failure that the service may have processed it is
//! never sent again; the provider looks for the owner instead.

use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::plan_modifier::requires_replace;
use tf_provider::schema::Schema;
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::import::{ImportId, find_by_principal};
use super::schema::resource_schema;
use super::state::{Private, State, principal_key, validate_principal};
use super::{create_update, delete, import, plan, read};
use crate::object::Object;
use crate::object::delete::validate_deletion_policy;
use crate::object::identifier::validate_identifier;
use crate::object::operation::{Operation, report_import_id, report_invalid_state};
use crate::private_state::PrivateState;
use crate::service::Connection;

/// The resource `access_integration_owner`.
pub(crate) struct IntegrationOwnerResource(pub(crate) Connection);

#[async_trait]
impl Resource for IntegrationOwnerResource {
    type State<'a> = State;
    type PrivateState<'a> = Private;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(resource_schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: State) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal(&config.owner, diags);
        validate_deletion_policy(&config.deletion_policy, diags);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        diags: &mut Diagnostics,
        plan: State,
        config: State,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        plan::plan_create(self.0.service_or_defer().as_deref(), plan, &config, diags).await
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        plan: State,
        config: State,
        mut private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private, Vec<AttributePath>)> {
        let plan = State {
            adopt_existing: config.adopt_existing,
            deletion_policy: config.deletion_policy.clone(),
            ..plan
        };
        let replaced = replaced_attributes(&prior, &plan);
        let service = self.0.service_or_defer();
        // If this becomes a replacement, Terraform passes it to the plan of the create.
        private.0.identify(&prior);
        if replaced.is_empty() {
            plan::plan_keep(service.as_deref(), &prior, diags)?;
            return Some((plan, private, replaced));
        }
        let integration_owner_id = if config.integration_owner_id.is_null() {
            Value::Null
        } else {
            plan.integration_owner_id
        };
        let planned = State { integration_owner_id, ..plan }.planned_create(&config);
        plan::plan_replacement(service.as_deref(), &prior, &planned, diags).await?;
        Some((planned, private, replaced))
    }

    async fn plan_destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<Private> {
        plan::plan_destroy(self.0.service_or_defer().as_deref(), &prior, diags).await?;
        Some(private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        plan: State,
        _config: State,
        _private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let Some(new) = plan.to_new_owner() else {
            report_invalid_state(IntegrationOwner::KIND, diags);
            return None;
        };
        let name = new.key();
        let operation = Operation { verb: "create", kind: IntegrationOwner::KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let (state, private) =
            create_update::create(&service, &operation, &new, plan, diags).await?;
        Some((state, PrivateState(private)))
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let Some(service) = self.0.service_or_defer() else { return Some((prior, private)) };
        service.begin_refresh();
        let name = prior.require_name(diags)?;
        let operation = Operation { verb: "read", kind: IntegrationOwner::KIND, name: &name };
        let keys = prior.keys();
        let (state, private) =
            read::read(&service, &operation, &name, (prior, private.0), diags).await?;
        // Not before: an owner that was not found is created like a new one.
        let mut known = private.clone();
        known.identify(&state);
        service.owners.conflicts.record_in_state(&keys, known);
        Some((state, PrivateState(private)))
    }

    async fn update<'a>(
        &self,
        _diags: &mut Diagnostics,
        _prior: State,
        plan: State,
        _config: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        // Only `adopt_existing` and `deletion_policy` change in place, and `owner` of an owner that
        // was imported by its name alone.
        Some((plan, private))
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let name = prior.require_name(diags)?;
        let operation = Operation { verb: "delete", kind: IntegrationOwner::KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        delete::destroy(&service, &operation, &name, &prior, &private.0, diags).await
    }

    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Option<(State, Private)> {
        let Some(import_id) = ImportId::parse(&id) else {
            report_import_id::<IntegrationOwner>(&id, diags);
            return None;
        };
        let name = match import_id {
            ImportId::Name(name) => name,
            ImportId::Principal(integration, principal) => {
                let object = principal_key(integration.as_str(), &principal.to_string());
                let operation =
                    Operation { verb: "import", kind: IntegrationOwner::KIND, name: &object };
                let service = self.0.require(&operation.summary(), diags)?;
                find_by_principal(&service, &operation, &integration, &principal, diags).await?
            }
        };
        let operation = Operation { verb: "import", kind: IntegrationOwner::KIND, name: &name };
        let service = self.0.require(&operation.summary(), diags)?;
        let (state, private) = import::import(&service, &operation, &name, diags).await?;
        Some((state, PrivateState(private)))
    }
}

fn replaced_attributes(prior: &State, plan: &State) -> Vec<AttributePath> {
    let mut replaced = requires_replace(&[("integration", &prior.integration, &plan.integration)]);
    // After an import by name alone, `owner` is taken from the configuration.
    if !prior.owner.is_null() {
        replaced.extend(requires_replace(&[("owner", &prior.owner, &plan.owner)]));
    }
    replaced.extend(requires_replace(&[(
        "integration_owner_id",
        &prior.integration_owner_id,
        &plan.integration_owner_id,
    )]));
    replaced
}
