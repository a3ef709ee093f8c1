//! What the changes of a plan mean for access: pure functions.
//!
//! [`plan`](super::plan) has collected the facts: what each change does, at which address, with
//! which provider configuration and to which object. Here the changes are collected by object. Each
//! question then has one function, which decides from what all changes do with the object:
//!
//! - [`roles`]: what happens to a role, and what is to be revoked;
//! - [`owners`]: who gains and who loses control;
//! - [`contradictions`]: what two addresses do differently;
//! - [`approvers`]: whom to ask;
//! - [`outside`]: what was changed outside Terraform;
//! - this file: what becomes of the object that an address has had ([`fate`]), what comes under
//!   Terraform or leaves it, and what is unknown.
//!
//! The report may say more than the apply does, never less. So a delete counts unless the plan
//! shows that the same provider configuration keeps or makes the object: the provider refuses plans
//! that contradict themselves, but each provider configuration is a process of its own and sees
//! only its own resources.

mod approvers;
mod contradictions;
mod outside;
mod owners;
mod roles;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::configuration::Identity;
use super::entries::{
    AttributeChange, Control, Counts, Entry, Name, Note, Report, Revocation, RoleChange, Transfer,
    Unknown,
};
use super::plan::{Change, Elements, Kind, Object, Plan, UNKNOWN};

/// Returns what a plan means for access.
pub(super) fn findings(plan: &Plan) -> Report {
    let naming = Naming::of(plan);
    let roles = roles::roles(plan);
    let owners = owners::owners(plan);
    let contradictions = contradictions::contradictions(plan, &roles, &owners);
    let approvers = approvers::approvers(plan, &roles.parents, &owners);
    let unseen_owners = outside::unseen_owners(plan);
    let role_entries = naming.sorted(roles.entries);
    let revoke = naming.sorted(roles.revoke);
    let deletes_owner = owners.acts.values().any(|all| owners::loses_by_delete(all));
    let owner_entries = naming.sorted(owners.entries);
    let count =
        |has: fn(&Control) -> bool| owner_entries.iter().filter(|owner| has(&owner.what)).count();
    Report {
        format_version: "1.0",
        counts: Counts {
            gain: count(|it| matches!(it, Control::Gains | Control::GainsUnlessOwner)),
            lose: count(|it| matches!(it, Control::Loses)),
            roles: roles.count,
            revoke: revoke.len(),
        },
        unreadable: plan.unreadable,
        notes: contradictions.into_iter().chain(notes(plan)).collect(),
        approvers,
        drift: naming.sorted(outside::drift(plan)),
        management: naming.sorted(plan.changes.iter().flat_map(|it| transfers(it, plan))),
        unknown: naming.sorted(unknown(plan)),
        unseen_owners,
        can_abandon: can_abandon(plan),
        deletes_owner,
        has_failed: plan.errored,
        owners: owner_entries,
        roles: role_entries,
        revoke,
    }
}

/// Returns the sentences about what the plan does not show.
fn notes(plan: &Plan) -> impl Iterator<Item = Note> {
    let Plan { errored, incomplete, unreadable, .. } = *plan;
    let deferred = plan.deferred.len();
    let failed = "The plan failed: this report shows only a part of the changes.";
    let partial = "The plan is incomplete, because of -target or deferred changes.";
    let notes = [
        (errored, failed.to_owned()),
        (incomplete && !errored, partial.to_owned()),
        (deferred > 0, format!("Changes deferred to a later plan: {deferred}.")),
        (unreadable > 0, format!("Resources that could not be read: {unreadable}.")),
    ];
    notes.into_iter().filter(|(applies, _)| *applies).map(|(_, note)| Note::of_words(note))
}

// --- Names
// ---------------------------------------------------------------------------------------------

/// Names are built from their parts: `name` and `id` contain sensitive parts without a mark.
fn name(kind: Kind, object: &Object) -> Name {
    let part = |name| object.shown_text(name);
    match kind {
        Kind::Role => Name::Role { role: role_name(object) },
        Kind::Owner => owner_name(object, part("owner")),
        Kind::Owners => Name::Owner { integration: part("integration"), principal: None },
    }
}

/// Returns the full name of a role, as it may be shown.
fn role_name(object: &Object) -> String {
    let [listing, role] = ["listing", "role"].map(|part| object.shown_text(part));
    format!("listings/{listing}/roles/{role}")
}

