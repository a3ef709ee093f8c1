//! Reading, planning and applying: what Terraform keeps is decided here.
//!
//! What the answers must hold in each case of success and failure follows Terraform's own handling
//! of them. After an error it keeps a state that is not null, and forgets one that is, except that
//! it keeps what it had before where there was something.

use std::sync::Arc;

use bytes::Bytes;
use tf_provider::{AttributePath, Diagnostics};

use super::call::{About, deferred};
use super::configuration::provider_meta;
use super::held::{Held, Returned, null};
use super::{ProviderService, nothing_returned};
use crate::diagnostic::{BUG, diagnostic, error, faults, path_to_wire, to_wire};
use crate::erased::{Object, Surroundings};
use crate::pb::tfplugin6 as pb;
use crate::registry::{IdentityEntry, Registry, ResourceEntry};
use crate::wire::{self, Path};

/// An identity as the protocol carries it.
pub(super) type Identity = Option<pb::ResourceIdentityData>;

const STATE: &str = "The current state";
const PRIOR: &str = "The prior state";
const CONFIG: &str = "The configuration";

fn wire_value(msgpack: Vec<u8>) -> pb::DynamicValue {
    pb::DynamicValue { msgpack: msgpack.into(), json: Bytes::new() }
}

impl ProviderService {
    pub(super) async fn read(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::read_resource::Request,
    ) -> pb::read_resource::Response {
        let about = About::new("ReadResource", &entry.name)
            .private(&request.private)
            .client(request.client_capabilities.as_ref());
        let mut kept = pb::read_resource::Response {
            new_state: request.current_state.clone(),
            private: request.private.clone(),
            new_identity: request.current_identity.clone(),
            ..Default::default()
        };
        let registry = Arc::clone(&self.registry);
        let work = async move {
            let mut diags = Diagnostics::default();
            let read = read(&registry, &entry, &mut diags, request).await;
            (Some((read, deferred())), diags)
        };
        let (answer, diags) = self.run(about, work).await;
        let (read, deferred) = answer.unwrap_or_default();
        kept.deferred = deferred;
        match read {
            // With an error Terraform keeps what it has, and so does this answer.
            Some(read) if diags.errors.is_empty() => match read {
                Read::There { state, private, identity } => {
                    kept.new_state = Some(wire_value(state));
                    kept.private = private.into();
                    kept.new_identity = identity;
                }
                Read::Gone { identity } => {
                    kept.new_state = Some(null());
                    kept.new_identity = identity;
                }
            },
            _ => {}
        }
        kept.diagnostics = to_wire(diags);
        kept
    }

    pub(super) async fn plan(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::plan_resource_change::Request,
    ) -> pb::plan_resource_change::Response {
        let about = About::new("PlanResourceChange", &entry.name)
            .private(&request.prior_private)
            .client(request.client_capabilities.as_ref());
        let kept = pb::plan_resource_change::Response {
            planned_state: request.prior_state.clone(),
            planned_private: request.prior_private.clone(),
            planned_identity: request.prior_identity.clone(),
            ..Default::default()
        };
        let registry = Arc::clone(&self.registry);
        let work = async move {
            let mut diags = Diagnostics::default();
            let mut planned = plan(&registry, &entry, &mut diags, request).await;
            if let Some(planned) = &mut planned {
                planned.deferred = deferred();
            }
            (planned, diags)
        };
        let (planned, diags) = self.run(about, work).await;
        let planned = planned.filter(|_| diags.errors.is_empty());
        pb::plan_resource_change::Response {
            diagnostics: to_wire(diags),
            ..planned.unwrap_or(kept)
        }
    }

    pub(super) async fn apply(
        &self,
        entry: Arc<ResourceEntry>,
        request: pb::apply_resource_change::Request,
    ) -> pb::apply_resource_change::Response {
        let about =
            About::new("ApplyResourceChange", &entry.name).private(&request.planned_private);
        // Null with an error: Terraform keeps what it had, with its private data and identity.
        let failed = pb::apply_resource_change::Response {
            new_state: Some(null()),
            private: request.planned_private.clone(),
            new_identity: request.planned_identity.clone(),
            ..Default::default()
        };
        let registry = Arc::clone(&self.registry);
        let work = async move {
            let mut diags = Diagnostics::default();
            let applied = apply(&registry, &entry, &mut diags, request).await;
            (applied, diags)
        };
        let (applied, diags) = self.run(about, work).await;
        pb::apply_resource_change::Response {
            diagnostics: to_wire(diags),
            ..applied.unwrap_or(failed)
        }
    }
}

