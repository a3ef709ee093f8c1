//! States of a prior schema version. Sends no request; the next refresh does.

use async_trait::async_trait;
use plugin_server::{RawState, ResourceWithUpgradeState};
use tf_provider::Diagnostics;

use super::resource::IntegrationOwnerResource;
use super::state::State;

#[async_trait]
impl ResourceWithUpgradeState for IntegrationOwnerResource {
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
        let Ok(service) = self.0.service() else { return };
        for key in state.keys() {
            let create_time = state.create_time.as_ref_option().cloned();
            service.owners.conflicts.loaded_states.record(key, create_time);
        }
    }
}