/// Returns the name of an owner; `principal` as it may be shown.
fn owner_name(object: &Object, principal: String) -> Name {
    Name::Owner { integration: object.shown_text("integration"), principal: Some(principal) }
}

/// Returns the known principals of an owner or of all owners, each as it is and with its name.
fn principals(object: &Object) -> impl Iterator<Item = (&str, Name)> {
    let owner = object.text("owner").map(|owner| (owner, object.shown_text("owner")));
    let all = object.elements("owners").into_iter().map(|(owner, shown)| (owner, shown.to_owned()));
    all.chain(owner).map(|(principal, shown)| (principal, owner_name(object, shown)))
}

/// Which names are shown with their addresses.
struct Naming {
    /// Those of several addresses, and unknown ones.
    ambiguous: BTreeSet<Name>,
    /// Whether all are: there are several provider configurations.
    has_several_places: bool,
}

impl Naming {
    /// Finds the names that more than one address has, in changes, drift and deferred changes.
    fn of(plan: &Plan) -> Self {
        let mut addresses = BTreeMap::<_, BTreeSet<_>>::new();
        let deferred = plan.deferred.iter().map(|(change, _)| change);
        for change in plan.changes.iter().chain(&plan.drift).chain(deferred) {
            for object in change.before.iter().chain(&change.after) {
                let principals = principals(object).map(|(_, name)| name);
                for name in principals.chain([name(change.kind, object)]) {
                    addresses.entry(name).or_default().insert(&change.address);
                }
            }
        }
        let is_unknown = |name: &Name| name.sort_key().iter().any(|part| part.contains(UNKNOWN));
        addresses.retain(|name, addresses| addresses.len() > 1 || is_unknown(name));
        let has_several_places = plan.configuration.has_several_places();
        Self { ambiguous: addresses.into_keys().collect(), has_several_places }
    }

    /// Returns the entries in the order of their names.
    fn sorted<T>(&self, entries: impl IntoIterator<Item = Entry<T>>) -> Vec<Entry<T>> {
        let mut entries: Vec<_> = entries.into_iter().collect();
        for entry in &mut entries {
            entry.is_ambiguous = self.has_several_places || self.ambiguous.contains(&entry.name);
        }
        entries.sort_by_cached_key(|entry| (entry.name.sort_key(), entry.addresses.clone()));
        entries
    }
}

/// Returns an entry of one change.
fn entry<T>(change: &Change, object: &Object, what: T) -> Entry<T> {
    Entry::new(name(change.kind, object), BTreeSet::from([change.address.clone()]), what)
}

// --- Objects
// -------------------------------------------------------------------------------------------

/// What identifies an object in a plan: its service, and the parts of its name.
type Key<'a> = (&'a Identity, Vec<&'a str>);

/// Returns the key of an object; `None` if a part of its name is unknown.
fn key<'a>(change: &'a Change, object: &'a Object) -> Option<Key<'a>> {
    let parts = change.kind.attributes().0.iter().map(|part| object.text(part));
    Some((&change.place.service, parts.collect::<Option<_>>()?))
}

/// What becomes of the object that an address has had.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Deleted,
    /// It stays at the service, and leaves the state.
    Left,
}

/// A delete is a delete unless the state's own policy says otherwise, or, if it has none, every
/// provider configuration does.
fn fate(change: &Change, plan: &Plan) -> Fate {
    let policy = change.before.as_ref().and_then(|old| old.text("deletion_policy"));
    let abandons = policy.map_or(plan.configuration.abandons, |policy| policy == "abandon");
    match (change.has("forget"), change.has("delete")) {
        (true, _) => Fate::Left,
        (false, true) if abandons => Fate::Left,
        (false, true) => Fate::Deleted,
        (false, false) => Fate::Kept,
    }
}

/// Returns whether `ACCESS_DELETION_POLICY`, which a plan does not show, can turn a delete into
/// `abandon`.
fn can_abandon(plan: &Plan) -> bool {
    let has_no_policy = |change: &Change| {
        change.before.as_ref().is_some_and(|old| old.text("deletion_policy").is_none())
    };
    plan.configuration.reads_environment
        && plan.changes.iter().any(|change| change.has("delete") && has_no_policy(change))
}

