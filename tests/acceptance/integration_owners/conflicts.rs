//! Other resources for the same owners, and renamed addresses. `replace` has replacements by itself.

use super::*;

/// Returns a single owner of `github`.
fn single(user: &str) -> Block {
    owner(user).at("single")
}

/// Fails the test unless a plan fails with these parts, and writes nothing.
#[track_caller]
fn plan_fails(service: &Service, workspace: &Workspace, parts: [&str; 2]) {
    let before = service.writes().len();
    workspace.plan().fails_with(parts);
    assert_eq!(service.writes().len(), before);
}

#[test]
fn single_owners_of_the_same_integration_are_an_error_at_plan() {
    let both = ["github", "`access_integration_owners`"];
    let list = adopting(&["users/founder", "users/ada"]);
    // New next to new, in either order; contained in the list or not.
    for list_waits in [false, true] {
        for user in ["ada", "ben"] {
            let service = Service::full();
            let workspace = service.workspace();
            let (list, one) = if list_waits {
                let after = "depends_on = [access_integration_owner.single]";
                (list.clone().line(after), single(user))
            } else {
                (list.clone(), single(user).line(&format!("depends_on = [{OWNERS}]")))
            };
            workspace.configure(list + one);
            plan_fails(&service, &workspace, both);
        }
    }
    // A new one next to an existing one, in both directions.
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(list.clone() + single("ben"));
    plan_fails(&service, &workspace, both);

    let service = Service::full();
    let workspace = service.applied(single("ben"));
    workspace.configure(list + single("ben"));
    plan_fails(&service, &workspace, both);
}

#[test]
fn two_resources_for_one_integration_are_an_error_at_plan() {
    let service = Service::full();
    let workspace = service.workspace();
    let first = adopting(&["users/founder", "users/ada"]);
    let second = adopting(&["users/ben"]).at("second");
    workspace.configure(first.clone() + &second);
    plan_fails(&service, &workspace, ["integrations/github", ""]);
    workspace.configure(&first);
    workspace.apply().succeeds();
    workspace.configure(first + second);
    plan_fails(&service, &workspace, ["integrations/github", ""]);
}

/// A destroy of the single owner would remove what the list keeps.
#[test]
fn single_owner_that_is_destroyed_and_kept_is_an_error_at_plan() {
    let service = Service::full();
    let workspace = service.applied(single("ada"));
    workspace.configure(adopting(&["users/founder", "users/ada"]));
    plan_fails(&service, &workspace, ["github", "removed {"]);

    // As the error says.
    let blocks = removed("access_integration_owner.single") + import(OWNERS, "github");
    workspace.configure(owners(&["users/founder", "users/ada"]) + blocks);
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!((writes(&service), workspace.state_size()), (vec![], 1));
    workspace.plans_nothing();
}

#[test]
fn renamed_address_needs_a_moved_block() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let renamed = adopting(&["users/founder", "users/ada"]).at("all");
    workspace.configure(&renamed);
    plan_fails(&service, &workspace, ["moved {", "access_integration_owners."]);
    workspace.configure(renamed + moved(OWNERS, "access_integration_owners.all"));
    workspace.apply().succeeds();
    assert_eq!(writes(&service), [""; 0]);
    workspace.plans_nothing();
}

/// A single owner is destroyed while the list adds the same principal, whose integration is known only
/// after apply.
#[test]
fn owners_that_this_process_deletes_are_added_again_and_not_adopted() {
    let service = Service::with_empty_okta();
    let one = owner("ada").text("integration", "okta");
    let workspace = service.applied(&one);
    let list = fixtures::owners(&["users/ada"]).adopting();
    let list = list.set("integration", "terraform_data.integration.output");
    workspace.configure(fixtures::later("integration", "\"okta\"") + list);
    let outcome = workspace.apply();
    assert_eq!(service.principals("okta"), ["users/ada"], "{}", outcome.output());
    if outcome.code == 0 {
        workspace.plans_nothing();
    }
}
