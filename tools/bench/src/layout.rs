//! The two layouts of the roles of many listings: what the guide "Roles from YAML" teaches, and
//! what people write first.
//!
//! Both read the same data files, one for each listing.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::contender::{Contender, Kind};

/// The directory of the data, as `export --format yaml` writes it.
pub(crate) const DATA: &str = "data";

/// How a configuration has the roles of many listings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layout {
    /// A module, and so a resource, for each listing.
    Modules,
    /// One resource with `for_each` over the roles of all listings.
    OneResource,
}

impl Layout {
    /// Returns the heading of the layout's table, by which the picture finds it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Modules => "A module for each listing",
            Self::OneResource => "One resource for all listings",
        }
    }
}

/// The region of `examples/team`.
const REGION: [(&str, &str); 3] = [
    ("region/main.tf", include_str!("../../../examples/team/region/main.tf")),
    ("region/listing/main.tf", include_str!("../../../examples/team/region/listing/main.tf")),
    (
        "region/integration/main.tf",
        include_str!("../../../examples/team/region/integration/main.tf"),
    ),
];

/// The call of the example's region.
const CALL_REGION: &str = r#"
module "region" {
  source    = "./region"
  directory = "${path.module}/data"
}
"#;

/// The same with another provider, and without the checks of the example.
const CALL_LISTING: &str = r#"
module "listing" {
  source   = "./listing"
  for_each = { for file in fileset(path.module, "data/listings/*.yaml") : trimsuffix(basename(file), ".yaml") => file }

  listing = each.key
  file    = "${path.module}/${each.value}"
}
"#;

/// The head of the module of a listing for another provider; its resource follows.
const LISTING: &str = r#"
variable "listing" {
  type = string
}

variable "file" {
  type = string
}

locals {
  roles = { for role, settings in yamldecode(file(var.file)) : role => merge(settings, { listing = var.listing, role = role }) }
}
"#;

/// The head of the configuration with one resource, which follows.
const ALL_ROLES: &str = r#"
locals {
  roles = merge([
    for file in fileset(path.module, "data/listings/*.yaml") : {
      for role, settings in yamldecode(file("${path.module}/${file}")) :
      "${trimsuffix(basename(file), ".yaml")}/${role}" => merge(settings, {
        listing = trimsuffix(basename(file), ".yaml")
        role    = role
      })
    }
  ]...)
}
"#;

/// Returns the files of a contender's configuration, with their paths.
pub(crate) fn files(
    layout: Layout,
    contender: &Contender,
    base_url: &str,
) -> Vec<(&'static str, String)> {
    let requirement = contender.requirement();
    let provider = contender.provider_block(base_url, None);
    let resource = contender.resource_of_data();
    match layout {
        Layout::OneResource => {
            vec![("main.tf", format!("{requirement}{provider}{ALL_ROLES}{resource}"))]
        }
        Layout::Modules if contender.kind == Kind::Access => {
            let region = REGION.map(|(path, text)| (path, text.to_owned()));
            let main = format!("{requirement}{provider}{CALL_REGION}");
            [("main.tf", main)].into_iter().chain(region).collect()
        }
        Layout::Modules => vec![
            ("main.tf", format!("{requirement}{provider}{CALL_LISTING}")),
            ("listing/main.tf", format!("{requirement}{LISTING}{resource}")),
        ],
    }
}

/// Returns a role of the data files: the text of its entry.
pub(crate) fn data_entry(index: usize) -> String {
    format!(
        "role-{index}:\n  display_name: Role {index}\n  description: Edition 1 of role {index}.\n  priority: {index}\n  \
         resources:\n    - repositories/handbook\n    - repositories/website\n"
    )
}

/// Returns the same role as the service has it.
pub(crate) fn role(index: usize) -> Value {
    json!({
        "displayName": format!("Role {index}"),
        "description": format!("Edition 1 of role {index}."),
        "priority": index.to_string(),
        "resources": ["repositories/handbook", "repositories/website"],
    })
}

/// Turns the state of one module for each listing into that of one resource. An apply of thousands
/// of `moved` blocks would take minutes.
pub(crate) fn join_modules(state: &str) -> Result<String> {
    let mut state: Value = serde_json::from_str(state)?;
    let resources = state["resources"].as_array_mut().context("no resources in the state")?;
    let mut joined: Option<Value> = None;
    for mut resource in std::mem::take(resources) {
        let module = resource["module"].as_str().context("a resource outside the modules")?;
        let listing = module.rsplit('"').nth(1).context("a module without a key")?.to_owned();
        for instance in resource["instances"].as_array_mut().context("no instances")? {
            let role = instance["index_key"].as_str().context("no key")?;
            instance["index_key"] = Value::from(format!("{listing}/{role}"));
        }
        if let Some(joined) = &mut joined {
            let all = joined["instances"].as_array_mut().context("no instances")?;
            all.append(resource["instances"].as_array_mut().context("no instances")?);
        } else {
            resource.as_object_mut().context("no resource")?.remove("module");
            joined = Some(resource);
        }
    }
    resources.extend(joined);
    state["outputs"] = json!({});
    Ok(state.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_of_modules_becomes_that_of_one_resource() {
        let resource = |listing: &str| {
            json!({"module": format!("module.region.module.listing[\"{listing}\"]"), "type": "t",
                "instances": [{"index_key": "r", "attributes": {"listing": listing}}]})
        };
        let state = json!({"resources": [resource("a"), resource("b")], "outputs": {"x": 1}});
        let joined: Value =
            serde_json::from_str(&join_modules(&state.to_string()).unwrap()).unwrap();
        let expected = json!({"outputs": {}, "resources": [{"type": "t", "instances": [
            {"index_key": "a/r", "attributes": {"listing": "a"}},
            {"index_key": "b/r", "attributes": {"listing": "b"}},
        ]}]});
        assert_eq!(joined, expected);
    }
}
