//! Destroys: `deletion_policy`, services that do not delete, and objects that are gone already.
//!
//! `protocol::deletes` has the whole table of responses.

use access_fake::{Absence, World};

use crate::support::fixtures::{Block, Text, moved, owner, removed, role, settings};
use crate::support::{Service, Workspace};

const ABSENCES: [Absence; 3] =
    [Absence::NotFound, Absence::MethodNotAllowed, Absence::NotImplemented];
const ADVICE: [&str; 3] = ["abandon", "removed {", "terraform state rm"];

fn both(with: impl Fn(Block) -> Block) -> Text {
    with(role("viewer")) + with(owner("ada"))
}

fn plain(block: Block) -> Block {
    block
}

/// Fails the test unless a destroy sends nothing, warns and leaves both objects.
#[track_caller]
fn is_abandoned(service: &Service, workspace: &Workspace) {
    let destroy = workspace.destroy().succeeds();
    assert!(!destroy.warnings().is_empty(), "{}", destroy.output());
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 0));
    assert_eq!(service.display_name("viewer"), "Role");
    assert_eq!(service.owners_named("github", "users/ada"), 1);
}

#[test]
fn deletion_policy_of_resource_provider_and_environment_counts() {
    let service = Service::full();
    let workspace = service.applied(both(plain));
    workspace.configure(both(Block::abandoning));
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0, "the policy is not sent");
    is_abandoned(&service, &workspace);

    for in_environment in [false, true] {
        let service = Service::full();
        let mut workspace = service.applied(both(plain));
        if in_environment {
            workspace.set("ACCESS_DELETION_POLICY", "abandon");
        } else {
            workspace.configure(settings().text("deletion_policy", "abandon") + both(plain));
        }
        is_abandoned(&service, &workspace);
    }

    // The resource's own wins.
    let service = Service::full();
    let workspace = service.applied(both(|block| block.text("deletion_policy", "delete")));
    workspace.with("ACCESS_DELETION_POLICY", "abandon").destroy().succeeds();
    assert_eq!(service.role("github", "viewer"), None);
    assert_eq!(service.owners_named("github", "users/ada"), 0);
}

#[test]
fn destroy_can_be_finished_without_a_delete() {
    for absence in ABSENCES {
        let service = Service::start(World::documented_only(absence));
        let mut workspace = service.applied(both(plain));
        let outcome = workspace.destroy().exits(1);
        assert_eq!(outcome.errors().len(), 2, "{absence:?}: {}", outcome.output());
        if absence != Absence::NotFound {
            let outcome = outcome.fails_with(["roles/viewer", ADVICE[0], ADVICE[1], ADVICE[2]]);
            outcome.fails_with(["integrations/github/owners/", ADVICE[0], ADVICE[1], ADVICE[2]]);
        }
        assert_eq!(workspace.state_size(), 2, "{absence:?}");

        // The role by its `removed` block, the owner by the policy.
        workspace.configure(removed("access_listing_role.viewer") + owner("ada"));
        workspace.apply().succeeds();
        workspace.set("ACCESS_DELETION_POLICY", "abandon");
        workspace.destroy().succeeds();
        assert_eq!(workspace.state_size(), 0, "{absence:?}");
        assert_eq!(service.display_name("viewer"), "Role", "{absence:?}");
        assert_eq!(service.owners_named("github", "users/ada"), 1, "{absence:?}");
    }
}

#[test]
fn new_name_can_be_finished_without_a_delete_and_keeps_the_new_role() {
    for absence in ABSENCES {
        for creates_first in [true, false] {
            let case = format!("{absence:?}, create_before_destroy = {creates_first}");
            let service = Service::start(World::documented_only(absence));
            let of = |id: &str| {
                let block = role(id).at("viewer");
                if creates_first { block.create_before_destroy() } else { block }
            };
            let mut workspace = service.applied(of("viewer"));
            workspace.configure(of("reader"));
            workspace.apply().fails_with(["roles/viewer", "ACCESS_DELETION_POLICY=abandon"]);
            assert_eq!(workspace.deposed(), usize::from(creates_first), "{case}");

            workspace.set("ACCESS_DELETION_POLICY", "abandon");
            workspace.apply().succeeds();
            workspace.set("ACCESS_DELETION_POLICY", "");
            let state = workspace.state_of("access_listing_role.viewer").unwrap();
            assert_eq!(state["role"], "reader", "{case}");
            assert_eq!((workspace.state_size(), workspace.deposed()), (1, 0), "{case}");
            assert_eq!(service.display_name("reader"), "Role", "{case}");
            workspace.plans_nothing();
        }
    }
}

#[test]
fn renamed_address_without_a_delete_loses_nothing() {
    for absence in ABSENCES {
        let service = Service::start(World::documented_only(absence));
        let workspace = service.applied(role("viewer").at("old"));
        workspace.configure(role("viewer").at("new"));
        workspace.apply().fails_with("moved {");
        let block = moved("access_listing_role.old", "access_listing_role.new");
        workspace.configure(role("viewer").at("new") + block);
        workspace.apply().succeeds();
        assert!(workspace.state_of("access_listing_role.new").is_some(), "{absence:?}");
        assert_eq!(service.writes().len(), 0, "{absence:?}");
    }
}

#[test]
fn every_owner_that_a_plan_destroys_is_a_warning() {
    let service = Service::full();
    let founder = owner("founder").adopting();
    let workspace = service.applied(&founder);
    workspace.plan_with(&["-destroy"]).exits(2).warns("integrations/github");
    workspace.configure(founder.clone().text("integration", "okta"));
    workspace.plan().changes().warns("integrations/github");
    workspace.configure(owner("ada").at("founder"));
    workspace.plan().changes().warns("integrations/github");
    // A second owner stays.
    service.put_owner("github", "second", "users/second");
    workspace.plan().changes().without_warnings();
    workspace.plan_with(&["-destroy"]).exits(2).without_warnings();
}

#[test]
fn one_of_two_owners_of_one_principal_is_removed_and_the_other_kept() {
    for (kept, gone) in [("one", "two"), ("two", "one")] {
        let service = Service::full();
        service.change_world(|world| world.duplicate_owners = true);
        let imported = |address: &str| {
            let id = format!("own-{address}");
            service.put_owner("github", &id, "users/ada");
            let to = format!("access_integration_owner.{address}");
            let import = crate::support::fixtures::import(&to, &format!("github/{id}"));
            owner("ada").at(address) + import
        };
        let workspace = service.applied(imported("one") + imported("two"));
        workspace.configure(owner("ada").at(kept));
        let plan = workspace.plan().plans(&format!("access_integration_owner.{gone}"), "delete");
        plan.without_warnings();
        workspace.apply().succeeds();
        assert_eq!(service.owner_ids("github", "users/ada"), [format!("own-{kept}")]);
        workspace.plans_nothing();
    }
}
