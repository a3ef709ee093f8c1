//! `access_integration_owners`: all owners of an integration as one resource.
//!
//! `protocol::owners` has the conclusions from lists and GET, `replace` the replacements by itself.

use access_fake::{Fault, Request};

use crate::support::fixtures::{self, Block, import, later, moved, owner, removed};
use crate::support::{Service, Workspace, has_parts};

const OWNERS: &str = "access_integration_owners.github";
const REFUSAL: &str = "{\"message\": \"not for you\"}";

/// Returns the block of the owners of the integration `github`.
fn owners(owners: &[&str]) -> Block {
    fixtures::owners(owners).at("github").text("integration", "github")
}

/// Returns a block that adopts the owners that exist.
fn adopting(list: &[&str]) -> Block {
    owners(list).adopting()
}

/// Returns a service and a workspace that manages these owners of `github`, which existed before.
fn applied(list: &[&str]) -> (Service, Workspace) {
    let service = Service::full();
    for principal in list.iter().filter(|principal| **principal != "users/founder") {
        service.put_owner("github", &principal.replace('/', "-"), principal);
    }
    let workspace = service.applied(adopting(list));
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
fn owners_are_adopted_planned_without_changes_updated_and_destroyed() {
    let service = Service::full();
    service.put_owner("github", "own-7", "groups/old");
    let workspace = service.workspace();
    let plan = workspace.plan_of(adopting(&["users/founder"])).exits(2);
    plan.warns(["integrations/github", "users/founder", "groups/old"]);
    // One owner is known only after apply, and one is removed.
    let late = later("late", "\"teams/platform\"");
    let list = "[\"users/founder\", terraform_data.late.output]";
    workspace.plan_of(late.clone() + adopting(&[]).set("owners", list)).plans(OWNERS, "create");
    workspace.apply().succeeds();
    assert_eq!(service.principals("github"), ["teams/platform", "users/founder"]);
    assert_eq!(writes(&service), ["POST", "DELETE"]);
    let state = workspace.state_of(OWNERS).unwrap();
    assert_eq!((&state["id"], &state["name"]), (&state["name"], &"integrations/github".into()));
    workspace.plan_with(&["-refresh=false"]).exits(0);
    service.clear_requests();
    workspace.plans_nothing().without_warnings();
    assert_eq!(service.requests().len(), 1);

    let others = adopting(&["users/ada", "groups/ops"]);
    workspace.plan_of(late.clone() + &others).plans(OWNERS, "update");
    service.clear_requests();
    workspace.apply().succeeds().without_warnings();
    assert_eq!(writes(&service), ["POST", "POST", "DELETE", "DELETE"]);
    // The refresh, the update, which is another process, and a read-back.
    assert!(service.requests_of("GET") <= 3, "{:?}", service.requests());
    assert_eq!(service.principals("github"), ["groups/ops", "users/ada"]);
    workspace.plans_nothing();

    workspace.apply_of(late + others.abandoning()).succeeds();
    service.clear_requests();
    assert!(!workspace.destroy().succeeds().warnings().is_empty());
    assert_eq!((writes(&service), workspace.state_size()), (vec![], 0));
    assert_eq!(service.principals("github"), ["groups/ops", "users/ada"]);
}

#[test]
fn existing_owners_are_a_warning_at_plan_and_refused_with_their_import_block() {
    let (service, workspace) = Service::with_workspace();
    let plan = workspace.plan_of(owners(&["users/ada"])).exits(2);
    plan.warns(["users/founder", "import {", "export"]);
    let id = "id = \"integrations/github\"";
    workspace.apply().fails_with(["users/founder", "import {", id, "adopt_existing"]);
    assert_eq!(writes(&service), [""; 0]);

    workspace.import(OWNERS, "integrations/github").succeeds();
    assert_eq!(in_state(&workspace), ["users/founder"]);
    workspace.plan().plans(OWNERS, "update");
    workspace.apply().succeeds();
    assert_eq!(service.principals("github"), ["users/ada"]);
    workspace.plans_nothing();
}

#[test]
fn single_owners_and_second_lists_are_errors_at_plan_with_ways_out() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let list = || adopting(&["users/founder", "users/ada"]);
    for (other, part) in [
        (owner("ben"), "`access_integration_owners`"),
        (adopting(&["users/ben"]).at("second"), "moved {"),
    ] {
        workspace.plan_of(list() + other).fails_with(["github", part]);
    }
    let renamed = list().at("all");
    workspace.plan_of(&renamed).fails_with(["moved {", "access_integration_owners."]);
    workspace.apply_of(renamed + moved(OWNERS, "access_integration_owners.all")).succeeds();

    // A destroy of the single owner would remove what the list keeps.
    let workspace = service.workspace();
    workspace.apply_of(owner("ada").adopting()).succeeds();
    workspace.plan_of(list()).fails_with(["github", "adopt_existing = true", "abandon", "removed"]);
    let blocks = removed("access_integration_owner.ada") + import(OWNERS, "github");
    workspace.apply_of(owners(&["users/founder", "users/ada"]) + blocks).succeeds();
    assert_eq!((writes(&service), workspace.state_size()), (vec![], 1));
    workspace.plans_nothing();
}

