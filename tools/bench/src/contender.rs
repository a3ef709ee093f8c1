//! The providers that are compared, and a configuration of the same roles for each.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::options::Options;
use crate::scenario::Scenario;

/// An admin's key of the local service.
pub(crate) const KEY: &str = "admin-key";

/// Which provider a contender is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// `terraform_data`, which is built into terraform, uses no service and shows Terraform's own
    /// costs.
    Floor,
    /// This provider.
    Access,
    Restapi,
    Restful,
}

/// A provider, which is a row of each table.
pub(crate) struct Contender {
    pub(crate) kind: Kind,
    /// Its name in tables.
    pub(crate) label: &'static str,
    /// Source address and binary of the plugin; `None` for the provider that is built into
    /// terraform.
    pub(crate) plugin: Option<(&'static str, PathBuf)>,
}

/// Returns `terraform_data`, this provider, and the others.
pub(crate) fn all(options: &Options) -> Result<Vec<Contender>> {
    let plugin = Some(("access/access", options.provider.clone()));
    let mut all = vec![
        Contender { kind: Kind::Floor, label: "terraform_data", plugin: None },
        Contender { kind: Kind::Access, label: "access", plugin },
    ];
    for (name, _, binary) in &options.others {
        all.push(Contender::other(name, binary)?);
    }
    Ok(all)
}

/// The texts and expressions of the arguments of a resource with many instances.
struct Arguments {
    /// The name of the resource.
    name: &'static str,
    /// `count` or `for_each`.
    repeat: String,
    listing: String,
    role: String,
    display_name: String,
    description: String,
    /// A number.
    priority: &'static str,
}

impl Arguments {
    /// The roles of a scenario. Their description depends on the variable `edition`.
    fn of_count(scenario: &Scenario) -> Self {
        let Scenario { roles, listings, .. } = scenario;
        Self {
            name: "role",
            repeat: format!("count = {roles}"),
            listing: format!("listing-${{count.index % {listings}}}"),
            role: "role-${count.index}".to_owned(),
            display_name: "Role ${count.index}".to_owned(),
            description: "Edition ${var.edition} of role ${count.index}.".to_owned(),
            priority: "count.index",
        }
    }

    /// The roles of data files.
    fn of_data() -> Self {
        let value = |name| format!("${{each.value.{name}}}");
        Self {
            name: "this",
            repeat: "for_each = local.roles".to_owned(),
            listing: value("listing"),
            role: value("role"),
            display_name: value("display_name"),
            description: value("description"),
            priority: "each.value.priority",
        }
    }
}

impl Contender {
    /// Returns another provider by its name on the command line.
    fn other(name: &str, binary: &Path) -> Result<Self> {
        let (kind, label) = match name {
            "restapi" => (Kind::Restapi, "Mastercard/restapi"),
            "restful" => (Kind::Restful, "magodo/restful"),
            _ => bail!("no configuration for {name}: restapi and restful are known"),
        };
        Ok(Self { kind, label, plugin: Some((label, binary.to_owned())) })
    }

    /// Returns whether it is neither this project's provider nor built into terraform.
    pub(crate) fn is_other(&self) -> bool {
        !matches!(self.kind, Kind::Floor | Kind::Access)
    }

    /// Returns the configuration of the scenario's roles.
    pub(crate) fn configuration(&self, base_url: &str, scenario: &Scenario) -> String {
        let requirement = self.requirement();
        let provider = self.provider_block(base_url, scenario.requests_per_second);
        let resource = self.resource(&Arguments::of_count(scenario));
        format!("{requirement}variable \"edition\" {{\n  type = number\n}}\n\n{provider}{resource}")
    }

    /// Returns the block that names the source of the provider.
    pub(crate) fn requirement(&self) -> String {
        self.plugin.as_ref().map_or(String::new(), |(source, _)| {
            let name = source.rsplit('/').next().unwrap_or_default();
            format!(
                "terraform {{\n  required_providers {{\n    {name} = {{\n      source = \"{source}\"\n    }}\n  }}\n}}\n\n"
            )
        })
    }

    /// Returns the configuration of the provider.
    pub(crate) fn provider_block(
        &self,
        base_url: &str,
        requests_per_second: Option<u32>,
    ) -> String {
        match self.kind {
            Kind::Floor => String::new(),
            Kind::Access => access_provider(base_url),
            Kind::Restapi => restapi_provider(base_url, requests_per_second),
            Kind::Restful => restful_provider(base_url, requests_per_second),
        }
    }

