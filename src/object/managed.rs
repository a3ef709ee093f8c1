//! [`Managed`]: a resource, and the data source for one object of an entity. It implements
//! tf-provider's traits once, for everything that has a [`LifeCycle`].

use std::marker::PhantomData;

use async_trait::async_trait;
use plugin_server::{
    IdentitySchema, RawState, ResourceWithGenerateConfig, ResourceWithIdentity,
    ResourceWithUpgradeState,
};
use tf_provider::schema::Schema;
use tf_provider::value::ValueEmpty;
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::Entity;
use super::call::{Call, require_session};
use super::delete::{self, validate_deletion_policy};
use super::identity::ObjectIdentity;
use super::life_cycle::{LifeCycle, Parts, record_in_state, record_upgraded, replaced_private};
use super::messages::invalid_state;
use super::private_state::PrivateState;
use crate::service::{Connection, Refresh, Session};

/// A resource, and the data source for one object of an entity.
pub(crate) struct Managed<L> {
    pub(crate) connection: Connection,
    life_cycle: PhantomData<fn() -> L>,
}

impl<L> Managed<L> {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, life_cycle: PhantomData }
    }
}

/// Returns the name of an object in a state, or adds an error.
fn require_name<L: LifeCycle>(state: &L::State, diags: &mut Diagnostics) -> Option<String> {
    let name = L::full_name(state);
    if name.is_none() {
        invalid_state(L::RESOURCE.kind).fail(diags);
    }
    name
}

/// Returns whether a plan leaves the object of a state at the service.
fn is_left<L: LifeCycle>(session: &Session, (state, private): &Parts<L>) -> bool {
    delete::is_left(session, L::deletion_policy(state), private)
}

