//! GenerateResourceConfig.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::values::{Returned, msgpack_value, read_value};
use crate::context::CallInfo;
use crate::pb::tfplugin6::generate_resource_config::{Request, Response};
use crate::registry::ResourceEntry;

impl Rpc for Request {
    const RPC: &'static str = "GenerateResourceConfig";
    const FAILURE: &'static str = "Could not generate configuration";
    type Entry = ResourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let state = read_value(diags, self.state, ty, "The state")?;
        let config = match &entry.generate_config {
            Some(generate) => generate.generate(diags, &state).await?,
            None => state.bytes().to_vec(),
        };
        let lead = "The generated configuration";
        let mut returned = Returned::read(diags, config, ty, lead);
        returned.keep_only_config();
        Some(Response { config: Some(msgpack_value(returned.bytes)), ..Response::default() })
    }
}
