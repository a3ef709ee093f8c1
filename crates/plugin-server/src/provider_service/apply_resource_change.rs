//! ApplyResourceChange.
//!
//! After an error, Terraform stores the returned state unless it is null. If it is null, Terraform
//! keeps the state from before the apply. Responses with errors therefore contain the state of
//! everything that was created.

use tf_provider::Diagnostics;

use super::call::{Rpc, nothing_returned};
use super::identity::{UnknownIdentity, identity_of};
use super::values::{CONFIG, Returned, msgpack_value, null_value, read_complete, read_value};
use crate::context::CallInfo;
use crate::dynamic::{Action, Change, Object};
use crate::pb::tfplugin6::apply_resource_change::{Request, Response};
use crate::registry::ResourceEntry;

const RESULT: &str = "The new state";

impl Rpc for Request {
    const RPC: &'static str = "ApplyResourceChange";
    const FAILURE: &'static str = "Could not apply the change";
    const VALUES_WITH_ERRORS: bool = true;
    type Entry = ResourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name).private(&self.planned_private)
    }

    /// Returns a null state, so that Terraform keeps the prior state with its private data, and
    /// ignores that of the response.
    fn failed(&self) -> Response {
        Response {
            new_state: Some(null_value()),
            private: self.planned_private.clone(),
            new_identity: self.planned_identity.clone(),
            ..Response::default()
        }
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let change = Change {
            prior: read_value(diags, self.prior_state, ty, "The prior state")?,
            planned: read_value(diags, self.planned_state, ty, "The planned state")?,
            config: read_complete(diags, self.config, ty, CONFIG)?,
            private: &self.planned_private,
        };
        let action = change.action();
        let planned = &change.planned;
        let applied = entry.resource.apply(diags, &change).await;
        if applied.is_none() {
            let failure = match action {
                Action::Create => "Could not create the resource",
                Action::Update => "Could not update the resource",
                Action::Destroy => "Could not destroy the resource",
            };
            nothing_returned(diags, failure);
        }
        let Object { state, private } = applied?;
        if action == Action::Destroy {
            // With an error, Terraform keeps the resource, which may still exist.
            let destroyed = Response { new_state: Some(null_value()), ..Response::default() };
            return diags.errors.is_empty().then_some(destroyed);
        }
        let is_create = action == Action::Create;
        let mut returned = Returned::read(diags, state, ty, RESULT);
        // Further errors would not help.
        if diags.errors.is_empty() {
            returned.require_known(diags, RESULT);
        }
        if returned.is_null() && is_create {
            // The provider did not return an object, so the planned state is returned.
            returned.replace(planned);
        }
        returned.unknown_to_null();
        let state = returned.bytes.into();
        let before = self.planned_identity.filter(|_| !is_create);
        let refused = UnknownIdentity::Refused;
        let new_identity = identity_of(entry, diags, &state, before, refused).await;
        Some(Response {
            new_state: Some(msgpack_value(state)),
            private: private.into(),
            new_identity,
            ..Response::default()
        })
    }
}
