//! Requests that fail in the middle of an apply: the state contains what is true, and the integration
//! always has owners.

use super::*;

#[test]
fn removal_does_not_start_if_an_addition_failed() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    forbid(&service, "POST");
    workspace.configure(adopting(&["users/founder", "users/ben"]));
    workspace.apply().fails_with("not for you");
    assert_eq!(writes(&service), ["POST"]);
    assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
    assert_eq!(in_state(&workspace), ["users/ada", "users/founder"]);
    service.respond_normally();
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ben", "users/founder"]);
    workspace.plans_nothing();
}

#[test]
fn failure_in_the_middle_of_an_update_leaves_the_true_state() {
    let (service, workspace) = applied(&["users/founder", "users/ada", "users/ben"]);
    service.fault(Fault::respond(403, "{\"message\": \"not for you\"}").on("DELETE").skipping(1));
    workspace.configure(adopting(&["users/founder", "users/cem"]));
    workspace.apply().fails_with("not for you");
    assert_eq!(writes(&service), ["POST", "DELETE", "DELETE"]);
    assert_eq!(in_state(&workspace), at_service(&service));
    assert_eq!(at_service(&service), ["users/ben", "users/cem", "users/founder"]);
    assert!(!is_tainted(&workspace));
    service.respond_normally();
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["DELETE"]);
    workspace.plans_nothing();
}

/// An error would taint the resource, and the next apply would remove all owners.
#[test]
fn failure_in_the_middle_of_a_create_is_a_warning_and_shows_in_the_next_plan() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    for (method, skipped, before) in [
        ("POST", 1, &["users/ada", "users/founder"][..]),
        ("DELETE", 0, &["users/ada", "users/ben", "users/founder"]),
    ] {
        let service = Service::full();
        let fault = Fault::respond(403, "{\"message\": \"not for you\"}");
        service.fault(fault.on(method).skipping(skipped));
        let workspace = service.workspace();
        workspace.configure(adopting(&["users/ada", "users/ben"]));
        workspace.apply().succeeds().warns(["integrations/github", "not for you"]);
        assert!(!is_tainted(&workspace), "{method}");
        assert_eq!(at_service(&service), before, "{method}");
        service.respond_normally();
        workspace.plan().plans(OWNERS, "update");
        workspace.apply().succeeds();
        assert_eq!(at_service(&service), ["users/ada", "users/ben"], "{method}");
        workspace.plans_nothing();
    }
}

#[test]
fn create_that_wrote_nothing_is_an_error() {
    let service = Service::full();
    forbid(&service, "POST");
    let workspace = service.workspace();
    workspace.configure(adopting(&["users/ada", "users/ben"]));
    workspace.apply().fails_with("not for you");
    assert_eq!(workspace.state_size(), 0);
    assert_eq!(at_service(&service), ["users/founder"]);
}

#[test]
fn lost_response_is_resolved_by_the_list_and_never_sent_again() {
    let service = Service::full();
    service.change_world(|world| world.duplicate_owners = true);
    let workspace = service.workspace();
    workspace.configure(adopting(&["users/ada", "users/ben"]));
    service.lose_responses("POST");
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "POST", "DELETE"]);
    assert_eq!(at_service(&service), ["users/ada", "users/ben"]);
    service.respond_normally();
    workspace.plans_nothing();
}

#[test]
fn lost_response_without_a_list_removes_no_owner() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    service.lose_responses("POST");
    // The refresh and the update each read the list once.
    service.fault(Fault::respond(405, "{}").on("GET").at("*/owners").skipping(2));
    workspace.configure(adopting(&["users/founder", "users/ben"]));
    workspace.apply().fails_with("users/ben");
    assert_eq!(writes(&service), ["POST"]);
    service.respond_normally();
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "DELETE"], "the owner was there");
    assert_eq!(at_service(&service), ["users/ben", "users/founder"]);
    workspace.plans_nothing();
}

/// Owners whose requests were not sent are in no state, even if nothing was to be removed.
#[cfg(unix)]
#[test]
fn interrupt_between_two_additions_leaves_the_true_state() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    use access_fake::Action;

    use crate::support::process::{interrupt, start_apply, wait_until};

    let more = ["users/founder", "users/ben", "users/cem", "users/dora"];
    let held = || Fault::new(Action::Hold { processed: true }).on("POST");
    let interrupt_after_the_first = |service: &Service, workspace: &Workspace| {
        let apply = start_apply(workspace);
        wait_until("an owner is added", || at_service(service).len() == 2);
        interrupt(&apply, workspace);
        service.respond_normally();
        apply.wait_with_output().expect("terraform ends");
        assert_eq!(at_service(service).len(), 2, "no other owner is added");
    };

    let (service, workspace) = applied(&["users/founder"]);
    service.fault(held());
    workspace.configure(adopting(&more));
    interrupt_after_the_first(&service, &workspace);
    assert_eq!(in_state(&workspace), at_service(&service));

    // A create returns its plan. The next refresh shows what is missing.
    let service = Service::full();
    let workspace = service.workspace();
    service.fault(held());
    workspace.configure(adopting(&more));
    interrupt_after_the_first(&service, &workspace);
    workspace.plan().plans(OWNERS, "update");
    workspace.apply().succeeds();
    assert_eq!(at_service(&service).len(), more.len());
    workspace.plans_nothing();
}

/// The owners that the configuration keeps were removed after the plan.
#[test]
fn last_owner_is_not_removed_by_an_update() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(adopting(&["users/founder"]));
    workspace.save_plan(&[]);
    service.remove_owner("github", "founder");
    let apply = workspace.apply_saved();
    apply.fails_with("integrations/github");
    assert_eq!(writes(&service), [""; 0]);
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "DELETE"]);
    assert_eq!(at_service(&service), ["users/founder"]);
}

#[test]
fn destroy_that_fails_in_the_middle_is_finished_by_the_next() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    service.fault(Fault::respond(403, "{\"message\": \"not for you\"}").on("DELETE").skipping(1));
    workspace.destroy().fails_with("not for you");
    assert_eq!(workspace.state_size(), 1);
    service.respond_normally();
    workspace.destroy_with(&["-refresh=false"]).succeeds();
    assert_eq!(at_service(&service), [""; 0]);
    assert_eq!(workspace.state_size(), 0);
}

/// Owners that were added after the state was stored belong to others.
#[test]
fn destroy_leaves_owners_that_the_state_does_not_contain() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    service.put_owner("github", "own-7", "groups/ops");
    workspace.destroy_with(&["-refresh=false"]).succeeds();
    assert_eq!(at_service(&service), ["groups/ops"]);
}