/// One argument of a module switches between the two types, and both blocks stay: `removed` is
/// refused.
#[test]
fn single_owners_become_a_list_and_back_by_the_way_that_the_error_names() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let mode = |is_list: bool| {
        let count = |wanted: bool| if wanted { "1" } else { "0" };
        let users = "toset([\"users/founder\", \"users/ada\"])";
        let each = if is_list { "[]".to_owned() } else { users.to_owned() };
        let single =
            owner("each").set("for_each", format!("toset({each})")).set("owner", "each.key");
        adopting(&["users/founder", "users/ada"]).set("count", count(is_list)) + single.adopting()
    };
    let mut workspace = {
        drop(workspace);
        service.workspace()
    };
    workspace.apply_of(mode(true)).succeeds();
    for is_list in [false, true] {
        workspace.set("ACCESS_DELETION_POLICY", "");
        workspace.plan_of(mode(is_list)).fails_with([
            "github",
            "ACCESS_DELETION_POLICY=abandon",
            "adopt_existing = true",
        ]);
        workspace.set("ACCESS_DELETION_POLICY", "abandon");
        workspace.apply().succeeds();
        workspace.set("ACCESS_DELETION_POLICY", "");
        workspace.plans_nothing();
        assert_eq!(service.principals("github"), ["users/ada", "users/founder"], "{is_list}");
        assert_eq!(workspace.state_size(), if is_list { 1 } else { 2 });
    }
    assert_eq!(writes(&service), [""; 0]);
}

#[test]
fn owners_changed_outside_are_drift_that_the_apply_corrects() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    // A second owner of the same user changes nothing about who owns the integration.
    service.put_owner("github", "second", "users/ada");
    workspace.plans_nothing();
    service.put_owner("github", "own-7", "groups/ops");
    service.remove_owner("github", "founder");
    let plan = workspace.run(&["plan", "-no-color", "-lock=false", "-detailed-exitcode"]).exits(2);
    has_parts(&plan.stdout, &["- \"groups/ops\"", "+ \"users/founder\""]);
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "DELETE"]);
    workspace.apply_of(adopting(&["users/founder"])).succeeds();
    assert_eq!(writes(&service), ["POST", "DELETE", "DELETE", "DELETE"]);
    assert_eq!(service.principals("github"), ["users/founder"]);
    workspace.plans_nothing();
}

