//! Orders of operations that Terraform's graph produces for one object: replacements, renamed
//! addresses, two resources for one object, deposed objects, another base address. No apply
//! may lose an object.

mod adopted;
mod base_address;
mod creates;
mod deletion_policy;
mod duplicates;
mod owner_ids;
mod plans;
mod renamed;
mod replaced;
mod replacement;
mod stale_reads;

use access_fake::{Fake, Running, World};
use serde_json::Value;

use crate::support::Workspace;

/// Starts a service of its own for a test.
fn start(world: World) -> Running {
    Fake::start_blocking(world).expect("the local service listens")
}

/// Returns a workspace for a service, with the key of an administrator.
fn workspace(service: &Running) -> Workspace {
    Workspace::new(&service.base_url(), "admin-key")
}

/// Returns a resource for a role of the listing `github`. `more` is added to its body.
fn role(address: &str, role: &str, more: &str) -> String {
    format!(
        "resource \"access_listing_role\" \"{address}\" {{
  listing      = \"github\"
  role         = \"{role}\"
  display_name = \"Viewer\"
  priority     = 1
{more}
}}
"
    )
}

/// Returns a resource for an owner of the integration `github`. `more` is added to its body.
fn owner(address: &str, principal: &str, more: &str) -> String {
    format!(
        "resource \"access_integration_owner\" \"{address}\" {{
  integration = \"github\"
  owner       = \"{principal}\"
{more}
}}
"
    )
}

/// Adds another resource, `two`, for each object of the state.
fn add_duplicates(workspace: &Workspace) {
    let mut state = workspace.state();
    let resources = state["resources"].as_array_mut().expect("resources");
    for mut resource in resources.clone() {
        resource["name"] = "two".into();
        resources.push(resource);
    }
    let text = serde_json::to_string(&state).expect("a state");
    std::fs::write(workspace.path().join("terraform.tfstate"), text).expect("the state file");
}

/// Returns how many owners of the integration `github` are this principal.
fn owners_named(service: &Running, principal: &str) -> usize {
    let owners = service.service().owners("github");
    owners.iter().filter(|owner| owner["owner"] == principal).count()
}

/// Returns the display name of a role of the listing `github`; null if the role does not exist.
fn display_name(service: &Running, role: &str) -> Value {
    let role = service.service().role("github", role).unwrap_or_default();
    role["displayName"].clone()
}

/// Returns the number of requests that were sent to change something.
fn writes(service: &Running) -> usize {
    service.service().requests().iter().filter(|request| request.is_write()).count()
}

/// Returns the number of requests with this method.
fn requests_of(service: &Running, method: &str) -> usize {
    service.service().requests().iter().filter(|request| request.method == method).count()
}

/// Returns the number of deposed objects in the state of a workspace.
fn deposed(workspace: &Workspace) -> usize {
    let state = workspace.state();
    let resources = state["resources"].as_array().cloned().unwrap_or_default();
    let instances = resources.iter().filter_map(|resource| resource["instances"].as_array());
    instances.flatten().filter(|instance| instance["deposed"].is_string()).count()
}
