//! Which plans of two resources exclude each other.

use super::*;

fn keys(key: &str) -> Keys {
    vec![key.to_owned()]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Create,
    Keep,
    Destroy,
    Abandon,
}
use Plan::{Abandon, Create, Destroy, Keep};

fn plan(conflicts: &Conflicts, plan: Plan) -> Result<(), Conflict> {
    match plan {
        Create => conflicts.plan_create(&keys("x"), &[]),
        Keep => conflicts.plan_keep(&keys("x")),
        Destroy => conflicts.plan_destroy(&keys("x"), DeletionPolicy::Delete),
        Abandon => conflicts.plan_destroy(&keys("x"), DeletionPolicy::Abandon),
    }
}

#[test]
fn conflict_is_reported_by_whichever_resource_is_planned_second() {
    let cases = [
        (Create, Create, Some(Conflict::CreatedTwice)),
        (Create, Keep, Some(Conflict::CreatedAndManaged)),
        (Keep, Create, Some(Conflict::CreatedAndManaged)),
        (Create, Destroy, Some(Conflict::DestroyedAndCreated)),
        (Destroy, Create, Some(Conflict::DestroyedAndCreated)),
        (Keep, Destroy, Some(Conflict::DestroyedAndKept)),
        (Destroy, Keep, Some(Conflict::DestroyedAndKept)),
        (Keep, Keep, None),
        (Destroy, Destroy, None),
        (Abandon, Create, None),
        (Create, Abandon, None),
        (Abandon, Keep, None),
        (Keep, Abandon, None),
        (Abandon, Destroy, None),
    ];
    for (first, second, conflict) in cases {
        let conflicts = Conflicts::default();
        assert_eq!(plan(&conflicts, first), Ok(()));
        let planned = plan(&conflicts, second);
        assert_eq!(planned.err(), conflict, "{first:?}, then {second:?}");
        assert_eq!(conflicts.plan_create(&keys("y"), &[]), Ok(()));
    }
}

#[test]
fn same_name_replacement_is_no_conflict() {
    for first in [Keep, Destroy] {
        let conflicts = Conflicts::default();
        plan(&conflicts, first).unwrap();
        assert_eq!(conflicts.plan_create(&keys("x"), &keys("x")), Ok(()));
        assert_eq!(plan(&conflicts, Keep), Err(Conflict::CreatedAndManaged), "by another");
    }
}

#[test]
fn same_name_replacement_leaves_the_claim_of_another_resource() {
    for (other, conflict) in
        [(Keep, Conflict::CreatedAndManaged), (Destroy, Conflict::DestroyedAndCreated)]
    {
        let conflicts = Conflicts::default();
        plan(&conflicts, other).unwrap();
        plan(&conflicts, other).unwrap();
        assert_eq!(conflicts.plan_create(&keys("x"), &keys("x")), Err(conflict));
    }
}

#[test]
fn member_contends_with_a_resource_for_all_objects_of_its_parent() {
    for whole in [Create, Keep, Destroy] {
        let conflicts = Conflicts::default();
        plan(&conflicts, whole).unwrap();
        assert_eq!(conflicts.plan_member("x", "a"), whole != Destroy, "{whole:?}");
        assert_eq!(conflicts.members("x"), ["a"]);
    }
    let conflicts = Conflicts::default();
    assert!(!conflicts.plan_member("x", "a"));
    assert!(!conflicts.plan_member("x", "b"));
    assert_eq!(conflicts.members("x"), ["a", "b"], "the resource that manages all reports them");
    assert_eq!(conflicts.members("y"), [""; 0]);
}

#[test]
fn tainted_object_is_in_the_state_and_not_claimed() {
    let conflicts = Conflicts::default();
    assert!(!conflicts.is_tainted_object(&keys("x")), "no state names it");
    conflicts.record_in_state(&keys("x"), ());
    assert!(conflicts.is_tainted_object(&keys("x")));
    for other in [Destroy, Abandon, Keep] {
        let conflicts = Conflicts::default();
        conflicts.record_in_state(&keys("x"), ());
        plan(&conflicts, other).unwrap();
        assert!(!conflicts.is_tainted_object(&keys("x")), "{other:?} at another address");
    }
}

#[test]
fn abandoned_object_is_not_taken_for_a_tainted_one_in_either_order() {
    let conflicts = Conflicts::default();
    assert_eq!(conflicts.plan_tainted(&keys("x")), Ok(()));
    assert_eq!(plan(&conflicts, Abandon), Err(Conflict::DestroyedAndCreated));
    let conflicts = Conflicts::default();
    plan(&conflicts, Abandon).unwrap();
    assert_eq!(conflicts.plan_tainted(&keys("x")), Err(Conflict::DestroyedAndCreated));
}

#[test]
fn loaded_object_is_tainted_only_if_it_is_not_claimed() {
    for (other, tainted) in
        [(None, true), (Some(Keep), false), (Some(Destroy), false), (Some(Abandon), false)]
    {
        let conflicts = Conflicts::default();
        conflicts.loaded_states.record("x".to_owned(), ["t".to_owned()]);
        if let Some(other) = other {
            plan(&conflicts, other).unwrap();
        }
        let found = conflicts.is_loaded_tainted_object(&keys("x"), "x", &["t"]);
        assert_eq!(found, tainted, "{other:?}");
    }
}

