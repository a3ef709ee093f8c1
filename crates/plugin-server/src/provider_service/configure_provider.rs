//! ConfigureProvider.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::values::{CONFIG, read_complete};
use crate::context::CallInfo;
use crate::diagnostic::error;
use crate::pb::tfplugin6::configure_provider::{Request, Response};
use crate::registry::ProviderEntry;

impl Rpc for Request {
    const RPC: &'static str = "ConfigureProvider";
    const FAILURE: &'static str = "Could not configure the provider";
    type Entry = ProviderEntry;
    type Response = Response;

    fn info(&self) -> CallInfo {
        CallInfo::default()
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let config = read_complete(diags, self.config, ty, CONFIG)?;
        if config.is_null() {
            error(diags, "Missing configuration", "The host sent no configuration.");
            return None;
        }
        entry.handler.configure(diags, self.terraform_version, &config).await?;
        Some(Response::default())
    }
}
