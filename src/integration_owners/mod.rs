//! All owners of an integration as one resource, `access_integration_owners`: the authoritative
//! counterpart of `integration_owner`, whose POST and DELETE it uses for each owner.
//!
//! Calls: list (existence check, refresh, import, and before the writes of an apply), POST for each owner that
//! is missing, then DELETE for each that is not wanted; GET for owners that a list lacks.
//! Known trap: an integration without owners cannot be managed any more. Owners are removed only after
//! all others were added, and never the last one, except by a destroy.

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
    CallContext, IdentitySchema, ListResource, ListResult, ListResultsStream, RawState,
    ResourceWithGenerateConfig, ResourceWithIdentity, ResourceWithUpgradeState,
};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

use schema::WORDS;
pub(crate) use state::IntegrationOwnersState;
use state::{Private, Stored, integration_name};

use crate::integration_owner::schema::INTEGRATION;
use crate::object::call::{Call, require_session};
use crate::object::messages::invalid_state;
use crate::object::value::{read_identifier, validate_identifier};
use crate::service::{Connection, InState, Key, Session};

type State = IntegrationOwnersState;

pub(crate) struct IntegrationOwnersResource {
    pub(crate) connection: Connection,
}

#[async_trait]
impl Resource for IntegrationOwnersResource {
    type State<'a> = State;
    type PrivateState<'a> = Private;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(schema::resource_schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: State) -> Option<()> {
        schema::validate(&config, diags);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        diags: &mut Diagnostics,
        _proposed: State,
        config: State,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        // The private state of the owners that are replaced.
        let private = CallContext::current().and_then(|call| call.read_private::<Private>());
        let mut private = private.unwrap_or_default();
        let planned = config.planned_create();
        if let Some((session, integration)) =
            self.connection.session_or_defer().zip(planned.integration_id())
        {
            let mut call = call_of(&session, "create", &integration, diags);
            let replaced = private.object.name.clone();
            plan::plan_create(&mut call, &integration, &planned, replaced).await.ok()?;
        }
        private.replaced_by = Some(planned.clone());
        Some((planned, private))
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        proposed: State,
        _config: State,
        mut private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private, Vec<AttributePath>)> {
        private.begin_plan();
        let replaced =
            requires_replace(&[("integration", &prior.integration, &proposed.integration)]);
        let is_kept = replaced.is_empty();
        let planned = if is_kept { proposed } else { proposed.planned_create() };
        let stored = Stored::of(prior, private.clone());
        // A create that replaces these owners receives the private state of this plan.
        private.object.name = stored.as_ref().map(|stored| integration_name(&stored.integration));
        if let Some((session, stored)) = self.connection.session_or_defer().zip(stored) {
            let mut call = call_of(&session, "plan", &stored.integration, diags);
            if is_kept {
                plan::plan_keep(&mut call, &stored, &planned).ok()?;
            } else {
                plan::plan_replace(&mut call, &stored, &planned).await.ok()?;
                private.is_abandoned = stored.is_left(&session);
            }
        }
        private.replaced_by = (!is_kept).then(|| planned.clone());
        Some((planned, private, replaced))
    }

    async fn plan_destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        mut private: Private,
        _meta: ValueEmpty,
    ) -> Option<Private> {
        private.begin_plan();
        let stored = Stored::of(prior, private.clone());
        if let Some((session, stored)) = self.connection.session_or_defer().zip(stored) {
            let mut call = call_of(&session, "plan", &stored.integration, diags).without_source();
            plan::plan_destroy(&mut call, &stored).await.ok()?;
            private.is_abandoned = stored.is_left(&session);
        }
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
        // It may have been planned before the integration was known.
        let planned = require(planned.planned_create(), Private::default(), diags)?;
        let session = require_session(&self.connection, "create", WORDS.kind, diags)?;
        let mut call = call_of(&session, "create", &planned.integration, diags);
        write::create(&mut call, planned).await.ok().map(Stored::into_parts)
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let Some(session) = self.connection.session_or_defer() else {
            return Some((prior, private));
        };
        let stored = require(prior, private, diags)?;
        record_in_state(&session, &stored.state);
        let mut call = call_of(&session, "read", &stored.integration, diags);
        Some(read::read(&mut call, stored).await.into_parts())
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
        let stored = require(prior, private, diags)?;
        let session = require_session(&self.connection, "update", WORDS.kind, diags)?;
        let mut call = call_of(&session, "update", &stored.integration, diags);
        write::update(&mut call, stored, planned).await.ok().map(Stored::into_parts)
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let stored = require(prior, private, diags)?;
        let session = require_session(&self.connection, "delete", WORDS.kind, diags)?;
        let mut call = call_of(&session, "delete", &stored.integration, diags).without_source();
        write::destroy(&mut call, &stored).await.ok()
    }

    /// Imports by `integrations/{integration}` or `{integration}`.
    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Option<(State, Private)> {
        let integration = Identifier::parse(id.strip_prefix("integrations/").unwrap_or(&id));
        let integration =
            integration.map_err(|_| messages::invalid_import_id(&id).fail(diags)).ok()?;
        let object = format!("{} {}", WORDS.kind, integration_name(&integration));
        let session = require_session(&self.connection, "import", &object, diags)?;
        let mut call = call_of(&session, "import", &integration, diags);
        read::import(&mut call, integration).await.ok().map(Stored::into_parts)
    }
}

/// Returns the owners of an integration, or adds an error if the state does not contain a valid one.
fn require(state: State, private: Private, diags: &mut Diagnostics) -> Option<Stored> {
    Stored::of(state, private).ok_or_else(|| invalid_state(WORDS.kind).fail(diags)).ok()
}

fn call_of<'c>(
    session: &'c Session,
    verb: &'static str,
    integration: &Identifier,
    diags: &'c mut Diagnostics,
) -> Call<'c> {
    Call::new(session, verb, WORDS, integration_name(integration), diags)
}

#[async_trait]
impl ResourceWithUpgradeState for IntegrationOwnersResource {
    async fn pass_state<'a>(&self, state: RawState<'a>) {
        if let Some(session) = self.connection.configured()
            && let Some(state) = state.read::<State>(&mut Diagnostics::default())
        {
            record_in_state(&session, &state);
        }
    }
}

fn record_in_state(session: &Session, state: &State) {
    let Some(name) = state.integration_id().map(|id| integration_name(&id)) else { return };
    let leaves = session.abandons(&state.deletion_policy);
    session.states.record(vec![Key::Name(name.clone())], &InState::upgraded(name, leaves));
}

/// The integration: the identity of the resource, and the argument of a `list` block.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IntegrationIdentity {
    integration: Value<String>,
}

#[async_trait]
impl ResourceWithIdentity for IntegrationOwnersResource {
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
impl ListResource for IntegrationOwnersResource {
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
        let mut call = call_of(&session, "list", &integration, diags);
        let stored = read::read_all(&mut call, integration).await.ok()?;
        if stored.private.entity.owners.is_empty() || stream.remaining() == 0 {
            return Some(());
        }
        let (name, identity) = (integration_name(&stored.integration), config);
        let resource = stream.include_resource().then_some(stored.state);
        // There is nothing else to send, whether the host wants more or not.
        _ = stream.send(ListResult::new(name, identity).with_resource(resource)).await;
        Some(())
    }
}

#[async_trait]
impl ResourceWithGenerateConfig for IntegrationOwnersResource {
    async fn generate_config<'a>(&self, _diags: &mut Diagnostics, state: State) -> Option<State> {
        // The options are about creating and destroying.
        Some(State { adopt_existing: Value::Null, deletion_policy: Value::Null, ..state })
    }
}
