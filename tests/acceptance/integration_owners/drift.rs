//! Owners that were added and removed outside Terraform, and reads that lag behind writes.

use access_fake::{LagRule, OddList, Read};

use super::*;

#[test]
fn owners_changed_outside_are_drift_that_the_apply_corrects() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    service.put_owner("github", "own-7", "groups/ops");
    service.remove_owner("github", &id_of(&service, "users/ada"));
    let plan = workspace.run(&["plan", "-no-color", "-lock=false", "-detailed-exitcode"]).exits(2);
    for line in ["- \"groups/ops\"", "+ \"users/ada\""] {
        assert!(plan.stdout.contains(line), "{line}: {}", plan.output());
    }
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "DELETE"]);
    assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
    workspace.plans_nothing();
}

/// An owner that is added after the plan is not removed by an apply that has not shown it.
#[test]
fn owner_that_appears_after_the_plan_stays_until_the_next_one() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(adopting(&["users/founder", "users/ben"]));
    workspace.save_plan(&[]);
    service.put_owner("github", "own-7", "groups/ops");
    workspace.apply_saved().succeeds();
    assert_eq!(at_service(&service), ["groups/ops", "users/ben", "users/founder"]);
    workspace.plan().plans(OWNERS, "update");
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ben", "users/founder"]);
}

#[test]
fn integration_without_owners_gets_them_again() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    for owner in ["users/founder", "users/ada"] {
        service.remove_owner("github", &id_of(&service, owner));
    }
    workspace.plan().plans(OWNERS, "update");
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "POST"]);
    assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
    workspace.plans_nothing();
}

/// Neither GET nor the list shows what the apply has just added.
#[test]
fn owner_that_was_just_added_is_kept_while_reads_lag() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    service.change_world(|world| {
        world.duplicate_owners = true;
        for read in [Read::Get, Read::List] {
            let rule = LagRule { read: Some(read), reads: 12, ..LagRule::default() };
            world.lags.push(rule);
        }
    });
    workspace.configure(adopting(&["users/founder", "users/ada", "users/ben"]));
    for _ in 0..3 {
        workspace.apply().succeeds();
        assert_eq!(writes(&service), ["POST"]);
    }
    service.local().end_lags();
    workspace.plans_nothing().without_warnings();
}

/// Lists confirm, only GET contradicts.
#[test]
fn owner_that_only_the_list_lacks_is_not_added_again() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    service.change_world(|world| world.duplicate_owners = true);
    let drop = vec![id_of(&service, "users/ada")];
    let odd = OddList {
        collection: Some("integrations/github/owners".to_owned()),
        drop,
        ..OddList::default()
    };
    service.change_world(|world| world.lists.push(odd));
    workspace.plans_nothing();
    workspace.configure(adopting(&["users/founder", "users/ada", "users/ben"]));
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ada", "users/ben", "users/founder"]);
    workspace.destroy().succeeds();
    assert_eq!(at_service(&service), [""; 0]);
}

/// The service stores `users/ada` as `users/id-17`.
#[test]
fn owner_stored_in_another_spelling_is_recognised_by_its_id() {
    for mode in ["auto", "off"] {
        let service = Service::full();
        service.change_world(|world| {
            world.duplicate_owners = true;
            world.canonical_owners = [("users/ada".to_owned(), "users/id-17".to_owned())].into();
        });
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(adopting(&["users/founder", "users/ada"]));
        for _ in 0..2 {
            workspace.apply().succeeds();
            assert_eq!(at_service(&service), ["users/founder", "users/id-17"], "{mode}");
            workspace.plans_nothing();
        }
        assert_eq!(in_state(&workspace), ["users/ada", "users/founder"], "{mode}");

        workspace.configure(adopting(&["users/founder", "users/ada", "users/id-17"]));
        workspace.plan().fails_with(["users/ada", "users/id-17"]);
        let late = fixtures::later("late", "\"users/id-17\"");
        let both = "[\"users/founder\", \"users/ada\", terraform_data.late.output]";
        workspace.configure(late + adopting(&[]).set("owners", both));
        workspace.apply().fails_with(["users/ada", "users/id-17"]);
        assert_eq!(in_state(&workspace), ["users/ada", "users/founder"], "{mode}");
        service.clear_requests();
        workspace.configure(adopting(&["users/founder", "users/id-17"]));
        workspace.apply().succeeds();
        assert_eq!(writes(&service), [""; 0], "{mode}: another spelling of the same owner");
        workspace.plans_nothing();
        workspace.configure(adopting(&["users/founder"]));
        workspace.apply().succeeds();
        assert_eq!(at_service(&service), ["users/founder"], "{mode}");
    }
}

/// A second owner of the same user changes nothing about who owns the integration.
#[test]
fn duplicate_owner_is_no_drift_and_is_removed_with_its_user() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    service.put_owner("github", "second", "users/ada");
    workspace.plans_nothing();
    workspace.apply().succeeds();
    assert_eq!(writes(&service), [""; 0]);
    workspace.configure(adopting(&["users/founder"]));
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["DELETE", "DELETE"]);
    assert_eq!(at_service(&service), ["users/founder"]);
}

#[test]
fn drift_detection_that_reads_nothing_compares_with_the_state() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let workspace = workspace.with("ACCESS_DRIFT_DETECTION", "off");
    service.put_owner("github", "own-7", "groups/ops");
    workspace.plans_nothing();
    assert_eq!(service.requests().len(), 0);
    workspace.configure(adopting(&["users/founder", "users/ben"]));
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "DELETE"]);
    assert_eq!(at_service(&service), ["groups/ops", "users/ben", "users/founder"]);
}
