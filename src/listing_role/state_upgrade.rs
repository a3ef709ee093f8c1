//! States of a prior schema version. Sends no request; the next refresh does.

use async_trait::async_trait;
use plugin_server::{RawState, ResourceWithUpgradeState};
use tf_provider::Diagnostics;

use super::resource::ListingRoleResource;
use super::state::State;

#[async_trait]
impl ResourceWithUpgradeState for ListingRoleResource {
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
        if let (Ok(service), Some(name)) = (self.0.service(), state.role_name()) {
            let create_time = state.create_time.as_ref_option().cloned();
            service.roles.conflicts.loaded_states.record(name.to_string(), create_time);
        }
    }
}
