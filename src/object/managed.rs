//! [`Managed`]: the resource of an entity, and its data source for one object. It implements tf-provider's traits
//! once, for all entities.

use std::marker::PhantomData;

use async_trait::async_trait;
use plugin_server::{
    CallContext, IdentitySchema, RawState, ResourceWithGenerateConfig, ResourceWithIdentity,
    ResourceWithUpgradeState,
};
use tf_provider::schema::Schema;
use tf_provider::value::ValueEmpty;
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::call::{Call, require_session};
use super::identity::ObjectIdentity;
use super::message::Reported;
use super::messages::{self, invalid_state};
use super::read::read;
use super::{Entity, PrivateOf, Stored, conflicts, create, delete, import, replace};
use crate::service::{Claim, Connection, InState, Session};

/// The resource of an entity, and its data source for one object.
pub(crate) struct Managed<E> {
    pub(crate) connection: Connection,
    entity: PhantomData<fn() -> E>,
}

impl<E> Managed<E> {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, entity: PhantomData }
    }
}

fn require_valid<E: Entity, T>(found: Option<T>, diags: &mut Diagnostics) -> Option<T> {
    if found.is_none() {
        invalid_state(E::WORDS.kind).fail(diags);
    }
    found
}

fn record_in_state<E: Entity>(session: &Session, stored: &Stored<E>) {
    let Some(name) = E::state_name(&stored.state).map(|name| name.to_string()) else { return };
    let mut stored = stored.clone();
    stored.private.object.name = Some(name.clone());
    let (keys, leaves) = (E::state_keys(&stored.state), E::abandons(session, &stored.state));
    session.states.record(keys, &InState::upgraded(name, leaves).with_stored(stored));
}

