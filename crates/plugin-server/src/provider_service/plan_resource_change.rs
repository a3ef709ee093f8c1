//! PlanResourceChange.

use std::sync::Arc;

use tf_provider::Diagnostics;

use super::call::{Call, deferred, nothing_returned};
use super::identity::{UnknownIdentity, identity_of};
use super::values::{
    CONFIG, Returned, is_null, msgpack_value, null_value, provider_meta, read_value,
};
use crate::context::{CallInfo, ResourceAction};
use crate::diagnostic::path_to_wire;
use crate::dynamic::{Object, ResourceContext};
use crate::pb::tfplugin6::plan_resource_change::{Request, Response};
use crate::registry::{Registry, ResourceEntry};
use crate::wire;

const PLAN: &str = "The planned state";

impl Call for Request {
    const RPC: &'static str = "PlanResourceChange";
    const FAILURE: &'static str = "Could not plan the change";
    type Entry = ResourceEntry;
    type Response = Response;

    fn find(&self, registry: &Registry) -> Result<Arc<ResourceEntry>, Diagnostics> {
        registry.resource(&self.type_name)
    }

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
            .private(&self.prior_private)
            .planned_private(&self.planned_private)
            .client(self.client_capabilities.as_ref())
            .action(ResourceAction::of(
                is_null(self.prior_state.as_ref()),
                is_null(self.proposed_new_state.as_ref()),
            ))
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

    async fn serve(
        self,
        entry: Arc<ResourceEntry>,
        registry: &Registry,
        diags: &mut Diagnostics,
    ) -> Option<Response> {
        let ty = &entry.schema.ty;
        let prior = read_value(diags, self.prior_state, ty, "The prior state")?;
        let proposed = read_value(diags, self.proposed_new_state, ty, "The proposed state")?
            .without_write_only();
        let config = read_value(diags, self.config, ty, CONFIG)?;
        let meta = provider_meta(registry, diags, self.provider_meta)?;
        let context = ResourceContext { private: &self.prior_private, meta: &meta };
        if proposed.is_null() {
            let private = entry.resource.plan_destroy(diags, &prior, context).await;
            if private.is_none() {
                nothing_returned(diags, "Could not plan the destruction");
            }
            return Some(Response {
                planned_state: Some(null_value()),
                planned_private: private?.into(),
                planned_identity: self.prior_identity,
                deferred: deferred(),
                ..Response::default()
            });
        }
        let is_create = prior.is_null();
        let (Object { state, private }, replace) = if is_create {
            (entry.resource.plan_create(diags, &proposed, &config, context).await?, Vec::new())
        } else {
            entry.resource.plan_update(diags, &prior, &proposed, &config, context).await?
        };
        let state = Returned::read(diags, state, ty, PLAN, &[&config, &prior]).bytes.into();
        let requires_replace: Vec<_> =
            replace.into_iter().map(|path| path_to_wire(wire::until_set(path, ty))).collect();
        let in_place = !is_create && requires_replace.is_empty();
        let unknown = if in_place { UnknownIdentity::Refused } else { UnknownIdentity::Omitted };
        // The second plan of a replacement is a create, whose request contains the identity of the
        // first.
        let before = self.prior_identity.filter(|_| in_place);
        let planned_identity = identity_of(&entry, diags, &state, before, unknown).await;
        Some(Response {
            planned_state: Some(msgpack_value(state)),
            requires_replace,
            planned_private: private.into(),
            planned_identity,
            deferred: deferred(),
            ..Response::default()
        })
    }
}
