//! The object-safe trait of managed resources.

use std::sync::Arc;

use async_trait::async_trait;
use tf_provider::{AttributePath, Diagnostics, Resource};

use super::input::{Family, Input, encode, encode_private, read_private, untyped};

/// State and private data of one object.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) state: Vec<u8>,
    pub(crate) private: Vec<u8>,
}

/// The parameters of every call on one object.
#[derive(Clone, Copy)]
pub(crate) struct ResourceContext<'r> {
    pub(crate) private: &'r [u8],
    pub(crate) meta: &'r [u8],
}

#[async_trait]
pub(crate) trait DynResource: Send + Sync {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()>;
    async fn read(
        &self,
        diags: &mut Diagnostics,
        state: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Object>;
    async fn plan_create(
        &self,
        diags: &mut Diagnostics,
        proposed: &Input<'_>,
        config: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Object>;
    async fn plan_update(
        &self,
        diags: &mut Diagnostics,
        prior: &Input<'_>,
        proposed: &Input<'_>,
        config: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<(Object, Vec<AttributePath>)>;
    async fn plan_destroy(
        &self,
        diags: &mut Diagnostics,
        prior: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Vec<u8>>;
    async fn create(
        &self,
        diags: &mut Diagnostics,
        planned: &Input<'_>,
        config: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Object>;
    async fn update(
        &self,
        diags: &mut Diagnostics,
        prior: &Input<'_>,
        planned: &Input<'_>,
        config: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Object>;
    async fn destroy(
        &self,
        diags: &mut Diagnostics,
        prior: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<()>;
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

/// The name of the provider's metadata in errors.
const META: &str = "the provider's metadata";

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
        context: ResourceContext<'_>,
    ) -> Option<Object> {
        let state = state.read::<Self>(diags)?;
        let private = read_private(diags, context.private)?;
        let meta = untyped(diags, context.meta, META)?;
        let object = self.0.read(diags, state, private, meta).await?;
        write_object::<R>(diags, object)
    }

    async fn plan_create(
        &self,
        diags: &mut Diagnostics,
        proposed: &Input<'_>,
        config: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Object> {
        let proposed = proposed.read::<Self>(diags)?;
        let config = config.read::<Self>(diags)?;
        let meta = untyped(diags, context.meta, META)?;
        let object = self.0.plan_create(diags, proposed, config, meta).await?;
        write_object::<R>(diags, object)
    }

    async fn plan_update(
        &self,
        diags: &mut Diagnostics,
        prior: &Input<'_>,
        proposed: &Input<'_>,
        config: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<(Object, Vec<AttributePath>)> {
        let prior = prior.read::<Self>(diags)?;
        let proposed = proposed.read::<Self>(diags)?;
        let config = config.read::<Self>(diags)?;
        let private = read_private(diags, context.private)?;
        let meta = untyped(diags, context.meta, META)?;
        let (state, private, replace) =
            self.0.plan_update(diags, prior, proposed, config, private, meta).await?;
        Some((write_object::<R>(diags, (state, private))?, replace))
    }

    async fn plan_destroy(
        &self,
        diags: &mut Diagnostics,
        prior: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Vec<u8>> {
        let prior = prior.read::<Self>(diags)?;
        let private = read_private(diags, context.private)?;
        let meta = untyped(diags, context.meta, META)?;
        let private = self.0.plan_destroy(diags, prior, private, meta).await?;
        encode_private(diags, &private)
    }

    async fn create(
        &self,
        diags: &mut Diagnostics,
        planned: &Input<'_>,
        config: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Object> {
        let planned = planned.read::<Self>(diags)?;
        let config = config.read::<Self>(diags)?;
        let private = read_private(diags, context.private)?;
        let meta = untyped(diags, context.meta, META)?;
        let object = self.0.create(diags, planned, config, private, meta).await?;
        write_object::<R>(diags, object)
    }

    async fn update(
        &self,
        diags: &mut Diagnostics,
        prior: &Input<'_>,
        planned: &Input<'_>,
        config: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<Object> {
        let prior = prior.read::<Self>(diags)?;
        let planned = planned.read::<Self>(diags)?;
        let config = config.read::<Self>(diags)?;
        let private = read_private(diags, context.private)?;
        let meta = untyped(diags, context.meta, META)?;
        let object = self.0.update(diags, prior, planned, config, private, meta).await?;
        write_object::<R>(diags, object)
    }

    async fn destroy(
        &self,
        diags: &mut Diagnostics,
        prior: &Input<'_>,
        context: ResourceContext<'_>,
    ) -> Option<()> {
        let prior = prior.read::<Self>(diags)?;
        let private = read_private(diags, context.private)?;
        let meta = untyped(diags, context.meta, META)?;
        self.0.destroy(diags, prior, private, meta).await
    }

    async fn import(&self, diags: &mut Diagnostics, id: String) -> Option<Object> {
        let object = self.0.import(diags, id).await?;
        write_object::<R>(diags, object)
    }
}