#[async_trait]
impl<L: LifeCycle> Resource for Managed<L> {
    type State<'a> = L::State;
    type PrivateState<'a> = PrivateState<L::Private>;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(L::schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: L::State) -> Option<()> {
        L::validate_config(&config, diags);
        validate_deletion_policy(L::deletion_policy(&config), diags);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        diags: &mut Diagnostics,
        _proposed: L::State,
        config: L::State,
        _meta: ValueEmpty,
    ) -> Option<(L::State, PrivateState<L::Private>)> {
        let private = replaced_private::<L>();
        let session = self.connection.session_or_defer();
        let repository = session.as_ref().and_then(|session| session.known_repository());
        let planned = L::planned_create(&config, repository);
        let Some((session, name)) = session.zip(L::new_name(&planned)) else {
            return Some((planned, private));
        };
        let mut call = Call::new(&session, "create", L::RESOURCE, name, diags);
        let private = L::plan_create(&mut call, &planned, &config, private).await.ok()?;
        Some((planned, private))
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: L::State,
        proposed: L::State,
        config: L::State,
        mut private: PrivateState<L::Private>,
        _meta: ValueEmpty,
    ) -> Option<(L::State, PrivateState<L::Private>, Vec<AttributePath>)> {
        let session = self.connection.session_or_defer();
        let replaced = L::replacing_attributes(&prior, &proposed);
        let name = L::full_name(&prior);
        // A create that replaces this object receives the private state of this plan.
        private.object.name = name.clone().or(private.object.name);
        let mut parts = (prior, private);
        let planned = if replaced.is_empty() {
            L::planned_update(session.as_deref(), &parts, proposed, &config, diags)
        } else {
            let repository = session.as_ref().and_then(|session| session.known_repository());
            L::planned_create(&config, repository)
        };
        if let Some((session, name)) = session.as_deref().zip(name) {
            let mut call = Call::new(session, "plan", L::RESOURCE, name, diags);
            if replaced.is_empty() {
                L::plan_keep(&mut call, &parts.0, &planned).ok()?;
            } else {
                L::plan_replace(&mut call, &parts, &planned, &config).await.ok()?;
                parts.1.is_abandoned = is_left::<L>(session, &parts);
            }
        }
        Some((planned, parts.1, replaced))
    }

    async fn plan_destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: L::State,
        private: PrivateState<L::Private>,
        _meta: ValueEmpty,
    ) -> Option<PrivateState<L::Private>> {
        let mut parts = (prior, private);
        let session = self.connection.session_or_defer();
        if let Some((session, name)) = session.zip(L::full_name(&parts.0)) {
            let mut call = Call::new(&session, "plan", L::RESOURCE, name, diags).without_source();
            L::plan_destroy(&mut call, &parts).await.ok()?;
            parts.1.is_abandoned = is_left::<L>(&session, &parts);
        }
        Some(parts.1)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: L::State,
        config: L::State,
        _private: PrivateState<L::Private>,
        _meta: ValueEmpty,
    ) -> Option<(L::State, PrivateState<L::Private>)> {
        let Some(name) = L::new_name(&planned) else {
            invalid_state(L::RESOURCE.kind).fail(diags);
            return None;
        };
        let session = require_session(&self.connection, "create", L::RESOURCE.kind, diags)?;
        let mut call = Call::new(&session, "create", L::RESOURCE, name, diags);
        L::create(&mut call, planned, &config).await.ok()
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: L::State,
        private: PrivateState<L::Private>,
        _meta: ValueEmpty,
    ) -> Option<(L::State, PrivateState<L::Private>)> {
        let Some(session) = self.connection.session_or_defer() else {
            return Some((prior, private));
        };
        let name = require_name::<L>(&prior, diags)?;
        record_in_state::<L>(&session, &prior, Refresh::Called);
        if !session.has_settings() {
            return Some((prior, private));
        }
        let mut call = Call::new(&session, "read", L::RESOURCE, name, diags);
        let parts = L::read(&mut call, (prior, private)).await?;
        let has_grants = L::has_grants_left(&parts.0);
        record_in_state::<L>(&session, &parts.0, Refresh::Done { has_grants });
        Some(parts)
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: L::State,
        planned: L::State,
        config: L::State,
        private: PrivateState<L::Private>,
        _meta: ValueEmpty,
    ) -> Option<(L::State, PrivateState<L::Private>)> {
        let name = require_name::<L>(&prior, diags)?;
        let session = require_session(&self.connection, "update", L::RESOURCE.kind, diags)?;
        let mut call = Call::new(&session, "update", L::RESOURCE, name, diags);
        L::update(&mut call, (prior, private), planned, &config).await.ok()
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: L::State,
        private: PrivateState<L::Private>,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let name = require_name::<L>(&prior, diags)?;
        let session = require_session(&self.connection, "delete", L::RESOURCE.kind, diags)?;
        let mut call = Call::new(&session, "delete", L::RESOURCE, name, diags).without_source();
        L::destroy(&mut call, &(prior, private)).await.ok()
    }

    async fn import<'a>(
        &self,
        diags: &mut Diagnostics,
        id: String,
    ) -> Option<(L::State, PrivateState<L::Private>)> {
        let name = L::find_import(&self.connection, &id, diags).await.ok()?;
        let object = format!("{} {name}", L::RESOURCE.kind);
        let session = require_session(&self.connection, "import", &object, diags)?;
        let mut call = Call::new(&session, "import", L::RESOURCE, name, diags);
        L::import(&mut call).await.ok()
    }
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
        state: &<E as LifeCycle>::State,
    ) -> Option<ObjectIdentity> {
        // Known whole or not at all: OpenTofu 1.12 cannot keep an identity that is known in part,
        // as in the plan of a role whose listing is created by the same apply.
        Some(ObjectIdentity::from_name::<E>(&E::state_name(state)?))
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: ObjectIdentity,
    ) -> Option<(<E as LifeCycle>::State, PrivateState<<E as LifeCycle>::Private>)> {
        let name = identity.to_name::<E>(diags)?;
        Resource::import(self, diags, name.to_string()).await
    }
}

#[async_trait]
impl<L: LifeCycle> ResourceWithUpgradeState for Managed<L> {
    async fn pass_state<'a>(&self, state: RawState<'a>) {
        record_upgraded::<L>(&self.connection, &state);
    }
}

#[async_trait]
impl<L: LifeCycle> ResourceWithGenerateConfig for Managed<L> {
    async fn generate_config<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: L::State,
    ) -> Option<L::State> {
        Some(L::generated_config(state))
    }
}
