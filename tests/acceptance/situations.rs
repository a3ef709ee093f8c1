//! Situations that a real service, a real key and a real network cause. None may lose an object or
//! a state, hide drift or write to another object.

mod addresses;
mod deletes;
mod evidence;
mod existence;
mod lag;
mod outages;
mod owner_creates;
mod owners;
mod permanent_diffs;
mod secrets;
mod sizes;

use access_fake::HiddenObject;

use crate::support::{Service, Workspace};

/// Returns the block of a role of the listing `github`.
fn role(role: &str, more: &str) -> String {
    role_of("github", role, more)
}

/// Returns the block of a role.
fn role_of(listing: &str, role: &str, more: &str) -> String {
    format!(
        "resource \"access_listing_role\" \"{role}\" {{
  listing      = \"{listing}\"
  role         = \"{role}\"
  display_name = \"Role\"
  priority     = 1
{more}
}}
"
    )
}

/// Returns the block of an owner of the integration `github`. The ID is the service's own.
fn owner(user: &str, more: &str) -> String {
    format!(
        "resource \"access_integration_owner\" \"{user}\" {{
  integration = \"github\"
  owner       = \"users/{user}\"
{more}
}}
"
    )
}

/// Applies a configuration to a service with every operation.
fn applied(configuration: &str) -> (Service, Workspace) {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(configuration);
    workspace.apply().succeeds();
    (service, workspace)
}

/// Returns the IDs under which a user owns the integration `github`.
fn owner_ids(service: &Service, owner: &str) -> Vec<String> {
    let owners = service.local().owners("github");
    let names = owners.iter().filter(|entry| entry["owner"] == owner).map(|entry| &entry["name"]);
    let id = |name: &serde_json::Value| name.as_str()?.rsplit('/').next().map(str::to_owned);
    names.filter_map(id).collect()
}

/// Removes the one owner of the integration `github` that is this user.
fn remove_owner(service: &Service, owner: &str) {
    let ids = owner_ids(service, owner);
    assert_eq!(ids.len(), 1, "{owner}: {ids:?}");
    service.remove_owner("github", &ids[0]);
}

/// Hides objects from GET with 404, as from a key that may not see them.
fn hidden_from_get(object: &str) -> HiddenObject {
    HiddenObject { object: object.to_owned(), get: Some(404), ..HiddenObject::default() }
}

/// Plans and refreshes, and checks that nothing is planned and the whole state is kept.
#[track_caller]
fn keeps_the_state(workspace: &Workspace) {
    let size = workspace.state_size();
    workspace.plan().exits(0);
    workspace.apply_with(&["-refresh-only"]).succeeds();
    assert_eq!(workspace.state_size(), size);
}
