//! Destroys: `deletion_policy`, services that do not delete, and owners that are the last.
//!
//! `protocol::deletes` has the whole table of responses.

use crate::support::Service;
use crate::support::fixtures::{Block, Text, VIEWER, owner, owners, removed, role, settings};

#[test]
fn deletion_policy_of_resource_provider_and_environment_counts() {
    for in_environment in [false, true] {
        let service = Service::full();
        let all = |with: fn(Block) -> Block| {
            let own = role("editor").text("deletion_policy", "delete");
            Text::default() + with(role("viewer")) + owner("ada") + own
        };
        let mut workspace = service.applied(all(|block| block));
        if in_environment {
            workspace.set("ACCESS_DELETION_POLICY", "abandon");
        } else {
            workspace.apply_of(all(Block::abandoning)).succeeds();
            assert_eq!(service.writes().len(), 0, "the policy is not sent");
            let provider = settings().text("deletion_policy", "abandon");
            workspace.configure(provider + all(Block::abandoning));
        }
        let destroy = workspace.destroy().succeeds();
        assert!(!destroy.warnings().is_empty(), "{}", destroy.output());
        // The resource's own wins.
        assert_eq!((service.writes().len(), workspace.state_size()), (1, 0));
        assert_eq!(service.role("github", "editor"), None);
        assert_eq!(service.display_name("viewer"), "Role");
        assert_eq!(service.owners_named("github", "users/ada"), 1);
    }
}

/// The plan says what stays. Its apply may run without the variable.
#[test]
fn saved_plan_leaves_what_it_was_made_to_leave() {
    for options in [&["-destroy"][..], &[]] {
        let service = Service::with_empty_okta();
        let all = |viewer: Block| viewer + owner("ada") + owners(&["users/ben"]);
        let mut workspace = service.applied(all(role("viewer")));
        workspace.set("ACCESS_DELETION_POLICY", "abandon");
        workspace.configure(all(role("reader").at("viewer")));
        workspace.save_plan(options);
        workspace.set("ACCESS_DELETION_POLICY", "");
        workspace.apply_saved().succeeds();
        assert_eq!(service.requests_of("DELETE"), 0, "{options:?}");
        assert_eq!(service.display_name("viewer"), "Role");
    }
}

#[test]
fn destroy_can_be_finished_without_a_delete() {
    let service = Service::documented_only(405);
    let mut workspace = service.applied(role("viewer") + owner("ada"));
    let outcome = workspace.destroy().exits(1);
    assert_eq!(outcome.errors().len(), 2, "{}", outcome.output());
    let advice = ["abandon", "removed {", "terraform state rm"];
    let outcome = outcome.fails_with(["roles/viewer", advice[0], advice[1], advice[2]]);
    outcome.fails_with(["integrations/github/owners/", advice[0], advice[1], advice[2]]);
    assert_eq!(workspace.state_size(), 2);

    // The role by its `removed` block, the owner by the policy.
    workspace.apply_of(removed(VIEWER) + owner("ada")).succeeds();
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.destroy().succeeds();
    assert_eq!(workspace.state_size(), 0);
    assert_eq!(service.display_name("viewer"), "Role");
    assert_eq!(service.owners_named("github", "users/ada"), 1);
}

#[test]
fn new_name_can_be_finished_without_a_delete_and_keeps_the_new_role() {
    let service = Service::documented_only(405);
    let of = |id: &str| role(id).at("viewer").create_before_destroy();
    let mut workspace = service.applied(of("viewer"));
    workspace.apply_of(of("reader")).fails_with(["roles/viewer", "ACCESS_DELETION_POLICY=abandon"]);
    assert_eq!(workspace.deposed(), 1);

    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply().succeeds();
    workspace.set("ACCESS_DELETION_POLICY", "");
    assert_eq!(workspace.state_of(VIEWER).unwrap()["role"], "reader");
    assert_eq!((workspace.state_size(), workspace.deposed()), (1, 0));
    assert_eq!(service.display_name("reader"), "Role");
    workspace.plans_nothing();
}

#[test]
fn every_owner_that_a_plan_destroys_is_a_warning() {
    let service = Service::full();
    let founder = owner("founder").adopting();
    let workspace = service.applied(&founder);
    workspace.plan_with(&["-destroy"]).exits(2).warns(["integrations/github"]);
    workspace.plan_of(owner("ada").at("founder")).exits(2).warns(["integrations/github"]);
    workspace.configure(&founder);
    workspace.taint(&["access_integration_owner.founder"]);
    workspace.plan().warns(["integrations/github is left without owners"]);
    // A second owner stays.
    service.put_owner("github", "second", "users/second");
    workspace.plan_with(&["-destroy"]).exits(2).without_warnings();
}
