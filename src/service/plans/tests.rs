//! The contradictions of a plan, as a table.

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
#[derive(Clone)]
enum Plan {
    Claim(Vec<Key>, Claim<'static>),
    Owner,
    AllOwners,
    /// A read that found the object deleted.
    Deleted(&'static str),
    Apply,
}

fn run(calls: impl IntoIterator<Item = Plan>) -> Result<(), Contradiction> {
    let plans = Plans::default();
    for call in calls {
        match call {
            Plan::Claim(keys, claim) => _ = plans.register(&keys, &claim)?,
            Plan::Owner => plans.plan_owner("github", "users/ada")?,
            Plan::AllOwners => plans.plan_all_owners("github", [&"users/ada".to_owned()])?,
            Plan::Deleted(name) => plans.withdraw(name),
            Plan::Apply => plans.end(),
        }
    }
    Ok(())
}

#[test]
fn resources_of_one_plan_contradict_each_other() {
    use Contradiction::{
        AllOwnersAndOwners, CreatedAndAbandoned, CreatedAndDestroyed, CreatedAndKept, CreatedTwice,
        KeptAndDestroyed,
    };
    use Plan::{AllOwners, Apply, Deleted, Owner};
    let create = |keys, origin| Plan::Claim(keys, Claim::Create { origin, adopts: false });
    let new = || create(role(), Origin::New);
    let planned = || create(role(), Origin::Planned);
    let by_itself = || create(role(), Origin::Replaces(X.to_owned()));
    let tainted = || create(role(), Origin::MaybeTainted(X.to_owned()));
    let of_other = || create(role(), Origin::Replaces("listings/github/roles/y".to_owned()));
    let adopt = || Plan::Claim(role(), Claim::Create { origin: Origin::New, adopts: true });
    let keep = || Plan::Claim(role(), Claim::Keep { name: X, write_id: None });
    let destroy = || Plan::Claim(role(), Claim::Destroy(X));
    let abandon = || Plan::Claim(role(), Claim::Abandon);
    let new_ada = || create(vec![ada()], Origin::New);
    let keep_ada = || Plan::Claim(owner(ADA), Claim::Keep { name: ADA, write_id: None });
    let destroy_ada = || Plan::Claim(owner(ADA), Claim::Destroy(ADA));
    let destroy_ada_too = || Plan::Claim(owner(ADA_TOO), Claim::Destroy(ADA_TOO));
    let other_id = || create(owner(ADA_TOO), Origin::Replaces(ADA.to_owned()));
    let bob = || Key::Principal { integration: "github".to_owned(), owner: "users/bob".to_owned() };
    let bob_too = || vec![bob(), Key::Name(ADA_TOO.to_owned())];
    let same_id = || create(bob_too(), Origin::Replaces(ADA.to_owned()));
    let all_and_one = AllOwnersAndOwners(vec!["users/ada".to_owned()]);
    let in_either_order = [
        ("a create of what is kept", [keep(), new()], CreatedAndKept),
        ("a create of what is destroyed", [destroy(), new()], CreatedAndDestroyed),
        ("a destroy of what is kept", [keep(), destroy()], KeptAndDestroyed),
        ("a create of what another state has", [tainted(), keep()], CreatedAndKept),
        ("all owners, and one of them", [AllOwners, Owner], all_and_one),
        ("all owners, and one is destroyed", [AllOwners, destroy_ada()], KeptAndDestroyed),
    ];
    for (case, [one, other], expected) in in_either_order {
        assert_eq!(run([one.clone(), other.clone()]), Err(expected.clone()), "{case}");
        assert_eq!(run([other, one]), Err(expected), "{case}, in the other order");
    }
    let in_this_order = [
        ("two creates", vec![new(), new()], CreatedTwice),
        ("a create of what is kept, inside the apply", vec![keep(), planned()], CreatedAndKept),
        ("a create and a renamed resource", vec![new(), of_other()], CreatedTwice),
        ("a tainted object and a deposed one", vec![tainted(), destroy()], CreatedAndDestroyed),
        ("a replacement, and a new resource", vec![keep(), by_itself(), new()], CreatedTwice),
        ("a replaced and a deposed one", vec![keep(), by_itself(), destroy()], KeptAndDestroyed),
        ("a create of what is abandoned", vec![new(), abandon()], CreatedAndAbandoned),
        ("two owners with one new ID", vec![other_id(), same_id()], CreatedTwice),
        ("an owner created twice", vec![new_ada(), new_ada()], CreatedTwice),
        ("an owner that exists under a name", vec![keep_ada(), new_ada()], CreatedAndKept),
        ("an owner that is destroyed", vec![new_ada(), destroy_ada()], CreatedAndDestroyed),
    ];
    for (case, plans, expected) in in_this_order {
        assert_eq!(run(plans), Err(expected), "{case}");
    }
    let without_contradiction = [
        ("a create, and its plan inside the apply", vec![new(), planned()]),
        ("an adoption of what another abandons", vec![adopt(), abandon()]),
        ("an object that is kept and abandoned", vec![keep(), abandon()]),
        ("a resource planned twice", vec![keep(), keep()]),
        ("a replacement planned twice", vec![keep(), by_itself(), keep(), by_itself()]),
        ("a renamed resource, planned twice", vec![of_other(), of_other()]),
        ("a tainted resource, planned twice", vec![new(), tainted()]),
        ("a destroy planned twice", vec![destroy(), destroy()]),
        ("a resource whose object is found deleted", vec![keep(), Deleted(X), new()]),
        ("plans after the first apply call", vec![new(), Apply, new(), keep()]),
        ("an owner under two names", vec![keep_ada(), destroy_ada_too()]),
        ("a changed ID", vec![destroy_ada(), other_id(), destroy_ada(), other_id()]),
        ("all owners, planned twice", vec![AllOwners, AllOwners]),
    ];
    for (case, plans) in without_contradiction {
        assert_eq!(run(plans), Ok(()), "{case}");
    }
}

#[test]
fn plan_destroys_all_objects_or_leaves_some() {
    let plans = Plans::default();
    plans.register(&owner(ADA), &Claim::Destroy(ADA)).unwrap();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert!(plans.destroys_all(names(&[ADA]).into_iter()));
    assert!(!plans.destroys_all(names(&[ADA, ADA_TOO]).into_iter()));
    let origin = Origin::Replaces(ADA_TOO.to_owned());
    let by_itself = Claim::Create { origin, adopts: false };
    plans.register(&[Key::Name(ADA_TOO.to_owned())], &by_itself).unwrap();
    assert!(plans.destroys_all(names(&[ADA, ADA_TOO]).into_iter()), "a replacement by itself");
}

#[test]
fn object_with_two_addresses_is_noticed_by_the_second() {
    let plans = Plans::default();
    for (write_id, expected) in [(Some("1"), false), (Some("1"), false), (None, true)] {
        let kept_twice = plans.register(&role(), &Claim::Keep { name: X, write_id });
        assert_eq!(kept_twice, Ok(expected), "{write_id:?}");
    }
    assert!(!plans.record_import(X) && plans.is_imported(X));
    assert!(plans.record_import(X), "a second address imports it");
}
