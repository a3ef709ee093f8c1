//! ValidateProviderConfig, ValidateResourceConfig, ValidateDataResourceConfig and
//! ValidateListResourceConfig.
//!
//! Terraform does not check whether a configuration sets read-only attributes. Providers have to.

use tf_provider::Diagnostics;

use super::call::Call;
use super::values::{CONFIG, read_value};
use crate::context::CallInfo;
use crate::diagnostic::diagnostic;
use crate::dynamic::Input;
use crate::pb::tfplugin6 as pb;
use crate::registry::{DataSourceEntry, ProviderEntry, ResourceEntry};
use crate::schema::CompiledSchema;
use crate::wire::{self, Configured, Path, Role};

const FAILURE: &str = "Could not validate the configuration";

impl Call for pb::validate_provider_config::Request {
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

impl Call for pb::validate_resource_config::Request {
    const RPC: &'static str = "ValidateResourceConfig";
    const FAILURE: &'static str = FAILURE;
    type Entry = ResourceEntry;
    type Response = pb::validate_resource_config::Response;

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name).client(self.client_capabilities.as_ref())
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let stores_write_only = !self.info().client.write_only_attributes_allowed;
        let config = configuration(diags, self.config, &entry.schema)?;
        if stores_write_only {
            refuse(diags, &config, &WRITE_ONLY, config.sets_write_only);
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

    fn info(&self) -> CallInfo {
        CallInfo::of(&self.type_name)
    }

    async fn serve(self, entry: &Self::Entry, diags: &mut Diagnostics) -> Option<Self::Response> {
        let config = configuration(diags, self.config, &entry.schema)?;
        entry.handler.validate(diags, &config).await?;
        Some(Self::Response::default())
    }
}

impl Call for pb::validate_list_resource_config::Request {
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
pub(super) fn configuration<'t>(
    diags: &mut Diagnostics,
    config: Option<pb::DynamicValue>,
    schema: &'t CompiledSchema,
) -> Option<Input<'t>> {
    let config = read_value(diags, config, &schema.ty, CONFIG)?;
    refuse(diags, &config, &READ_ONLY, config.sets_read_only);
    Some(config)
}

/// Attributes that a configuration must not set.
pub(super) struct Refused {
    is_meant: fn(Role) -> bool,
    summary: &'static str,
    /// What follows the name of the attribute.
    why: &'static str,
}

pub(super) const READ_ONLY: Refused = Refused {
    is_meant: Role::is_read_only,
    summary: "Read-only attribute",
    why: "is set by the provider and cannot be configured. Remove it from the configuration.",
};

/// For hosts that would store the value.
const WRITE_ONLY: Refused = Refused {
    is_meant: Role::is_write_only,
    summary: "Write-only attribute",
    why: "is write-only: its value is never stored in the plan or the state. This requires \
          Terraform 1.11 or OpenTofu 1.11, or a later version.",
};

/// Adds an error for each of these attributes that the configuration sets. `is_set` is whether its survey
/// has found one.
pub(super) fn refuse(diags: &mut Diagnostics, config: &Input<'_>, refused: &Refused, is_set: bool) {
    let mut found = Vec::new();
    if is_set {
        let is_meant = refused.is_meant;
        wire::configured(&mut config.value(), config.ty(), Path::ROOT, is_meant, &mut found);
    }
    for Configured { name, path } in found {
        let detail = format!("`{name}` {}", refused.why);
        diags.errors.push(diagnostic(refused.summary, detail, path));
    }
}
