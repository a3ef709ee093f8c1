//! Who gains and who loses control of integrations.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Change, Control, Entry, Fate, Identity, Kind, Name, Object, Plan, entry, fate, principals,
};
use crate::report::entries::Parent;

/// What one change does with one principal of an integration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Does {
    Adds,
    Keeps,
    /// The owner stays at the service, and leaves the state.
    Leaves,
    Removes,
}

/// What one change does with one principal, and the name that may be shown.
pub(super) struct Act<'a> {
    pub(super) change: &'a Change,
    pub(super) does: Does,
    pub(super) name: Name,
}

/// A principal of an integration: the service, the integration and the principal.
pub(super) type Key<'a> = (&'a Identity, &'a str, &'a str);

/// What all changes of a plan do, by principal.
pub(super) type Acts<'a> = BTreeMap<Key<'a>, Vec<Act<'a>>>;

/// The owners of a plan.
pub(super) struct Owners<'a> {
    pub(super) acts: Acts<'a>,
    pub(super) entries: Vec<Entry<Control>>,
    /// The integrations that change, with their services.
    pub(super) parents: BTreeSet<(&'a Identity, Parent)>,
}

/// Returns the known principals that a side of a change names.
fn named<'a>(change: &'a Change, object: Option<&'a Object>) -> Vec<(Key<'a>, Name)> {
    let place = object.and_then(|object| Some((object, object.text("integration")?)));
    let owners = place.into_iter().flat_map(|(object, integration)| {
        principals(object)
            .map(move |(owner, name)| ((&change.place.service, integration, owner), name))
    });
    owners.collect()
}

/// Returns what all changes do, by principal. A set compares what an address had and has.
fn acts(plan: &Plan) -> Acts<'_> {
    let mut acts = Acts::new();
    for change in plan.changes.iter().filter(|change| change.kind.is_of_owners()) {
        let fate = fate(change, plan);
        let old = named(change, change.before.as_ref());
        let new = named(change, change.after.as_ref());
        let is_in = |list: &[(Key<'_>, Name)], key: &Key<'_>| list.iter().any(|it| it.0 == *key);
        // A set that is unknown as a whole says nothing about what it replaces.
        let is_unknown =
            |new: &Object| change.kind == Kind::Owners && new.is_wholly_unknown("owners");
        let is_unknown = change.after.as_ref().is_some_and(is_unknown);
        let mut found = Vec::new();
        for (key, name) in &old {
            let does = match fate {
                Fate::Left => Does::Leaves,
                Fate::Deleted => Does::Removes,
                Fate::Kept if is_unknown || is_in(&new, key) => Does::Keeps,
                Fate::Kept => Does::Removes,
            };
            found.push((*key, Act { change, does, name: name.clone() }));
        }
        for (key, name) in new {
            if fate != Fate::Kept || !is_in(&old, &key) {
                found.push((key, Act { change, does: Does::Adds, name }));
            }
        }
        for (key, act) in found {
            acts.entry(key).or_default().push(act);
        }
    }
    acts
}

/// Returns whether a principal that an act removes keeps control all the same, by what the same
/// provider configuration does:
///
/// - A resource adds the principal: under another ID, or at another address. Two lists that stay
///   are an exception. They undo each other.
/// - A resource keeps the principal under another ID, as two resources for single owners may.
fn is_made_up_for(removal: &Act<'_>, all: &[Act<'_>]) -> bool {
    let is_single = |act: &Act<'_>| act.change.kind == Kind::Owner;
    let is_list_that_stays = !is_single(removal) && !removal.change.has("delete");
    all.iter()
        .filter(|other| other.change.place.configuration == removal.change.place.configuration)
        .any(|other| match other.does {
            Does::Adds => is_single(other) || !is_list_that_stays,
            Does::Keeps => are_two_owners(other, removal),
            Does::Leaves | Does::Removes => false,
        })
}

/// Returns whether two resources for single owners have two owners of the service.
fn are_two_owners(one: &Act<'_>, other: &Act<'_>) -> bool {
    let [first, second] = [one, other].map(|act| {
        let owner = act.change.before.as_ref().filter(|_| act.change.kind == Kind::Owner);
        owner.and_then(|owner| owner.text("integration_owner_id"))
    });
    first.is_some() && second.is_some() && first != second
}

