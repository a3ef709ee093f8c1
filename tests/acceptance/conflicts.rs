//! Two resources for one object, in one plan or in two states. No apply may lose an object.
//!
//! The table of combinations is that of `src/run/plans.rs`. Here Terraform's graph calls
//! the provider.

use serde_json::json;

use crate::support::Service;
use crate::support::fixtures::{Block, OWNER, ROLE, Text, import, moved, owner, role};

fn both(address: &str) -> Text {
    role("viewer").at(address) + owner("ada").at(address)
}

fn both_with(address: &str, with: fn(Block) -> Block) -> Text {
    with(role("viewer").at(address)) + with(owner("ada").at(address))
}

#[test]
fn copied_resource_block_fails_and_deletes_nothing() {
    // Two creates: the second one of each is refused in the apply, also if it may adopt.
    let (service, workspace) = Service::with_workspace();
    workspace.configure(both("one") + both_with("two", Block::adopting));
    let apply = workspace.apply().fails_with(["roles/viewer", "another resource of this run"]);
    assert_eq!(apply.errors().len(), 2, "{}", apply.output());
    assert_eq!((service.writes().len(), workspace.state_size()), (2, 2));

    let (service, workspace) = Service::with_applied(both("one"));
    let copy = role("viewer").at("two") + owner("ada").at("two").adopting();
    let plan = workspace
        .plan_of(both("one") + copy)
        .fails_with(["roles/viewer"])
        .fails_with(["integrations/github"]);
    // Two conflicts. A copy that is planned first has been looked for as well.
    assert!((2..=4).contains(&plan.errors().len()), "{}", plan.output());
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
}

#[test]
fn renamed_address_fails_the_plan_with_the_moved_block_that_then_works() {
    let (service, workspace) = Service::with_applied(both("old"));
    let state = workspace.state();
    let new = role("viewer").at("new").adopting() + owner("ada").at("new").create_before_destroy();
    let outcome = workspace.apply_of(new);
    let outcome = outcome.fails_with(["another has it", "moved {"]);
    outcome.fails_with(["roles/viewer"]).fails_with(["integrations/github"]);
    assert_eq!(service.writes().len(), 0);
    assert_eq!(workspace.state()["resources"], state["resources"]);
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
    workspace.edit_state(|resources| {
        let mut second = resources.iter().find(|it| it["type"] == ROLE).expect("a role").clone();
        second["name"] = "two".into();
        let owner = resources.iter_mut().find(|it| it["type"] == OWNER).expect("an owner");
        let mut deposed = owner["instances"][0].clone();
        deposed["deposed"] = json!("0badcafe");
        owner["instances"].as_array_mut().expect("instances").push(deposed);
        resources.push(second);
    });
    let plan = workspace.plan_of(both("one")).fails_with(["roles/viewer", "terraform state rm"]);
    let plan = plan.fails_with(["integrations/github", "terraform state rm"]);
    assert_eq!(plan.errors().len(), 2, "{}", plan.output());
    // The deposed object and the present one go together, and the present one comes back.
    let owner = "access_integration_owner.one";
    workspace.run(&["state", "rm", "-lock=false", "access_listing_role.two", owner]).succeeds();
    let id = service.owner_ids("github", "users/ada").remove(0);
    workspace.apply_of(both("one") + import(owner, &format!("github/{id}"))).succeeds();
    let found = (service.writes().len(), workspace.state_size(), workspace.deposed());
    assert_eq!(found, (0, 2, 0));
}

/// Terraform 1.11 plans the destroy of a block that is gone before it reads the object, as every version does without
/// a refresh.
#[test]
fn role_that_was_deleted_outside_can_get_a_new_address() {
    let (service, workspace) = Service::with_applied(role("viewer"));
    service.remove_role("github", "viewer");
    workspace.configure(role("viewer").at("new"));
    workspace.plan_with(&["-refresh=false"]).fails_with(["another has it"]);
    workspace.refresh().succeeds();
    workspace.apply().succeeds();
    assert!(service.role("github", "viewer").is_some());
}
