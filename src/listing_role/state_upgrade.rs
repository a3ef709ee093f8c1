//! Listing roles from elsewhere: from states of a prior schema version, and from generic REST
//! providers by `moved` blocks. Neither sends a request; the next refresh does.

use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::{MoveStateRequest, RawState, ResourceWithMoveState, ResourceWithUpgradeState};
use tf_provider::Diagnostics;

use super::resource::ListingRoleResource;
use super::state::{ListingRolePrivateState, Private, State};
use crate::object::generic_rest::RestObject;
use crate::private_state::PrivateState;

#[async_trait]
impl ResourceWithUpgradeState for ListingRoleResource {
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
impl ResourceWithMoveState for ListingRoleResource {
    async fn move_state<'a>(
        &self,
        diags: &mut Diagnostics,
        request: MoveStateRequest<'a>,
    ) -> Option<(State, Private)> {
        let source = RestObject::read(request, diags)?;
        let name = source.name::<ListingRole>(diags)?;
        let role = source.object::<ListingRole>(&name, diags)?;
        let mut private = ListingRolePrivateState::default();
        let mut state = State::from_name(&name);
        match role {
            Some(ListingRole { delete_time: Some(at), .. }) => {
                source.refuse::<ListingRole>(&format!("the role was deleted at {at}"), diags);
                return None;
            }
            Some(role) => state.set_from_response(role, &private),
            // As after an import by name alone: the next apply writes the whole configuration.
            None => private.unread = true,
        }
        Some((state, PrivateState(private)))
    }
}
