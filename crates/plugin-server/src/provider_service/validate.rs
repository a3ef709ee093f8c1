//! ValidateProviderConfig, ValidateResourceConfig, ValidateDataResourceConfig and
//! ValidateListResourceConfig.
//!
//! Terraform does not check whether a configuration sets read-only attributes. Providers have to.

use std::sync::Arc;

use tf_provider::Diagnostics;

use super::call::Call;
use super::values::{CONFIG, read_value};
use crate::context::CallInfo;
use crate::diagnostic::diagnostic;
use crate::dynamic::Input;
use crate::pb::tfplugin6 as pb;
use crate::registry::{DataSourceEntry, ProviderEntry, Registry, ResourceEntry, find};
use crate::schema::CompiledSchema;
use crate::wire::{Configured, Field, configured};

const FAILURE: &str = "Could not validate the configuration";

impl Call for pb::validate_provider_config::Request {
    const RPC: &'static str = "ValidateProviderConfig";
    const FAILURE: &'static str = "Could not validate the provider's configuration";
    type Entry = ProviderEntry;
    type Response = pb::validate_provider_config::Response;

    fn find(&self, registry: &Registry) -> Result<Arc<ProviderEntry>, Diagnostics> {
        Ok(Arc::clone(&registry.provider))
    }

    fn info(&self) -> CallInfo {
        CallInfo::default()
    }

    async fn serve(
        self,
        entry: Arc<ProviderEntry>,
        _: &Registry,
        diags: &mut Diagnostics,
    ) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let config = read_value(diags, self.config, ty, CONFIG)?;
        entry.handler.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Call for pb::validate_resource_config::Request {
    const RPC: &'static str = "ValidateResourceConfig";
    const FAILURE: &'static str = FAILURE;
    type Entry = ResourceEntry;
    type Response = pb::validate_resource_config::Response;

    fn find(&self, registry: &Registry) -> Result<Arc<ResourceEntry>, Diagnostics> {
        registry.resource(&self.type_name)
    }

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name).client(self.client_capabilities.as_ref())
    }

    async fn serve(
        self,
        entry: Arc<ResourceEntry>,
        _: &Registry,
        diags: &mut Diagnostics,
    ) -> Option<Self::Response> {
        let stores_write_only = !self.info().client.write_only_attributes_allowed;
        let ty = &entry.schema.ty;
        let config = read_value(diags, self.config, ty, CONFIG)?;
        refuse_read_only(diags, &entry.schema, &config);
        if stores_write_only {
            refuse_write_only(diags, &entry.schema, &config);
        }
        entry.resource.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Call for pb::validate_data_resource_config::Request {
    const RPC: &'static str = "ValidateDataResourceConfig";
    const FAILURE: &'static str = FAILURE;
    type Entry = DataSourceEntry;
    type Response = pb::validate_data_resource_config::Response;

    fn find(&self, registry: &Registry) -> Result<Arc<DataSourceEntry>, Diagnostics> {
        find(&registry.data_sources, "data source", &self.type_name)
    }

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(
        self,
        entry: Arc<DataSourceEntry>,
        _: &Registry,
        diags: &mut Diagnostics,
    ) -> Option<Self::Response> {
        let ty = &entry.schema.ty;
        let config = read_value(diags, self.config, ty, CONFIG)?;
        refuse_read_only(diags, &entry.schema, &config);
        entry.data_source.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Call for pb::validate_list_resource_config::Request {
    const RPC: &'static str = "ValidateListResourceConfig";
    const FAILURE: &'static str = FAILURE;
    type Entry = ResourceEntry;
    type Response = pb::validate_list_resource_config::Response;

    fn find(&self, registry: &Registry) -> Result<Arc<ResourceEntry>, Diagnostics> {
        registry.resource(&self.type_name)
    }

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(
        self,
        entry: Arc<ResourceEntry>,
        _: &Registry,
        diags: &mut Diagnostics,
    ) -> Option<Self::Response> {
        let list = entry.require_list(diags)?;
        let config = read_value(diags, self.config, &list.schema.ty, CONFIG)?;
        list.handler.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

/// Adds an error for each read-only attribute that the configuration sets.
pub(super) fn refuse_read_only(
    diags: &mut Diagnostics,
    schema: &CompiledSchema,
    config: &Input<'_>,
) {
    const WHY: &str =
        "is set by the provider and cannot be configured. Remove it from the configuration.";
    if config.sets_read_only {
        let found = configured(&config.value(), schema.shape(), Field::is_read_only);
        refuse(diags, found, "Read-only attribute", WHY);
    }
}

/// Adds an error for each write-only attribute that the configuration sets, because this host would
/// store it.
fn refuse_write_only(diags: &mut Diagnostics, schema: &CompiledSchema, config: &Input<'_>) {
    const WHY: &str = "is write-only: its value is never stored in the plan or the state. This \
                       requires Terraform 1.11 or OpenTofu 1.11, or a later version.";
    if config.sets_write_only {
        let found = configured(&config.value(), schema.shape(), Field::is_write_only);
        refuse(diags, found, "Write-only attribute", WHY);
    }
}

fn refuse(diags: &mut Diagnostics, found: Vec<Configured>, summary: &'static str, why: &str) {
    for Configured { name, path } in found {
        diags.errors.push(diagnostic(summary, format!("`{name}` {why}"), path));
    }
}