    /// Returns the resource with the roles of `local.roles`.
    pub(crate) fn resource_of_data(&self) -> String {
        self.resource(&Arguments::of_data())
    }

    /// Returns the resource of many roles, in the provider's own form.
    fn resource(&self, arguments: &Arguments) -> String {
        match self.kind {
            Kind::Floor => floor(arguments),
            Kind::Access => access(arguments),
            Kind::Restapi => restapi(arguments),
            Kind::Restful => restful(arguments),
        }
    }
}

/// Returns the resource of `terraform_data`.
fn floor(arguments: &Arguments) -> String {
    let Arguments { name, repeat, listing, role, display_name, description, priority } = arguments;
    format!(
        r#"resource "terraform_data" "{name}" {{
  {repeat}
  input = {{
    listing      = "{listing}"
    role         = "{role}"
    display_name = "{display_name}"
    description  = "{description}"
    priority     = {priority}
    resources    = ["repositories/website", "repositories/handbook"]
  }}
}}
"#
    )
}

/// Returns the provider block of this provider.
fn access_provider(base_url: &str) -> String {
    format!(
        r#"provider "access" {{
  base_url       = "{base_url}"
  api_key        = "{KEY}"
  repo_detection = "off"
}}

"#
    )
}

/// Returns the resource of this provider.
fn access(arguments: &Arguments) -> String {
    let Arguments { name, repeat, listing, role, display_name, description, priority } = arguments;
    format!(
        r#"resource "access_listing_role" "{name}" {{
  {repeat}
  listing      = "{listing}"
  role         = "{role}"
  display_name = "{display_name}"
  description  = "{description}"
  priority     = {priority}
  resources    = ["repositories/website", "repositories/handbook"]
}}
"#
    )
}

/// Returns the provider block of Mastercard/restapi.
fn restapi_provider(base_url: &str, requests_per_second: Option<u32>) -> String {
    // Without these settings the provider fails at the first 429.
    let limits = requests_per_second.map_or(String::new(), |rate| {
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

"#
    )
}

/// Returns the resource of Mastercard/restapi.
fn restapi(arguments: &Arguments) -> String {
    let Arguments { name, repeat, listing, role, display_name, description, priority } = arguments;
    format!(
        r#"locals {{
  mask = "updateMask=displayName,description,priority,resources"
}}

resource "restapi_object" "{name}" {{
  {repeat}
  object_id               = "listings/{listing}/roles/{role}"
  path                    = "/api/v1/listings/{listing}/roles"
  create_path             = "/api/v1/listings/{listing}/roles/{role}?allowMissing=true&${{local.mask}}"
  read_path               = "/api/v1/listings/{listing}/roles/{role}"
  update_path             = "/api/v1/listings/{listing}/roles/{role}?${{local.mask}}"
  destroy_path            = "/api/v1/listings/{listing}/roles/{role}"
  ignore_server_additions = true
  data = jsonencode({{
    displayName = "{display_name}"
    description = "{description}"
    priority    = tostring({priority})
    resources   = ["repositories/website", "repositories/handbook"]
  }})
}}
"#
    )
}

/// Returns the provider block of magodo/restful.
fn restful_provider(base_url: &str, requests_per_second: Option<u32>) -> String {
    // Without this setting the first 429 is an error.
    let client = requests_per_second.map_or("", |_| {
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

"#
    )
}

/// Returns the resource of magodo/restful.
fn restful(arguments: &Arguments) -> String {
    let Arguments { name, repeat, listing, role, display_name, description, priority } = arguments;
    format!(
        r#"locals {{
  mask = ["displayName,description,priority,resources"]
}}

resource "restful_resource" "{name}" {{
  {repeat}
  path                 = "/api/v1/listings/{listing}/roles/{role}"
  create_method        = "PATCH"
  create_query         = {{ allowMissing = ["true"], updateMask = local.mask }}
  update_method        = "PATCH"
  update_query         = {{ updateMask = local.mask }}
  merge_patch_disabled = true
  body = {{
    displayName = "{display_name}"
    description = "{description}"
    priority    = tostring({priority})
    resources   = ["repositories/website", "repositories/handbook"]
  }}
}}
"#
    )
}
