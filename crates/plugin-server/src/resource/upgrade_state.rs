//! State upgrades.

use async_trait::async_trait;
use tf_provider::{Diagnostics, Resource};

use super::raw_state::RawState;
use crate::dynamic::{TypedResource, encode};

/// A resource that reads states of prior schema versions. tf-provider's `Resource::upgrade` is not
/// called.
///
/// Registered by [`Registration::upgrade_state`](crate::Registration::upgrade_state).
///
/// ```no_run
/// # mod larder {
/// # use plugin_server::{RawState, ResourceWithUpgradeState};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/documentation/provider.rs"));
/// #[async_trait]
/// impl ResourceWithUpgradeState for Jar {
///     async fn upgrade_state<'a>(
///         &self,
///         diags: &mut Diagnostics,
///         _version: i64,
///         state: RawState<'a>,
///     ) -> Option<JarState> {
///         /// Version 0 called the label a name, and had no weight.
///         #[derive(Deserialize)]
///         struct Version0 {
///             name: String,
///             content: String,
///         }
///         let prior: Version0 = state.read(diags)?;
///         let weight = Value::Value(prior.content.len() as u64);
///         let content = Value::Value(prior.content);
///         Some(JarState { label: Value::Value(prior.name), content, weight })
///     }
/// }
/// # }
/// # fn main() {}
/// ```
#[async_trait]
pub trait ResourceWithUpgradeState: Resource {
    /// Converts a state of a prior schema version to the current one.
    ///
    /// Called only if `version`, the schema version of the stored state, is not the current one.
    /// The result must not contain unknown values. By default, the state is read as one of the
    /// current version: attributes that it lacks are null.
    async fn upgrade_state<'a>(
        &self,
        diags: &mut Diagnostics,
        _version: i64,
        state: RawState<'a>,
    ) -> Option<Self::State<'a>> {
        state.read(diags)
    }

    /// Receives a stored state of the current schema version, which the host then uses as it is.
    ///
    /// The host passes every stored state of a resource before it plans the resource, also if it
    /// reads none (`-refresh=false`). A provider that compares the resources of one plan learns
    /// here what the states contain. Does nothing by default.
    async fn pass_state<'a>(&self, _state: RawState<'a>) {}
}

#[async_trait]
pub(crate) trait DynUpgradeState: Send + Sync {
    async fn upgrade(&self, diags: &mut Diagnostics, version: i64, json: &[u8]) -> Option<Vec<u8>>;
    async fn pass(&self, json: &[u8]);
}

#[async_trait]
impl<R: ResourceWithUpgradeState + 'static> DynUpgradeState for TypedResource<R> {
    async fn upgrade(&self, diags: &mut Diagnostics, version: i64, json: &[u8]) -> Option<Vec<u8>> {
        let state = self.0.upgrade_state(diags, version, RawState::new(json)).await?;
        encode(diags, &state)
    }

    async fn pass(&self, json: &[u8]) {
        self.0.pass_state(RawState::new(json)).await;
    }
}
