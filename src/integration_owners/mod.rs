//! All owners of an integration as one resource, `access_integration_owners`: the authoritative
//! counterpart of `integration_owner`, whose POST and DELETE it uses for each owner.
//!
//! Calls: list (existence check, refresh, import, and before each write), POST for each owner that is
//! missing, then DELETE for each that is not wanted; GET for owners that a list lacks.
//! Known trap: an integration without owners cannot be managed any more. Owners are removed only after
//! all others were added, and never the last one, except by a destroy.

mod change;
mod check;
mod delete;
mod messages;
mod plan;
mod query;
mod read;
mod schema;
mod state;

use access_client::Identifier;
use async_trait::async_trait;
use plugin_server::{CallContext, RawState, ResourceWithUpgradeState};
use tf_provider::schema::Schema;
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

use schema::WORDS;
pub(crate) use state::IntegrationOwnersState;
use state::{Private, Stored, integration_name};

use crate::object::call::{Call, require_session};
use crate::object::delete::validate_deletion_policy;
use crate::object::messages::invalid_state;
use crate::object::value::validate_identifier;
use crate::object::{Message, Reported};
use crate::service::{Connection, InState, Key, Session};

type State = IntegrationOwnersState;

pub(crate) struct IntegrationOwnersResource(pub(crate) Connection);

#[async_trait]
impl Resource for IntegrationOwnersResource {
    type State<'a> = State;
    type PrivateState<'a> = Private;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(schema::resource_schema())
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
        _proposed: State,
        config: State,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let replaced = CallContext::current().and_then(|call| call.read_private::<Private>());
        let planned = config.planned_create();
        if let Some((session, integration)) =
            self.0.session_or_defer().zip(planned.integration_id())
        {
            let name = integration_name(&integration);
            let mut call = Call::new(&session, "create", WORDS, name, diags);
            let replaced = replaced.as_ref().and_then(|private| private.object.name.as_deref());
            plan::plan_create(&mut call, &integration, &planned, replaced).await.ok()?;
        }
        let private = replaced.unwrap_or_default();
        Some((planned.clone(), Private { replaced_by: Some(planned), ..private }))
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
        let session = self.0.session_or_defer();
        let integration = prior.integration_id();
        private.object.name = integration.as_ref().map(integration_name);
        private.begin_plan();
        let replaced = plan::requires_replace(&prior, &proposed);
        let planned = if replaced.is_empty() { proposed } else { proposed.planned_create() };
        let mut stored = Stored { state: prior, private };
        if let Some((session, integration)) = session.as_deref().zip(integration) {
            let mut call = Call::new(session, "plan", WORDS, integration_name(&integration), diags);
            if replaced.is_empty() {
                let private = &stored.private.entity;
                plan::plan_keep(&mut call, &integration, &planned, private).ok()?;
            } else {
                plan::plan_replace(&mut call, &integration, &stored, &planned).await.ok()?;
                stored.private.is_abandoned = stored.is_left(session);
            }
        }
        if !replaced.is_empty() {
            stored.private.replaced_by = Some(planned.clone());
        }
        Some((planned, stored.private, replaced))
    }

    async fn plan_destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        mut private: Private,
        _meta: ValueEmpty,
    ) -> Option<Private> {
        private.begin_plan();
        let mut stored = Stored { state: prior, private };
        if let Some((session, integration)) =
            self.0.session_or_defer().zip(stored.state.integration_id())
        {
            let name = integration_name(&integration);
            let mut call = Call::new(&session, "plan", WORDS, name, diags).without_source();
            plan::plan_destroy(&mut call, &integration, &stored).await.ok()?;
            stored.private.is_abandoned = stored.is_left(&session);
        }
        Some(stored.private)
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
        let planned = planned.planned_create();
        let integration = require_integration(&planned, diags).ok()?;
        let session = require_session(&self.0, "create", WORDS.kind, diags)?;
        let mut call = Call::new(&session, "create", WORDS, integration_name(&integration), diags);
        change::create(&mut call, &integration, planned).await.ok().map(Stored::into_parts)
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<(State, Private)> {
        let Some(session) = self.0.session_or_defer() else { return Some((prior, private)) };
        let integration = require_integration(&prior, diags).ok()?;
        let name = integration_name(&integration);
        record_in_state(&session, &prior);
        let mut call = Call::new(&session, "read", WORDS, name, diags);
        let stored = Stored { state: prior, private };
        Some(read::read(&mut call, &integration, stored).await.into_parts())
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
        let integration = require_integration(&prior, diags).ok()?;
        let session = require_session(&self.0, "update", WORDS.kind, diags)?;
        let mut call = Call::new(&session, "update", WORDS, integration_name(&integration), diags);
        let stored = Stored { state: prior, private };
        let updated = change::update(&mut call, &integration, stored, planned).await;
        updated.ok().map(Stored::into_parts)
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: State,
        private: Private,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let integration = require_integration(&prior, diags).ok()?;
        let session = require_session(&self.0, "delete", WORDS.kind, diags)?;
        let name = integration_name(&integration);
        let mut call = Call::new(&session, "delete", WORDS, name, diags).without_source();
        delete::destroy(&mut call, &integration, &Stored { state: prior, private }).await.ok()
    }

    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Option<(State, Private)> {
        let Some(integration) = parse_import_id(&id) else {
            messages::import_id(&id).fail(diags);
            return None;
        };
        let session = require_session(&self.0, "import", WORDS.kind, diags)?;
        let mut call = Call::new(&session, "import", WORDS, integration_name(&integration), diags);
        read::import(&mut call, &integration).await.ok().map(Stored::into_parts)
    }
}

