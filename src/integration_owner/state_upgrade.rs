//! Integration owners that come from elsewhere: from states of an earlier schema, and from generic
//! REST providers by `moved` blocks. Neither asks the service; the next refresh does.

use access_client::IntegrationOwnerName;
use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::{MoveSource, StoredJson, WithMove, WithUpgrade};
use tf_provider::Diagnostics;

use super::TYPE;
use super::resource::{IntegrationOwnerResource, Private, State};
use crate::object::generic_rest::RestObject;

/// The version of the schema that states are stored under.
///
/// 0: as 1, without an identity.
pub(super) const SCHEMA_VERSION: i64 = 1;

#[async_trait]
impl WithUpgrade for IntegrationOwnerResource {
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
impl WithMove for IntegrationOwnerResource {
    async fn move_state<'a>(
        &self,
        diags: &mut Diagnostics,
        source: MoveSource<'a>,
    ) -> Option<(State, Private)> {
        let object = RestObject::read(source, diags)?;
        let parse = |name: &str| IntegrationOwnerName::parse(name).ok();
        let name = object.name(TYPE, "integrations/{integration}/owners/{owner}", parse, diags)?;
        let answered =
            object.object(TYPE, |answer| IntegrationOwner::from_body(answer, &name), diags)?;
        // Without an answer the configuration says whose owner it is, as after an import by name.
        let mut state = State::from_name(&name);
        if let Some(owner) = answered {
            state.set_from_response(owner);
        }
        Some((state, Private::default()))
    }
}
