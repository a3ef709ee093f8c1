//! States of prior schema versions. There is none yet.

use async_trait::async_trait;
use plugin_server::{RawState, ResourceWithUpgradeState};
use tf_provider::Diagnostics;

use super::resource::IntegrationOwnersResource;
use super::state::State;
use crate::integration_owner::state::integration_name;

#[async_trait]
impl ResourceWithUpgradeState for IntegrationOwnersResource {
    async fn upgrade_state<'a>(
        &self,
        diags: &mut Diagnostics,
        _version: i64,
        state: RawState<'a>,
    ) -> Option<State> {
        self.inspect_state(state).await;
        state.read(diags)
    }

    async fn inspect_state<'a>(&self, state: RawState<'a>) {
        let Some(state) = state.read::<State>(&mut Diagnostics::default()) else { return };
        if let (Ok(service), Some(integration)) = (self.0.service(), state.integration_id()) {
            let name = integration_name(&integration);
            service.owners.conflicts.loaded_states.record(name, state.principals());
        }
    }
}
