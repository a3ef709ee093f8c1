//! What a plan does with roles, and which grants outlive it.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Change, Elements, Entry, Fate, Identity, Key, Kind, Name, Object, Plan, Revocation, RoleChange,
    changed, fate, key, missing, role_name,
};
use crate::listing_role::attributes::ATTRIBUTES;
use crate::object::attributes::{InReport, reported};
use crate::report::entries::{Parent, Resources, RoleAction, Successor};
use crate::report::plan::SENSITIVE;

/// Returns the attributes of a role whose change is a change of access, in addition to `resources`.
pub(super) fn texts() -> Vec<&'static str> {
    reported(ATTRIBUTES, |report| report == InReport::Text)
}

/// What one change does with one role.
#[derive(Clone, Copy)]
pub(super) enum Does<'a> {
    Deletes(&'a Object),
    /// The role stays at the service, and leaves the state.
    Leaves(&'a Object),
    /// The role is kept, updated or created.
    Has(&'a Object),
}

/// One change, and what it does with one role. A change by another name does something with two.
#[derive(Clone, Copy)]
pub(super) struct Act<'a> {
    pub(super) change: &'a Change,
    pub(super) does: Does<'a>,
}

impl<'a> Act<'a> {
    /// Returns the role as it is after the change.
    pub(super) fn kept(&self) -> Option<&'a Object> {
        match self.does {
            Does::Has(role) => Some(role),
            Does::Deletes(_) | Does::Leaves(_) => None,
        }
    }

    /// Returns the role that the change deletes.
    fn deleted(&self) -> Option<&'a Object> {
        match self.does {
            Does::Deletes(role) => Some(role),
            Does::Has(_) | Does::Leaves(_) => None,
        }
    }

    /// Returns the role that the change leaves at the service.
    fn left(&self) -> Option<&'a Object> {
        match self.does {
            Does::Leaves(role) => Some(role),
            Does::Has(_) | Does::Deletes(_) => None,
        }
    }

    /// Returns whether both changes are of one provider configuration.
    fn is_in_configuration_of(&self, other: &Act<'_>) -> bool {
        self.change.place.configuration == other.change.place.configuration
    }
}

/// What all changes of a plan do, by role. A role with an unknown name is an object of its own.
pub(super) type Acts<'a> = BTreeMap<Key<'a>, Vec<Act<'a>>>;

/// The roles of a plan.
pub(super) struct Roles<'a> {
    pub(super) acts: Acts<'a>,
    pub(super) entries: Vec<Entry<RoleChange>>,
    pub(super) revoke: Vec<Entry<Revocation>>,
    /// The number of role objects that change.
    pub(super) count: usize,
    /// The listings that change, with their services.
    pub(super) parents: BTreeSet<(&'a Identity, Parent)>,
}

/// Returns what all changes do, by role.
fn acts(plan: &Plan) -> Acts<'_> {
    let mut acts = Acts::new();
    for change in plan.changes.iter().filter(|change| change.kind == Kind::Role) {
        let key_of =
            |role| key(change, role).unwrap_or((&change.place.service, vec![&change.address]));
        let mut add = |role, does| acts.entry(key_of(role)).or_default().push(Act { change, does });
        if let Some(old) = &change.before {
            match fate(change, plan) {
                Fate::Deleted => add(old, Does::Deletes(old)),
                Fate::Left => add(old, Does::Leaves(old)),
                Fate::Kept => {}
            }
        }
        if let Some(new) = &change.after {
            add(new, Does::Has(new));
        }
    }
    acts
}

/// Returns whether an act deletes a role for good. It does not if the same provider configuration
/// keeps or makes a role of this name: a deposed object, a replacement, or two roles that swap
/// their names.
pub(super) fn is_deleted(act: &Act<'_>, all: &[Act<'_>]) -> bool {
    let keeps = |other: &Act<'_>| other.kept().is_some() && other.is_in_configuration_of(act);
    act.deleted().is_some() && !all.iter().any(keeps)
}

/// A role that a change writes.
struct Write<'a> {
    action: RoleAction,
    /// The objects that it replaces or overwrites, as far as the plan shows them.
    old: Vec<&'a Object>,
}

