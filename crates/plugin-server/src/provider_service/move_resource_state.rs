//! MoveResourceState.

use tf_provider::Diagnostics;

use super::call::Call;
use super::identity::{UnknownIdentity, identity_of};
use super::upgrade_resource_state::stored_json;
use super::values::{known_value, msgpack_value, null_value};
use crate::context::CallInfo;
use crate::diagnostic::error;
use crate::dynamic::Object;
use crate::pb::tfplugin6::move_resource_state::{Request, Response};
use crate::registry::ResourceEntry;
use crate::resource::{MoveStateRequest, RawState};

impl Call for Request {
    const RPC: &'static str = "MoveResourceState";
    const FAILURE: &'static str = "Could not move the resource";
    type Entry = ResourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.target_type_name).private(&self.source_private)
    }

    fn failed(&self) -> Response {
        Response { target_state: Some(null_value()), ..Response::default() }
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let moved = move_state(entry, diags, &self).await;
        if moved.is_none() && diags.errors.is_empty() {
            let detail = format!(
                "{} of {} cannot be moved to {}. Remove the `moved` block.",
                self.source_type_name, self.source_provider_address, entry.name
            );
            error(diags, "Unsupported move", detail);
        }
        let Object { state, private } = moved?;
        let state = known_value(diags, state, &entry.schema.ty, "The moved state", &[]).into();
        let target_identity =
            identity_of(entry, diags, &state, None, UnknownIdentity::Refused).await;
        Some(Response {
            target_state: Some(msgpack_value(state)),
            target_private: private.into(),
            target_identity,
            ..Response::default()
        })
    }
}

async fn move_state(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: &Request,
) -> Option<Object> {
    let moves = entry.moves.as_ref()?;
    let state = stored_json(diags, request.source_state.as_ref(), Request::FAILURE)?;
    let identity = request.source_identity.as_ref().filter(|identity| !identity.json.is_empty());
    let source = MoveStateRequest {
        provider_address: &request.source_provider_address,
        type_name: &request.source_type_name,
        schema_version: request.source_schema_version,
        state: RawState::new(state),
        private: &request.source_private,
        identity: identity.map(|identity| RawState::new(&identity.json)),
    };
    moves.move_state(diags, source).await
}
