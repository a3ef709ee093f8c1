//! The contradictions of one plan, as a table, and the rules of writes.

use super::*;

const X: &str = "listings/github/roles/x";
const ADA: &str = "integrations/github/owners/1";
const ADA_TOO: &str = "integrations/github/owners/2";

fn role() -> Vec<Key> {
    vec![Key::Name(X.to_owned())]
}

fn ada() -> Key {
    Key::Principal { integration: "github".to_owned(), owner: "users/ada".to_owned() }
}

fn owner(name: &str) -> Vec<Key> {
    vec![ada(), Key::Name(name.to_owned())]
}

/// One call of a plan.
enum Plan {
    Create(Vec<Key>, Origin),
    Keep(Vec<Key>, &'static str),
    Destroy(Vec<Key>, &'static str),
    Owner,
    AllOwners,
    /// A read that found the object deleted.
    Deleted(&'static str),
    Apply,
}

fn run(plans: impl IntoIterator<Item = Plan>) -> Result<(), Contradiction> {
    let registry = Registry::new();
    for plan in plans {
        match plan {
            Plan::Create(keys, origin) => registry.plan_create(&keys, &origin)?,
            Plan::Keep(keys, name) => registry.plan_keep(&keys, name)?,
            Plan::Destroy(keys, name) => registry.plan_destroy(&keys, name)?,
            Plan::Owner => registry.plan_owner("github", "users/ada")?,
            Plan::AllOwners => registry.plan_all_owners("github", [&"users/ada".to_owned()])?,
            Plan::Deleted(name) => registry.withdraw(name),
            Plan::Apply => registry.lock().is_applying = true,
        }
    }
    Ok(())
}

#[test]
fn resources_of_one_plan_contradict_each_other() {
    use Contradiction::{
        AllOwnersAndOwners, CreatedAndDestroyed, CreatedAndKept, CreatedTwice, KeptAndDestroyed,
    };
    use Plan::{AllOwners, Apply, Create, Deleted, Destroy, Keep, Owner};
    let new = || Create(role(), Origin::New);
    let by_itself = || Create(role(), Origin::Replaces(X.to_owned()));
    let tainted = || Create(role(), Origin::InState(X.to_owned()));
    let of_other = || Create(role(), Origin::Replaces("listings/github/roles/y".to_owned()));
    let keep = || Keep(role(), X);
    let destroy = || Destroy(role(), X);
    let new_ada = || Create(vec![ada()], Origin::New);
    let cases: Vec<(&str, Vec<Plan>, Result<(), Contradiction>)> = vec![
        ("two creates", vec![new(), new()], Err(CreatedTwice)),
        ("a create and a renamed resource", vec![new(), of_other()], Err(CreatedTwice)),
        ("a create of what is kept", vec![keep(), new()], Err(CreatedAndKept)),
        ("the same, in the other order", vec![new(), keep()], Err(CreatedAndKept)),
        ("a create of what is destroyed", vec![destroy(), new()], Err(CreatedAndDestroyed)),
        ("the same, in the other order", vec![new(), destroy()], Err(CreatedAndDestroyed)),
        ("a destroy of what is kept", vec![keep(), destroy()], Err(KeptAndDestroyed)),
        ("the same, in the other order", vec![destroy(), keep()], Err(KeptAndDestroyed)),
        ("a create of what another state has", vec![tainted(), keep()], Err(CreatedAndKept)),
        ("the same, in the other order", vec![keep(), tainted()], Err(CreatedAndKept)),
        (
            "a tainted object and a deposed one",
            vec![tainted(), destroy()],
            Err(CreatedAndDestroyed),
        ),
        ("a replacement, and a new resource", vec![keep(), by_itself(), new()], Err(CreatedTwice)),
        (
            "a replacement of what is destroyed",
            vec![keep(), by_itself(), destroy()],
            Err(KeptAndDestroyed),
        ),
        ("a resource planned twice", vec![keep(), keep()], Ok(())),
        (
            "a replacement by itself, planned twice",
            vec![keep(), by_itself(), keep(), by_itself()],
            Ok(()),
        ),
        ("a renamed resource, planned twice", vec![of_other(), of_other()], Ok(())),
        ("a tainted resource, planned twice", vec![new(), tainted()], Ok(())),
        ("a destroy planned twice", vec![destroy(), destroy()], Ok(())),
        ("a resource whose object is found deleted", vec![keep(), Deleted(X), new()], Ok(())),
        ("plans after the first apply call", vec![new(), Apply, new(), keep()], Ok(())),
        ("an owner created twice", vec![new_ada(), new_ada()], Err(CreatedTwice)),
        (
            "an owner that exists under a name",
            vec![Keep(owner(ADA), ADA), new_ada()],
            Err(CreatedAndKept),
        ),
        (
            "an owner that is destroyed",
            vec![new_ada(), Destroy(owner(ADA), ADA)],
            Err(CreatedAndDestroyed),
        ),
        (
            "an owner under two names",
            vec![Keep(owner(ADA), ADA), Destroy(owner(ADA_TOO), ADA_TOO)],
            Ok(()),
        ),
        (
            "an owner whose ID changes",
            vec![
                Destroy(owner(ADA), ADA),
                Create(owner(ADA_TOO), Origin::Replaces(ADA.to_owned())),
                Destroy(owner(ADA), ADA),
                Create(owner(ADA_TOO), Origin::Replaces(ADA.to_owned())),
            ],
            Ok(()),
        ),
        (
            "all owners, and one of them",
            vec![AllOwners, Owner],
            Err(AllOwnersAndOwners(vec!["users/ada".to_owned()])),
        ),
        (
            "the same, in the other order",
            vec![Owner, AllOwners],
            Err(AllOwnersAndOwners(vec!["users/ada".to_owned()])),
        ),
        ("all owners, planned twice", vec![AllOwners, AllOwners], Ok(())),
        (
            "all owners, and one is destroyed",
            vec![AllOwners, Destroy(owner(ADA), ADA)],
            Err(KeptAndDestroyed),
        ),
        (
            "the same, in the other order",
            vec![Destroy(owner(ADA), ADA), AllOwners],
            Err(KeptAndDestroyed),
        ),
    ];
    for (case, plans, expected) in cases {
        assert_eq!(run(plans), expected, "{case}");
    }
}

#[test]
fn plan_destroys_all_objects_or_leaves_some() {
    let registry = Registry::new();
    registry.plan_destroy(&owner(ADA), ADA).unwrap();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert!(registry.destroys_all(names(&[ADA]).into_iter()));
    assert!(!registry.destroys_all(names(&[ADA, ADA_TOO]).into_iter()));
    let by_itself = Origin::Replaces(ADA_TOO.to_owned());
    registry.plan_create(&[Key::Name(ADA_TOO.to_owned())], &by_itself).unwrap();
    assert!(registry.destroys_all(names(&[ADA, ADA_TOO]).into_iter()), "a replacement by itself");
}

#[test]
fn writes_and_deletes_are_facts_until_the_next_one() {
    let registry = Registry::new();
    let [key] = &role()[..] else { panic!("one key") };
    assert!(!registry.is_written(key) && !registry.is_written_since(key, None));
    let first = registry.record_write(&role());
    assert!(registry.is_written(key));
    assert!(!registry.is_written_since(key, Some(&first)));
    assert!(registry.is_written_since(key, None), "the state of another process");
    let second = registry.record_write(&role());
    assert!(registry.is_written_since(key, Some(&first)));
    assert_ne!(first, second);

    registry.record_delete(&role(), Some("t1"));
    assert!(!registry.is_written(key));
    assert!(registry.is_deleted(key, Some("t1")));
    assert!(!registry.is_deleted(key, Some("t2")), "another object of that name");
    assert!(registry.has_deleted(&role()));
    registry.record_write(&role());
    assert!(!registry.is_deleted(key, Some("t1")) && !registry.has_deleted(&role()));
    registry.record_delete(&role(), Some("2026-01-01T00:00:00Z"));
    assert!(registry.is_deleted(key, Some("2026-01-01T00:00:00.000+00:00")));

    assert!(!registry.is_refused(&role()));
    registry.record_refusal(role());
    assert!(registry.is_refused(&role()));
}

#[tokio::test]
async fn calls_of_one_object_wait_for_each_other() {
    let registry = Registry::new();
    let key = ada();
    let held = registry.begin_write(&key).await;
    assert!(registry.is_applying());
    let mut next = Box::pin(registry.begin_write(&key));
    assert!(futures_util::poll!(&mut next).is_pending());
    let _other = registry.begin_write(&role()[0]).await;
    drop(held);
    let _next = next.await;
}
