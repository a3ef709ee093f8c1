//! ApplyResourceChange.
//!
//! After an error, Terraform stores the returned state unless it is null. If it is null, Terraform
//! keeps the state from before the apply. Responses with errors therefore contain the state of
//! everything that was created.

use std::sync::Arc;

use tf_provider::Diagnostics;

use super::call::{Call, nothing_returned, offload};
use super::identity::{UnknownIdentity, identity_of};
use super::values::{
    CONFIG, Received, RequestValue, ReturnedValue, is_null, msgpack_value, null_value,
    provider_meta,
};
use crate::context::{CallInfo, ResourceAction};
use crate::diagnostic::faults;
use crate::dynamic::{Object, ResourceContext};
use crate::pb::tfplugin6::apply_resource_change::{Request, Response};
use crate::registry::{Registry, ResourceEntry};
use crate::wire;

const RESULT: &str = "The new state";

impl Call for Request {
    const RPC: &'static str = "ApplyResourceChange";
    const FAILURE: &'static str = "Could not apply the change";
    const RETURNS: &'static str = "state";
    const VALUES_WITH_ERRORS: bool = true;
    type Entry = ResourceEntry;
    type Response = Response;

    fn find(&self, registry: &Registry) -> Result<Arc<ResourceEntry>, Diagnostics> {
        registry.resource(&self.type_name)
    }

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name).private(&self.planned_private).action(ResourceAction::of(
            is_null(self.prior_state.as_ref()),
            is_null(self.planned_state.as_ref()),
        ))
    }

    /// Returns a null state, so that Terraform keeps the prior state, with the prior private data.
    fn failed(&self) -> Response {
        Response {
            new_state: Some(null_value()),
            private: self.planned_private.clone(),
            new_identity: self.planned_identity.clone(),
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
        let prior = RequestValue::read(diags, self.prior_state, ty, "The prior state")?;
        let planned = RequestValue::read(diags, self.planned_state, ty, "The planned state")?;
        let config = RequestValue::read(diags, self.config, ty, CONFIG)?;
        let meta = provider_meta(registry, diags, self.provider_meta)?;
        let context = ResourceContext { ty, private: &self.planned_private, meta: &meta };
        if planned.is_null() {
            let destroyed = entry.resource.destroy(diags, prior.bytes(), context).await;
            if destroyed.is_none() {
                // Without an error Terraform would drop a resource that still exists.
                nothing_returned(diags, "Could not destroy the resource", "result");
            }
            return diags
                .errors
                .is_empty()
                .then(|| Response { new_state: Some(null_value()), ..Response::default() });
        }
        let is_create = prior.is_null();
        let (failure, object) = if is_create {
            let object =
                entry.resource.create(diags, planned.bytes(), config.bytes(), context).await;
            ("Could not create the resource", object)
        } else {
            let (prior, planned) = (prior.bytes(), planned.bytes());
            let object =
                entry.resource.update(diags, prior, planned, config.bytes(), context).await;
            ("Could not update the resource", object)
        };
        if object.is_none() {
            nothing_returned(diags, failure, "state");
        }
        let Object { state, private } = object?;
        let result = ApplyResult {
            entry: Arc::clone(&entry),
            planned: planned.into_received(),
            state,
            is_create,
            has_errors: !diags.errors.is_empty(),
        };
        let size = result.planned.bytes.len() + result.state.len();
        let (state, found) = offload(size, move || result.check()).await;
        diags.add_diagnostics(found);
        let before = self.planned_identity.filter(|_| !is_create);
        let refused = UnknownIdentity::Refused;
        let new_identity = identity_of(&entry, diags, &state, before, refused).await;
        Some(Response {
            new_state: Some(msgpack_value(state)),
            private: private.into(),
            new_identity,
            ..Response::default()
        })
    }
}

/// The result of a create or an update, as the provider returned it.
struct ApplyResult {
    entry: Arc<ResourceEntry>,
    planned: Received,
    state: Vec<u8>,
    is_create: bool,
    /// Whether the provider returned errors. Further errors would not help then.
    has_errors: bool,
}

impl ApplyResult {
    /// Returns the state to store, and an error for each value in it that Terraform would reject.
    fn check(self) -> (Vec<u8>, Diagnostics) {
        let mut diags = Diagnostics::default();
        let ty = &self.entry.schema.ty;
        let planned = &self.planned;
        let mut returned =
            ReturnedValue::read_after(&mut diags, &self.state, ty, RESULT, &[planned]);
        if !self.has_errors && diags.errors.is_empty() {
            returned.require_known(&mut diags, RESULT);
        }
        if !self.has_errors && diags.errors.is_empty() {
            let shape = self.entry.schema.shape();
            let found = wire::result_faults(shape, &planned.bytes, returned.bytes());
            faults(&mut diags, "Invalid result from the provider", RESULT, found);
        }
        if returned.is_null() && self.is_create {
            // The provider did not return an object, so the planned state is returned.
            returned.replace(&planned.bytes);
        }
        returned.unknown_to_null();
        let rewritten = returned.rewritten();
        (rewritten.unwrap_or(self.state), diags)
    }
}
