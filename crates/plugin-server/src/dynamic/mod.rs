//! Object-safe traits over msgpack bytes, implemented for every type with tf-provider's typed
//! traits.
//!
//! tf-provider has object-safe traits, too, but their values are of a private type, so that only
//! tf-provider can call them. The state types borrow from the request, so each method here keeps
//! the [`Input`] until the typed call returns.

mod input;
mod resource;

use async_trait::async_trait;
use tf_provider::{DataSource, Diagnostics, Provider};

use input::empty_meta;
pub(crate) use input::{Family, Input, encode};
pub(crate) use resource::{Action, Change, DynResource, Object, TypedResource, write_object};

/// A provider, by encoded values.
#[async_trait]
pub(crate) trait DynProvider: Send + Sync {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()>;
    async fn configure(
        &self,
        diags: &mut Diagnostics,
        terraform_version: String,
        config: &Input<'_>,
    ) -> Option<()>;
}

pub(crate) struct TypedProvider<P>(pub(crate) P);

impl<P: Provider> Family for TypedProvider<P> {
    type Of<'a> = P::Config<'a>;
}

#[async_trait]
impl<P: Provider> DynProvider for TypedProvider<P> {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()> {
        let config = config.read::<Self>(diags)?;
        self.0.validate(diags, config).await
    }

    async fn configure(
        &self,
        diags: &mut Diagnostics,
        terraform_version: String,
        config: &Input<'_>,
    ) -> Option<()> {
        let config = config.read::<Self>(diags)?;
        self.0.configure(diags, terraform_version, config).await
    }
}

/// A data source, by encoded values.
#[async_trait]
pub(crate) trait DynDataSource: Send + Sync {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()>;
    async fn read(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<Vec<u8>>;
}

pub(crate) struct TypedDataSource<D>(pub(crate) D);

impl<D: DataSource> Family for TypedDataSource<D> {
    type Of<'a> = D::State<'a>;
}

#[async_trait]
impl<D: DataSource> DynDataSource for TypedDataSource<D> {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()> {
        let config = config.read::<Self>(diags)?;
        self.0.validate(diags, config).await
    }

    async fn read(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<Vec<u8>> {
        let config = config.read::<Self>(diags)?;
        let meta = empty_meta(diags)?;
        let state = self.0.read(diags, config, meta).await?;
        encode(diags, &state)
    }
}
