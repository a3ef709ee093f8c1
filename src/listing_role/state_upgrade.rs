//! Listing roles that come from elsewhere: from states of an earlier schema, and from generic
//! REST providers by `moved` blocks. Neither asks the service; the next refresh does.

use access_client::ListingRoleName;
use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::{MoveSource, StoredJson, WithMove, WithUpgrade};
use tf_provider::Diagnostics;

use super::resource::{ListingRoleResource, Private, State};
use super::{ListingRolePrivateState, TYPE};
use crate::object::generic_rest::RestObject;
use crate::terraform::private_state::PrivateState;

/// The version of the schema that states are stored under.
///
/// 0: as 1, without an identity.
pub(super) const SCHEMA_VERSION: i64 = 1;

#[async_trait]
impl WithUpgrade for ListingRoleResource {
    async fn upgrade_state<'a>(
        &self,
        diags: &mut Diagnostics,
        _version: i64,
        state: StoredJson<'a>,
    ) -> Option<State> {
        state.read(diags)
    }
}

#[async_trait]
impl WithMove for ListingRoleResource {
    async fn move_state<'a>(
        &self,
        diags: &mut Diagnostics,
        source: MoveSource<'a>,
    ) -> Option<(State, Private)> {
        let object = RestObject::read(source, diags)?;
        let parse = |name: &str| ListingRoleName::parse(name).ok();
        let name = object.name(TYPE, "listings/{listing}/roles/{role}", parse, diags)?;
        let answered =
            object.object(TYPE, |answer| ListingRole::from_body(answer, &name), diags)?;
        let mut state = State::from_name(&name);
        let mut private = ListingRolePrivateState::default();
        match answered {
            Some(ListingRole { delete_time: Some(at), .. }) => {
                object.refuse(TYPE, &format!("the role was deleted at {at}"), diags);
                return None;
            }
            Some(role) => state.set_from_response(role, &ListingRolePrivateState::default()),
            // As after an import by name alone: the next apply writes the whole configuration.
            None => private.unread = true,
        }
        Some((state, PrivateState(private)))
    }
}
