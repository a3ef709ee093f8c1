//! ImportResourceState.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::identity::{UnknownIdentity, identity_of};
use super::values::{known_value, msgpack_value, read_complete};
use crate::context::CallInfo;
use crate::diagnostic::error;
use crate::dynamic::Object;
use crate::pb::tfplugin6::import_resource_state::{ImportedResource, Request, Response};
use crate::registry::ResourceEntry;

impl Rpc for Request {
    const RPC: &'static str = "ImportResourceState";
    const FAILURE: &'static str = "Could not import the resource";
    type Entry = ResourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let imported_resources = vec![import(entry, diags, self).await?];
        Some(Response { imported_resources, ..Response::default() })
    }
}

/// Imports by ID, or by identity if the request has one and no ID.
async fn import(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    request: Request,
) -> Option<ImportedResource> {
    let requested = request.identity.filter(|_| request.id.is_empty());
    let Object { state, private } = match (requested, &entry.identity) {
        (None, _) => entry.resource.import(diags, request.id).await?,
        (Some(_), None) => {
            let detail = format!("{} has no identity. Import it by its ID.", entry.name);
            error(diags, "Import by identity is not supported", detail);
            return None;
        }
        (Some(requested), Some(identity)) => {
            let ty = &identity.ty;
            let value = read_complete(diags, requested.identity_data, ty, "The identity")?;
            identity.handler.import(diags, &value).await?
        }
    };
    let state = known_value(diags, state, &entry.schema.ty, "The imported state").into();
    let identity = identity_of(entry, diags, &state, None, UnknownIdentity::Refused).await;
    Some(ImportedResource {
        type_name: entry.name.clone(),
        state: Some(msgpack_value(state)),
        private: private.into(),
        identity,
    })
}
