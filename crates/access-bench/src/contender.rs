//! The providers that are compared, and a configuration of the same roles for each.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::scenario::Scenario;

/// An admin's key of the local service.
pub(crate) const KEY: &str = "admin-key";

/// A provider, which is a row of each table.
pub(crate) struct Contender {
    /// Its name in tables and plots.
    pub(crate) label: String,
    /// Name (the last part of the source address) and binary of the plugin; `None` for the provider
    /// that is built into terraform.
    pub(crate) plugin: Option<(&'static str, PathBuf)>,
    /// The source address, empty without a plugin.
    source: &'static str,
    /// Returns the blocks of the provider and the resource.
    blocks: fn(&Setting<'_>) -> String,
    /// `drift_detection` of this project's provider; empty for others.
    drift_detection: &'static str,
}

/// The values that differ between configurations.
struct Setting<'s> {
    base_url: &'s str,
    roles: usize,
    listings: usize,
    drift_detection: &'s str,
    requests_per_second: Option<u32>,
}

impl Contender {
    /// Returns `terraform_data`, which does not use a service and shows Terraform's own costs.
    pub(crate) fn floor() -> Self {
        Self {
            label: "terraform_data".to_owned(),
            plugin: None,
            source: "",
            blocks: floor,
            drift_detection: "",
        }
    }

    /// Returns this project's provider with a value of `drift_detection`.
    pub(crate) fn access(binary: &Path, drift_detection: &'static str) -> Self {
        Self {
            label: format!("access, {drift_detection}"),
            plugin: Some(("access", binary.to_owned())),
            source: "access/access",
            blocks: access,
            drift_detection,
        }
    }

    /// Returns another provider.
    ///
    /// # Errors
    ///
    /// Fails if there is no configuration for it.
    pub(crate) fn other(name: &str, binary: &Path) -> Result<Self> {
        let (plugin, source, blocks): (_, _, fn(&Setting<'_>) -> String) = match name {
            "restapi" => ("restapi", "Mastercard/restapi", restapi),
            "restful" => ("restful", "magodo/restful", restful),
            _ => bail!("no configuration for {name}: restapi and restful are known"),
        };
        Ok(Self {
            label: source.to_owned(),
            plugin: Some((plugin, binary.to_owned())),
            source,
            blocks,
            drift_detection: "",
        })
    }

    /// Returns whether it is neither this project's provider nor built into terraform.
    pub(crate) fn is_other(&self) -> bool {
        self.has_roles() && self.drift_detection.is_empty()
    }

    /// Returns whether it manages roles at the service.
    pub(crate) fn has_roles(&self) -> bool {
        self.plugin.is_some()
    }

    /// Returns the source address, for `dev_overrides`.
    pub(crate) fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the configuration of the scenario's roles. Their description depends on the variable
    /// `edition`.
    pub(crate) fn configuration(&self, base_url: &str, scenario: &Scenario) -> String {
        let setting = Setting {
            base_url,
            roles: scenario.roles,
            listings: scenario.listings,
            drift_detection: self.drift_detection,
            requests_per_second: scenario.requests_per_second,
        };
        let requirement = match &self.plugin {
            Some((name, _)) => format!(
                "terraform {{\n  required_providers {{\n    {name} = {{\n      source = \"{}\"\n    }}\n  }}\n}}\n\n",
                self.source
            ),
            None => String::new(),
        };
        let blocks = (self.blocks)(&setting);
        format!("{requirement}variable \"edition\" {{\n  type = number\n}}\n\n{blocks}")
    }
}

fn floor(setting: &Setting<'_>) -> String {
    format!(
        r#"resource "terraform_data" "role" {{
  count = {roles}
  input = {{
    listing      = "listing-${{count.index % {listings}}}"
    role         = "role-${{count.index}}"
    display_name = "Role ${{count.index}}"
    description  = "Edition ${{var.edition}} of role ${{count.index}}."
    priority     = count.index
    resources    = ["repositories/website", "repositories/handbook"]
  }}
}}
"#,
        roles = setting.roles,
        listings = setting.listings
    )
}

fn access(setting: &Setting<'_>) -> String {
    format!(
        r#"provider "access" {{
  base_url        = "{base_url}"
  api_key         = "{KEY}"
  repo_detection  = "off"
  drift_detection = "{drift_detection}"
}}

