//! All owners of an integration as one resource, `access_integration_owners`: the authoritative
//! counterpart of `integration_owner`, whose POST and DELETE it uses for each owner.
//!
//! Calls: list (existence check, refresh, import, and before the writes of an apply), POST for each
//! owner that is missing, then DELETE for each that is not wanted; GET before an owner is added
//! again whose ID is known. A destroy requests the list, and deletes each owner of the state as
//! `object/delete.rs` does.
//!
//! Known trap: an integration without owners cannot be managed any more. Owners are removed only
//! after all others were added, and never the last one, except by a destroy.

mod messages;
mod plan;
mod read;
mod schema;
mod state;
mod write;

use access_client::Identifier;
use async_trait::async_trait;
use plugin_server::plan_modifier::requires_replace;
use plugin_server::schema::{new_schema, required};
use plugin_server::{
    IdentitySchema, ListResource, ListResult, ListResultsStream, ResourceWithIdentity,
};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;
use tf_provider::{AttributePath, Diagnostics, Resource};

use schema::WORDS;
pub(crate) use state::IntegrationOwnersState;
use state::{OwnersPrivateState, Private, Stored, integration_name};

use crate::integration_owner::attributes::INTEGRATION;
use crate::object::call::{Call, require_session};
use crate::object::life_cycle::{LifeCycle, Parts};
use crate::object::managed::Managed;
use crate::object::messages::invalid_state;
use crate::object::value::{read_identifier, validate_identifier};
use crate::object::{Reported, Words};
use crate::repository::OwnRepository;
use crate::service::{Connection, Key, Session};

/// The owners of an integration as a whole.
pub(crate) struct IntegrationOwners;

type State = IntegrationOwnersState;

impl LifeCycle for IntegrationOwners {
    type State = State;
    type Private = OwnersPrivateState;
    const RESOURCE: &'static Words = WORDS;

    fn schema() -> Schema {
        schema::resource_schema()
    }

    fn validate_config(config: &State, diags: &mut Diagnostics) {
        schema::validate(config, diags);
    }

    fn deletion_policy(state: &State) -> &Value<String> {
        &state.deletion_policy
    }

    fn full_name(state: &State) -> Option<String> {
        Some(integration_name(&state.integration_id()?))
    }

    fn keys(state: &State) -> Vec<Key> {
        Self::full_name(state).map(Key::Name).into_iter().collect()
    }

    fn new_name(planned: &State) -> Option<String> {
        Self::full_name(planned)
    }

    fn planned_create(config: &State, _repository: Option<&OwnRepository>) -> State {
        config.clone().planned_create()
    }

    fn replacing_attributes(prior: &State, planned: &State) -> Vec<AttributePath> {
        requires_replace(&[("integration", &prior.integration, &planned.integration)])
    }

    fn planned_update(
        _session: Option<&Session>,
        _parts: &Parts<Self>,
        proposed: State,
        _config: &State,
        _diags: &mut Diagnostics,
    ) -> State {
        proposed
    }

    async fn plan_create(
        call: &mut Call<'_>,
        planned: &State,
        _config: &State,
        private: Private,
    ) -> Result<Private, Reported> {
        plan::plan_create(call, planned, private).await
    }

    fn plan_keep(call: &mut Call<'_>, _prior: &State, planned: &State) -> Result<(), Reported> {
        plan::plan_keep(call, planned)
    }

    async fn plan_replace(
        call: &mut Call<'_>,
        parts: &Parts<Self>,
        planned: &State,
        _config: &State,
    ) -> Result<(), Reported> {
        let stored = require(parts.clone(), call)?;
        plan::plan_replace(call, &stored, planned).await
    }

    async fn plan_destroy(call: &mut Call<'_>, parts: &Parts<Self>) -> Result<(), Reported> {
        let stored = require(parts.clone(), call)?;
        plan::plan_destroy(call, &stored).await
    }

    async fn create(
        call: &mut Call<'_>,
        planned: State,
        _config: &State,
    ) -> Result<Parts<Self>, Reported> {
        // It may have been planned before the integration was known.
        let planned = require((planned.planned_create(), Private::default()), call)?;
        Ok(write::create(call, planned).await?.into_parts())
    }

