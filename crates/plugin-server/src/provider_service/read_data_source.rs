//! ReadDataSource.

use tf_provider::Diagnostics;

use super::call::{Rpc, deferred};
use super::values::{
    CONFIG, deferred_result, known_value, msgpack_value, null_value, provider_meta, read_complete,
};
use crate::context::CallInfo;
use crate::pb::tfplugin6::read_data_source::{Request, Response};
use crate::registry::DataSourceEntry;

impl Rpc for Request {
    const RPC: &'static str = "ReadDataSource";
    const FAILURE: &'static str = "Could not read the data source";
    type Entry = DataSourceEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name).client(self.client_capabilities.as_ref())
    }

    fn failed(&self) -> Response {
        Response { state: Some(null_value()), ..Response::default() }
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let config = read_complete(diags, self.config, ty, CONFIG)?;
        let meta = provider_meta(entry.meta.as_ref(), diags, self.provider_meta)?;
        let read = entry.handler.read(diags, &config, &meta).await;
        let deferred = deferred();
        let state = match read {
            Some(state) => known_value(diags, state, ty, "The data that was read", &[&config]),
            None if deferred.is_some() => deferred_result(&config, ty),
            None => return None,
        };
        Some(Response { state: Some(msgpack_value(state)), deferred, ..Response::default() })
    }
}
