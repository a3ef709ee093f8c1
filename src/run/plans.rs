//! The plans of a run, by object.
//!
//! Terraform calls the provider for each resource separately and does not pass addresses. Two resources
//! for one object look like two unrelated calls, so their plans are compared by the object, within one
//! configured provider, until the first apply call. [`compare`] decides.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::key::{Key, Keys};

/// What a resource does with an object. What a destroy leaves at the service counts as destroyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    Create {
        /// The object that the resource has, and replaces.
        replaces: Option<String>,
    },
    /// It keeps the object of this name.
    Keep(String),
    /// It, or a deposed object, destroys the object of this name.
    Destroy(String),
}

/// Two resources whose plans contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contradiction {
    CreatedTwice,
    CreatedAndHeld {
        /// Whether the create is that of a replacement.
        is_replaced: bool,
        /// Whether the resource that is planned second is the one that creates.
        creates: bool,
    },
    KeptAndDestroyed,
}

/// Decides whether two claims to the same key contradict each other: `one` is registered second.
fn compare(one: &Claim, other: &Claim) -> Option<Contradiction> {
    use Claim::{Create, Destroy, Keep};
    match (one, other) {
        // Two plain creates may be one resource that is planned twice. The second one is refused in
        // the apply.
        (Create { replaces: None }, Create { replaces: None }) => None,
        (Create { replaces: one }, Create { replaces: other }) => {
            (one != other).then_some(Contradiction::CreatedTwice)
        }
        // Here and below: what the resource of the create has itself is no contradiction.
        (Create { replaces }, Keep(name) | Destroy(name))
        | (Keep(name) | Destroy(name), Create { replaces }) => {
            let (is_replaced, creates) = (replaces.is_some(), matches!(one, Create { .. }));
            let found = Contradiction::CreatedAndHeld { is_replaced, creates };
            (replaces.as_ref() != Some(name)).then_some(found)
        }
        (Keep(kept), Destroy(destroyed)) | (Destroy(destroyed), Keep(kept)) => {
            // Two owners may share a principal.
            (kept == destroyed).then_some(Contradiction::KeptAndDestroyed)
        }
        (Keep(_), Keep(_)) | (Destroy(_), Destroy(_)) => None,
    }
}

/// The plans of a run.
#[derive(Default)]
pub(crate) struct Plans(Mutex<Claims>);

#[derive(Default)]
struct Claims {
    /// Whether an apply call has begun.
    has_ended: bool,
    claims: HashMap<Key, Vec<Claim>>,
    /// The resource types that manage objects of a parent, and whether a resource of the type stays.
    types: HashMap<String, HashSet<(&'static str, bool)>>,
    /// Objects that this run has imported.
    imported: HashSet<String>,
    /// Objects of which this run has a state.
    with_state: HashSet<Key>,
}

impl Plans {
    /// Locks the plans, also after a call has panicked: each change is complete by itself.
    fn lock(&self) -> MutexGuard<'_, Claims> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the comparison of plans. It is called at each write, and the first ends it.
    pub(super) fn end(&self) {
        self.lock().has_ended = true;
    }

    /// Returns whether an apply call has begun.
    pub(crate) fn have_ended(&self) -> bool {
        self.lock().has_ended
    }

    /// Records that the run has imported an object.
    pub(crate) fn record_import(&self, name: &str) {
        self.lock().imported.insert(name.to_owned());
    }

    pub(crate) fn is_imported(&self, name: &str) -> bool {
        self.lock().imported.contains(name)
    }

    /// Records the keys of an object in a state: a resource has it. `before` are those that the state had
    /// before a refresh.
    pub(crate) fn record_state(&self, before: &Keys, keys: &Keys) {
        let known = &mut *self.lock();
        for key in before {
            known.with_state.remove(key);
        }
        known.with_state.extend(keys.into_iter().cloned());
    }

    pub(crate) fn has_state<'k>(&self, keys: impl IntoIterator<Item = &'k Key>) -> bool {
        let known = self.lock();
        keys.into_iter().any(|key| known.with_state.contains(key))
    }

    /// Registers what a resource does with the object that has these keys.
    ///
    /// # Errors
    ///
    /// Returns how it contradicts what another resource does. The claim is not registered then.
    pub(crate) fn register(&self, keys: &Keys, claim: &Claim) -> Result<(), Contradiction> {
        let known = &mut *self.lock();
        if known.has_ended {
            return Ok(());
        }
        for key in keys {
            let mut others = known.claims.get(key).into_iter().flatten();
            if let Some(found) = others.find_map(|other| compare(claim, other)) {
                return Err(found);
            }
        }
        for key in keys {
            let claims = known.claims.entry(key.clone()).or_default();
            if !claims.contains(claim) {
                claims.push(claim.clone());
            }
        }
        Ok(())
    }

