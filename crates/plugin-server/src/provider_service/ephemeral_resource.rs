//! ValidateEphemeralResourceConfig, OpenEphemeralResource, RenewEphemeralResource and
//! CloseEphemeralResource.
//!
//! Results and private data are secrets: nothing here writes them to the log or to a diagnostic.

use tf_provider::Diagnostics;

use super::call::{Call, deferred};
use super::validate::configuration;
use super::values::{CONFIG, Returned, deferred_result, msgpack_value, read_value};
use crate::context::CallInfo;
use crate::pb::tfplugin6 as pb;
use crate::pb::tfplugin6::{
    close_ephemeral_resource, open_ephemeral_resource, renew_ephemeral_resource,
    validate_ephemeral_resource_config,
};
use crate::registry::EphemeralResourceEntry;

const RESULT: &str = "The result";

impl Call for validate_ephemeral_resource_config::Request {
    const RPC: &'static str = "ValidateEphemeralResourceConfig";
    const FAILURE: &'static str = "Could not validate the configuration";
    type Entry = EphemeralResourceEntry;
    type Response = validate_ephemeral_resource_config::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let config = configuration(diags, self.config, &entry.schema)?;
        entry.handler.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Call for open_ephemeral_resource::Request {
    const RPC: &'static str = "OpenEphemeralResource";
    const FAILURE: &'static str = "Could not open the ephemeral resource";
    type Entry = EphemeralResourceEntry;
    type Response = open_ephemeral_resource::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name).client(self.client_capabilities.as_ref())
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let config = read_value(diags, self.config, ty, CONFIG)?;
        let opened = entry.handler.open(diags, &config).await;
        let deferred = deferred();
        let Some(opened) = opened else {
            let deferred = Some(deferred?);
            let result = Some(msgpack_value(deferred_result(&config, ty)));
            return Some(Self::Response { result, deferred, ..Self::Response::default() });
        };
        let returned = Returned::read(diags, opened.result, ty, RESULT, &[&config]);
        if deferred.is_none() && diags.errors.is_empty() {
            returned.require_known(diags, RESULT);
        }
        if !diags.errors.is_empty() {
            // The host discards the response and does not close the resource.
            entry.handler.close(diags, &opened.private).await;
            return None;
        }
        Some(Self::Response {
            result: Some(msgpack_value(returned.bytes)),
            private: Some(opened.private.into()),
            renew_at: opened.renew_at.map(Into::into),
            deferred,
            ..Self::Response::default()
        })
    }
}

impl Call for renew_ephemeral_resource::Request {
    const RPC: &'static str = "RenewEphemeralResource";
    const FAILURE: &'static str = "Could not renew the ephemeral resource";
    type Entry = EphemeralResourceEntry;
    type Response = renew_ephemeral_resource::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let private = self.private.unwrap_or_default();
        let (private, renew_at) = entry.handler.renew(diags, &private).await?;
        Some(Self::Response {
            private: Some(private.into()),
            renew_at: renew_at.map(Into::into),
            ..Self::Response::default()
        })
    }
}

impl Call for close_ephemeral_resource::Request {
    const RPC: &'static str = "CloseEphemeralResource";
    const FAILURE: &'static str = "Could not close the ephemeral resource";
    type Entry = EphemeralResourceEntry;
    type Response = close_ephemeral_resource::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        entry.handler.close(diags, &self.private.unwrap_or_default()).await?;
        Some(pb::close_ephemeral_resource::Response::default())
    }
}
