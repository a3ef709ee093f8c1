//! `access_integration_owners`: all owners of an integration as one resource.

mod conflicts;
mod drift;
mod failures;
mod life;
mod services;

use access_fake::{Absence, Fault, Presence, Request};
use serde_json::Value;

use crate::support::fixtures::{self, Block, import, moved, owner, removed};
use crate::support::{Feature, Service, Workspace, host_version};

const OWNERS: &str = "access_integration_owners.github";

/// Returns the block of the owners of the integration `github`.
fn owners(owners: &[&str]) -> Block {
    fixtures::owners(owners).at("github").text("integration", "github")
}

/// Returns a block that adopts the owners that exist.
fn adopting(list: &[&str]) -> Block {
    owners(list).adopting()
}

/// Returns a service and a workspace that manages these owners of `github`, which existed before: one that
/// the provider has added itself is kept for five minutes, whatever reads show.
fn applied(list: &[&str]) -> (Service, Workspace) {
    let service = Service::full();
    for principal in list.iter().filter(|principal| **principal != "users/founder") {
        service.put_owner("github", &principal.replace('/', "-"), principal);
    }
    let workspace = service.applied(adopting(list));
    (service, workspace)
}

/// Returns the users, groups and teams that own `github` at the service, in order.
fn at_service(service: &Service) -> Vec<String> {
    service.principals("github")
}

/// Returns the ID under which a principal owns `github`.
fn id_of(service: &Service, principal: &str) -> String {
    service.owner_ids("github", principal).remove(0)
}

/// Returns the owners in the state, in order.
fn in_state(workspace: &Workspace) -> Vec<String> {
    let state = workspace.state_of(OWNERS).expect("a state");
    let mut owners: Vec<String> = state["owners"]
        .as_array()
        .expect("a set")
        .iter()
        .filter_map(|owner| owner.as_str().map(str::to_owned))
        .collect();
    owners.sort();
    owners
}

/// Returns the methods of the requests that changed something, in order.
fn writes(service: &Service) -> Vec<String> {
    service.writes().into_iter().map(|request: Request| request.method).collect()
}

/// Refuses each request of a method with 403.
fn forbid(service: &Service, method: &str) {
    service.fault(Fault::respond(403, "{\"message\": \"not for you\"}").on(method));
}

/// Takes the list of owners away.
fn without_list(service: &Service, status: u16) {
    let absent = Presence::Absent(Absence::of_status(status).unwrap());
    service.change_world(|world| world.owners.list = absent);
}

/// Returns whether the resource is tainted.
fn is_tainted(workspace: &Workspace) -> bool {
    workspace.instance(OWNERS).is_some_and(|instance| instance["status"] != Value::Null)
}
