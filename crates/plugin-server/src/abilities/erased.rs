//! The abilities behind bytes.

use std::sync::Arc;

use async_trait::async_trait;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tokio::sync::mpsc;

use super::list::{ListSink, Listed};
use super::source::{MoveSource, StoredJson};
use super::{WithGenerateConfig, WithIdentity, WithList, WithMove, WithUpgrade};
use crate::erased::{Family, Object, TypedResource, encode, read_typed, write_object};
use crate::schema::IdentitySchema;
use crate::wire::Type;

/// A resource, as the owner of an ability.
pub(crate) struct With<R>(pub(crate) Arc<R>);

#[async_trait]
pub(crate) trait ErasedUpgrade: Send + Sync {
    async fn upgrade(&self, diags: &mut Diagnostics, version: i64, json: &[u8]) -> Option<Vec<u8>>;
}

#[async_trait]
impl<R: WithUpgrade + 'static> ErasedUpgrade for With<R> {
    async fn upgrade(&self, diags: &mut Diagnostics, version: i64, json: &[u8]) -> Option<Vec<u8>> {
        let state = self.0.upgrade_state(diags, version, StoredJson::new(json)).await?;
        encode(diags, &state)
    }
}

#[async_trait]
pub(crate) trait ErasedMove: Send + Sync {
    async fn move_state(&self, diags: &mut Diagnostics, source: MoveSource<'_>) -> Option<Object>;
}

#[async_trait]
impl<R: WithMove + 'static> ErasedMove for With<R> {
    async fn move_state(&self, diags: &mut Diagnostics, source: MoveSource<'_>) -> Option<Object> {
        let object = self.0.move_state(diags, source).await?;
        write_object::<R>(diags, object)
    }
}

#[async_trait]
pub(crate) trait ErasedIdentity: Send + Sync {
    fn schema(&self, diags: &mut Diagnostics) -> Option<IdentitySchema>;
    async fn identity(
        &self,
        diags: &mut Diagnostics,
        state_ty: &Type,
        state: &[u8],
    ) -> Option<Vec<u8>>;
    async fn import(&self, diags: &mut Diagnostics, ty: &Type, identity: &[u8]) -> Option<Object>;
    async fn upgrade(&self, diags: &mut Diagnostics, version: i64, json: &[u8]) -> Option<Vec<u8>>;
}

/// The identities of a resource.
struct IdentityOf<R>(std::marker::PhantomData<R>);

impl<R: WithIdentity> Family for IdentityOf<R> {
    type Of<'a> = R::Identity<'a>;
}

#[async_trait]
impl<R: WithIdentity + 'static> ErasedIdentity for With<R> {
    fn schema(&self, diags: &mut Diagnostics) -> Option<IdentitySchema> {
        self.0.identity_schema(diags)
    }

    async fn identity(
        &self,
        diags: &mut Diagnostics,
        state_ty: &Type,
        state: &[u8],
    ) -> Option<Vec<u8>> {
        let state = read_typed::<TypedResource<R>>(diags, state_ty, state)?;
        let identity = self.0.identity(diags, &state).await?;
        encode(diags, &identity)
    }

    async fn import(&self, diags: &mut Diagnostics, ty: &Type, identity: &[u8]) -> Option<Object> {
        let identity = read_typed::<IdentityOf<R>>(diags, ty, identity)?;
        let object = self.0.import_identity(diags, identity).await?;
        write_object::<R>(diags, object)
    }

    async fn upgrade(&self, diags: &mut Diagnostics, version: i64, json: &[u8]) -> Option<Vec<u8>> {
        let identity = self.0.upgrade_identity(diags, version, StoredJson::new(json)).await?;
        encode(diags, &identity)
    }
}

#[async_trait]
pub(crate) trait ErasedList: Send + Sync {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema>;
    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()>;
    async fn list(
        &self,
        diags: &mut Diagnostics,
        ty: &Type,
        config: &[u8],
        limit: u64,
        wants_resource: bool,
        sender: &mpsc::Sender<Listed>,
    ) -> Option<()>;
}

/// The list configurations of a resource.
struct ListConfigOf<R>(std::marker::PhantomData<R>);

impl<R: WithList> Family for ListConfigOf<R> {
    type Of<'a> = R::ListConfig<'a>;
}

#[async_trait]
impl<R: WithList + 'static> ErasedList for With<R> {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema> {
        self.0.list_schema(diags)
    }

    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()> {
        let config = read_typed::<ListConfigOf<R>>(diags, ty, config)?;
        self.0.validate_list(diags, config).await
    }

    async fn list(
        &self,
        diags: &mut Diagnostics,
        ty: &Type,
        config: &[u8],
        limit: u64,
        wants_resource: bool,
        sender: &mpsc::Sender<Listed>,
    ) -> Option<()> {
        let config = read_typed::<ListConfigOf<R>>(diags, ty, config)?;
        let mut sink = ListSink::new(sender, limit, wants_resource);
        self.0.list(diags, config, &mut sink).await
    }
}

#[async_trait]
pub(crate) trait ErasedGenerateConfig: Send + Sync {
    async fn generate(&self, diags: &mut Diagnostics, ty: &Type, state: &[u8]) -> Option<Vec<u8>>;
}

#[async_trait]
impl<R: WithGenerateConfig + 'static> ErasedGenerateConfig for With<R> {
    async fn generate(&self, diags: &mut Diagnostics, ty: &Type, state: &[u8]) -> Option<Vec<u8>> {
        let state = read_typed::<TypedResource<R>>(diags, ty, state)?;
        let config = self.0.generate_config(diags, state).await?;
        encode(diags, &config)
    }
}
