//! Integration owners from elsewhere: from states of a prior schema version, and from generic REST
//! providers by `moved` blocks. Neither sends a request; the next refresh does.

use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::{MoveStateRequest, RawState, ResourceWithMoveState, ResourceWithUpgradeState};
use tf_provider::Diagnostics;

use super::resource::IntegrationOwnerResource;
use super::state::{Private, State};
use crate::object::generic_rest::RestObject;

#[async_trait]
impl ResourceWithUpgradeState for IntegrationOwnerResource {
    async fn upgrade_state<'a>(
        &self,
        diags: &mut Diagnostics,
        _version: i64,
        state: RawState<'a>,
    ) -> Option<State> {
        state.read(diags)
    }
}

#[async_trait]
impl ResourceWithMoveState for IntegrationOwnerResource {
    async fn move_state<'a>(
        &self,
        diags: &mut Diagnostics,
        request: MoveStateRequest<'a>,
    ) -> Option<(State, Private)> {
        let source = RestObject::read(request, diags)?;
        let name = source.name::<IntegrationOwner>(diags)?;
        // Without a stored response, `owner` is taken from the configuration, as after an import by
        // name alone.
        let mut state = State::from_name(&name);
        if let Some(owner) = source.object::<IntegrationOwner>(&name, diags)? {
            state.set_from_response(owner, None);
        }
        Some((state, Private::default()))
    }
}