/// What a read found.
enum Read {
    There {
        state: Vec<u8>,
        private: Vec<u8>,
        identity: Identity,
    },
    /// The object does not exist any more. Its identity is answered even so, that of the state
    /// where none was stored with it: some readers of the protocol miss it otherwise.
    Gone {
        identity: Identity,
    },
}

/// `None` is an error.
async fn read(
    registry: &Registry,
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: pb::read_resource::Request,
) -> Option<Read> {
    const READ: &str = "The state that was read";
    let ty = &entry.schema.ty;
    let state = Held::read(diags, request.current_state, ty, STATE)?;
    let meta = provider_meta(registry, diags, request.provider_meta)?;
    let with = Surroundings { ty, private: &request.private, meta: &meta };
    let Some(Object { state, private }) = entry.resource.read(diags, state.bytes(), with).await
    else {
        if !diags.errors.is_empty() {
            return None;
        }
        let stored = request.current_identity.filter(|it| it.identity_data.is_some());
        let identity = match stored {
            Some(stored) => Some(stored),
            None => identity_of(entry, diags, state.bytes(), None, Unknown::Refused).await,
        };
        return Some(Read::Gone { identity });
    };
    let returned = Returned::read(diags, &state, ty, READ).clear_write_only(entry.schema.shape());
    returned.require_known(diags, READ);
    let rewritten = returned.rewritten();
    let state = rewritten.unwrap_or(state);
    let identity =
        identity_of(entry, diags, &state, request.current_identity, Unknown::Refused).await;
    Some(Read::There { state, private, identity })
}

async fn plan(
    registry: &Registry,
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: pb::plan_resource_change::Request,
) -> Option<pb::plan_resource_change::Response> {
    const PLAN: &str = "The planned state";
    let ty = &entry.schema.ty;
    let prior = Held::read(diags, request.prior_state, ty, PRIOR)?;
    let proposed = Held::read(diags, request.proposed_new_state, ty, "The proposed state")?;
    let config = Held::read(diags, request.config, ty, CONFIG)?;
    let meta = provider_meta(registry, diags, request.provider_meta)?;
    let with = Surroundings { ty, private: &request.prior_private, meta: &meta };
    if proposed.is_null() {
        let private = entry.resource.plan_destroy(diags, prior.bytes(), with).await;
        if private.is_none() {
            nothing_returned(diags, "Could not plan the destruction", "plan");
        }
        return Some(pb::plan_resource_change::Response {
            planned_state: Some(null()),
            planned_private: private?.into(),
            planned_identity: request.prior_identity,
            ..Default::default()
        });
    }
    let is_create = prior.is_null();
    let planned = if is_create {
        let object =
            entry.resource.plan_create(diags, proposed.bytes(), config.bytes(), with).await;
        object.map(|object| (object, Vec::new()))
    } else {
        let (prior, proposed) = (prior.bytes(), proposed.bytes());
        entry.resource.plan_update(diags, prior, proposed, config.bytes(), with).await
    };
    if planned.is_none() {
        nothing_returned(diags, "Could not plan the change", "plan");
    }
    let (object, replace) = planned?;
    let returned =
        Returned::read(diags, &object.state, ty, PLAN).clear_write_only(entry.schema.shape());
    let (prior_value, config_value) = (prior.value(), config.value());
    if diags.errors.is_empty() {
        let found =
            wire::plan_faults(entry.schema.shape(), &prior_value, &config_value, &returned.value);
        faults(diags, "Invalid plan from the provider", PLAN, found);
    }
    let mut requires_replace = Vec::new();
    for path in replace {
        let exists = wire::path_exists(&prior_value, ty, &path)
            .or_else(|| wire::path_exists(&returned.value, ty, &path));
        match exists {
            Some(path) => requires_replace.push(path_to_wire(path)),
            None => unknown_replacement(diags, path),
        }
    }
    let state = returned.rewritten();
    drop((prior_value, config_value));
    let state = state.unwrap_or(object.state);
    let unknown =
        if is_create || !requires_replace.is_empty() { Unknown::Allowed } else { Unknown::Refused };
    // A replacement's second plan is one of a create, and brings the identity of the first along.
    let before = request.prior_identity.filter(|_| !is_create && requires_replace.is_empty());
    let planned_identity = identity_of(entry, diags, &state, before, unknown).await;
    Some(pb::plan_resource_change::Response {
        planned_state: Some(wire_value(state)),
        requires_replace,
        planned_private: object.private.into(),
        planned_identity,
        ..Default::default()
    })
}

fn unknown_replacement(diags: &mut Diagnostics, path: AttributePath) {
    let detail =
        format!("The plan replaces the object because of {path}, which does not exist. {BUG}");
    diags.errors.push(diagnostic(
        "Invalid plan from the provider",
        detail,
        AttributePath::default(),
    ));
}

