//! ReadDataSource.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::values::{CONFIG, known_value, msgpack_value, null_value, read_complete};
use crate::context::CallInfo;
use crate::pb::tfplugin6::read_data_source::{Request, Response};
use crate::registry::DataSourceEntry;

impl Rpc for Request {
    const RPC: &'static str = "ReadDataSource";
    const FAILURE: &'static str = "Could not read the data source";
    type Entry = DataSourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    fn failed(&self) -> Response {
        Response { state: Some(null_value()), ..Response::default() }
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let config = read_complete(diags, self.config, ty, CONFIG)?;
        let state = entry.handler.read(diags, &config).await?;
        let state = known_value(diags, state, ty, "The data that was read");
        Some(Response { state: Some(msgpack_value(state)), ..Response::default() })
    }
}
