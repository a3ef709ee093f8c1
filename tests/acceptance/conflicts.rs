//! Two resources for one object, in one plan or in two states. No apply may lose an object.
//!
//! The table of combinations is that of `src/run/plans.rs`. Here Terraform's graph calls
//! the provider.

use serde_json::json;

use crate::support::Service;
use crate::support::fixtures::{Block, Text, import, moved, owner, role};

fn both(address: &str) -> Text {
    role("viewer").at(address) + owner("ada").at(address)
}

fn both_with(address: &str, with: fn(Block) -> Block) -> Text {
    with(role("viewer").at(address)) + with(owner("ada").at(address))
}

#[test]
fn copied_resource_block_fails_and_deletes_nothing() {
    let (service, workspace) = Service::with_workspace();
    // Two creates: the second one of each is refused in the apply, also if it may adopt.
    workspace.configure(both("one") + both_with("two", Block::adopting));
    workspace.plan().exits(2);
    let apply = workspace.apply().fails_with(["roles/viewer", "another resource of this run"]);
    assert_eq!(apply.errors().len(), 2, "{}", apply.output());
    assert_eq!((service.writes().len(), workspace.state_size()), (2, 2));
    workspace.destroy_with(&["-refresh=false"]).succeeds();
    workspace.apply_of(both("one")).succeeds();
    service.clear_requests();
    for copy in [both("two"), both_with("two", Block::adopting)] {
        let apply = workspace
            .apply_of(both("one") + copy)
            .fails_with(["roles/viewer"])
            .fails_with(["integrations/github"]);
        // Two conflicts. A copy that is planned first has been looked for as well.
        assert!((2..=4).contains(&apply.errors().len()), "{}", apply.output());
    }
    // The copy is removed again.
    workspace.plan_of(both("one")).exits(0);
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
}

#[test]
fn renamed_address_fails_the_plan_with_the_moved_block_that_then_works() {
    let (service, workspace) = Service::with_applied(both("old"));
    let state = workspace.state();
    for with in [Block::adopting, Block::create_before_destroy] {
        let outcome = workspace.apply_of(both_with("new", with));
        let outcome = outcome.fails_with(["another has it", "moved {"]);
        outcome.fails_with(["roles/viewer"]).fails_with(["integrations/github"]);
        assert_eq!(service.writes().len(), 0);
        assert_eq!(workspace.state()["resources"], state["resources"]);
    }
    let blocks = moved("access_listing_role.old", "access_listing_role.new")
        + moved("access_integration_owner.old", "access_integration_owner.new");
    workspace.apply_of(both("new") + blocks).succeeds().without_warnings();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
    assert!(workspace.state_of("access_listing_role.new").is_some());
}

/// A second resource of the object, or a deposed object of its own resource, is to be destroyed.
#[test]
fn destroy_of_an_object_that_is_kept_fails_the_plan_and_the_way_keeps_the_object() {
    let (service, workspace) = Service::with_applied(both("one"));
    let state = workspace.state();
    for duplicate in ["two", "deposed"] {
        workspace.edit_state(|resources| {
            for at in 0..resources.len() {
                let mut copy = resources[at].clone();
                if duplicate == "two" {
                    copy["name"] = "two".into();
                    resources.push(copy);
                } else {
                    let mut deposed = copy["instances"][0].take();
                    deposed["deposed"] = json!("0badcafe");
                    resources[at]["instances"].as_array_mut().expect("instances").push(deposed);
                }
            }
        });
        let plan =
            workspace.plan_of(both("one")).fails_with(["roles/viewer", "terraform state rm"]);
        let plan = plan.fails_with(["integrations/github", "terraform state rm"]);
        assert_eq!(plan.errors().len(), 2, "{duplicate}: {}", plan.output());
        let blocks = if duplicate == "two" {
            let two = ["access_listing_role.two", "access_integration_owner.two"];
            workspace.run(&["state", "rm", "-lock=false", two[0], two[1]]).succeeds();
            Text::default()
        } else {
            // The deposed object and the present one go together, and the present one comes back.
            let one = ["access_listing_role.one", "access_integration_owner.one"];
            workspace.run(&["state", "rm", "-lock=false", one[0], one[1]]).succeeds();
            let id = service.owner_ids("github", "users/ada").remove(0);
            import("access_listing_role.one", "github/viewer")
                + import("access_integration_owner.one", &format!("github/{id}"))
        };
        workspace.apply_of(both("one") + blocks).succeeds();
        let found = (service.writes().len(), workspace.state_size(), workspace.deposed());
        assert_eq!(found, (0, 2, 0), "{duplicate}");
    }
    assert_eq!(
        workspace.state()["resources"].as_array().map(Vec::len),
        state["resources"].as_array().map(Vec::len)
    );
    workspace.plans_nothing();
}

/// Terraform 1.11 plans the destroy of a block that is gone before it reads the object.
#[test]
fn role_that_was_deleted_outside_can_get_a_new_address() {
    let (service, workspace) = Service::with_applied(role("viewer"));
    service.remove_role("github", "viewer");
    workspace.configure(role("viewer").at("new"));
    let plan = workspace.plan();
    if plan.code == 1 {
        plan.fails_with(["another has it"]);
        workspace.run(&["apply", "-refresh-only", "-auto-approve", "-lock=false"]).succeeds();
    }
    workspace.apply().succeeds();
    assert!(service.role("github", "viewer").is_some());
    workspace.plans_nothing();
}
