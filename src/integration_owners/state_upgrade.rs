//! States of prior schema versions. There is none yet.

use async_trait::async_trait;
use plugin_server::{RawState, ResourceWithUpgradeState};
use tf_provider::Diagnostics;

use super::resource::IntegrationOwnersResource;
use super::state::State;

#[async_trait]
impl ResourceWithUpgradeState for IntegrationOwnersResource {
    async fn upgrade_state<'a>(
        &self,
        diags: &mut Diagnostics,
        _version: i64,
        state: RawState<'a>,
    ) -> Option<State> {
        state.read(diags)
    }
}
