//! The contradictions of a plan, as a table.

use super::*;

const X: &str = "listings/github/roles/x";
const Y: &str = "listings/github/roles/y";
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

fn new() -> Claim {
    Claim::Create(Creation::default())
}

fn replacing(name: &str) -> Claim {
    Claim::Create(Creation { replaces: Some(name.to_owned()), ..Creation::default() })
}

fn keep(name: &str) -> Claim {
    Claim::Keep { name: name.to_owned() }
}

fn destroy(name: &str) -> Claim {
    Claim::Destroy { name: name.to_owned(), is_in_list: false }
}

/// One call of a plan.
#[derive(Clone)]
enum Plan {
    Claim(Vec<Key>, Claim),
    Owner,
    /// All owners, if they are known.
    List(Option<&'static str>),
    /// A read that found the object deleted.
    Deleted(&'static str),
    Apply,
}

fn run(calls: impl IntoIterator<Item = Plan>) -> Result<(), Contradiction> {
    let plans = Plans::default();
    for call in calls {
        match call {
            Plan::Claim(keys, claim) => plans.register(&keys, claim)?,
            Plan::Owner => plans.plan_owner("github", "users/ada")?,
            Plan::List(owner) => {
                let owners = owner.into_iter().map(str::to_owned).collect();
                plans.plan_list("github", &owners, owner.is_some())?;
            }
            Plan::Deleted(name) => plans.withdraw(name),
            Plan::Apply => plans.end(),
        }
    }
    Ok(())
}

#[test]
fn resources_of_one_plan_contradict_each_other() {
    use Contradiction::{
        CreatedAndAbandoned, CreatedAndDestroyed, CreatedAndKept, CreatedTwice, KeptAndDestroyed,
        ListAndOwners, ListToOwners, OwnersToList, TwoLists,
    };
    use Plan::{Apply, Deleted, Owner};
    let of_role = |claim: Claim| Plan::Claim(role(), claim);
    let create = || of_role(new());
    let by_itself = || of_role(replacing(X));
    let renamed = || of_role(replacing(Y));
    let tainted =
        || of_role(Claim::Create(Creation { in_state: Some(X.to_owned()), ..Creation::default() }));
    let planned = || of_role(Claim::Create(Creation { was_planned: true, ..Creation::default() }));
    let kept = || of_role(keep(X));
    let destroyed = || of_role(destroy(X));
    let abandoned = || of_role(Claim::Abandon { name: X.to_owned() });
    let new_ada = || Plan::Claim(vec![ada()], new());
    let keep_ada = || Plan::Claim(owner(ADA), keep(ADA));
    let keep_ada_too = || Plan::Claim(owner(ADA_TOO), keep(ADA_TOO));
    let destroy_ada = || Plan::Claim(owner(ADA), destroy(ADA));
    let destroy_ada_too = || Plan::Claim(owner(ADA_TOO), destroy(ADA_TOO));
    let destroy_in_list =
        || Plan::Claim(owner(ADA), Claim::Destroy { name: ADA.to_owned(), is_in_list: true });
    let abandon_ada = || Plan::Claim(owner(ADA), Claim::Abandon { name: ADA.to_owned() });
    let other_id = || Plan::Claim(owner(ADA_TOO), replacing(ADA));
    let bob = || Key::Principal { integration: "github".to_owned(), owner: "users/bob".to_owned() };
    let same_id = || Plan::Claim(vec![bob(), Key::Name(ADA_TOO.to_owned())], replacing(ADA));
    let list = || Plan::List(Some("users/ada"));
    let other_list = || Plan::List(Some("users/bob"));
    let late_list = || Plan::List(None);
    let list_and_ada = ListAndOwners(vec!["users/ada".to_owned()]);

    let contradictions = [
        ("two creates", vec![create(), create()], CreatedTwice),
        ("a create and a renamed resource", vec![create(), renamed()], CreatedTwice),
        ("a replacement, and a new resource", vec![by_itself(), create()], CreatedTwice),
        ("two owners with one new ID", vec![other_id(), same_id()], CreatedTwice),
        ("an owner created twice", vec![new_ada(), new_ada()], CreatedTwice),
        ("a create of what is kept", vec![kept(), create()], CreatedAndKept),
        ("a create of what is kept, inside the apply", vec![kept(), planned()], CreatedAndKept),
        ("a create of what another state has", vec![tainted(), kept()], CreatedAndKept),
        ("an owner that is kept under a name", vec![keep_ada(), new_ada()], CreatedAndKept),
        ("a create of what is destroyed", vec![destroyed(), create()], CreatedAndDestroyed),
        ("a tainted object and a deposed one", vec![tainted(), destroyed()], CreatedAndDestroyed),
        ("an owner that is destroyed", vec![new_ada(), destroy_ada()], CreatedAndDestroyed),
        ("a create of what is abandoned", vec![create(), abandoned()], CreatedAndAbandoned),
        (
            "a tainted object and an abandoned one",
            vec![tainted(), abandoned()],
            CreatedAndAbandoned,
        ),
        ("a destroy of what is kept", vec![kept(), destroyed()], KeptAndDestroyed),
        ("a replaced and a deposed one", vec![kept(), by_itself(), destroyed()], KeptAndDestroyed),
        ("two lists of owners", vec![list(), other_list()], TwoLists),
        ("two lists, one unknown at first", vec![list(), late_list(), other_list()], TwoLists),
        ("a list of owners, and one of them", vec![list(), Owner], list_and_ada),
        ("a list of owners, and one is destroyed", vec![list(), destroy_ada()], OwnersToList),
        ("an owner, whose list is destroyed", vec![new_ada(), destroy_in_list()], ListToOwners),
        ("a kept owner", vec![keep_ada(), destroy_in_list()], ListToOwners),
        ("a kept owner with another ID", vec![keep_ada_too(), destroy_in_list()], ListToOwners),
    ];
    for (case, plans, expected) in contradictions {
        let reversed: Vec<Plan> = plans.iter().rev().cloned().collect();
        assert_eq!(run(plans), Err(expected.clone()), "{case}");
        assert_eq!(run(reversed), Err(expected), "{case}, in the other order");
    }
    let without_contradiction = [
        ("a create, and its plan inside the apply", vec![create(), planned()]),
        ("an object that is kept and abandoned", vec![kept(), abandoned()]),
        ("a resource planned twice, or an object that two states have", vec![kept(), kept()]),
        ("a replacement planned twice", vec![kept(), by_itself(), kept(), by_itself()]),
        ("a renamed resource, planned twice", vec![renamed(), renamed()]),
        ("a tainted resource, planned twice", vec![create(), tainted()]),
        ("a destroy planned twice", vec![destroyed(), destroyed()]),
        ("a resource whose object is found deleted", vec![kept(), Deleted(X), create()]),
        ("a destroyed object that is found deleted", vec![destroyed(), Deleted(X), create()]),
        ("a renamed resource whose object is found deleted", vec![renamed(), Deleted(Y), create()]),
        ("plans after the first apply call", vec![create(), Apply, create(), kept()]),
        ("an owner under two names", vec![keep_ada(), destroy_ada_too()]),
        ("a changed ID", vec![destroy_ada(), other_id(), destroy_ada(), other_id()]),
        ("a changed ID under abandon", vec![abandon_ada(), other_id()]),
        ("a list of owners, planned twice", vec![list(), list()]),
        ("a list of owners, known the second time", vec![late_list(), list()]),
        ("a list of owners, one of whom is abandoned", vec![abandon_ada(), list()]),
        ("a list that a new one follows", vec![destroy_in_list(), list()]),
    ];
    for (case, plans) in without_contradiction {
        assert_eq!(run(plans), Ok(()), "{case}");
    }
}

#[test]
fn plan_destroys_all_objects_or_leaves_some() {
    let plans = Plans::default();
    plans.register(&owner(ADA), destroy(ADA)).unwrap();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert!(plans.destroys_all(names(&[ADA]).into_iter()));
    assert!(!plans.destroys_all(names(&[ADA, ADA_TOO]).into_iter()));
    plans.register(&owner(ADA_TOO)[1..], Claim::Abandon { name: ADA_TOO.to_owned() }).unwrap();
    assert!(!plans.destroys_all(names(&[ADA, ADA_TOO]).into_iter()), "one stays at the service");
    plans.withdraw(ADA_TOO);
    plans.register(&[Key::Name(ADA_TOO.to_owned())], replacing(ADA_TOO)).unwrap();
    assert!(plans.destroys_all(names(&[ADA, ADA_TOO]).into_iter()), "a replacement by itself");
}