#[test]
fn older_state_of_a_written_object_is_superseded() {
    let conflicts = Conflicts::default();
    assert!(!conflicts.is_superseded("x", Some("before")));
    let write = conflicts.record_write(&keys("x"));
    assert!(conflicts.is_superseded("x", Some("before")));
    assert!(conflicts.is_superseded("x", None));
    assert_eq!(conflicts.check_unwritten("x"), Err(Conflict::CreatedTwice));
    assert!(!conflicts.is_superseded("x", Some(&write)), "its own state may be destroyed");
    assert_eq!(plan(&conflicts, Destroy), Ok(()), "of the deposed object");
    conflicts.record_delete(&keys("x"), Some("t".to_owned()));
    assert_eq!(conflicts.check_unwritten("x"), Ok(()));
    assert!(conflicts.is_deleted("x", Some("t")));
    assert!(!conflicts.is_deleted("x", Some("later")));
    assert!(!conflicts.is_superseded("x", None));
}

#[tokio::test(start_paused = true)]
async fn check_that_began_before_a_write_or_delete_does_not_count() {
    let conflicts = Conflicts::default();
    let change: [fn(&Conflicts); 2] = [
        |conflicts| drop(conflicts.record_write(&keys("x"))),
        |conflicts| conflicts.record_delete(&keys("x"), None),
    ];
    for change in change {
        tokio::time::advance(std::time::Duration::from_millis(1)).await;
        let before = Instant::now();
        assert!(!conflicts.has_changed_since(&keys("x"), before));
        change(&conflicts);
        tokio::time::advance(std::time::Duration::from_millis(1)).await;
        assert!(conflicts.has_changed_since(&keys("x"), before));
        assert!(!conflicts.has_changed_since(&keys("x"), Instant::now()));
        assert!(!conflicts.has_changed_since(&keys("y"), before));
    }
}

#[tokio::test(start_paused = true)]
async fn create_and_delete_of_one_name_wait_for_each_other() {
    let conflicts = Conflicts::default();
    let held = conflicts.lock_object("x").await;
    let limit = std::time::Duration::from_secs(1);
    assert!(tokio::time::timeout(limit, conflicts.lock_object("x")).await.is_err());
    assert!(tokio::time::timeout(limit, conflicts.lock_object("y")).await.is_ok());
    drop(held);
    assert!(tokio::time::timeout(limit, conflicts.lock_object("x")).await.is_ok());
}

/// Two owners of one principal, and one whose full name is not known.
#[test]
fn owners_of_one_principal_conflict_by_full_name() {
    let owner = |names: &[&str]| -> Keys {
        ["principal"].iter().chain(names).map(|&name| name.to_owned()).collect()
    };
    let (one, two, any) = (owner(&["one"]), owner(&["two"]), owner(&[]));
    let claim = |conflicts: &Conflicts, claim: Plan, keys: &Keys| match claim {
        Create => conflicts.plan_create(keys, &[]),
        Keep => conflicts.plan_keep(keys),
        Destroy => conflicts.plan_destroy(keys, DeletionPolicy::Delete),
        Abandon => conflicts.plan_destroy(keys, DeletionPolicy::Abandon),
    };
    let kept = Some(Conflict::DestroyedAndKept);
    let cases = [
        ((Keep, &one), (Destroy, &two), None),
        ((Keep, &one), (Destroy, &one), kept),
        ((Keep, &any), (Destroy, &one), kept),
        ((Keep, &one), (Destroy, &any), kept),
        ((Keep, &any), (Destroy, &any), kept),
        ((Keep, &one), (Create, &any), Some(Conflict::CreatedAndManaged)),
        ((Keep, &one), (Create, &two), Some(Conflict::CreatedAndManaged)),
        ((Destroy, &one), (Create, &any), Some(Conflict::DestroyedAndCreated)),
        ((Destroy, &one), (Create, &two), Some(Conflict::DestroyedAndCreated)),
    ];
    for (first, second, conflict) in cases {
        for (first, second) in [(first, second), (second, first)] {
            let conflicts = Conflicts::default();
            assert_eq!(claim(&conflicts, first.0, first.1), Ok(()));
            let planned = claim(&conflicts, second.0, second.1);
            assert_eq!(planned.err(), conflict, "{first:?}, then {second:?}");
        }
    }
}

#[test]
fn replacement_withdraws_its_own_claim_and_not_that_of_a_duplicate() {
    let [one, two] = ["one", "two"].map(|name| vec!["principal".to_owned(), name.to_owned()]);
    let create = vec!["principal".to_owned()];
    let conflicts = Conflicts::default();
    conflicts.plan_keep(&two).unwrap();
    conflicts.plan_destroy(&one, DeletionPolicy::Delete).unwrap();
    assert_eq!(conflicts.plan_create(&create, &one), Err(Conflict::CreatedAndManaged));
    let conflicts = Conflicts::default();
    conflicts.plan_destroy(&two, DeletionPolicy::Delete).unwrap();
    conflicts.plan_keep(&one).unwrap();
    assert_eq!(conflicts.plan_create(&create, &one), Err(Conflict::DestroyedAndCreated));
}

#[test]
fn owners_are_all_destroyed_only_if_each_of_them_is() {
    let [one, two] = ["one", "two"].map(|name| vec!["principal".to_owned(), name.to_owned()]);
    let conflicts = Conflicts::default();
    conflicts.plan_destroy(&one, DeletionPolicy::Delete).unwrap();
    assert!(!conflicts.destroys_all([&one, &two].into_iter()));
    conflicts.plan_destroy(&two, DeletionPolicy::Delete).unwrap();
    assert!(conflicts.destroys_all([&one, &two].into_iter()));
}