/// Returns the elements of the first set that the other lacks, as they may be shown.
fn missing(first: &Elements<'_>, other: &Elements<'_>) -> Vec<String> {
    let missing = first.iter().filter(|(element, _)| !other.contains_key(*element));
    missing.map(|(_, shown)| (*shown).to_owned()).collect()
}

/// Returns the attributes that differ. No text and an empty one are the same.
fn changed(
    before: Option<&Object>,
    after: &Object,
    attributes: &[&'static str],
) -> Vec<AttributeChange> {
    let differs = |&attribute: &&'static str| {
        let old = before.map_or(&Value::Null, |before| before.value(attribute));
        let new = after.value(attribute);
        let is_set = |value: &&Value| **value != "" && !value.is_null();
        if Some(old).filter(is_set) == Some(new).filter(is_set)
            && !after.is_wholly_unknown(attribute)
        {
            return None;
        }
        let (before, after) = match (before, old, new) {
            (Some(before), Value::Array(_), Value::Array(_)) => {
                let had = before.elements(attribute);
                let has = after.elements(attribute);
                (missing(&had, &has).into(), missing(&has, &had).into())
            }
            _ => (before.map_or(Value::Null, |it| it.shown(attribute)), after.shown(attribute)),
        };
        Some(AttributeChange { attribute, before, after })
    };
    attributes.iter().filter_map(differs).collect()
}

// --- Management and unknown values
// ---------------------------------------------------------------------

/// Returns how a change brings objects under Terraform, or leaves them.
fn transfers(change: &Change, plan: &Plan) -> impl Iterator<Item = Entry<Transfer>> {
    let left = match (change.has("forget"), change.is_kept_by_lifecycle) {
        (true, true) => Transfer::KeptByLifecycle,
        (true, false) => Transfer::Forgotten,
        (false, _) => Transfer::Abandoned,
    };
    let found = [
        (&change.after, change.imports.then_some(Transfer::Imported)),
        (&change.after, adoption(change)),
        (&change.before, (fate(change, plan) == Fate::Left).then_some(left)),
    ];
    let transfers = found.into_iter();
    transfers.filter_map(|(object, transfer)| Some(entry(change, object.as_ref()?, transfer?)))
}

/// Returns how a create takes over what exists. A resource that replaces itself takes over nothing,
/// unless Terraform forgets the object first.
fn adoption(change: &Change) -> Option<Transfer> {
    let new = change.after.as_ref().filter(|_| change.may_adopt())?;
    let old_key = change.before.as_ref().and_then(|old| key(change, old));
    let replaces_itself = old_key.is_some() && old_key == key(change, new);
    if replaces_itself && !change.has("forget") {
        return None;
    }
    Some(match change.kind {
        Kind::Role => Transfer::Overwrites,
        Kind::Owner | Kind::Owners => Transfer::Adopts,
    })
}

/// Returns the objects of which a name or the set is unknown, and all deferred changes.
fn unknown(plan: &Plan) -> impl Iterator<Item = Entry<Unknown>> {
    let unknown = |change: &Change, deferred: Option<&String>| {
        let object = change.after.as_ref().or(change.before.as_ref())?;
        let (parts, set) = change.kind.attributes();
        let set = set.filter(|_| change.sets_resources != Some(false) || change.kind != Kind::Role);
        let attributes: Vec<_> =
            parts.iter().copied().chain(set).filter(|part| object.is_unknown(part)).collect();
        let is_unknown_set = |set: &&str| object.is_wholly_unknown(set);
        let now = change.before.as_ref().zip(set.filter(is_unknown_set)).map(|(old, set)| {
            old.elements(set).into_values().map(str::to_owned).collect::<Vec<_>>()
        });
        let what =
            Unknown { attributes, now: now.unwrap_or_default(), deferred: deferred.cloned() };
        (deferred.is_some() || !what.attributes.is_empty()).then(|| entry(change, object, what))
    };
    let planned = plan.changes.iter().map(|change| (change, None));
    let deferred = plan.deferred.iter().map(|(change, reason)| (change, Some(reason)));
    planned.chain(deferred).filter_map(move |(change, reason)| unknown(change, reason))
}

#[cfg(test)]
mod tests;