#[async_trait]
impl ResourceWithUpgradeState for IntegrationOwnersResource {
    async fn upgrade_state<'a>(
        &self,
        diags: &mut Diagnostics,
        _version: i64,
        state: RawState<'a>,
    ) -> Option<State> {
        state.read(diags)
    }

    async fn pass_state<'a>(&self, state: RawState<'a>) {
        if let Some(session) = self.0.configured()
            && let Some(state) = state.read::<State>(&mut Diagnostics::default())
        {
            record_in_state(&session, &state);
        }
    }
}

/// Records the owners that a state of this run names.
fn record_in_state(session: &Session, state: &State) {
    let Some(name) = state.integration_id().map(|id| integration_name(&id)) else { return };
    let policy = session.policy_of(&state.deletion_policy);
    session.states.record(vec![Key::Name(name.clone())], &InState::upgraded(name, policy));
}

fn require_integration(state: &State, diags: &mut Diagnostics) -> Result<Identifier, Reported> {
    state.integration_id().ok_or_else(|| invalid_state(WORDS.kind).fail(diags))
}

/// Parses an import ID: `integrations/{integration}` or `{integration}`.
fn parse_import_id(id: &str) -> Option<Identifier> {
    Identifier::parse(id.strip_prefix("integrations/").unwrap_or(id)).ok()
}

/// Adds an error if the owners are empty, or if one of them is not a user, group or team.
fn validate_owners(config: &State, diags: &mut Diagnostics) {
    let Some(owners) = config.owners.as_ref_option() else { return };
    let mut refuse = |fault: String| {
        Message::new("Invalid owners", fault).at("owners").fail(diags);
    };
    if owners.is_empty() {
        refuse(
            "An integration without owners cannot be managed any more. List at least one owner."
                .to_owned(),
        );
    }
    for owner in owners {
        match owner {
            Value::Value(text) => {
                if let Err(error) = access_client::Principal::parse(text) {
                    refuse(format!("{text:?} is not a user, group or team: it {error}."));
                }
            }
            Value::Null => refuse("An owner must not be null.".to_owned()),
            Value::Unknown => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_id_is_an_integration() {
        for id in ["github", "integrations/github"] {
            assert_eq!(parse_import_id(id), Identifier::parse("github").ok(), "{id}");
        }
        for id in ["", "integrations/", "a/b", "integrations/a/owners/b", "listings/a"] {
            assert_eq!(parse_import_id(id), None, "{id}");
        }
    }
}