/// An owner that is added after the plan is not removed by an apply that has not shown it, and one
/// that was removed leaves the last.
#[test]
fn update_changes_what_its_plan_shows_and_never_removes_the_last_owner() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(adopting(&["users/founder"]));
    workspace.save_plan(&[]);
    service.remove_owner("github", "founder");
    workspace.apply_saved().fails_with(["integrations/github"]);
    assert_eq!(writes(&service), [""; 0]);
    // An integration without owners gets them again.
    service.remove_owner("github", "users-ada");
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST"]);

    workspace.configure(adopting(&["users/founder", "users/ben"]));
    workspace.save_plan(&[]);
    service.put_owner("github", "own-7", "groups/ops");
    workspace.apply_saved().succeeds();
    assert_eq!(service.principals("github"), ["groups/ops", "users/ben", "users/founder"]);
    workspace.apply().succeeds();
    assert_eq!(service.principals("github"), ["users/ben", "users/founder"]);

    // With drift detection off, the state is compared, and nothing is read.
    let workspace = workspace.with("ACCESS_DRIFT_DETECTION", "off");
    service.put_owner("github", "own-8", "groups/dev");
    service.clear_requests();
    workspace.plans_nothing();
    assert_eq!(service.requests().len(), 0);
    // Owners that were added after the state was stored belong to others.
    workspace.destroy().succeeds();
    assert_eq!(service.principals("github"), ["groups/dev"]);
}

#[test]
fn failure_in_the_middle_leaves_the_true_state_and_enough_owners() {
    let (service, workspace) = applied(&["users/founder", "users/ada", "users/ben"]);
    // Removals do not start if an addition failed.
    service.add_fault(Fault::respond(403, REFUSAL).on("POST"));
    workspace.apply_of(adopting(&["users/founder", "users/cem"])).fails_with(["not for you"]);
    assert_eq!(writes(&service), ["POST"]);
    assert_eq!(in_state(&workspace), service.principals("github"));

    service.clear_faults();
    service.clear_requests();
    service.add_fault(Fault::respond(403, REFUSAL).on("DELETE").skipping(1));
    workspace.apply().fails_with(["not for you"]);
    assert_eq!(writes(&service), ["POST", "DELETE", "DELETE"]);
    assert_eq!(in_state(&workspace), service.principals("github"));
    assert_eq!(service.principals("github"), ["users/ben", "users/cem", "users/founder"]);
    service.clear_faults();
    workspace.apply().succeeds();
    workspace.plans_nothing();

    service.add_fault(Fault::respond(405, REFUSAL).on("DELETE").skipping(1));
    workspace.destroy().fails_with(["abandon", "removed {", "terraform state rm"]);
    assert_eq!(workspace.state_size(), 1);
    service.clear_faults();
    workspace.destroy_with(&["-refresh=false"]).succeeds();
    assert_eq!((service.principals("github"), workspace.state_size()), (vec![], 0));
}

/// An error would taint the resource, and the next apply would remove all owners.
#[test]
fn failure_in_the_middle_of_a_create_is_a_warning_and_shows_in_the_next_plan() {
    for (method, skipped, before) in [
        ("POST", 1, &["users/ada", "users/founder"][..]),
        ("DELETE", 0, &["users/ada", "users/ben", "users/founder"]),
    ] {
        let (service, workspace) = Service::with_workspace();
        workspace.configure(adopting(&["users/ada", "users/ben"]));
        if method == "POST" {
            service.add_fault(Fault::respond(403, REFUSAL).on("POST"));
            workspace.apply().fails_with(["not for you"]);
            assert_eq!(workspace.state_size(), 0, "a create that wrote nothing is an error");
            service.clear_faults();
        }
        service.add_fault(Fault::respond(403, REFUSAL).on(method).skipping(skipped));
        workspace.apply().succeeds().warns(["integrations/github", "not for you"]);
        let status = workspace.instance(OWNERS).expect("an instance")["status"].clone();
        assert!(status.is_null(), "{method}: {status}");
        assert_eq!(service.principals("github"), before, "{method}");
        service.clear_faults();
        workspace.plan().plans(OWNERS, "update");
        workspace.apply().succeeds();
        assert_eq!(service.principals("github"), ["users/ada", "users/ben"], "{method}");
        workspace.plans_nothing();
    }
}
