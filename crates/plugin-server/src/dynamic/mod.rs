//! Object-safe traits over msgpack bytes, implemented for every type with tf-provider's typed
//! traits.
//!
//! tf-provider has object-safe traits, too, but their values are of a private type, so that only
//! tf-provider can call them. The state types borrow from the request, so each method here keeps
//! the bytes until the typed call returns.

mod family;
mod fit;
mod place;
mod refit;
mod resource;
mod tree;
mod typed;

use async_trait::async_trait;
use tf_provider::schema::{FunctionSchema, Schema};
use tf_provider::{DataSource, Diagnostics, Function, Provider};

use crate::wire::Type;
pub(crate) use fit::misfits;
pub(crate) use resource::{DynResource, Object, ResourceContext, TypedResource, write_object};
use typed::untyped;
pub(crate) use typed::{Family, encode, encode_private, read_private, read_typed};

#[async_trait]
pub(crate) trait DynProvider: Send + Sync {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema>;
    fn meta_schema(&self, diags: &mut Diagnostics) -> Option<Schema>;
    /// Returns the number of entries that are registered through tf-provider, which this crate
    /// cannot call.
    fn unreachable(&self) -> usize;
    /// Returns in which way the type of the configuration does not fit the schema.
    fn misfits(&self, ty: &Type) -> Vec<String>;
    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()>;
    async fn configure(
        &self,
        diags: &mut Diagnostics,
        ty: &Type,
        terraform_version: String,
        config: &[u8],
    ) -> Option<()>;
}

pub(crate) struct TypedProvider<P>(pub(crate) P);

impl<P: Provider> Family for TypedProvider<P> {
    type Of<'a> = P::Config<'a>;

    fn encode(value: &P::Config<'_>) -> Option<Vec<u8>> {
        rmp_serde::to_vec_named(value).ok()
    }
}

#[async_trait]
impl<P: Provider> DynProvider for TypedProvider<P> {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema> {
        self.0.schema(diags)
    }

    fn meta_schema(&self, diags: &mut Diagnostics) -> Option<Schema> {
        self.0.meta_schema(diags)
    }

    fn unreachable(&self) -> usize {
        let mut diags = Diagnostics::default();
        self.0.get_resources(&mut diags).map_or(0, |all| all.len())
            + self.0.get_data_sources(&mut diags).map_or(0, |all| all.len())
            + self.0.get_functions(&mut diags).map_or(0, |all| all.len())
    }

    fn misfits(&self, ty: &Type) -> Vec<String> {
        misfits::<Self>(ty)
    }

    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()> {
        let config = read_typed::<Self>(diags, ty, config)?;
        self.0.validate(diags, config).await
    }

    async fn configure(
        &self,
        diags: &mut Diagnostics,
        ty: &Type,
        terraform_version: String,
        config: &[u8],
    ) -> Option<()> {
        let config = read_typed::<Self>(diags, ty, config)?;
        self.0.configure(diags, terraform_version, config).await
    }
}

#[async_trait]
pub(crate) trait DynDataSource: Send + Sync {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema>;
    /// Returns in which way the type of the state does not fit the schema.
    fn misfits(&self, ty: &Type) -> Vec<String>;
    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()>;
    async fn read(
        &self,
        diags: &mut Diagnostics,
        ty: &Type,
        config: &[u8],
        meta: &[u8],
    ) -> Option<Vec<u8>>;
}

pub(crate) struct TypedDataSource<D>(pub(crate) D);

impl<D: DataSource> Family for TypedDataSource<D> {
    type Of<'a> = D::State<'a>;

    fn encode(value: &D::State<'_>) -> Option<Vec<u8>> {
        rmp_serde::to_vec_named(value).ok()
    }
}

#[async_trait]
impl<D: DataSource> DynDataSource for TypedDataSource<D> {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema> {
        self.0.schema(diags)
    }

    fn misfits(&self, ty: &Type) -> Vec<String> {
        misfits::<Self>(ty)
    }

    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()> {
        let config = read_typed::<Self>(diags, ty, config)?;
        self.0.validate(diags, config).await
    }

    async fn read(
        &self,
        diags: &mut Diagnostics,
        ty: &Type,
        config: &[u8],
        meta: &[u8],
    ) -> Option<Vec<u8>> {
        let config = read_typed::<Self>(diags, ty, config)?;
        let meta = untyped(diags, meta, "the provider's metadata")?;
        let state = self.0.read(diags, config, meta).await?;
        encode(diags, &state)
    }
}

#[async_trait]
pub(crate) trait DynFunction: Send + Sync {
    fn schema(&self, diags: &mut Diagnostics) -> Option<FunctionSchema>;
    /// Returns in which way the type of the arguments does not fit that of the parameters.
    fn misfits(&self, ty: &Type) -> Vec<String>;
    /// Calls the function. `arguments` is one list of all arguments.
    async fn call(&self, diags: &mut Diagnostics, ty: &Type, arguments: &[u8]) -> Option<Vec<u8>>;
}

pub(crate) struct TypedFunction<F>(pub(crate) F);

impl<F: Function> Family for TypedFunction<F> {
    type Of<'a> = F::Input<'a>;
}

#[async_trait]
impl<F: Function> DynFunction for TypedFunction<F> {
    fn schema(&self, diags: &mut Diagnostics) -> Option<FunctionSchema> {
        self.0.schema(diags)
    }

    fn misfits(&self, ty: &Type) -> Vec<String> {
        misfits::<Self>(ty)
    }

    async fn call(&self, diags: &mut Diagnostics, ty: &Type, arguments: &[u8]) -> Option<Vec<u8>> {
        let input = read_typed::<Self>(diags, ty, arguments)?;
        let output = self.0.call(diags, input).await?;
        encode(diags, &output)
    }
}