#[async_trait]
impl<E: Entity> Resource for Managed<E> {
    type State<'a> = E::State;
    type PrivateState<'a> = PrivateOf<E>;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(E::resource_schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: E::State) -> Option<()> {
        E::validate(&config, diags);
        delete::validate_deletion_policy(E::common(&config).deletion_policy, diags);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        diags: &mut Diagnostics,
        _proposed: E::State,
        config: E::State,
        _meta: ValueEmpty,
    ) -> Option<(E::State, PrivateOf<E>)> {
        // The private state of the object that is replaced. Terraform passes it to the destroy of that
        // object in the form in which this plan returns it.
        let replaced = CallContext::current()
            .and_then(|call| call.read_private::<PrivateOf<E>>())
            .filter(|private| private.object.name.is_some());
        let session = self.connection.session_or_defer();
        let planned =
            E::planned_create(&config, session.as_ref().map(|session| &session.repository));
        let mut private = match session.zip(E::subject(&planned)) {
            None => replaced.unwrap_or_default(),
            Some((session, subject)) => {
                let mut call = Call::new(&session, "create", E::WORDS, &subject, diags);
                create::plan::<E>(&mut call, &subject, &planned, &config, replaced).await.ok()?
            }
        };
        private.replaced_by = Some(planned.clone());
        Some((planned, private))
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: E::State,
        proposed: E::State,
        config: E::State,
        mut private: PrivateOf<E>,
        _meta: ValueEmpty,
    ) -> Option<(E::State, PrivateOf<E>, Vec<AttributePath>)> {
        let session = self.connection.session_or_defer();
        let replaced = E::requires_replace(&prior, &proposed);
        let name = E::state_name(&prior).map(|name| name.to_string());
        // A create that replaces this object receives the private state of this plan.
        private.object.name = name.clone().or(private.object.name);
        private.begin_plan();
        let mut stored = Stored::<E> { state: prior, private };
        let planned = if replaced.is_empty() {
            E::planned_update(session.as_deref(), &stored, proposed, &config, diags)
        } else {
            E::planned_create(&config, session.as_ref().map(|session| &session.repository))
        };
        if let Some((session, name)) = session.as_deref().zip(name) {
            record_in_state::<E>(session, &stored);
            let mut call = Call::new(session, "plan", E::WORDS, &name, diags);
            if replaced.is_empty() {
                plan_keep::<E>(&mut call, &stored).ok()?;
            } else {
                replace::plan::<E>(&mut call, &stored, &planned, &config).await.ok()?;
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
        prior: E::State,
        mut private: PrivateOf<E>,
        _meta: ValueEmpty,
    ) -> Option<PrivateOf<E>> {
        private.begin_plan();
        let mut stored = Stored::<E> { state: prior, private };
        if let Some((session, name)) =
            self.connection.session_or_defer().zip(E::state_name(&stored.state))
        {
            let mut call = Call::new(&session, "plan", E::WORDS, &name, diags).without_source();
            delete::plan::<E>(&mut call, &stored, None).await.ok()?;
            stored.private.is_abandoned = stored.is_left(&session);
        }
        Some(stored.private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: E::State,
        config: E::State,
        _private: PrivateOf<E>,
        _meta: ValueEmpty,
    ) -> Option<(E::State, PrivateOf<E>)> {
        let subject = require_valid::<E, _>(E::subject(&planned), diags)?;
        let session = require_session(&self.connection, "create", E::WORDS.kind, diags)?;
        let mut call = Call::new(&session, "create", E::WORDS, &subject, diags);
        create::create::<E>(&mut call, &subject, planned, &config)
            .await
            .ok()
            .map(Stored::into_parts)
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: E::State,
        private: PrivateOf<E>,
        _meta: ValueEmpty,
    ) -> Option<(E::State, PrivateOf<E>)> {
        let Some(session) = self.connection.session_or_defer() else {
            return Some((prior, private));
        };
        let name = require_valid::<E, _>(E::state_name(&prior), diags)?;
        let mut call = Call::new(&session, "read", E::WORDS, &name, diags);
        let mut stored = read::<E>(&mut call, &name, Stored { state: prior, private }).await?;
        E::record_refresh(&mut stored.private.entity, &session);
        record_in_state::<E>(&session, &stored);
        Some(stored.into_parts())
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: E::State,
        planned: E::State,
        config: E::State,
        private: PrivateOf<E>,
        _meta: ValueEmpty,
    ) -> Option<(E::State, PrivateOf<E>)> {
        let name = require_valid::<E, _>(E::state_name(&prior), diags)?;
        let session = require_session(&self.connection, "update", E::WORDS.kind, diags)?;
        let mut call = Call::new(&session, "update", E::WORDS, &name, diags);
        let _held = session.begin_write(&E::state_keys(&prior)).await;
        let stored = Stored { state: prior, private };
        E::update(&mut call, stored, planned, &config).await.ok().map(Stored::into_parts)
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: E::State,
        private: PrivateOf<E>,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let name = require_valid::<E, _>(E::state_name(&prior), diags)?;
        let session = require_session(&self.connection, "delete", E::WORDS.kind, diags)?;
        let mut call = Call::new(&session, "delete", E::WORDS, &name, diags).without_source();
        let _held = session.begin_write(&E::state_keys(&prior)).await;
        let stored = Stored::<E> { state: prior, private };
        replace::check_again(&mut call, &stored).await.ok()?;
        delete::destroy(&mut call, &name, &stored).await.ok()
    }

    async fn import<'a>(
        &self,
        diags: &mut Diagnostics,
        id: String,
    ) -> Option<(E::State, PrivateOf<E>)> {
        let name = E::import_name(&self.connection, &id, diags).await.ok()?;
        let object = format!("{} {name}", E::WORDS.kind);
        let session = require_session(&self.connection, "import", &object, diags)?;
        let mut call = Call::new(&session, "import", E::WORDS, &name, diags);
        import::import::<E>(&mut call, &name).await.ok().map(Stored::into_parts)
    }
}

/// Registers that the resource keeps its object.
fn plan_keep<E: Entity>(call: &mut Call<'_>, stored: &Stored<E>) -> Result<(), Reported> {
    E::plan_member(call, &stored.state)?;
    let keys = E::state_keys(&stored.state);
    let write_id = stored.private.object.write_id.as_deref();
    let claim = Claim::Keep { name: &call.object, write_id };
    let registered = call.session.plans.register(&keys, &claim);
    if registered.map_err(|found| conflicts::report(call, &found))? {
        call.warn_once(messages::kept_twice(call));
    }
    Ok(())
}

#[async_trait]
impl<E: Entity> ResourceWithIdentity for Managed<E> {
    type Identity<'a> = ObjectIdentity;

    fn identity_schema(&self, _diags: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(ObjectIdentity::schema::<E>())
    }

    async fn identity<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: &E::State,
    ) -> Option<ObjectIdentity> {
        // Known whole or not at all: OpenTofu 1.12 cannot keep an identity that is known in part, as in
        // the plan of a role whose listing is created by the same apply.
        Some(ObjectIdentity::from_name::<E>(&E::state_name(state)?))
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: ObjectIdentity,
    ) -> Option<(E::State, PrivateOf<E>)> {
        let name = identity.to_name::<E>(diags)?;
        self.import(diags, name.to_string()).await
    }
}

#[async_trait]
impl<E: Entity> ResourceWithUpgradeState for Managed<E> {
    async fn pass_state<'a>(&self, state: RawState<'a>) {
        if let Some(session) = self.connection.configured()
            && let Some(state) = state.read::<E::State>(&mut Diagnostics::default())
            && let Some(name) = E::state_name(&state)
        {
            let object = InState::upgraded(name.to_string(), E::abandons(&session, &state));
            session.states.record(E::state_keys(&state), &object);
        }
    }
}

#[async_trait]
impl<E: Entity> ResourceWithGenerateConfig for Managed<E> {
    async fn generate_config<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: E::State,
    ) -> Option<E::State> {
        Some(E::generate_config(state))
    }
}
