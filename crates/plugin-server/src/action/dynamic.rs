//! The object-safe trait of actions.

use async_trait::async_trait;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;

use super::{Action, ActionProgress};
use crate::dynamic::{Family, read_typed};
use crate::wire::Type;

#[async_trait]
pub(crate) trait DynAction: Send + Sync {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema>;
    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()>;
    async fn modify_plan(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()>;
    async fn invoke(
        &self,
        diags: &mut Diagnostics,
        ty: &Type,
        config: &[u8],
        progress: &ActionProgress,
    ) -> Option<()>;
}

pub(crate) struct TypedAction<A>(pub(crate) A);

impl<A: Action> Family for TypedAction<A> {
    type Of<'a> = A::Config<'a>;
}

#[async_trait]
impl<A: Action> DynAction for TypedAction<A> {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema> {
        self.0.schema(diags)
    }

    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()> {
        let config = read_typed::<Self>(diags, ty, config)?;
        self.0.validate(diags, config).await
    }

    async fn modify_plan(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()> {
        let config = read_typed::<Self>(diags, ty, config)?;
        self.0.modify_plan(diags, config).await
    }

    async fn invoke(
        &self,
        diags: &mut Diagnostics,
        ty: &Type,
        config: &[u8],
        progress: &ActionProgress,
    ) -> Option<()> {
        let config = read_typed::<Self>(diags, ty, config)?;
        self.0.invoke(diags, config, progress).await
    }
}
