//! `access_integration_owners`: all owners of an integration as one resource.
//!
//! `protocol::owners` has the conclusions from lists and GET, `replace` the replacements by itself.

use access_fake::{Fault, Request};

use crate::support::fixtures::{self, Block, later, moved, owner, removed};
use crate::support::{Service, Workspace, has_parts};

const OWNERS: &str = "access_integration_owners.github";
const REFUSAL: &str = "{\"message\": \"not for you\"}";

/// Returns the block of the owners of the integration `github`.
fn owners(owners: &[&str]) -> Block {
    fixtures::owners(owners).at("github").text("integration", "github")
}

/// Returns a service and a workspace that manages these owners of `github`, which existed before.
fn applied(list: &[&str]) -> (Service, Workspace) {
    let service = Service::full();
    for principal in list.iter().filter(|principal| **principal != "users/founder") {
        service.put_owner("github", &principal.replace('/', "-"), principal);
    }
    let workspace = service.applied(owners(list));
    (service, workspace)
}

/// Returns the owners in the state, in order.
fn in_state(workspace: &Workspace) -> Vec<String> {
    let state = workspace.state_of(OWNERS).expect("a state");
    let owners = state["owners"].as_array().expect("a set").iter();
    let mut owners: Vec<_> = owners.filter_map(|it| it.as_str().map(str::to_owned)).collect();
    owners.sort();
    owners
}

/// Returns the methods of the requests that changed something, in order.
fn writes(service: &Service) -> Vec<String> {
    service.writes().into_iter().map(|request: Request| request.method).collect()
}

/// Between the first request and the last, some owner is always there.
#[test]
fn create_only_adds_and_the_next_plan_shows_who_is_removed() {
    let service = Service::full();
    service.put_owner("github", "own-7", "groups/old");
    let workspace = service.workspace();
    let create = workspace.apply_of(owners(&["users/founder", "teams/platform"]));
    assert_eq!(create.action(OWNERS), "create");
    create
        .succeeds()
        .warns(["integrations/github", "not listed", "groups/old"])
        .does_not_warn("users/founder");
    assert_eq!(service.principals("github"), ["groups/old", "teams/platform", "users/founder"]);
    assert_eq!(writes(&service), ["POST"]);
    let state = workspace.state_of(OWNERS).unwrap();
    assert_eq!((&state["id"], &state["name"]), (&state["name"], &"integrations/github".into()));
    let update = workspace.run(&["apply", "-no-color", "-auto-approve", "-lock=false"]);
    has_parts(&update.succeeds().stdout, &["- \"groups/old\""]);
    assert_eq!(writes(&service), ["POST", "DELETE"]);
    service.clear_requests();
    workspace.plans_nothing().without_warnings();
    assert_eq!(service.requests().len(), 1);

    // One owner is known only after apply.
    let list = "[\"users/ada\", terraform_data.late.output]";
    let others = later("late", "\"groups/ops\"") + owners(&[]).set("owners", list);
    service.clear_requests();
    let update = workspace.apply_of(others).succeeds().without_warnings();
    assert_eq!(update.action(OWNERS), "update");
    assert_eq!(writes(&service), ["POST", "POST", "DELETE", "DELETE"]);
    // The refresh, the update, which is another process, and a read-back.
    assert!(service.requests_of("GET") <= 3, "{:?}", service.requests());
    assert_eq!(service.principals("github"), ["groups/ops", "users/ada"]);

    let workspace = workspace.with("ACCESS_DELETION_POLICY", "abandon");
    service.clear_requests();
    assert!(!workspace.destroy().succeeds().warnings().is_empty());
    assert_eq!((writes(&service), workspace.state_size()), (vec![], 0));
    assert_eq!(service.principals("github"), ["groups/ops", "users/ada"]);
}

