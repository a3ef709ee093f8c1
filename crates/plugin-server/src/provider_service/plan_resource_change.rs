//! PlanResourceChange.

use tf_provider::Diagnostics;

use super::call::{Rpc, nothing_returned};
use super::identity::{UnknownIdentity, identity_of};
use super::values::{CONFIG, Returned, msgpack_value, null_value, read_complete, read_value};
use crate::context::CallInfo;
use crate::diagnostic::path_to_wire;
use crate::dynamic::{Action, Change, Object};
use crate::pb::tfplugin6::plan_resource_change::{Request, Response};
use crate::registry::ResourceEntry;
use crate::wire;

const PLAN: &str = "The planned state";

impl Rpc for Request {
    const RPC: &'static str = "PlanResourceChange";
    const FAILURE: &'static str = "Could not plan the change";
    type Entry = ResourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        let capabilities = self.client_capabilities.unwrap_or_default();
        CallInfo::of(&self.type_name)
            .private(&self.prior_private)
            .deferral_allowed(capabilities.deferral_allowed)
    }

    /// Returns the state that the host sent. With an error, Terraform keeps its state.
    fn failed(&self) -> Response {
        Response {
            planned_state: self.prior_state.clone(),
            planned_private: self.prior_private.clone(),
            planned_identity: self.prior_identity.clone(),
            ..Response::default()
        }
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let capabilities = self.client_capabilities.unwrap_or_default();
        let change = Change {
            prior: read_value(diags, self.prior_state, ty, "The prior state")?,
            planned: read_value(diags, self.proposed_new_state, ty, "The proposed state")?,
            // Inside an apply, only an error of the create restores what Terraform has deposed for it.
            config: match capabilities.deferral_allowed {
                true => read_value(diags, self.config, ty, CONFIG)?,
                false => read_complete(diags, self.config, ty, CONFIG)?,
            },
            private: &self.prior_private,
        };
        let planned = entry.resource.plan(diags, &change).await;
        if change.action() == Action::Destroy {
            if planned.is_none() {
                nothing_returned(diags, "Could not plan the destruction");
            }
            return Some(Response {
                planned_state: Some(null_value()),
                planned_private: planned?.0.private.into(),
                planned_identity: self.prior_identity,
                ..Response::default()
            });
        }
        let (Object { state, private }, replace) = planned?;
        let state = Returned::read(diags, state, ty, PLAN).bytes.into();
        let requires_replace: Vec<_> =
            replace.into_iter().map(|path| path_to_wire(wire::until_set(path, ty))).collect();
        let in_place = change.action() == Action::Update && requires_replace.is_empty();
        let unknown = if in_place { UnknownIdentity::Refused } else { UnknownIdentity::Omitted };
        // The second plan of a replacement is a create, whose request contains the identity of the
        // first.
        let before = self.prior_identity.filter(|_| in_place);
        let planned_identity = identity_of(entry, diags, &state, before, unknown).await;
        Some(Response {
            planned_state: Some(msgpack_value(state)),
            requires_replace,
            planned_private: private.into(),
            planned_identity,
            ..Response::default()
        })
    }
}
