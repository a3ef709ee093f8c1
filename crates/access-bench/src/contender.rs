//! Who is compared, and the same roles as a configuration for each.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The listing that all roles belong to.
pub(crate) const LISTING: &str = "github";
/// A key of the local service that may do everything.
pub(crate) const KEY: &str = "admin-key";

/// One row of the comparison.
pub(crate) struct Contender {
    /// Its name in tables and plots.
    pub(crate) label: String,
    /// Name (the last part of the source address) and binary of the plugin; none for what is
    /// built into terraform.
    pub(crate) plugin: Option<(&'static str, PathBuf)>,
    /// The source address.
    source: &'static str,
    /// The provider's block and the resource's.
    blocks: fn(&Setting<'_>) -> String,
    /// `drift_detection` of this project's provider.
    drift_detection: &'static str,
}

/// What a configuration depends on.
struct Setting<'s> {
    base_url: &'s str,
    resources: usize,
    drift_detection: &'s str,
}

impl Contender {
    /// What terraform needs for itself: resources without a service.
    pub(crate) fn floor() -> Self {
        Self {
            label: "terraform_data".to_owned(),
            plugin: None,
            source: "",
            blocks: floor,
            drift_detection: "",
        }
    }

    /// This project's provider in one of its modes.
    pub(crate) fn access(binary: &Path, drift_detection: &'static str) -> Self {
        Self {
            label: format!("access, {drift_detection}"),
            plugin: Some(("access", binary.to_owned())),
            source: "access/access",
            blocks: access,
            drift_detection,
        }
    }

    /// Another provider.
    ///
    /// # Errors
    ///
    /// There is no configuration for it.
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

    /// Whether it manages roles at the service.
    pub(crate) fn has_roles(&self) -> bool {
        self.plugin.is_some()
    }

    /// The source address, for `dev_overrides`.
    pub(crate) fn source(&self) -> &'static str {
        self.source
    }

    /// The configuration of so many roles, whose description depends on the variable `edition`.
    pub(crate) fn configuration(&self, base_url: &str, resources: usize) -> String {
        let setting = Setting { base_url, resources, drift_detection: self.drift_detection };
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
  count = {resources}
  input = {{
    listing      = "{LISTING}"
    role         = "role-${{count.index}}"
    display_name = "Role ${{count.index}}"
    description  = "Edition ${{var.edition}} of role ${{count.index}}."
    priority     = count.index
    resources    = ["repositories/website", "repositories/handbook"]
  }}
}}
"#,
        resources = setting.resources
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
  count        = {resources}
  listing      = "{LISTING}"
  role         = "role-${{count.index}}"
  display_name = "Role ${{count.index}}"
  description  = "Edition ${{var.edition}} of role ${{count.index}}."
  priority     = count.index
  resources    = ["repositories/website", "repositories/handbook"]
}}
"#,
        base_url = setting.base_url,
        drift_detection = setting.drift_detection,
        resources = setting.resources
    )
}

fn restapi(setting: &Setting<'_>) -> String {
    format!(
        r#"provider "restapi" {{
  uri                  = "{base_url}"
  bearer_token         = "{KEY}"
  create_method        = "PATCH"
  update_method        = "PATCH"
  write_returns_object = true
  id_attribute         = "name"
}}

locals {{
  path = "/api/v1/listings/{LISTING}/roles"
  mask = "updateMask=displayName,description,priority,resources"
}}

resource "restapi_object" "role" {{
  count                   = {resources}
  object_id               = "listings/{LISTING}/roles/role-${{count.index}}"
  path                    = local.path
  create_path             = "${{local.path}}/role-${{count.index}}?allowMissing=true&${{local.mask}}"
  read_path               = "${{local.path}}/role-${{count.index}}"
  update_path             = "${{local.path}}/role-${{count.index}}?${{local.mask}}"
  destroy_path            = "${{local.path}}/role-${{count.index}}"
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
        resources = setting.resources
    )
}

fn restful(setting: &Setting<'_>) -> String {
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
}}

locals {{
  mask = ["displayName,description,priority,resources"]
}}

resource "restful_resource" "role" {{
  count                = {resources}
  path                 = "/api/v1/listings/{LISTING}/roles/role-${{count.index}}"
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
        resources = setting.resources
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_say_how_many_and_where() {
        let binary = Path::new("/plugin");
        for contender in [
            Contender::access(binary, "list"),
            Contender::other("restapi", binary).unwrap(),
            Contender::other("restful", binary).unwrap(),
        ] {
            let text = contender.configuration("http://127.0.0.1:1", 17);
            for part in ["= 17\n", "\"http://127.0.0.1:1\"", contender.source(), "var.edition"] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        let list = Contender::access(binary, "list").configuration("http://127.0.0.1:1", 1);
        assert!(list.contains("drift_detection = \"list\""));
        assert!(Contender::other("unheard", binary).is_err());
    }
}