    /// Registers a resource type that manages objects of a parent. Returns another one that does as well,
    /// unless both are destroyed.
    pub(crate) fn register_type(
        &self,
        parent: &str,
        resource_type: &'static str,
        stays: bool,
    ) -> Option<&'static str> {
        let known = &mut *self.lock();
        if known.has_ended {
            return None;
        }
        let types = known.types.entry(parent.to_owned()).or_default();
        types.insert((resource_type, stays));
        let is_mixed = |other: &&(&str, bool)| other.0 != resource_type && (stays || other.1);
        types.iter().find(is_mixed).map(|other| other.0)
    }

    /// Discards what is known about an object that a read has found deleted.
    pub(crate) fn withdraw(&self, keys: &Keys, name: &str) {
        let known = &mut *self.lock();
        for key in keys {
            known.with_state.remove(key);
        }
        for claims in known.claims.values_mut() {
            claims.retain(|claim| match claim {
                Claim::Keep(taken) | Claim::Destroy(taken) => taken != name,
                Claim::Create { replaces } => replaces.as_deref() != Some(name),
            });
        }
    }

    /// Returns whether this plan destroys all these objects, also those that it replaces.
    pub(crate) fn destroys_all(&self, mut names: impl Iterator<Item = String>) -> bool {
        let known = self.lock();
        let claims = known.claims.values().flatten();
        let destroyed: HashSet<&String> = claims
            .filter_map(|claim| match claim {
                Claim::Destroy(name) => Some(name),
                Claim::Create { replaces } => replaces.as_ref(),
                Claim::Keep(_) => None,
            })
            .collect();
        names.all(|name| destroyed.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: &str = "listings/github/roles/x";
    const Y: &str = "listings/github/roles/y";
    const ADA: &str = "integrations/github/owners/1";
    const ADA_TOO: &str = "integrations/github/owners/2";

    fn principal(owner: &str) -> Keys {
        let principal =
            Key::Principal { integration: "github".to_owned(), owner: owner.to_owned() };
        Keys { principal: Some(principal), name: None }
    }

    fn owner(owner: &str, name: &str) -> Keys {
        Keys { name: Some(Key::Name(name.to_owned())), ..principal(owner) }
    }

    fn ada(name: &str) -> Keys {
        owner("users/ada", name)
    }

    /// One call of a plan.
    #[derive(Clone)]
    enum Plan {
        Claim(Keys, Claim),
        /// A read that found the object deleted.
        Deleted(&'static str),
        Apply,
    }

    fn run(calls: impl IntoIterator<Item = Plan>) -> Result<(), Contradiction> {
        let plans = Plans::default();
        for call in calls {
            match call {
                Plan::Claim(keys, claim) => plans.register(&keys, &claim)?,
                Plan::Deleted(name) => plans.withdraw(&Keys::of_name(name), name),
                Plan::Apply => plans.end(),
            }
        }
        Ok(())
    }

    #[test]
    fn resources_of_one_plan_contradict_each_other() {
        use Contradiction::{CreatedAndHeld, CreatedTwice, KeptAndDestroyed};
        use Plan::{Apply, Deleted};
        let of_role = |claim: Claim| Plan::Claim(Keys::of_name(X), claim);
        let replacing = |name: &str| Claim::Create { replaces: Some(name.to_owned()) };
        let new = || Claim::Create { replaces: None };
        let create = || of_role(new());
        let by_itself = || of_role(replacing(X));
        let renamed = || of_role(replacing(Y));
        let kept = || of_role(Claim::Keep(X.to_owned()));
        let destroyed = || of_role(Claim::Destroy(X.to_owned()));
        let new_ada = || Plan::Claim(principal("users/ada"), new());
        let keep_ada = || Plan::Claim(ada(ADA), Claim::Keep(ADA.to_owned()));
        let destroy_ada = || Plan::Claim(ada(ADA), Claim::Destroy(ADA.to_owned()));
        let destroy_ada_too = || Plan::Claim(ada(ADA_TOO), Claim::Destroy(ADA_TOO.to_owned()));
        let other_id = || Plan::Claim(ada(ADA_TOO), replacing(ADA));
        let id_of_bob = || Plan::Claim(owner("users/bob", ADA_TOO), new());
        let [plain, replaced] = [false, true];

        let contradictions = [
            ("a create and a renamed resource", vec![create(), renamed()], CreatedTwice),
            ("two renamed resources", vec![by_itself(), renamed()], CreatedTwice),
            ("a replacement, and a new resource", vec![by_itself(), create()], CreatedTwice),
            ("a new ID that a new owner gets", vec![other_id(), id_of_bob()], CreatedTwice),
            (
                "a create of what is kept",
                vec![kept(), create()],
                CreatedAndHeld { is_replaced: plain, creates: true },
            ),
            (
                "a name that is kept",
                vec![kept(), renamed()],
                CreatedAndHeld { is_replaced: replaced, creates: true },
            ),
            (
                "an owner that is kept under a name",
                vec![keep_ada(), new_ada()],
                CreatedAndHeld { is_replaced: plain, creates: true },
            ),
            (
                "a create of what is destroyed",
                vec![destroyed(), create()],
                CreatedAndHeld { is_replaced: plain, creates: true },
            ),
            (
                "a name that is destroyed",
                vec![destroyed(), renamed()],
                CreatedAndHeld { is_replaced: replaced, creates: true },
            ),
            (
                "an owner that is destroyed",
                vec![destroy_ada(), new_ada()],
                CreatedAndHeld { is_replaced: plain, creates: true },
            ),
            ("a destroy of what is kept", vec![kept(), destroyed()], KeptAndDestroyed),
            (
                "a replaced and a deposed one",
                vec![kept(), by_itself(), destroyed()],
                KeptAndDestroyed,
            ),
        ];
        for (case, plans, expected) in contradictions {
            let reversed: Vec<Plan> = plans.iter().rev().cloned().collect();
            let of_other = match expected {
                CreatedAndHeld { is_replaced, .. } => {
                    CreatedAndHeld { is_replaced, creates: false }
                }
                same => same,
            };
            assert_eq!(run(plans), Err(expected), "{case}");
            assert_eq!(run(reversed), Err(of_other), "{case}, in the other order");
        }
        let without_contradiction = [
            ("two creates, which the apply refuses", vec![create(), create()]),
            ("an object that two states have", vec![kept(), kept()]),
            ("a replacement planned twice", vec![kept(), by_itself(), kept(), by_itself()]),
            ("a renamed resource, planned twice", vec![renamed(), renamed()]),
            ("a destroy planned twice", vec![destroyed(), destroyed()]),
            ("a resource whose object is found deleted", vec![kept(), Deleted(X), create()]),
            ("a destroyed object that is found deleted", vec![destroyed(), Deleted(X), create()]),
            (
                "a renamed resource whose object is found deleted",
                vec![renamed(), Deleted(Y), create()],
            ),
            ("plans after the first apply call", vec![create(), Apply, renamed(), kept()]),
            ("an owner under two names", vec![keep_ada(), destroy_ada_too()]),
            ("a changed ID", vec![destroy_ada(), other_id(), destroy_ada(), other_id()]),
        ];
        for (case, plans) in without_contradiction {
            assert_eq!(run(plans), Ok(()), "{case}");
        }
    }

    #[test]
    fn two_types_for_one_parent_are_mixed_unless_both_go() {
        // Whether the resource of all objects stays, whether that of one does, and whether that is an error.
        for (all, one, is_mixed) in
            [(true, true, true), (true, false, true), (false, true, true), (false, false, false)]
        {
            for calls in [[("all", all), ("one", one)], [("one", one), ("all", all)]] {
                let plans = Plans::default();
                let found = calls.map(|(its, stays)| plans.register_type("a", its, stays));
                assert_eq!(found, [None, is_mixed.then_some(calls[0].0)], "{calls:?}");
            }
        }
        let plans = Plans::default();
        let mixed = |parent, its| plans.register_type(parent, its, true).is_some();
        assert!(!mixed("a", "all") && !mixed("b", "one"));
        plans.end();
        assert!(!mixed("a", "one"), "after the first apply call");
    }

    #[test]
    fn plan_destroys_all_objects_or_leaves_some() {
        let plans = Plans::default();
        plans.register(&ada(ADA), &Claim::Destroy(ADA.to_owned())).unwrap();
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert!(plans.destroys_all(names(&[ADA]).into_iter()));
        assert!(!plans.destroys_all(names(&[ADA, ADA_TOO]).into_iter()));
        let replaces = Some(ADA_TOO.to_owned());
        plans.register(&Keys::of_name(ADA_TOO), &Claim::Create { replaces }).unwrap();
        assert!(plans.destroys_all(names(&[ADA, ADA_TOO]).into_iter()), "a replacement by itself");
    }
}
