//! [`Served`]: a resource as Terraform calls it. It implements tf-provider's traits once, for everything
//! that describes itself and has the steps of a resource's life.

use std::marker::PhantomData;

use async_trait::async_trait;
use plugin_server::{
    CallContext, IdentitySchema, ResourceWithGenerateConfig, ResourceWithIdentity,
    ResourceWithStoredStates,
};
use tf_provider::schema::Schema;
use tf_provider::value::ValueEmpty;
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::call::{Call, Operation, require_run};
use super::create::Create;
use super::delete::Delete;
use super::describe::Plan;
use super::entity::Entity;
use super::identity::ObjectIdentity;
use super::import::Import;
use super::read::Read;
use super::replace::Replace;
use super::stored::{Private, Stored};
use super::update::Update;
use crate::run::{Configured, Keys};
use crate::say::call::invalid_state;
use crate::say::read::could_not_read_yet;

/// The steps of a resource's life.
pub(crate) trait Steps: Plan + Create + Replace + Read + Import + Update + Delete {}

impl<R: Plan + Create + Replace + Read + Import + Update + Delete> Steps for R {}

/// A resource, and the data source for one object of an entity.
pub(crate) struct Served<R> {
    pub(crate) configured: Configured,
    resource: PhantomData<fn() -> R>,
}

impl<R> Served<R> {
    pub(crate) fn new(configured: Configured) -> Self {
        Self { configured, resource: PhantomData }
    }
}

/// Returns whether the host has marked a plan as the one inside an apply. There only the create may fail:
/// Terraform has deposed the object for it, and restores it after an error of the create alone.
fn is_inside_apply() -> bool {
    CallContext::current().is_some_and(|call| call.deferral_allowed())
}

/// Returns the name of an object in a state, or adds an error.
fn require_name<R: Steps>(state: &R::State, diags: &mut Diagnostics) -> Option<String> {
    let name = R::full_name(state);
    if name.is_none() {
        invalid_state(R::WORDS.noun).refuse(diags);
    }
    name
}

