//! ValidateProviderConfig, ValidateResourceConfig, ValidateDataResourceConfig and
//! ValidateListResourceConfig.
//!
//! Terraform does not check whether a configuration sets read-only attributes. Providers have to.

use tf_provider::Diagnostics;

use super::call::Rpc;
use super::values::{CONFIG, read_value};
use crate::context::CallInfo;
use crate::diagnostic::diagnostic;
use crate::dynamic::Input;
use crate::pb::tfplugin6 as pb;
use crate::registry::{DataSourceEntry, ProviderEntry, ResourceEntry};
use crate::schema::CompiledSchema;
use crate::wire::{self, Configured, Path};

const FAILURE: &str = "Could not validate the configuration";

impl Rpc for pb::validate_provider_config::Request {
    const RPC: &'static str = "ValidateProviderConfig";
    const FAILURE: &'static str = "Could not validate the provider's configuration";
    type Entry = ProviderEntry;
    type Response = pb::validate_provider_config::Response;

    fn info(&self) -> CallInfo {
        CallInfo::default()
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let config = read_value(diags, self.config, &entry.schema.ty, CONFIG)?;
        entry.handler.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Rpc for pb::validate_resource_config::Request {
    const RPC: &'static str = "ValidateResourceConfig";
    const FAILURE: &'static str = FAILURE;
    type Entry = ResourceEntry;
    type Response = pb::validate_resource_config::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let config = configuration(diags, self.config, &entry.schema)?;
        entry.resource.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Rpc for pb::validate_data_resource_config::Request {
    const RPC: &'static str = "ValidateDataResourceConfig";
    const FAILURE: &'static str = FAILURE;
    type Entry = DataSourceEntry;
    type Response = pb::validate_data_resource_config::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let config = configuration(diags, self.config, &entry.schema)?;
        entry.handler.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Rpc for pb::validate_list_resource_config::Request {
    const RPC: &'static str = "ValidateListResourceConfig";
    const FAILURE: &'static str = FAILURE;
    type Entry = ResourceEntry;
    type Response = pb::validate_list_resource_config::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let list = entry.require_list(diags)?;
        let config = read_value(diags, self.config, &list.schema.ty, CONFIG)?;
        list.handler.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

/// Reads a configuration. Adds an error for each read-only attribute that it sets.
fn configuration<'t>(
    diags: &mut Diagnostics,
    config: Option<pb::DynamicValue>,
    schema: &'t CompiledSchema,
) -> Option<Input<'t>> {
    let config = read_value(diags, config, &schema.ty, CONFIG)?;
    let mut found = Vec::new();
    if config.sets_read_only {
        wire::configured(&mut config.value(), config.ty(), Path::ROOT, &mut found);
    }
    for Configured { name, path } in found {
        let detail = format!(
            "`{name}` is set by the provider and cannot be configured. Remove it from the configuration."
        );
        diags.errors.push(diagnostic("Read-only attribute", detail, path));
    }
    Some(config)
}
