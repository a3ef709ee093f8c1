//! The providers that are compared, and a configuration of the same roles for each.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::options::Options;
use crate::scenario::Scenario;

/// An admin's key of the local service.
pub(crate) const KEY: &str = "admin-key";

/// A provider, which is a row of each table.
pub(crate) struct Contender {
    /// Its name in tables.
    pub(crate) label: &'static str,
    /// Source address and binary of the plugin; `None` for the provider that is built into terraform.
    pub(crate) plugin: Option<(&'static str, PathBuf)>,
    /// Returns the blocks of the provider and the resource.
    blocks: fn(&str, &Scenario) -> String,
}

/// Returns `terraform_data`, this provider, and the others.
pub(crate) fn all(options: &Options) -> Result<Vec<Contender>> {
    let plugin = Some(("access/access", options.provider.clone()));
    let mut all = vec![
        // It does not use a service and shows Terraform's own costs.
        Contender { label: "terraform_data", plugin: None, blocks: floor },
        Contender { label: "access", plugin, blocks: access },
    ];
    for (name, _, binary) in &options.others {
        all.push(Contender::other(name, binary)?);
    }
    Ok(all)
}

impl Contender {
    fn other(name: &str, binary: &Path) -> Result<Self> {
        let (label, blocks): (_, fn(&str, &Scenario) -> String) = match name {
            "restapi" => ("Mastercard/restapi", restapi),
            "restful" => ("magodo/restful", restful),
            _ => bail!("no configuration for {name}: restapi and restful are known"),
        };
        Ok(Self { label, plugin: Some((label, binary.to_owned())), blocks })
    }

    /// Returns whether it is neither this project's provider nor built into terraform.
    pub(crate) fn is_other(&self) -> bool {
        !["terraform_data", "access"].contains(&self.label)
    }

    /// Returns the configuration of the scenario's roles. Their description depends on the variable
    /// `edition`.
    pub(crate) fn configuration(&self, base_url: &str, scenario: &Scenario) -> String {
        let requirement = self.plugin.as_ref().map_or(String::new(), |(source, _)| {
            let name = source.rsplit('/').next().unwrap_or_default();
            format!(
                "terraform {{\n  required_providers {{\n    {name} = {{\n      source = \"{source}\"\n    }}\n  }}\n}}\n\n"
            )
        });
        let blocks = (self.blocks)(base_url, scenario);
        format!("{requirement}variable \"edition\" {{\n  type = number\n}}\n\n{blocks}")
    }
}

fn floor(_base_url: &str, scenario: &Scenario) -> String {
    let Scenario { roles, listings, .. } = scenario;
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
"#
    )
}

fn access(base_url: &str, scenario: &Scenario) -> String {
    let Scenario { roles, listings, .. } = scenario;
    format!(
        r#"provider "access" {{
  base_url       = "{base_url}"
  api_key        = "{KEY}"
  repo_detection = "off"
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
"#
    )
}

fn restapi(base_url: &str, scenario: &Scenario) -> String {
    let Scenario { roles, listings, .. } = scenario;
    // Without these settings the provider fails at the first 429.
    let limits = scenario.requests_per_second.map_or(String::new(), |rate| {
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
"#
    )
}

fn restful(base_url: &str, scenario: &Scenario) -> String {
    let Scenario { roles, listings, .. } = scenario;
    // Without this setting the first 429 is an error.
    let client = scenario.requests_per_second.map_or("", |_| {
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
"#
    )
}