#[async_trait]
impl<R: Steps> Resource for Served<R> {
    type State<'a> = R::State;
    type PrivateState<'a> = Private<R::Private>;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _diags: &mut Diagnostics) -> Option<Schema> {
        Some(R::resource_schema())
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: R::State) -> Option<()> {
        R::validate(&config, diags);
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        diags: &mut Diagnostics,
        _proposed: R::State,
        config: R::State,
        _meta: ValueEmpty,
    ) -> Option<(R::State, Private<R::Private>)> {
        let run = self.configured.run();
        let planned = R::planned_create(&config, run.as_deref());
        // The private state of the object that the resource replaces, which the first plan call has returned.
        let private = CallContext::current()
            .and_then(|call| call.read_private::<Private<R::Private>>())
            .unwrap_or_default();
        let Some(run) = run.filter(|_| !is_inside_apply()) else {
            return Some((planned, private));
        };
        let name = R::new_name(&planned).unwrap_or_default();
        let mut call = Call::new(&run, Operation::Plan, R::WORDS, name, diags);
        let private = R::plan_create(&mut call, &planned, &config, private).await.ok()?;
        Some((planned, private))
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: R::State,
        proposed: R::State,
        config: R::State,
        mut private: Private<R::Private>,
        _meta: ValueEmpty,
    ) -> Option<(R::State, Private<R::Private>, Vec<AttributePath>)> {
        let run = self.configured.run();
        let name = R::full_name(&prior);
        // A create that replaces this object receives the private state of this plan.
        private.name = name.clone().or(private.name);
        let replaced = R::requires_replace(&prior, &proposed);
        let stored = Stored { state: prior, private };
        let planned = if replaced.is_empty() {
            R::planned_update(run.as_deref(), &stored, proposed, &config)
        } else {
            R::planned_create(&config, run.as_deref())
        };
        if let Some((run, name)) = run.as_deref().zip(name).filter(|_| !is_inside_apply()) {
            let mut call = Call::new(run, Operation::Plan, R::WORDS, name, diags);
            if replaced.is_empty() {
                R::plan_update(&mut call, &stored, &planned, &config).ok()?;
            } else {
                R::plan_replace(&mut call, &stored, &planned, &config).await.ok()?;
            }
        }
        Some((planned, stored.private, replaced))
    }

    async fn plan_destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: R::State,
        private: Private<R::Private>,
        _meta: ValueEmpty,
    ) -> Option<Private<R::Private>> {
        let mut stored = Stored { state: prior, private };
        if let Some((run, name)) = self.configured.run().zip(R::full_name(&stored.state)) {
            if !is_inside_apply() {
                let mut call = Call::new(&run, Operation::Plan, R::WORDS, name, diags);
                R::plan_destroy(&mut call, &stored).await.ok()?;
            }
            stored.private.is_left = stored.private.leaves(&run);
        }
        Some(stored.private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: R::State,
        config: R::State,
        _private: Private<R::Private>,
        _meta: ValueEmpty,
    ) -> Option<(R::State, Private<R::Private>)> {
        let Some(name) = R::new_name(&planned) else {
            invalid_state(R::WORDS.noun).refuse(diags);
            return None;
        };
        let run = require_run(&self.configured, Operation::Create, R::WORDS.noun, diags)?;
        let mut call = Call::new(&run, Operation::Create, R::WORDS, name, diags);
        let Stored { state, private } = R::create(&mut call, planned, &config).await.ok()?;
        Some((state, private))
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: R::State,
        private: Private<R::Private>,
        _meta: ValueEmpty,
    ) -> Option<(R::State, Private<R::Private>)> {
        let name = require_name::<R>(&prior, diags)?;
        let Some(run) = self.configured.run() else { return Some((prior, private)) };
        let keys = R::keys(&prior);
        run.plans.record_state(&Keys::default(), &keys);
        let mut call = Call::new(&run, Operation::Refresh, R::WORDS, name, diags);
        if let Some(reason) = &run.unknown {
            call.warn(could_not_read_yet(reason));
            return Some((prior, private));
        }
        let stored = Stored { state: prior, private };
        let Stored { state, private } = R::read(&mut call, stored).await?;
        run.plans.record_state(&keys, &R::keys(&state));
        Some((state, private))
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: R::State,
        planned: R::State,
        config: R::State,
        private: Private<R::Private>,
        _meta: ValueEmpty,
    ) -> Option<(R::State, Private<R::Private>)> {
        let name = require_name::<R>(&prior, diags)?;
        let run = require_run(&self.configured, Operation::Update, R::WORDS.noun, diags)?;
        let mut call = Call::new(&run, Operation::Update, R::WORDS, name, diags);
        let stored = Stored { state: prior, private };
        let updated = R::update(&mut call, stored, planned, &config).await.ok()?;
        Some((updated.state, updated.private))
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: R::State,
        private: Private<R::Private>,
        _meta: ValueEmpty,
    ) -> Option<()> {
        let name = require_name::<R>(&prior, diags)?;
        let run = require_run(&self.configured, Operation::Delete, R::WORDS.noun, diags)?;
        let mut call = Call::new(&run, Operation::Delete, R::WORDS, name, diags);
        let stored = Stored { state: prior, private };
        if let Some(successor) = &stored.private.successor {
            R::check_successor(&mut call, &stored, successor).await.ok()?;
        }
        R::destroy(&mut call, &stored).await.ok()
    }

    async fn import<'a>(
        &self,
        diags: &mut Diagnostics,
        id: String,
    ) -> Option<(R::State, Private<R::Private>)> {
        let name = R::find_import(&self.configured, &id, diags).await.ok()?;
        let object = format!("{} {name}", R::WORDS.noun);
        let run = require_run(&self.configured, Operation::Import, &object, diags)?;
        let mut call = Call::new(&run, Operation::Import, R::WORDS, name, diags);
        let Stored { state, private } = R::import(&mut call).await.ok()?;
        Some((state, private))
    }
}

#[async_trait]
impl<E: Entity> ResourceWithIdentity for Served<E> {
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
    ) -> Option<(E::State, Private<E::Private>)> {
        let name = identity.to_name::<E>(diags)?;
        Resource::import(self, diags, name.to_string()).await
    }
}

impl<R: Steps> ResourceWithStoredStates for Served<R> {
    /// A plan without a refresh, or of a tainted object, shows by this alone that a resource has its object.
    fn record_stored(&self, state: R::State) {
        if let Some(run) = self.configured.run() {
            run.plans.record_state(&Keys::default(), &R::keys(&state));
        }
    }
}

#[async_trait]
impl<R: Steps> ResourceWithGenerateConfig for Served<R> {
    async fn generate_config<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: R::State,
    ) -> Option<R::State> {
        Some(R::generate_config(state))
    }
}