async fn apply(
    registry: &Registry,
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: pb::apply_resource_change::Request,
) -> Option<pb::apply_resource_change::Response> {
    const RESULT: &str = "The new state";
    let ty = &entry.schema.ty;
    let prior = Held::read(diags, request.prior_state, ty, PRIOR)?;
    let planned = Held::read(diags, request.planned_state, ty, "The planned state")?;
    let config = Held::read(diags, request.config, ty, CONFIG)?;
    let meta = provider_meta(registry, diags, request.provider_meta)?;
    let with = Surroundings { ty, private: &request.planned_private, meta: &meta };
    if planned.is_null() {
        let destroyed = entry.resource.destroy(diags, prior.bytes(), with).await;
        if destroyed.is_none() {
            // Without this a resource that still exists would vanish from the state.
            nothing_returned(diags, "Could not destroy the resource", "answer");
        }
        return diags.errors.is_empty().then(|| pb::apply_resource_change::Response {
            new_state: Some(null()),
            ..Default::default()
        });
    }
    let is_create = prior.is_null();
    let (summary, object) = if is_create {
        let object = entry.resource.create(diags, planned.bytes(), config.bytes(), with).await;
        ("Could not create the resource", object)
    } else {
        let (prior, planned) = (prior.bytes(), planned.bytes());
        let object = entry.resource.update(diags, prior, planned, config.bytes(), with).await;
        ("Could not update the resource", object)
    };
    if object.is_none() {
        nothing_returned(diags, summary, "state");
    }
    let object = object?;
    let mut returned =
        Returned::read(diags, &object.state, ty, RESULT).clear_write_only(entry.schema.shape());
    if diags.errors.is_empty() {
        returned.require_known(diags, RESULT);
    }
    if diags.errors.is_empty() {
        let found = wire::result_faults(entry.schema.shape(), &planned.value(), &returned.value);
        faults(diags, "Invalid result from the provider", RESULT, found);
    }
    if returned.value.members().is_empty() && is_create {
        // Not even an object: the plan is all there is to remember what was made by.
        returned.value = planned.value();
    }
    returned.unknown_to_null();
    let state = returned.rewritten();
    let state = state.unwrap_or_else(|| object.state.clone());
    let before = request.planned_identity.filter(|_| !is_create);
    let new_identity = identity_of(entry, diags, &state, before, Unknown::Refused).await;
    Some(pb::apply_resource_change::Response {
        new_state: Some(wire_value(state)),
        private: object.private.into(),
        new_identity,
        ..Default::default()
    })
}

/// Whether an identity may be unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    Allowed,
    Refused,
}

/// The identity of the object with this state, or the one from before where there is none of now.
pub(super) async fn identity_of(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    state: &[u8],
    before: Identity,
    unknown: Unknown,
) -> Identity {
    const IDENTITY: &str = "The identity";
    let Some(identity) = &entry.identity else { return before };
    let had_errors = !diags.errors.is_empty();
    let Some(bytes) = identity.erased.identity(diags, &entry.schema.ty, state).await else {
        return before;
    };
    let decoded = wire::decode(&bytes, &identity.ty);
    if decoded.value.is_null() {
        return before;
    }
    faults(diags, "Invalid identity from the provider", IDENTITY, decoded.faults);
    if let Some(path) = wire::find_unknown(&decoded.value, &identity.ty, Path::ROOT) {
        if unknown == Unknown::Refused && !had_errors {
            let detail = format!("{IDENTITY} still has an unknown value at {path}. {BUG}");
            error(diags, "Invalid identity from the provider", detail);
        }
        if unknown == Unknown::Refused {
            return before;
        }
    } else if changed(identity, &before, &bytes) {
        let detail = "The object has another identity than before, so it is another object: \
                      identities of this resource type never change.";
        error(diags, "Unexpected change of identity", detail);
        return before;
    }
    let bytes =
        if decoded.rewritten { wire::encode(&decoded.value, &identity.ty) } else { bytes.clone() };
    Some(pb::ResourceIdentityData { identity_data: Some(wire_value(bytes)) })
}

/// Whether an object that had a known identity before has another one now.
fn changed(identity: &IdentityEntry, before: &Identity, now: &[u8]) -> bool {
    let Some(before) = before.as_ref().and_then(|before| before.identity_data.as_ref()) else {
        return false;
    };
    let before = wire::decode(&before.msgpack, &identity.ty).value;
    let now = wire::decode(now, &identity.ty).value;
    !identity.mutable
        && !before.is_null()
        && before.is_wholly_known()
        && !before.equals(&now, &identity.ty)
}