resource "access_listing_role" "role" {{
  count        = {roles}
  listing      = "listing-${{count.index % {listings}}}"
  role         = "role-${{count.index}}"
  display_name = "Role ${{count.index}}"
  description  = "Edition ${{var.edition}} of role ${{count.index}}."
  priority     = count.index
  resources    = ["repositories/website", "repositories/handbook"]
}}
"#,
        base_url = setting.base_url,
        drift_detection = setting.drift_detection,
        roles = setting.roles,
        listings = setting.listings
    )
}

fn restapi(setting: &Setting<'_>) -> String {
    // Without these settings the provider fails at the first 429.
    let limits = setting.requests_per_second.map_or(String::new(), |rate| {
        format!("  rate_limit           = {rate}\n  retries {{\n    max_retries = 50\n  }}\n")
    });
    format!(
        r#"provider "restapi" {{
  uri                  = "{base_url}"
  bearer_token         = "{KEY}"
  create_method        = "PATCH"
  update_method        = "PATCH"
  write_returns_object = true
  id_attribute         = "name"
{limits}}}

locals {{
  mask = "updateMask=displayName,description,priority,resources"
}}

resource "restapi_object" "role" {{
  count                   = {roles}
  object_id               = "listings/listing-${{count.index % {listings}}}/roles/role-${{count.index}}"
  path                    = "/api/v1/listings/listing-${{count.index % {listings}}}/roles"
  create_path             = "/api/v1/listings/listing-${{count.index % {listings}}}/roles/role-${{count.index}}?allowMissing=true&${{local.mask}}"
  read_path               = "/api/v1/listings/listing-${{count.index % {listings}}}/roles/role-${{count.index}}"
  update_path             = "/api/v1/listings/listing-${{count.index % {listings}}}/roles/role-${{count.index}}?${{local.mask}}"
  destroy_path            = "/api/v1/listings/listing-${{count.index % {listings}}}/roles/role-${{count.index}}"
  ignore_server_additions = true
  data = jsonencode({{
    displayName = "Role ${{count.index}}"
    description = "Edition ${{var.edition}} of role ${{count.index}}."
    priority    = tostring(count.index)
    resources   = ["repositories/website", "repositories/handbook"]
  }})
}}
"#,
        base_url = setting.base_url,
        roles = setting.roles,
        listings = setting.listings
    )
}

fn restful(setting: &Setting<'_>) -> String {
    // Without this setting the first 429 is an error.
    let client = setting.requests_per_second.map_or("", |_| {
        "  client = {\n    retry = {\n      status_codes = [429]\n      count        = 50\n    }\n  }\n"
    });
    format!(
        r#"provider "restful" {{
  base_url = "{base_url}"
  security = {{
    http = {{
      token = {{
        token = "{KEY}"
      }}
    }}
  }}
{client}}}

locals {{
  mask = ["displayName,description,priority,resources"]
}}

resource "restful_resource" "role" {{
  count                = {roles}
  path                 = "/api/v1/listings/listing-${{count.index % {listings}}}/roles/role-${{count.index}}"
  create_method        = "PATCH"
  create_query         = {{ allowMissing = ["true"], updateMask = local.mask }}
  update_method        = "PATCH"
  update_query         = {{ updateMask = local.mask }}
  merge_patch_disabled = true
  body = {{
    displayName = "Role ${{count.index}}"
    description = "Edition ${{var.edition}} of role ${{count.index}}."
    priority    = tostring(count.index)
    resources   = ["repositories/website", "repositories/handbook"]
  }}
}}
"#,
        base_url = setting.base_url,
        roles = setting.roles,
        listings = setting.listings
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_contain_the_numbers_and_the_address() {
        let binary = Path::new("/plugin");
        let scenario = Scenario { roles: 17, listings: 3, ..Scenario::local() };
        for contender in [
            Contender::access(binary, "list"),
            Contender::other("restapi", binary).unwrap(),
            Contender::other("restful", binary).unwrap(),
        ] {
            let text = contender.configuration("http://127.0.0.1:1", &scenario);
            for part in [
                "= 17\n",
                "\"http://127.0.0.1:1\"",
                contender.source(),
                "var.edition",
                "listing-${count.index % 3}",
            ] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        let list = Contender::access(binary, "list").configuration("http://127.0.0.1:1", &scenario);
        assert!(list.contains("drift_detection = \"list\""));
        assert!(Contender::other("unheard", binary).is_err());
        let limited = Scenario { requests_per_second: Some(5), ..scenario };
        let restapi = Contender::other("restapi", binary).unwrap();
        assert!(restapi.configuration("", &limited).contains("rate_limit           = 5\n"));
        let restful = Contender::other("restful", binary).unwrap();
        assert!(restful.configuration("", &limited).contains("status_codes = [429]"));
    }
}