/// A second address, and a resource for a single owner, also where one of the two goes.
#[test]
fn single_owners_beside_a_list_are_errors_at_plan_with_the_way_out() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let list = || owners(&["users/founder", "users/ada"]);
    let renamed = list().at("all");
    workspace
        .plan_of(renamed.clone() + owner("ben"))
        .fails_with(["integrations/github", "removed {"])
        .fails_with(["moved {", "access_integration_owners."]);
    workspace.apply_of(renamed + moved(OWNERS, "access_integration_owners.all")).succeeds();

    // A destroy of the list would remove what the single owners keep. `advice` has the other way round.
    let single = || owner("founder").adopting() + owner("ada").adopting();
    let workspace = service.workspace();
    workspace.apply_of(single()).succeeds();
    let blocks =
        removed("access_integration_owner.ada") + removed("access_integration_owner.founder");
    workspace.apply_of(list() + blocks).succeeds();
    workspace.plan_of(single()).fails_with(["integrations/github", "removed {"]);
    workspace.apply_of(single() + removed(OWNERS)).succeeds();
    assert_eq!((writes(&service), workspace.state_size()), (vec![], 2));
}

#[test]
fn owners_changed_outside_are_drift_that_the_apply_corrects() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    // A second owner of the same user changes nothing about who owns the integration.
    service.put_owner("github", "second", "users/ada");
    service.put_owner("github", "own-7", "groups/ops");
    service.remove_owner("github", "founder");
    let update = workspace.run(&["apply", "-no-color", "-auto-approve", "-lock=false"]);
    has_parts(&update.succeeds().stdout, &["- \"groups/ops\"", "+ \"users/founder\""]);
    assert_eq!(writes(&service), ["POST", "DELETE"]);
    workspace.apply_of(owners(&["users/founder"])).succeeds();
    assert_eq!(writes(&service), ["POST", "DELETE", "DELETE", "DELETE"]);
    assert_eq!(service.principals("github"), ["users/founder"]);
}

/// Somebody has removed the owner that stays, after the plan.
#[test]
fn update_never_removes_the_last_owner() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(owners(&["users/founder"]));
    workspace.save_plan(&[]);
    service.remove_owner("github", "founder");
    workspace.apply_saved().fails_with(["integrations/github", "without owners"]);
    assert_eq!(writes(&service), [""; 0]);
}

/// An owner that is added after the plan is not removed by an apply that has not shown it.
#[test]
fn update_changes_what_its_plan_shows() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(owners(&["users/founder", "users/ben"]));
    workspace.save_plan(&[]);
    service.put_owner("github", "own-7", "groups/ops");
    workspace.apply_saved().succeeds();
    assert_eq!(service.principals("github"), ["groups/ops", "users/ben", "users/founder"]);

    // With drift detection off, the state is compared, and nothing is read.
    let workspace = workspace.with("ACCESS_DRIFT_DETECTION", "off");
    service.put_owner("github", "own-8", "groups/dev");
    service.clear_requests();
    workspace.plans_nothing();
    assert_eq!(service.requests().len(), 0);
    // Owners that were added after the state was stored belong to others.
    workspace.destroy().succeeds();
    assert_eq!(service.principals("github"), ["groups/dev", "groups/ops"]);
}

/// Whoever was added is named, the state stays what it was, and the next apply goes on.
#[test]
fn failure_in_the_middle_names_who_was_added_and_the_next_apply_goes_on() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let before = in_state(&workspace);
    // Removals do not start if an addition failed.
    service.add_fault(Fault::respond(403, REFUSAL).on("POST").skipping(1));
    workspace.apply_of(owners(&["users/ben", "users/cem", "users/founder"])).fails_with([
        "users/cem",
        "not for you",
        "Added in this apply: users/ben",
    ]);
    assert_eq!((writes(&service), in_state(&workspace)), (vec!["POST".to_owned(); 2], before));
    assert_eq!(service.principals("github"), ["users/ada", "users/ben", "users/founder"]);

    service.clear_faults();
    workspace.apply().succeeds();
    assert_eq!(service.principals("github"), ["users/ben", "users/cem", "users/founder"]);

    service.add_fault(Fault::respond(405, REFUSAL).on("DELETE").skipping(1));
    workspace.destroy().fails_with(["removed {", "terraform state rm"]);
    assert_eq!(workspace.state_size(), 1);
    service.clear_faults();
    // Whoever is gone already is named.
    workspace.destroy_with(&["-refresh=false"]).succeeds().warns(["integrations/github", "users/"]);
    assert_eq!((service.principals("github"), workspace.state_size()), (vec![], 0));
}
