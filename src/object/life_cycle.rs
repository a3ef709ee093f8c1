//! [`LifeCycle`]: the steps of a resource's life, which [`super::managed::Managed`] serves to
//! Terraform. Roles and single owners have them as [`Entity`]; the list of all owners of an
//! integration has its own.

use std::future::Future;

use plugin_server::{CallContext, RawState};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tf_provider::schema::Schema;
use tf_provider::value::Value;
use tf_provider::{AttributePath, Diagnostics};

use super::call::Call;
use super::conflicts::{self, Side};
use super::message::{Reported, Words};
use super::messages::invalid_state;
use super::private_state::PrivateState;
use super::read::read;
use super::{
    Convert, Describe, Entity, Plan, Query, Stored, Write, create, delete, import, replace,
};
use crate::repository::OwnRepository;
use crate::service::{Claim, Connection, Key, Refresh, Session};

/// A state with its private state.
pub(crate) type Parts<L> = (<L as LifeCycle>::State, PrivateState<<L as LifeCycle>::Private>);

/// The steps of a resource's life.
pub(crate) trait LifeCycle: Send + Sync + 'static {
    type State: Clone + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The part of the private state that only this resource has.
    type Private: Clone + Default + Serialize + DeserializeOwned + Send + Sync;
    /// The words of messages about this resource.
    const RESOURCE: &'static Words;

    fn schema() -> Schema;
    /// Adds errors for values that the service can never accept.
    fn validate_config(config: &Self::State, diags: &mut Diagnostics);
    fn deletion_policy(state: &Self::State) -> &Value<String>;
    /// Returns the full name in a state. `None` if it is not known, or was edited.
    fn full_name(state: &Self::State) -> Option<String>;
    /// Returns the keys of the object in a state, at least one if it has a name.
    fn keys(state: &Self::State) -> Vec<Key>;
    /// Returns what a create makes, as messages name it; `None` if nothing of it is known.
    fn new_name(planned: &Self::State) -> Option<String>;
    /// Returns the planned values of a create. `repository` is `None` if the provider is not
    /// configured.
    fn planned_create(config: &Self::State, repository: Option<&OwnRepository>) -> Self::State;
    /// Returns the attributes whose change replaces the object; empty if it can be updated in
    /// place.
    fn replacing_attributes(prior: &Self::State, planned: &Self::State) -> Vec<AttributePath>;
    /// Returns the planned values of an update. Warns about its effects.
    fn planned_update(
        session: Option<&Session>,
        parts: &Parts<Self>,
        proposed: Self::State,
        config: &Self::State,
        diags: &mut Diagnostics,
    ) -> Self::State;
    /// Plans a create. `private` is that of the object which the resource replaces, or empty.
    fn plan_create(
        call: &mut Call<'_>,
        planned: &Self::State,
        config: &Self::State,
        private: PrivateState<Self::Private>,
    ) -> impl Future<Output = Result<PrivateState<Self::Private>, Reported>> + Send;
    /// Registers that the resource keeps its object. Fails if another resource of the plan
    /// contradicts that.
    fn plan_keep(
        call: &mut Call<'_>,
        prior: &Self::State,
        planned: &Self::State,
    ) -> Result<(), Reported>;
    /// Plans a replacement by another name, in its first call.
    fn plan_replace(
        call: &mut Call<'_>,
        parts: &Parts<Self>,
        planned: &Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<(), Reported>> + Send;
    /// Registers that the object is destroyed, or left at the service, and warns about the effects.
    fn plan_destroy(
        call: &mut Call<'_>,
        parts: &Parts<Self>,
    ) -> impl Future<Output = Result<(), Reported>> + Send;
    /// Makes or adopts the object. Returns a state or an error, never both: Terraform would taint
    /// the object.
    fn create(
        call: &mut Call<'_>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<Parts<Self>, Reported>> + Send;
    /// Refreshes a state. `None` removes the object from the state. After an error, the state is
    /// kept.
    fn read(
        call: &mut Call<'_>,
        parts: Parts<Self>,
    ) -> impl Future<Output = Option<Parts<Self>>> + Send;
    /// Changes the object in place. If a failure has left the object half changed, returns its
    /// state together with the error.
    fn update(
        call: &mut Call<'_>,
        parts: Parts<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<Parts<Self>, Reported>> + Send;
    /// Deletes the object, or leaves it at the service under `abandon`. After an error, the state
    /// stays.
    fn destroy(
        call: &mut Call<'_>,
        parts: &Parts<Self>,
    ) -> impl Future<Output = Result<(), Reported>> + Send;
    /// Returns the full name that an import ID selects, or adds an error.
    fn find_import(
        connection: &Connection,
        id: &str,
        diags: &mut Diagnostics,
    ) -> impl Future<Output = Result<String, Reported>> + Send;
    /// Imports the object of the full name that `call` has.
    fn import(call: &mut Call<'_>) -> impl Future<Output = Result<Parts<Self>, Reported>> + Send;
    /// Returns the configuration of an imported object, for `-generate-config-out`.
    fn generated_config(state: Self::State) -> Self::State;
    /// Returns whether a destroy leaves access behind that was granted through the object.
    fn has_grants_left(_state: &Self::State) -> bool {
        false
    }
}

/// Returns the private state of the object that a create replaces, or an empty one. The plan of the
/// create adds the successor; Terraform then gives it to the destroy of that object.
pub(crate) fn replaced_private<L: LifeCycle>() -> PrivateState<L::Private> {
    CallContext::current()
        .and_then(|call| call.read_private::<PrivateState<L::Private>>())
        .filter(|private| private.object.name.is_some())
        .unwrap_or_default()
}

/// Records that a state of this run names an object.
pub(crate) fn record_in_state<L: LifeCycle>(session: &Session, state: &L::State, refresh: Refresh) {
    if let Some(name) = L::full_name(state) {
        session.states.record(L::keys(state), &name, refresh);
    }
}

/// Records the object of a state that Terraform passes for an upgrade.
pub(crate) fn record_upgraded<L: LifeCycle>(connection: &Connection, state: &RawState<'_>) {
    if let Some(session) = connection.session()
        && let Some(state) = state.read::<L::State>(&mut Diagnostics::default())
    {
        record_in_state::<L>(&session, &state, Refresh::NotCalled);
    }
}

/// Returns the subject or name of a call. [`super::managed::Managed`] has checked it already; an
/// error would be a bug.
fn require<T>(found: Option<T>, call: &mut Call<'_>) -> Result<T, Reported> {
    found.ok_or_else(|| call.fail(invalid_state(call.kind)))
}

impl<E: Entity> LifeCycle for E {
    type State = <E as Convert>::State;
    type Private = <E as Convert>::Private;
    const RESOURCE: &'static Words = E::WORDS;

    fn schema() -> Schema {
        E::resource_schema()
    }

    fn validate_config(config: &Self::State, diags: &mut Diagnostics) {
        <E as Describe>::validate(config, diags);
    }

    fn deletion_policy(state: &Self::State) -> &Value<String> {
        E::common(state).deletion_policy
    }

    fn full_name(state: &Self::State) -> Option<String> {
        Some(E::state_name(state)?.to_string())
    }

    fn keys(state: &Self::State) -> Vec<Key> {
        E::state_keys(state)
    }

    fn new_name(planned: &Self::State) -> Option<String> {
        Some(E::subject(planned)?.to_string())
    }

    fn planned_create(config: &Self::State, repository: Option<&OwnRepository>) -> Self::State {
        <E as Plan>::planned_create(config, repository)
    }

    fn replacing_attributes(prior: &Self::State, planned: &Self::State) -> Vec<AttributePath> {
        <E as Plan>::requires_replace(prior, planned)
    }

    fn planned_update(
        session: Option<&Session>,
        parts: &Parts<Self>,
        proposed: Self::State,
        config: &Self::State,
        diags: &mut Diagnostics,
    ) -> Self::State {
        <E as Plan>::planned_update(
            session,
            &Stored::from_parts(parts.clone()),
            proposed,
            config,
            diags,
        )
    }

    async fn plan_create(
        call: &mut Call<'_>,
        planned: &Self::State,
        config: &Self::State,
        private: PrivateState<Self::Private>,
    ) -> Result<PrivateState<Self::Private>, Reported> {
        match E::subject(planned) {
            Some(subject) => create::plan::<E>(call, &subject, planned, config, private).await,
            None => Ok(private),
        }
    }

    fn plan_keep(
        call: &mut Call<'_>,
        prior: &Self::State,
        _planned: &Self::State,
    ) -> Result<(), Reported> {
        E::plan_member(call, prior)?;
        let claim = Claim::Keep { name: call.object.clone() };
        let registered = call.session.plans.register(&E::state_keys(prior), claim);
        registered.map_err(|found| conflicts::report(call, &found, Side::Keeps))
    }

    async fn plan_replace(
        call: &mut Call<'_>,
        parts: &Parts<Self>,
        planned: &Self::State,
        config: &Self::State,
    ) -> Result<(), Reported> {
        replace::plan::<E>(call, &Stored::from_parts(parts.clone()), planned, config).await
    }

    async fn plan_destroy(call: &mut Call<'_>, parts: &Parts<Self>) -> Result<(), Reported> {
        let name = require(E::state_name(&parts.0), call)?;
        delete::plan::<E>(call, &name, &Stored::from_parts(parts.clone()), None).await
    }

    async fn create(
        call: &mut Call<'_>,
        planned: Self::State,
        config: &Self::State,
    ) -> Result<Parts<Self>, Reported> {
        let subject = require(E::subject(&planned), call)?;
        Ok(create::create::<E>(call, &subject, planned, config).await?.into_parts())
    }

    async fn read(call: &mut Call<'_>, parts: Parts<Self>) -> Option<Parts<Self>> {
        let name = E::state_name(&parts.0)?;
        let mut stored = read::<E>(call, &name, Stored::from_parts(parts)).await?;
        E::record_run(&mut stored.private.entity, &stored.state, call.session);
        Some(stored.into_parts())
    }

    async fn update(
        call: &mut Call<'_>,
        parts: Parts<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> Result<Parts<Self>, Reported> {
        let _held = call.session.begin_write(&E::state_keys(&parts.0)).await;
        let stored = Stored::from_parts(parts);
        Ok(<E as Write>::update(call, stored, planned, config).await?.into_parts())
    }

    async fn destroy(call: &mut Call<'_>, parts: &Parts<Self>) -> Result<(), Reported> {
        let name = require(E::state_name(&parts.0), call)?;
        let _held = call.session.begin_write(&E::state_keys(&parts.0)).await;
        delete::destroy::<E>(call, &name, &Stored::from_parts(parts.clone())).await
    }

    async fn find_import(
        connection: &Connection,
        id: &str,
        diags: &mut Diagnostics,
    ) -> Result<String, Reported> {
        Ok(E::import_name(connection, id, diags).await?.to_string())
    }

    async fn import(call: &mut Call<'_>) -> Result<Parts<Self>, Reported> {
        use access_client::ObjectName as _;
        let name = require(E::Name::parse(&call.object).ok(), call)?;
        Ok(import::import::<E>(call, &name).await?.into_parts())
    }

    fn generated_config(state: Self::State) -> Self::State {
        <E as Query>::generate_config(state)
    }

    fn has_grants_left(state: &Self::State) -> bool {
        E::has_grants(state)
    }
}
