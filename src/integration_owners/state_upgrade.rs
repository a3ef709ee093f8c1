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
        let state: State = state.read(diags)?;
        self.record_loaded(&state);
        Some(state)
    }

    async fn inspect_state<'a>(&self, state: RawState<'a>) {
        if let Some(state) = state.read(&mut Diagnostics::default()) {
            self.record_loaded(&state);
        }
    }
}

impl IntegrationOwnersResource {
    fn record_loaded(&self, state: &State) {
        if let (Ok(service), Some(integration)) = (self.0.service(), state.integration_id()) {
            let name = integration_name(&integration);
            service.owners.conflicts.loaded_states.record(name, state.principals());
        }
    }
}
