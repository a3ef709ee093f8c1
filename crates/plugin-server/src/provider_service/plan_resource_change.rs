//! PlanResourceChange.

use std::sync::Arc;

use tf_provider::{AttributePath, Diagnostics};

use super::call::{Call, deferred, nothing_returned, offload};
use super::identity::{UnknownIdentity, identity_of};
use super::values::{
    CONFIG, Received, RequestValue, ReturnedValue, is_null, msgpack_value, null_value,
    provider_meta,
};
use crate::context::{CallInfo, ResourceAction};
use crate::diagnostic::{BUG, error, faults, path_to_wire};
use crate::dynamic::{Object, ResourceContext};
use crate::pb::tfplugin6 as pb;
use crate::pb::tfplugin6::plan_resource_change::{Request, Response};
use crate::registry::{Registry, ResourceEntry};
use crate::wire;

const PLAN: &str = "The planned state";

impl Call for Request {
    const RPC: &'static str = "PlanResourceChange";
    const FAILURE: &'static str = "Could not plan the change";
    const RETURNS: &'static str = "plan";
    type Entry = ResourceEntry;
    type Response = Response;

    fn find(&self, registry: &Registry) -> Result<Arc<ResourceEntry>, Diagnostics> {
        registry.resource(&self.type_name)
    }

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
            .private(&self.prior_private)
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
        let prior = RequestValue::read(diags, self.prior_state, ty, "The prior state")?;
        let proposed =
            RequestValue::read(diags, self.proposed_new_state, ty, "The proposed state")?
                .without_write_only();
        let config = RequestValue::read(diags, self.config, ty, CONFIG)?;
        let meta = provider_meta(registry, diags, self.provider_meta)?;
        let context = ResourceContext { ty, private: &self.prior_private, meta: &meta };
        if proposed.is_null() {
            let private = entry.resource.plan_destroy(diags, prior.bytes(), context).await;
            if private.is_none() {
                nothing_returned(diags, "Could not plan the destruction", "plan");
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
            let (proposed, config) = (proposed.bytes(), config.bytes());
            (entry.resource.plan_create(diags, proposed, config, context).await?, Vec::new())
        } else {
            let (prior, proposed) = (prior.bytes(), proposed.bytes());
            entry.resource.plan_update(diags, prior, proposed, config.bytes(), context).await?
        };
        let plan = Plan {
            entry: Arc::clone(&entry),
            prior: prior.into_received(),
            config: config.into_received(),
            state,
            replace,
            has_errors: !diags.errors.is_empty(),
        };
        let (state, requires_replace, found) = offload(plan.size(), move || plan.check()).await;
        diags.add_diagnostics(found);
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

/// A plan of a create or an update, as the provider returned it.
struct Plan {
    entry: Arc<ResourceEntry>,
    prior: Received,
    config: Received,
    state: Vec<u8>,
    replace: Vec<AttributePath>,
    /// Whether the provider returned errors. Further errors would not help then.
    has_errors: bool,
}

impl Plan {
    fn size(&self) -> usize {
        self.prior.bytes.len() + self.config.bytes.len() + self.state.len()
    }

    /// Returns the planned state, the paths that require replacement, and the errors in both.
    fn check(self) -> (Vec<u8>, Vec<pb::AttributePath>, Diagnostics) {
        let mut diags = Diagnostics::default();
        let ty = &self.entry.schema.ty;
        let (prior, config) = (&self.prior, &self.config);
        let returned =
            ReturnedValue::read_after(&mut diags, &self.state, ty, PLAN, &[config, prior]);
        if !self.has_errors && diags.errors.is_empty() {
            let shape = self.entry.schema.shape();
            let found = wire::plan_faults(shape, &prior.bytes, &config.bytes, returned.bytes());
            faults(&mut diags, "Invalid plan from the provider", PLAN, found);
        }
        let mut requires_replace = Vec::new();
        for path in self.replace {
            let exists = wire::path_exists(&prior.bytes, ty, &path)
                .or_else(|| wire::path_exists(returned.bytes(), ty, &path));
            match exists {
                Some(path) => requires_replace.push(path_to_wire(path)),
                None => {
                    let detail = format!(
                        "The plan replaces the object because of {path}, which does not exist. {BUG}"
                    );
                    error(&mut diags, "Invalid plan from the provider", detail);
                }
            }
        }
        let rewritten = returned.rewritten();
        (rewritten.unwrap_or(self.state), requires_replace, diags)
    }
}
