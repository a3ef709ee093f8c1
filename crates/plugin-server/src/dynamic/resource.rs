//! The object-safe trait of managed resources.

use std::sync::Arc;

use async_trait::async_trait;
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::input::{Family, Input, empty_meta, encode, encode_private, read_private};

/// The action of a plan or an apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// There is no prior state. A replacement is planned a second time as a create.
    Create,
    /// There are a prior and a planned state: an update, or the first plan of a replacement.
    Update,
    /// There is no planned state.
    Destroy,
}

/// State and private data of one object.
#[derive(Debug, Default)]
pub(crate) struct Object {
    pub(crate) state: Vec<u8>,
    pub(crate) private: Vec<u8>,
}

/// The values of a plan or of an apply.
pub(crate) struct Change<'c> {
    pub(crate) prior: Input<'c>,
    /// The proposed state in a plan.
    pub(crate) planned: Input<'c>,
    pub(crate) config: Input<'c>,
    pub(crate) private: &'c [u8],
}

impl Change<'_> {
    /// Returns the action by which of the two states is null. If both are, there is nothing left to
    /// plan: a destroy.
    pub(crate) fn action(&self) -> Action {
        match (self.prior.is_null(), self.planned.is_null()) {
            (_, true) => Action::Destroy,
            (true, false) => Action::Create,
            (false, false) => Action::Update,
        }
    }
}

/// A resource, by encoded values.
#[async_trait]
pub(crate) trait DynResource: Send + Sync {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()>;
    async fn read(
        &self,
        diags: &mut Diagnostics,
        state: &Input<'_>,
        private: &[u8],
    ) -> Option<Object>;
    /// Returns the plan, and the paths that require replacement. The state of a destruction is
    /// empty.
    async fn plan(
        &self,
        diags: &mut Diagnostics,
        change: &Change<'_>,
    ) -> Option<(Object, Vec<AttributePath>)>;
    /// Returns the result, which is empty after a destruction.
    async fn apply(&self, diags: &mut Diagnostics, change: &Change<'_>) -> Option<Object>;
    async fn import(&self, diags: &mut Diagnostics, id: String) -> Option<Object>;
}

/// A resource, shared by the traits that it implements.
pub(crate) struct TypedResource<R>(pub(crate) Arc<R>);

impl<R: Resource> Family for TypedResource<R> {
    type Of<'a> = R::State<'a>;
}

/// Encodes the state and the private data that a resource returned.
pub(crate) fn write_object<R: Resource>(
    diags: &mut Diagnostics,
    (state, private): (R::State<'_>, R::PrivateState<'_>),
) -> Option<Object> {
    let state = encode(diags, &state);
    let private = encode_private(diags, &private);
    Some(Object { state: state?, private: private? })
}

#[async_trait]
impl<R: Resource + 'static> DynResource for TypedResource<R> {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()> {
        let config = config.read::<Self>(diags)?;
        self.0.validate(diags, config).await
    }

    async fn read(
        &self,
        diags: &mut Diagnostics,
        state: &Input<'_>,
        private: &[u8],
    ) -> Option<Object> {
        let state = state.read::<Self>(diags)?;
        let private = read_private(diags, private)?;
        let meta = empty_meta(diags)?;
        let object = self.0.read(diags, state, private, meta).await?;
        write_object::<R>(diags, object)
    }

    async fn plan(
        &self,
        diags: &mut Diagnostics,
        change: &Change<'_>,
    ) -> Option<(Object, Vec<AttributePath>)> {
        let Change { prior, planned: proposed, config, private } = change;
        let meta = empty_meta(diags)?;
        match change.action() {
            Action::Create => {
                let proposed = proposed.read::<Self>(diags)?;
                let config = config.read::<Self>(diags)?;
                let object = self.0.plan_create(diags, proposed, config, meta).await?;
                Some((write_object::<R>(diags, object)?, Vec::new()))
            }
            Action::Update => {
                let prior = prior.read::<Self>(diags)?;
                let proposed = proposed.read::<Self>(diags)?;
                let config = config.read::<Self>(diags)?;
                let private = read_private(diags, private)?;
                let (state, private, replace) =
                    self.0.plan_update(diags, prior, proposed, config, private, meta).await?;
                Some((write_object::<R>(diags, (state, private))?, replace))
            }
            Action::Destroy => {
                let prior = prior.read::<Self>(diags)?;
                let private = read_private(diags, private)?;
                let private = self.0.plan_destroy(diags, prior, private, meta).await?;
                let private = encode_private(diags, &private)?;
                Some((Object { private, ..Object::default() }, Vec::new()))
            }
        }
    }

    async fn apply(&self, diags: &mut Diagnostics, change: &Change<'_>) -> Option<Object> {
        let Change { prior, planned, config, private } = change;
        let private = read_private(diags, private)?;
        let meta = empty_meta(diags)?;
        let object = match change.action() {
            Action::Create => {
                let planned = planned.read::<Self>(diags)?;
                let config = config.read::<Self>(diags)?;
                self.0.create(diags, planned, config, private, meta).await?
            }
            Action::Update => {
                let prior = prior.read::<Self>(diags)?;
                let planned = planned.read::<Self>(diags)?;
                let config = config.read::<Self>(diags)?;
                self.0.update(diags, prior, planned, config, private, meta).await?
            }
            Action::Destroy => {
                let prior = prior.read::<Self>(diags)?;
                self.0.destroy(diags, prior, private, meta).await?;
                return Some(Object::default());
            }
        };
        write_object::<R>(diags, object)
    }

    async fn import(&self, diags: &mut Diagnostics, id: String) -> Option<Object> {
        let object = self.0.import(diags, id).await?;
        write_object::<R>(diags, object)
    }
}
