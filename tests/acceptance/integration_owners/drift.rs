//! Owners that were added and removed outside Terraform, and reads that lag behind writes.

use access_fake::{LagRule, OddList, Read, Write};
use serde_json::json;

use super::*;

#[test]
fn owners_changed_outside_are_drift_that_the_apply_corrects() {
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
    workspace.plan().exits(0);
}

/// An owner that is added after the plan is not removed by an apply that has not shown it.
#[test]
fn owner_that_appears_after_the_plan_stays_until_the_next_one() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(&adopting(&["users/founder", "users/ben"]));
    workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
    service.put_owner("github", "own-7", "groups/ops");
    workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]).succeeds();
    assert_eq!(at_service(&service), ["groups/ops", "users/ben", "users/founder"]);
    assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ben", "users/founder"]);
}

#[test]
fn integration_without_owners_gets_them_again() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    for owner in ["users/founder", "users/ada"] {
        service.remove_owner("github", &id_of(&service, owner));
    }
    assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "POST"]);
    assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
    workspace.plan().exits(0);
}

/// The list is older than the apply, in both directions, and longer than the provider waits.
#[test]
fn list_that_lags_behind_the_apply_is_no_drift() {
    for mode in ["auto", "list"] {
        let service = Service::full();
        service.change_world(|world| world.duplicate_owners = true);
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&adopting(&["users/founder", "users/ada"]));
        workspace.apply().succeeds();
        service.change_world(|world| {
            for read in [Read::Get, Read::List] {
                let rule = LagRule { read: Some(read), reads: 12, ..LagRule::default() };
                world.lags.push(rule);
            }
        });
        workspace.configure(&adopting(&["users/founder", "users/ben"]));
        workspace.apply().succeeds();
        for _ in 0..2 {
            workspace.apply().succeeds();
            assert_eq!(at_service(&service), ["users/ben", "users/founder"], "{mode}");
        }
        assert_eq!(writes(&service), ["POST", "POST", "DELETE"], "{mode}");
        service.local().end_lags();
        service.change_world(|world| world.lags.clear());
        workspace.plan().exits(0).without_warnings();
    }
}

#[test]
fn owner_that_was_removed_is_added_again_while_the_list_lags() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let rule = LagRule {
        after: Some(Write::Delete),
        read: Some(Read::List),
        reads: 20,
        ..LagRule::default()
    };
    service.change_world(|world| world.lags.push(rule));
    workspace.configure(&adopting(&["users/founder"]));
    workspace.apply().succeeds();
    workspace.configure(&adopting(&["users/founder", "users/ada"]));
    assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["DELETE", "POST"]);
    assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
    workspace.plan().exits(0);
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
    workspace.plan().exits(0);
    workspace.configure(&adopting(&["users/founder", "users/ada", "users/ben"]));
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ada", "users/ben", "users/founder"]);
    workspace.destroy().succeeds();
    assert_eq!(at_service(&service), [""; 0]);
}

/// One of the entries that cannot be read may be the missing owner.
#[test]
fn damaged_list_does_not_count_as_a_removal() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let id = id_of(&service, "users/ada");
    let entry = service.local().owner("github", &id).unwrap();
    service.remove_owner("github", &id);
    let odd = OddList {
        collection: Some("integrations/github/owners".to_owned()),
        insert: vec![json!({"owner": entry["owner"]})],
        ..OddList::default()
    };
    service.change_world(|world| world.lists.push(odd));
    workspace.plan().exits(0).warns("Entries of the list of owners were skipped");
    service.change_world(|world| world.lists.clear());
    assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
}

/// The service stores `users/ada` as `users/id-17`.
#[test]
fn owner_stored_in_another_spelling_is_recognised_by_its_id() {
    for mode in ["auto", "list", "patch", "off"] {
        let service = Service::full();
        service.change_world(|world| {
            world.duplicate_owners = true;
            world.canonical_owners = [("users/ada".to_owned(), "users/id-17".to_owned())].into();
        });
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&adopting(&["users/founder", "users/ada"]));
        for _ in 0..2 {
            workspace.apply().succeeds();
            assert_eq!(at_service(&service), ["users/founder", "users/id-17"], "{mode}");
            workspace.plan().exits(0).exits(0);
        }
        assert_eq!(in_state(&workspace), ["users/ada", "users/founder"], "{mode}");

        workspace.configure(&adopting(&["users/founder", "users/ada", "users/id-17"]));
        workspace.plan().fails_with("are one owner");
        service.clear_requests();
        workspace.configure(&adopting(&["users/founder", "users/id-17"]));
        workspace.apply().succeeds();
        assert_eq!(writes(&service), [""; 0], "{mode}: another spelling of the same owner");
        workspace.plan().exits(0);
        workspace.configure(&adopting(&["users/founder"]));
        workspace.apply().succeeds();
        assert_eq!(at_service(&service), ["users/founder"], "{mode}");
    }
}

/// A second owner of the same user changes nothing about who owns the integration.
#[test]
fn duplicate_owner_is_no_drift_and_is_removed_with_its_user() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    service.put_owner("github", "second", "users/ada");
    workspace.plan().exits(0);
    workspace.apply().succeeds();
    assert_eq!(writes(&service), [""; 0]);
    workspace.configure(&adopting(&["users/founder"]));
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["DELETE", "DELETE"]);
    assert_eq!(at_service(&service), ["users/founder"]);
}

#[test]
fn drift_detection_that_reads_nothing_compares_with_the_state() {
    for mode in ["off", "patch"] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        let workspace = workspace.with("ACCESS_DRIFT_DETECTION", mode);
        service.put_owner("github", "own-7", "groups/ops");
        workspace.plan().exits(0);
        assert_eq!(service.requests().len(), 0, "{mode}");
        workspace.configure(&adopting(&["users/founder", "users/ben"]));
        workspace.apply().succeeds();
        assert_eq!(writes(&service), ["POST", "DELETE"], "{mode}");
        assert_eq!(at_service(&service), ["groups/ops", "users/ben", "users/founder"], "{mode}");
    }
}
