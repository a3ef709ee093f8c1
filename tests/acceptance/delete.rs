//! Destroys: `deletion_policy`, services that do not delete, and owners that are the last.
//!
//! `protocol::deletes` has the whole table of responses.

use crate::support::Service;
use crate::support::fixtures::{Block, VIEWER, owner, owners, removed, role, settings};

#[test]
fn deletion_policy_of_provider_and_environment_counts() {
    let service = Service::full();
    let all = || role("viewer") + owner("ada");
    let mut workspace = service.applied(all());
    let state = workspace.read("terraform.tfstate");
    // The argument, the variable, and whether the objects stay.
    for (argument, variable, stays) in
        [("abandon", "", true), ("", "abandon", true), ("delete", "abandon", false)]
    {
        workspace.write("terraform.tfstate", &state);
        workspace.set("ACCESS_DELETION_POLICY", variable);
        match argument {
            "" => workspace.configure(all()),
            _ => workspace.configure(settings().text("deletion_policy", argument) + all()),
        }
        let case = format!("{argument} {variable}");
        let destroy = workspace.destroy().succeeds();
        let warns = destroy.output().contains("Abandoned objects stay at the service");
        assert_eq!(warns, stays, "{case}: {}", destroy.output());
        assert_eq!(service.writes().is_empty(), stays, "{case}");
        assert_eq!(workspace.state_size(), 0, "{case}");
        assert_eq!(service.role("github", "viewer").is_some(), stays, "{case}");
        assert_eq!(service.owners_named("github", "users/ada"), usize::from(stays), "{case}");
    }
}

/// The plan says what stays. Its apply may run without the variable.
#[test]
fn saved_plan_leaves_what_it_was_made_to_leave() {
    let service = Service::with_empty_okta();
    let all = |viewer: Block| viewer + owner("ada") + owners(&["users/ben"]);
    let mut workspace = service.applied(all(role("viewer")));
    let state = workspace.read("terraform.tfstate");
    workspace.configure(all(role("reader").at("viewer")));
    for options in [&["-destroy"][..], &[]] {
        workspace.write("terraform.tfstate", &state);
        workspace.set("ACCESS_DELETION_POLICY", "abandon");
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
    let advice = ["removed {", "terraform state rm"];
    let outcome = outcome.fails_with(["roles/viewer", advice[0], advice[1]]);
    outcome.fails_with(["integrations/github/owners/", advice[0], advice[1]]);
    assert_eq!(workspace.state_size(), 2);

    // The role by its `removed` block, the owner by the policy.
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply_of(removed(VIEWER)).succeeds();
    assert_eq!(workspace.state_size(), 0);
    assert_eq!(service.display_name("viewer"), "Role");
    assert_eq!(service.owners_named("github", "users/ada"), 1);
}

#[test]
fn new_name_can_be_finished_without_a_delete_and_keeps_the_new_role() {
    let service = Service::documented_only(405);
    let of = |id: &str| role(id).at("viewer").create_before_destroy();
    let mut workspace = service.applied(of("viewer"));
    workspace.apply_of(of("reader")).fails_with(["roles/viewer", "terraform state rm"]);
    assert_eq!(workspace.deposed(), 1);

    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply().succeeds();
    workspace.set("ACCESS_DELETION_POLICY", "");
    assert_eq!(workspace.state_of(VIEWER).unwrap()["role"], "reader");
    assert_eq!((workspace.state_size(), workspace.deposed()), (1, 0));
    assert_eq!(service.display_name("reader"), "Role");
}

#[test]
fn every_owner_that_a_plan_destroys_is_a_warning() {
    let service = Service::full();
    // A second owner of okta stays.
    service.put_owner("okta", "second", "users/second");
    let founder = owner("founder").adopting();
    let of_two = owner("founder").at("of_two").text("integration", "okta").adopting();
    let workspace = service.applied(founder + &of_two);
    let destroy = workspace.plan_with(&["-destroy"]).exits(2);
    destroy.warns(["integrations/github"]).does_not_warn("integrations/okta");
    let renamed = owner("ada").at("founder") + of_two;
    workspace.plan_of(renamed).exits(2).warns(["integrations/github"]);
}