/// Decides what an act writes, from what all changes do with the role; nothing if it keeps the
/// role.
fn write<'a>(act: &Act<'a>, all: &[Act<'a>]) -> Option<Write<'a>> {
    let new = act.kept()?;
    if act.change.has("update") {
        let old = act.change.before.iter().collect();
        return Some(Write { action: RoleAction::Updated, old });
    }
    if !act.change.has("create") {
        return None;
    }
    let is_near = |other: &&Act<'_>| other.is_in_configuration_of(act);
    let replaced: Vec<_> = all.iter().filter(is_near).filter_map(Act::deleted).collect();
    let left: Vec<_> = all.iter().filter_map(Act::left).collect();
    let action = if !replaced.is_empty() {
        RoleAction::Replaced
    } else if new.is("allow_missing", false) {
        RoleAction::Overwritten
    } else if act.change.may_adopt() {
        RoleAction::CreatedOrOverwritten
    } else if !left.is_empty() {
        RoleAction::ForgottenAndCreated
    } else {
        RoleAction::Created
    };
    Some(Write { action, old: if replaced.is_empty() { left } else { replaced } })
}

/// Returns what a write changes; `None` if it updates neither texts, order nor resources.
fn role_change(act: &Act<'_>, write: &Write<'_>) -> Option<RoleChange> {
    let new = act.kept()?;
    let resources = managed_resources(act.change, new);
    let held: Elements<'_> = write.old.iter().flat_map(|old| old.elements("resources")).collect();
    let wanted = match resources {
        Resources::Managed | Resources::PartlyUnknown => new.elements("resources"),
        // A role that is created has none, as far as the plan shows. Any other keeps its own.
        Resources::NotManaged | Resources::NotManagedOrUnknown
            if is_made_anew(act.change, write) =>
        {
            Elements::new()
        }
        Resources::NotManaged | Resources::NotManagedOrUnknown => held.clone(),
    };
    let change = RoleChange {
        action: write.action,
        successor: None,
        resources: Some(resources),
        added: missing(&wanted, &held),
        removed: missing(&held, &wanted),
        attributes: changed(write.old.first().copied(), new, &texts()),
    };
    let is_known = matches!(resources, Resources::Managed | Resources::NotManaged);
    let is_same =
        change.added.is_empty() && change.removed.is_empty() && change.attributes.is_empty();
    (write.action != RoleAction::Updated || !is_known || !is_same).then_some(change)
}

/// Returns how the configuration treats the resources of a role. Its expression tells, because the
/// service sets the attribute otherwise.
fn managed_resources(change: &Change, new: &Object) -> Resources {
    if change.sets_resources == Some(false) {
        Resources::NotManaged
    } else if new.is_wholly_unknown("resources") {
        Resources::NotManagedOrUnknown
    } else if new.is_unknown("resources") {
        Resources::PartlyUnknown
    } else {
        Resources::Managed
    }
}

/// Returns whether the service loses the old role before it makes the new one. It does not if
/// `create_before_destroy` adopts the role: the delete then sends nothing.
fn is_made_anew(change: &Change, write: &Write<'_>) -> bool {
    write.action == RoleAction::Replaced && !(change.creates_first() && change.adopts())
}

/// Returns the deletion of a role. All resources that any address knows of it are to be revoked.
fn deletion<'a>(roles: impl Iterator<Item = &'a Object>) -> RoleChange {
    let held: Elements<'_> = roles.flat_map(|role| role.elements("resources")).collect();
    RoleChange {
        action: RoleAction::Deleted,
        successor: None,
        resources: None,
        added: Vec::new(),
        removed: missing(&held, &Elements::new()),
        attributes: Vec::new(),
    }
}

/// Returns the role that a renamed role becomes. A change renames a role if it deletes the role and
/// creates another, and nothing else in the plan touches either.
fn successor<'a, 'b>(act: &Act<'a>, acts: &'b Acts<'a>) -> Option<(Key<'a>, &'b Act<'a>)> {
    let new = act.change.after.as_ref().filter(|_| act.change.has("create"))?;
    let new_key =
        key(act.change, new).unwrap_or((&act.change.place.service, vec![&act.change.address]));
    let [created] = &acts.get(&new_key)?[..] else { return None };
    let old_key = key(act.change, act.deleted()?)?;
    let [_] = &acts.get(&old_key)?[..] else { return None };
    (created.kept().is_some() && old_key != new_key).then_some((new_key, created))
}

/// Returns what becomes of a role whose resource gets another name. Nobody who holds the old role
/// holds the new one: all resources of the old one are to be revoked.
fn renaming(old: &Object, created: &Act<'_>) -> Option<RoleChange> {
    let new = created.kept()?;
    let write = write(created, std::slice::from_ref(created))?;
    let change = role_change(created, &write)?;
    Some(RoleChange {
        action: RoleAction::Becomes,
        successor: Some(Successor { role: role_name(new), action: write.action }),
        removed: deletion(std::iter::once(old)).removed,
        attributes: changed(Some(old), new, &texts()),
        ..change
    })
}

