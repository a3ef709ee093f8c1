//! ReadDataSource.

use std::sync::Arc;

use tf_provider::Diagnostics;

use super::call::{Call, deferred};
use super::values::{CONFIG, known_value, msgpack_value, null_value, provider_meta, read_value};
use crate::context::CallInfo;
use crate::pb::tfplugin6::read_data_source::{Request, Response};
use crate::registry::{DataSourceEntry, Registry, find};
use crate::wire;

impl Call for Request {
    const RPC: &'static str = "ReadDataSource";
    const FAILURE: &'static str = "Could not read the data source";
    type Entry = DataSourceEntry;
    type Response = Response;

    fn find(&self, registry: &Registry) -> Result<Arc<DataSourceEntry>, Diagnostics> {
        find(&registry.data_sources, "data source", &self.type_name)
    }

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name).client(self.client_capabilities.as_ref())
    }

    fn failed(&self) -> Response {
        Response { state: Some(null_value()), ..Response::default() }
    }

    async fn serve(
        self,
        entry: Arc<DataSourceEntry>,
        registry: &Registry,
        diags: &mut Diagnostics,
    ) -> Option<Response> {
        let ty = &entry.schema.ty;
        let config = read_value(diags, self.config, ty, CONFIG)?;
        let meta = provider_meta(registry, diags, self.provider_meta)?;
        let read = entry.data_source.read(diags, &config, &meta).await;
        let deferred = deferred();
        let state = match read {
            Some(state) => known_value(diags, state, ty, "The data that was read", &[&config]),
            None if deferred.is_some() => {
                // A deferred read returns the configuration, with all computed attributes unknown.
                let mut value = config.value();
                wire::computed_to_unknown(&mut value, ty.object()?);
                wire::encode(&value, ty)
            }
            None => return None,
        };
        Some(Response { state: Some(msgpack_value(state)), deferred, ..Response::default() })
    }
}
