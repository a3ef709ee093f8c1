//! What two addresses do differently with one object.
//!
//! The provider refuses at plan what it sees of this. Each provider configuration is a process of
//! its own, and sees only its own resources.

use std::collections::{BTreeMap, BTreeSet};

use super::owners::{self, Does, Owners};
use super::roles::{Act, Roles, is_deleted, texts};
use super::{Change, Kind, Name, Note, Object, Plan, name};
use crate::report::entries::Part;

/// What the sentence about two addresses says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Contradiction {
    /// Both write the object, or one writes it and the other keeps it as it is.
    WrittenDifferently,
    /// One deletes what the other keeps, at the same service.
    DeletedAndKept,
    /// One deletes what the other takes over or makes, perhaps at the same service.
    PerhapsDeletedAndTaken,
}

/// A sentence about an object, with the addresses that it names in its order.
type Found = BTreeSet<(Name, Contradiction, Vec<String>)>;

/// Returns the sentences about contradictions, sorted by the names of the objects.
pub(super) fn contradictions(plan: &Plan, roles: &Roles<'_>, owners: &Owners<'_>) -> Vec<Note> {
    let mut found = Found::new();
    of_roles(roles, &mut found);
    of_owners(owners, &mut found);
    of_lists(plan, &mut found);
    found.into_iter().map(|(name, what, addresses)| note(&name, what, addresses)).collect()
}

/// Adds the roles that two addresses write differently, or that one deletes and another has.
fn of_roles(roles: &Roles<'_>, found: &mut Found) {
    let mut by_name = BTreeMap::<_, Vec<_>>::new();
    for (key, all) in &roles.acts {
        by_name.entry(&key.1).or_default().push((key.0, all));
    }
    for (key, all) in &roles.acts {
        let deleted: Vec<_> = all.iter().filter(|act| is_deleted(act, all)).collect();
        let kept: Vec<_> = all.iter().filter(|act| act.kept().is_some()).collect();
        if let [first, rest @ ..] = &kept[..]
            && kept.iter().any(|act| !act.change.has("no-op"))
            && rest.iter().any(|other| differ(first, other))
        {
            let addresses = kept.iter().map(|act| act.change.address.clone()).collect();
            found.extend(first.kept().map(|role| {
                (name(Kind::Role, role), Contradiction::WrittenDifferently, addresses)
            }));
        }
        let elsewhere = by_name[&key.1].iter().filter(|(service, _)| *service != key.0);
        let taken = elsewhere
            .flat_map(|(_, all)| *all)
            .filter(|act| act.kept().is_some() && (act.change.imports || act.change.has("create")));
        let taken: Vec<_> = taken.collect();
        for act in deleted {
            let Some(role) = act.change.before.as_ref() else { continue };
            let pair =
                |other: &Act<'_>| vec![act.change.address.clone(), other.change.address.clone()];
            for other in &kept {
                found.insert((name(Kind::Role, role), Contradiction::DeletedAndKept, pair(other)));
            }
            for other in taken.iter().filter(|it| it.change.place.may_be(&act.change.place)) {
                let what = Contradiction::PerhapsDeletedAndTaken;
                found.insert((name(Kind::Role, role), what, pair(other)));
            }
        }
    }
}

/// Returns whether two changes leave a role differently, as far as both write it.
fn differ(one: &Act<'_>, other: &Act<'_>) -> bool {
    let (Some(first), Some(second)) = (one.kept(), other.kept()) else { return false };
    let manages = |act: &Act<'_>| act.change.sets_resources != Some(false);
    let is_unset =
        |object: &Object, text: &str| object.value(text).is_null() || *object.value(text) == "";
    let differs = |text: &&str| {
        first.value(text) != second.value(text)
            && !(is_unset(first, text) && is_unset(second, text))
    };
    texts().iter().any(differs)
        || (manages(one)
            && manages(other)
            && first.elements("resources").keys().ne(second.elements("resources").keys()))
}

