//! UpgradeResourceState and UpgradeResourceIdentity.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::values::{msgpack_value, read_stored};
use crate::context::CallInfo;
use crate::diagnostic::error;
use crate::dynamic::Input;
use crate::pb::tfplugin6 as pb;
use crate::registry::ResourceEntry;
use crate::schema::IDENTITY_VERSION;
use crate::wire::Type;

const STATE_FAILURE: &str = "Could not upgrade the state";
const IDENTITY_FAILURE: &str = "Could not upgrade the identity";

/// Reads a stored value. One of a prior schema version is read like one of the current version: it
/// lacks attributes, which become null, and has others, which are dropped. One of a newer version
/// is an error.
fn upgraded(
    diags: &mut Diagnostics,
    failure: &'static str,
    (version, current): (i64, i64),
    raw: Option<pb::RawState>,
    ty: &Type,
    record: impl FnOnce(&mut Diagnostics, &Input<'_>),
) -> Option<pb::DynamicValue> {
    if version > current {
        let detail = format!(
            "It has schema version {version}, and this provider has schema version {current}. Use \
             the version of the provider that wrote it, or a later one."
        );
        error(diags, failure, detail);
        return None;
    }
    let stored = read_stored(diags, &raw.unwrap_or_default().json, ty, "The stored value")?;
    if stored.is_null() {
        error(diags, failure, "The stored value is null.");
    }
    record(diags, &stored);
    Some(msgpack_value(stored.bytes().clone()))
}

impl Rpc for pb::upgrade_resource_state::Request {
    const RPC: &'static str = "UpgradeResourceState";
    const FAILURE: &'static str = STATE_FAILURE;
    type Entry = ResourceEntry;
    type Response = pb::upgrade_resource_state::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let versions = (self.version, entry.schema.version);
        let ty = &entry.schema.ty;
        let record = |diags: &mut Diagnostics, state: &Input<'_>| {
            if let Some(resource) = entry.stored_states.as_ref().filter(|_| !state.is_null()) {
                resource.record(diags, state);
            }
        };
        let upgraded_state = upgraded(diags, STATE_FAILURE, versions, self.raw_state, ty, record)?;
        Some(Self::Response { upgraded_state: Some(upgraded_state), ..Default::default() })
    }
}

impl Rpc for pb::upgrade_resource_identity::Request {
    const RPC: &'static str = "UpgradeResourceIdentity";
    const FAILURE: &'static str = IDENTITY_FAILURE;
    type Entry = ResourceEntry;
    type Response = pb::upgrade_resource_identity::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let Some(identity) = &entry.identity else {
            let detail = format!("{} has no identity.", entry.name);
            error(diags, IDENTITY_FAILURE, detail);
            return None;
        };
        let versions = (self.version, IDENTITY_VERSION);
        let raw = self.raw_identity;
        let identity_data =
            Some(upgraded(diags, IDENTITY_FAILURE, versions, raw, &identity.ty, |_, _| ())?);
        let upgraded_identity = Some(pb::ResourceIdentityData { identity_data });
        Some(Self::Response { upgraded_identity, ..Default::default() })
    }
}