/// Returns the changes of the roles.
pub(super) fn roles(plan: &Plan) -> Roles<'_> {
    let acts = acts(plan);
    let mut roles = Roles {
        acts: Acts::new(),
        entries: Vec::new(),
        revoke: Vec::new(),
        count: 0,
        parents: BTreeSet::new(),
    };
    let all = acts.values().flatten();
    let renaming_changes = all.filter(|act| successor(act, &acts).is_some());
    let renaming_changes: BTreeSet<_> =
        renaming_changes.map(|act| std::ptr::from_ref(act.change)).collect();
    let is_renamed = |change: &Change| renaming_changes.contains(&std::ptr::from_ref(change));
    for all in acts.values() {
        let mut found = Vec::new();
        let deleted: Vec<_> = all.iter().filter(|act| is_deleted(act, all)).collect();
        let renamed = deleted.iter().find_map(|act| Some((act, successor(act, &acts)?.1)));
        if let Some((act, created)) = renamed {
            let change = act.deleted().and_then(|old| renaming(old, created));
            found.extend(change.map(|change| (**act, change)));
            roles.count += 1;
        } else if let Some(first) = deleted.first() {
            found.push((**first, deletion(deleted.iter().filter_map(|act| act.deleted()))));
        }
        for act in all.iter().filter(|act| !is_renamed(act.change)) {
            let write = write(act, all);
            let change = write.and_then(|write| role_change(act, &write));
            found.extend(change.map(|change| (*act, change)));
        }
        roles.add(all, &deleted, found);
    }
    roles.acts = acts;
    roles
}

impl<'a> Roles<'a> {
    /// Adds what happens to one role: an entry for each different write, and one for deletes.
    fn add(&mut self, all: &[Act<'a>], deleted: &[&Act<'a>], found: Vec<(Act<'a>, RoleChange)>) {
        let mut entries = Vec::<Entry<RoleChange>>::new();
        self.count += usize::from(!found.is_empty());
        for (act, change) in found {
            let role = act.deleted().or(act.kept()).or(act.left());
            let Some(role) = role else { continue };
            let listing =
                role.text("listing").filter(|listing| *listing == role.shown_text("listing"));
            let service = &act.change.place.service;
            self.parents.extend(listing.map(|it| (service, Parent::Listing(it.to_owned()))));
            let is_same = |one: &Act<'_>, other: &Act<'_>| std::ptr::eq(one.change, other.change);
            // The change itself, and the others that bring about the same.
            let involved = |other: &&Act<'_>| {
                is_same(other, &act)
                    || match change.action {
                        RoleAction::Updated => false,
                        RoleAction::Deleted | RoleAction::Becomes => {
                            deleted.iter().any(|deleted| is_same(deleted, other))
                        }
                        // A new role, and the addresses that had the one before it.
                        RoleAction::Created
                        | RoleAction::CreatedOrOverwritten
                        | RoleAction::Overwritten
                        | RoleAction::ForgottenAndCreated
                        | RoleAction::Replaced => other.kept().is_none(),
                    }
            };
            let addresses = all.iter().filter(involved).map(|act| act.change.address.clone());
            let addresses = addresses.collect::<BTreeSet<_>>();
            match entries.iter_mut().find(|entry| entry.what == change) {
                Some(entry) => entry.addresses.extend(addresses),
                None => {
                    let name = Name::Role { role: role_name(role) };
                    entries.push(Entry::new(name, addresses, change));
                }
            }
        }
        self.revoke.extend(revocations(&entries));
        self.entries.append(&mut entries);
    }
}

/// Returns the grants of one role that outlive its changes, each once.
fn revocations(entries: &[Entry<RoleChange>]) -> Vec<Entry<Revocation>> {
    let mut revoke = Vec::<Entry<Revocation>>::new();
    for (place, entry) in entries.iter().enumerate() {
        for resource in &entry.what.removed {
            // Two sensitive resources may be two.
            let is_said = place > 0 && resource != SENSITIVE;
            let said = revoke.iter_mut().find(|it| is_said && it.what.resource == *resource);
            match said {
                Some(said) => said.addresses.extend(entry.addresses.clone()),
                None => revoke.push(Entry::new(
                    entry.name.clone(),
                    entry.addresses.clone(),
                    Revocation { resource: resource.clone() },
                )),
            }
        }
    }
    revoke
}