    async fn read(call: &mut Call<'_>, parts: Parts<Self>) -> Option<Parts<Self>> {
        Some(read::read(call, Stored::of(parts)?).await.into_parts())
    }

    async fn update(
        call: &mut Call<'_>,
        parts: Parts<Self>,
        planned: State,
        _config: &State,
    ) -> Result<Parts<Self>, Reported> {
        let stored = require(parts, call)?;
        Ok(write::update(call, stored, planned).await?.into_parts())
    }

    async fn destroy(call: &mut Call<'_>, parts: &Parts<Self>) -> Result<(), Reported> {
        let stored = require(parts.clone(), call)?;
        write::destroy(call, &stored).await
    }

    /// Imports by `integrations/{integration}` or `{integration}`.
    async fn find_import(
        _connection: &Connection,
        id: &str,
        diags: &mut Diagnostics,
    ) -> Result<String, Reported> {
        let integration = Identifier::parse(id.strip_prefix("integrations/").unwrap_or(id));
        let integration = integration.map_err(|_| messages::invalid_import_id(id).fail(diags))?;
        Ok(integration_name(&integration))
    }

    async fn import(call: &mut Call<'_>) -> Result<Parts<Self>, Reported> {
        let id = call.object.strip_prefix("integrations/").unwrap_or_default();
        match Identifier::parse(id) {
            Ok(integration) => Ok(read::import(call, integration).await?.into_parts()),
            Err(_) => Err(call.fail(invalid_state(call.kind))),
        }
    }

    fn generated_config(state: State) -> State {
        // The options are about creating and destroying.
        State { adopt_existing: Value::Null, deletion_policy: Value::Null, ..state }
    }
}

/// Returns the owners of an integration, or adds an error if the state does not contain a valid
/// one.
fn require(parts: Parts<IntegrationOwners>, call: &mut Call<'_>) -> Result<Stored, Reported> {
    Stored::of(parts).ok_or_else(|| call.fail(invalid_state(call.kind)))
}

/// The integration: the identity of the resource, and the argument of a `list` block.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IntegrationIdentity {
    integration: Value<String>,
}

#[async_trait]
impl ResourceWithIdentity for Managed<IntegrationOwners> {
    type Identity<'a> = IntegrationIdentity;

    fn identity_schema(&self, _diags: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(IdentitySchema::new().required("integration", AttributeType::String, INTEGRATION))
    }

    async fn identity<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: &State,
    ) -> Option<IntegrationIdentity> {
        state.integration_id()?;
        Some(IntegrationIdentity { integration: state.integration.clone() })
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: IntegrationIdentity,
    ) -> Option<(State, Private)> {
        let integration = read_identifier("integration", &identity.integration, diags)?;
        self.import(diags, integration.to_string()).await
    }
}

#[async_trait]
impl ListResource for Managed<IntegrationOwners> {
    type ListConfig<'a> = IntegrationIdentity;

    fn list_schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        let integration = required(AttributeType::String, INTEGRATION);
        let description = "All owners of an integration, as one resource.";
        Some(new_schema(0, description, [("integration", integration)]))
    }

    async fn validate_list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationIdentity,
    ) -> Option<()> {
        validate_identifier("integration", &config.integration, diags);
        Some(())
    }

    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: IntegrationIdentity,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let integration = read_identifier("integration", &config.integration, diags)?;
        let session = require_session(&self.connection, "list", WORDS.kinds, diags)?;
        let mut call = Call::new(&session, "list", WORDS, integration_name(&integration), diags);
        let stored = read::read_all(&mut call, integration).await.ok()?;
        if stored.private.entity.owners.is_empty() || stream.remaining() == 0 {
            return Some(());
        }
        let name = integration_name(&stored.integration);
        let resource = stream.include_resource().then_some(stored.state);
        // There is nothing else to send, whether the host wants more or not.
        _ = stream.send(ListResult::new(name, config).with_resource(resource)).await;
        Some(())
    }
}
