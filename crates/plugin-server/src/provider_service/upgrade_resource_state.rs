//! UpgradeResourceState and UpgradeResourceIdentity.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::values::{known_value, msgpack_value, read_stored};
use crate::context::CallInfo;
use crate::diagnostic::error;
use crate::pb::tfplugin6 as pb;
use crate::registry::ResourceEntry;

/// Terraform before 0.12 stored states as flat maps of strings.
const FLATMAP: &str = "The state was written by Terraform 0.11 or earlier. Apply it once with \
                       Terraform 0.13 and a version of the provider from that time.";
const STATE_FAILURE: &str = "Could not upgrade the state";
const IDENTITY_FAILURE: &str = "Could not upgrade the identity";

/// Returns the JSON of a stored value.
fn stored_json<'r>(
    diags: &mut Diagnostics,
    raw: Option<&'r pb::RawState>,
    failure: &'static str,
) -> Option<&'r [u8]> {
    let detail = match raw {
        Some(raw) if !raw.json.is_empty() => return Some(&raw.json),
        Some(raw) if !raw.flatmap.is_empty() => FLATMAP,
        _ => "The host sent nothing to upgrade.",
    };
    error(diags, failure, detail);
    None
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
        let upgraded = upgrade_state(entry, diags, &self).await?;
        Some(Self::Response { upgraded_state: Some(upgraded), ..Default::default() })
    }
}

/// Returns a stored state in the current schema: as it is if the version is equal, or as the
/// resource upgrades it. A newer version is an error.
async fn upgrade_state(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: &pb::upgrade_resource_state::Request,
) -> Option<pb::DynamicValue> {
    let ty = &entry.schema.ty;
    let current = entry.schema.version;
    let json = stored_json(diags, request.raw_state.as_ref(), STATE_FAILURE)?;
    if request.version == current {
        let state = read_stored(diags, json, ty, "The stored state")?;
        if state.is_null() {
            error(diags, STATE_FAILURE, "The stored state is null.");
        } else if let Some(upgrade) = &entry.upgrade {
            upgrade.pass(json).await;
        }
        return Some(msgpack_value(state.bytes().clone()));
    }
    let Some(upgrade) = entry.upgrade.as_ref().filter(|_| request.version < current) else {
        let detail = format!(
            "The state of {} has schema version {}, and this provider has schema version {current}. \
             Use the version of the provider that wrote the state, or a later one.",
            entry.name, request.version
        );
        error(diags, STATE_FAILURE, detail);
        return None;
    };
    let state = upgrade.upgrade(diags, request.version, json).await?;
    Some(msgpack_value(known_value(diags, state, ty, "The upgraded state", &[])))
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
        let json = stored_json(diags, self.raw_identity.as_ref(), IDENTITY_FAILURE)?;
        let ty = &identity.ty;
        let upgraded = if self.version == identity.version {
            msgpack_value(read_stored(diags, json, ty, "The stored identity")?.bytes().clone())
        } else {
            let upgraded = identity.handler.upgrade(diags, self.version, json).await?;
            msgpack_value(known_value(diags, upgraded, ty, "The upgraded identity", &[]))
        };
        let upgraded = pb::ResourceIdentityData { identity_data: Some(upgraded) };
        Some(Self::Response { upgraded_identity: Some(upgraded), ..Default::default() })
    }
}