/// Returns whether a principal may lose control.
pub(super) fn loses(all: &[Act<'_>]) -> bool {
    all.iter().any(|act| act.does == Does::Removes && !is_made_up_for(act, all))
}

/// Returns whether a principal may lose control because a resource is deleted.
pub(super) fn loses_by_delete(all: &[Act<'_>]) -> bool {
    let deletes = |act: &Act<'_>| act.does == Does::Removes && act.change.has("delete");
    all.iter().any(|act| deletes(act) && !is_made_up_for(act, all))
}

/// Decides whether a principal gains or loses control; neither if it owns the integration before
/// and after.
///
/// Both are possible if one provider configuration removes whom another adds: nothing orders the
/// two.
fn control(all: &[Act<'_>]) -> Vec<Control> {
    let loses = loses(all);
    let adds = || all.iter().filter(|act| act.does == Does::Adds);
    let is_new = all.iter().all(|act| act.does == Does::Adds);
    let gains = adds().next().is_some() && (is_new || loses);
    let may_own_it = adds().all(|act| act.change.may_adopt());
    let gain = if may_own_it { Control::GainsUnlessOwner } else { Control::Gains };
    let controls = [gains.then_some(gain), loses.then_some(Control::Loses)];
    controls.into_iter().flatten().collect()
}

/// Returns who gains and who loses control, and how many owners remain.
pub(super) fn owners(plan: &Plan) -> Owners<'_> {
    let mut owners = Owners { acts: acts(plan), entries: Vec::new(), parents: BTreeSet::new() };
    for (key, all) in &owners.acts {
        let Some(first) = all.first() else { continue };
        let addresses: BTreeSet<_> = all.iter().map(|act| act.change.address.clone()).collect();
        for what in control(all) {
            owners.entries.push(Entry::new(first.name.clone(), addresses.clone(), what));
            owners.parents.insert((key.0, Parent::Integration(key.1.to_owned())));
        }
    }
    for change in plan.changes.iter().filter(|change| change.kind == Kind::Owners) {
        let written = change.after.as_ref().filter(|_| !change.has("no-op"));
        let is_written = |list: &Object| {
            written.is_some_and(|new| new.text("integration") == list.text("integration"))
        };
        let ended = change.before.as_ref().filter(|_| fate(change, plan) == Fate::Deleted);
        let ended = ended.filter(|list| !is_written(list));
        if let Some(list) = ended {
            owners.add_remaining(change, list, true);
        }
        if let Some(list) = written {
            owners.add_unlisted(change, list);
            owners.add_remaining(change, list, false);
        }
    }
    owners
}

impl<'a> Owners<'a> {
    /// Adds that owners may lose control whom the plan does not name: a create adopts the
    /// integration, and removes owners that the list lacks.
    fn add_unlisted(&mut self, change: &'a Change, list: &'a Object) {
        if let Some(integration) = list.text("integration")
            && change.may_adopt()
        {
            self.entries.push(entry(change, list, Control::UnlistedLose));
            let parent = Parent::Integration(integration.to_owned());
            self.parents.insert((&change.place.service, parent));
        }
    }

    /// Adds how many owners an integration has after the apply, if the plan changes them. `is_end`
    /// is whether the list of its owners is destroyed.
    fn add_remaining(&mut self, change: &'a Change, list: &'a Object, is_end: bool) {
        let Some(integration) = list.text("integration") else { return };
        let is_here = |key: &Key<'_>| *key.0 == change.place.service && key.1 == integration;
        let here = || self.acts.iter().filter(|(key, _)| is_here(key)).map(|(_, all)| all);
        let changes = |all: &Vec<Act<'_>>| loses(all) || all.iter().any(|it| it.does == Does::Adds);
        let is_known = is_end || !list.is_wholly_unknown("owners");
        if is_known && here().any(changes) {
            let at_least = !is_end && list.is_unknown("owners");
            let owners = here().filter(|all| !loses(all)).count();
            self.entries.push(entry(change, list, Control::Remain { owners, at_least }));
        }
    }
}
