//! MoveResourceState.
//!
//! No resource takes over the state of another type. Terraform does not call this, because the
//! server lacks the capability. OpenTofu calls it all the same, and a gRPC status would not tell
//! the user what to do.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::values::null_value;
use crate::context::CallInfo;
use crate::diagnostic::error;
use crate::pb::tfplugin6::move_resource_state::{Request, Response};
use crate::registry::ResourceEntry;

impl Rpc for Request {
    const RPC: &'static str = "MoveResourceState";
    const FAILURE: &'static str = "Could not move the resource";
    type Entry = ResourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.target_type_name)
    }

    fn failed(&self) -> Response {
        Response { target_state: Some(null_value()), ..Response::default() }
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let detail = format!(
            "{} of {} cannot be moved to {}. Remove the `moved` block.",
            self.source_type_name, self.source_provider_address, entry.name
        );
        error(diags, "Unsupported move", detail);
        None
    }
}
