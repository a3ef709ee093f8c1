//! Generated configuration.

use async_trait::async_trait;
use tf_provider::{Diagnostics, Resource};

use crate::dynamic::{Input, TypedResource, encode};

/// A resource that generates the configuration of an existing object
/// (`terraform plan -generate-config-out`, Terraform 1.14).
///
/// Without it, the configuration is the state without its read-only attributes.
///
/// Registered by [`Registration::generate_config`](crate::Registration::generate_config).
#[async_trait]
pub trait ResourceWithGenerateConfig: Resource {
    /// Converts the state of an object to the configuration that creates an equal one. Read-only
    /// attributes are removed from the result.
    async fn generate_config<'a>(
        &self,
        diags: &mut Diagnostics,
        state: Self::State<'a>,
    ) -> Option<Self::State<'a>>;
}

#[async_trait]
pub(crate) trait DynGenerateConfig: Send + Sync {
    async fn generate(&self, diags: &mut Diagnostics, state: &Input<'_>) -> Option<Vec<u8>>;
}

#[async_trait]
impl<R: ResourceWithGenerateConfig + 'static> DynGenerateConfig for TypedResource<R> {
    async fn generate(&self, diags: &mut Diagnostics, state: &Input<'_>) -> Option<Vec<u8>> {
        let state = state.read::<Self>(diags)?;
        let config = self.0.generate_config(diags, state).await?;
        encode(diags, &config)
    }
}