/// Adds the owners that one address removes and another keeps or adds.
fn of_owners(owners: &Owners<'_>, found: &mut Found) {
    let mut by_name = BTreeMap::<_, Vec<_>>::new();
    for (key, all) in &owners.acts {
        by_name.entry((key.1, key.2)).or_default().push((key.0, all));
    }
    for (key, all) in owners.acts.iter().filter(|(_, all)| owners::loses(all)) {
        let removed: Vec<_> = all.iter().filter(|act| act.does == Does::Removes).collect();
        let kept = all.iter().filter(|act| matches!(act.does, Does::Keeps | Does::Adds));
        let elsewhere = by_name[&(key.1, key.2)].iter().filter(|(service, _)| *service != key.0);
        let taken = elsewhere.flat_map(|(_, all)| *all).filter(|act| {
            act.does == Does::Adds || (act.does == Does::Keeps && act.change.imports)
        });
        let kept: Vec<_> = kept.collect();
        let taken: Vec<_> = taken.collect();
        for act in removed {
            let pair = |other: &Change| vec![act.change.address.clone(), other.address.clone()];
            for other in kept.iter().filter(|it| it.change.address != act.change.address) {
                let what = Contradiction::DeletedAndKept;
                found.insert((act.name.clone(), what, pair(other.change)));
            }
            for other in taken.iter().filter(|it| it.change.place.may_be(&act.change.place)) {
                let what = Contradiction::PerhapsDeletedAndTaken;
                found.insert((act.name.clone(), what, pair(other.change)));
            }
        }
    }
}

/// Adds the integrations that have two lists of all owners.
fn of_lists(plan: &Plan, found: &mut Found) {
    let lists: Vec<_> = plan.changes.iter().filter(|it| it.kind == Kind::Owners).collect();
    for (place, one) in lists.iter().enumerate() {
        for other in &lists[place + 1..] {
            let (Some(first), Some(second)) = (&one.after, &other.after) else { continue };
            let is_same = first.text("integration").is_some()
                && first.text("integration") == second.text("integration")
                && one.place.service == other.place.service;
            let writes = !one.has("no-op") || !other.has("no-op");
            if is_same
                && writes
                && first.elements("owners").keys().ne(second.elements("owners").keys())
            {
                let addresses = vec![one.address.clone(), other.address.clone()];
                let what = Contradiction::WrittenDifferently;
                found.insert((name(Kind::Owners, first), what, addresses));
            }
        }
    }
}

/// Returns the sentence about a contradiction. `addresses` stand in the order in which it names
/// them.
fn note(name: &Name, what: Contradiction, addresses: Vec<String>) -> Note {
    let words = |text: &str| Part::Words(text.to_owned());
    let mut object = match name {
        Name::Role { role } => vec![Part::Code(role.clone())],
        Name::Owner { integration, principal: Some(principal) } => {
            vec![Part::Code(principal.clone()), words(" of "), Part::Code(integration.clone())]
        }
        Name::Owner { integration, principal: None } => {
            vec![words("all owners of "), Part::Code(integration.clone())]
        }
    };
    let deletes = match name {
        Name::Role { .. } => " deletes ",
        Name::Owner { .. } => " removes ",
    };
    let mut parts = vec![words("Contradiction: ")];
    let mut addresses = addresses.into_iter().map(Part::Code);
    match what {
        Contradiction::WrittenDifferently => {
            for (place, address) in addresses.enumerate() {
                parts.extend((place > 0).then(|| words(" and ")));
                parts.push(address);
            }
            parts.push(words(" write "));
            parts.append(&mut object);
            parts.push(words(" differently, and the last write counts."));
        }
        Contradiction::DeletedAndKept | Contradiction::PerhapsDeletedAndTaken => {
            parts.extend(addresses.next());
            parts.push(words(deletes));
            parts.append(&mut object);
            parts.push(words(", which "));
            parts.extend(addresses.next());
            parts.push(words(match what {
                Contradiction::PerhapsDeletedAndTaken => {
                    " takes over or makes: if both are at one service, it may be gone after the apply."
                }
                _ => " keeps or makes: it may be gone after the apply.",
            }));
        }
    }
    Note { parts, is_about_object: true }
}
