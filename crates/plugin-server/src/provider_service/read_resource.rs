//! ReadResource.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::identity::{UnknownIdentity, identity_of};
use super::values::{known_value, msgpack_value, null_value, read_value, state_of_read};
use crate::context::CallInfo;
use crate::dynamic::Object;
use crate::pb::tfplugin6::read_resource::{Request, Response};
use crate::registry::ResourceEntry;

impl Rpc for Request {
    const RPC: &'static str = "ReadResource";
    const FAILURE: &'static str = "Could not read the resource";
    type Entry = ResourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name).private(&self.private)
    }

    /// Returns the state that the host sent. With an error, Terraform keeps its state.
    fn failed(&self) -> Response {
        Response {
            new_state: self.current_state.clone(),
            private: self.private.clone(),
            new_identity: self.current_identity.clone(),
            ..Response::default()
        }
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let stored_state = read_value(diags, self.current_state, ty, "The current state")?;
        let read = entry.resource.read(diags, &stored_state, &self.private).await;
        if read.is_none() && !diags.errors.is_empty() {
            return None;
        }
        let stored = self.current_identity;
        let (new_state, private, new_identity) = match read {
            Some(Object { state, private }) => {
                let lead = "The state that was read";
                let state = known_value(diags, state, ty, lead).into();
                let identity =
                    identity_of(entry, diags, &state, stored, UnknownIdentity::Refused).await;
                (msgpack_value(state_of_read(&state, ty)), private.into(), identity)
            }
            // The object was not found. The response still contains its identity, derived from the
            // state if it was not stored, because OpenTofu 1.12 fails without one. It does not
            // contain the private data: Terraform would pass them to the create that is planned
            // next, which could then not tell it from the create of a replacement.
            None => {
                let identity = match stored.filter(|stored| stored.identity_data.is_some()) {
                    Some(stored) => Some(stored),
                    None => {
                        let refused = UnknownIdentity::Refused;
                        identity_of(entry, diags, stored_state.bytes(), None, refused).await
                    }
                };
                (null_value(), Default::default(), identity)
            }
        };
        Some(Response { new_state: Some(new_state), private, new_identity, ..Response::default() })
    }
}
