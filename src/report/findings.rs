//! What the changes of a plan mean for access: one pure function.
//!
//! Changes are first collected by object, not by address. So a deposed object, two addresses for the same
//! object, a swap of names and a replacement by itself need no rules of their own: an object that exists before
//! and after is not deleted, and a principal that owns an integration before and after neither gains nor loses.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::entries::{
    AttributeChange, Control, Counts, Drift, Entry, Name, Report, Resources, Revocation,
    RoleAction, RoleChange, Transfer, Unknown, Writer,
};
use super::plan::{Change, Elements, Kind, Object, Plan, UNKNOWN};

/// The attributes of a role whose change is a change of access, in addition to `resources`.
const TEXTS: [&str; 3] = ["display_name", "description", "priority"];

/// The attributes whose change outside Terraform is reported. `update_time` says when.
const DRIFT: [&str; 11] = [
    "owner",
    "owners",
    "display_name",
    "description",
    "priority",
    "resources",
    "management",
    "manager",
    "repo_uri",
    "repo_dir",
    "create_time",
];

/// Returns what a plan means for access.
pub(super) fn findings(plan: &Plan) -> Report {
    let ambiguous = ambiguous_names(plan);
    let roles = sorted(roles(plan), &ambiguous);
    let revoke: Vec<_> = roles.iter().flat_map(revocations).collect();
    let owners = sorted(owners(plan), &ambiguous);
    let count = |has: fn(&Control) -> bool| owners.iter().filter(|owner| has(&owner.what)).count();
    Report {
        format_version: "1.0",
        counts: Counts {
            gain: count(|it| matches!(it, Control::Gains | Control::GainsUnlessOwner)),
            lose: count(|it| matches!(it, Control::Loses)),
            roles: roles.len(),
            revoke: revoke.len(),
        },
        notes: notes(plan),
        drift: sorted(plan.drift.iter().filter_map(changed_outside), &ambiguous),
        management: sorted(plan.changes.iter().flat_map(|it| transfers(it, plan)), &ambiguous),
        unknown: sorted(unknown(plan), &ambiguous),
        can_abandon: plan.configuration.reads_environment
            && plan.changes.iter().any(|change| {
                let policy = change.before.as_ref().map(|old| old.text("deletion_policy"));
                change.has("delete") && policy == Some(None)
            }),
        owners,
        roles,
        revoke,
    }
}

fn sorted<T>(
    entries: impl IntoIterator<Item = Entry<T>>,
    ambiguous: &BTreeSet<Name>,
) -> Vec<Entry<T>> {
    let mut entries: Vec<_> = entries.into_iter().collect();
    for entry in &mut entries {
        entry.is_ambiguous = ambiguous.contains(&entry.name);
    }
    entries.sort_by_cached_key(|entry| (entry.name.sort_key(), entry.addresses.clone()));
    entries
}

fn notes(plan: &Plan) -> Vec<String> {
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
    notes.into_iter().filter_map(|(applies, note)| applies.then_some(note)).collect()
}

// --- Names ---------------------------------------------------------------------------------------------

/// Names are built from their parts: `name` and `id` contain sensitive parts without a mark.
fn name(kind: Kind, object: &Object) -> Name {
    let part = |name| object.shown_text(name);
    match kind {
        Kind::Role => {
            Name::Role { role: format!("listings/{}/roles/{}", part("listing"), part("role")) }
        }
        Kind::Owner => owner_name(object, part("owner")),
        Kind::Owners => Name::Owner { integration: part("integration"), principal: None },
    }
}

fn owner_name(object: &Object, principal: String) -> Name {
    Name::Owner { integration: object.shown_text("integration"), principal: Some(principal) }
}

/// Returns the known principals of an owner or of all owners, each as it is and with its name.
fn principals(object: &Object) -> impl Iterator<Item = (&str, Name)> {
    let owner = object.text("owner").map(|owner| (owner, object.shown_text("owner")));
    let all = object.elements("owners").into_iter().map(|(owner, shown)| (owner, shown.to_owned()));
    all.chain(owner).map(|(principal, shown)| (principal, owner_name(object, shown)))
}

/// Returns the names that do not identify an object: those of several addresses, and unknown names.
fn ambiguous_names(plan: &Plan) -> BTreeSet<Name> {
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
    addresses.into_keys().collect()
}

fn entry<T>(change: &Change, object: &Object, what: T) -> Entry<T> {
    Entry::new(name(change.kind, object), BTreeSet::from([change.address.clone()]), what)
}

/// Returns what identifies an object in a plan, its region and its name; `None` if a part is unknown.
fn key<'a>(change: &'a Change, object: &'a Object) -> Option<Vec<&'a str>> {
    let parts = change.kind.attributes().0.iter().map(|part| object.text(part));
    std::iter::once(Some(change.scope.as_str())).chain(parts).collect()
}

/// What becomes of the object that an address has had.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Deleted,
    /// It stays at the service, and leaves the state.
    Left,
}

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

// --- Roles ---------------------------------------------------------------------------------------------

/// Everything that a plan does with a role.
#[derive(Default)]
struct Role<'a> {
    addresses: BTreeSet<String>,
    /// Objects of this name that the plan deletes or leaves.
    old: Vec<&'a Object>,
    is_deleted: bool,
    /// The change that keeps, updates or creates the role.
    new: Option<&'a Change>,
}

/// Returns the changes of the roles. A role with an unknown name is an object of its own.
fn roles(plan: &Plan) -> Vec<Entry<RoleChange>> {
    let mut roles = BTreeMap::<_, Role<'_>>::new();
    for change in plan.changes.iter().filter(|change| change.kind == Kind::Role) {
        let key_of = |object| key(change, object).unwrap_or_else(|| vec![&change.address]);
        let fate = fate(change, plan);
        if let Some(old) = change.before.as_ref().filter(|_| fate != Fate::Kept) {
            let role = roles.entry(key_of(old)).or_default();
            role.addresses.insert(change.address.clone());
            role.old.push(old);
            role.is_deleted |= fate == Fate::Deleted;
        }
        if let Some(new) = &change.after {
            let role = roles.entry(key_of(new)).or_default();
            role.addresses.insert(change.address.clone());
            // If one address keeps what another writes, the write counts.
            if role.new.is_none_or(|other| other.has("no-op")) {
                role.new = Some(change);
            }
        }
    }
    roles.into_values().filter_map(role_change).collect()
}

/// Decides what happens to a role; nothing if the plan keeps or leaves it.
fn role_action(role: &Role<'_>) -> Option<RoleAction> {
    let Some(new) = role.new else { return role.is_deleted.then_some(RoleAction::Deleted) };
    let is = |name: &str, flag| new.after.as_ref().is_some_and(|after| after.is(name, flag));
    match (new.has("create"), role.is_deleted) {
        (false, _) => new.has("update").then_some(RoleAction::Updated),
        (true, true) => Some(RoleAction::Replaced),
        (true, false) if is("allow_missing", false) => Some(RoleAction::Overwritten),
        (true, false) if is("adopt_existing", true) => Some(RoleAction::CreatedOrOverwritten),
        (true, false) => Some(RoleAction::Created),
    }
}

/// Returns the change of a role; `None` if there is none, or an update of neither texts, order nor resources.
fn role_change(role: Role<'_>) -> Option<Entry<RoleChange>> {
    let action = role_action(&role)?;
    let new = role.new.and_then(|new| new.after.as_ref());
    let old = match action {
        RoleAction::Updated => role.new.and_then(|new| new.before.as_ref()).into_iter().collect(),
        _ => role.old.clone(),
    };
    let object = new.or(old.first().copied())?;
    let resources = role.new.map(managed_resources);
    let held: Elements<'_> = old.iter().flat_map(|old| old.elements("resources")).collect();
    let wanted = match resources {
        None => Elements::new(),
        // A role that is made anew has none. One that is written in place keeps its own.
        Some(Resources::NotManaged) if is_made_anew(&role) => Elements::new(),
        Some(Resources::NotManaged | Resources::NotManagedOrUnknown) => held.clone(),
        Some(_) => object.elements("resources"),
    };
    let (added, removed) = (missing(&wanted, &held), missing(&held, &wanted));
    let attributes = new.map_or_else(Vec::new, |new| changed(old.first().copied(), new, &TEXTS));
    let is_known = matches!(resources, None | Some(Resources::Managed | Resources::NotManaged));
    let is_same = added.is_empty() && removed.is_empty() && attributes.is_empty();
    if action == RoleAction::Updated && is_known && is_same {
        return None;
    }
    let change = RoleChange { action, resources, added, removed, attributes };
    Some(Entry::new(name(Kind::Role, object), role.addresses, change))
}

/// Returns how the configuration treats the resources of a role. Its expression tells, because the service
/// sets the attribute otherwise.
fn managed_resources(new: &Change) -> Resources {
    match &new.after {
        _ if new.sets_resources == Some(false) => Resources::NotManaged,
        Some(after) if after.is_wholly_unknown("resources") => Resources::NotManagedOrUnknown,
        Some(after) if after.is_unknown("resources") => Resources::PartlyUnknown,
        _ => Resources::Managed,
    }
}

/// Returns whether the service loses the old role before it makes the new one. It does not if
/// `create_before_destroy` adopts the role: the delete then sends nothing.
fn is_made_anew(role: &Role<'_>) -> bool {
    let makes_anew = |new: &Change| new.has("create") && !(new.creates_first() && new.may_adopt());
    role.is_deleted && role.new.is_some_and(makes_anew)
}

fn revocations(role: &Entry<RoleChange>) -> impl Iterator<Item = Entry<Revocation>> {
    role.what.removed.iter().map(|resource| Entry {
        name: role.name.clone(),
        addresses: role.addresses.clone(),
        is_ambiguous: role.is_ambiguous,
        what: Revocation { resource: resource.clone() },
    })
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
                let (had, has) = (before.elements(attribute), after.elements(attribute));
                (missing(&had, &has).into(), missing(&has, &had).into())
            }
            _ => (before.map_or(Value::Null, |it| it.shown(attribute)), after.shown(attribute)),
        };
        Some(AttributeChange { attribute, before, after })
    };
    attributes.iter().filter_map(differs).collect()
}

// --- Owners --------------------------------------------------------------------------------------------

/// Whether a principal owns an integration before the apply, and after it.
struct Ownership {
    name: Name,
    addresses: BTreeSet<String>,
    before: bool,
    after: bool,
    /// Whether it may own the integration already.
    is_adopted: bool,
}

/// All that the plan names, by region, integration and principal.
type Ownerships<'a> = BTreeMap<(&'a str, &'a str, &'a str), Ownership>;

fn owners(plan: &Plan) -> Vec<Entry<Control>> {
    let mut all = Ownerships::new();
    let changes = || plan.changes.iter().filter(|change| change.kind != Kind::Role);
    for change in changes() {
        if let Some(old) = &change.before {
            // A set that is unknown as a whole says nothing about what it replaces.
            let is_unknown = |new: &Object| new.value("owners").is_null();
            let is_unknown =
                change.kind == Kind::Owners && change.after.as_ref().is_some_and(is_unknown);
            let stays = match fate(change, plan) {
                Fate::Left => true,
                Fate::Kept => is_unknown,
                Fate::Deleted => false,
            };
            add_ownerships(&mut all, change, old, [true, stays]);
        }
        if let Some(new) = &change.after {
            add_ownerships(&mut all, change, new, [false, true]);
        }
    }
    let entry_of = |it: &Ownership, what| Entry::new(it.name.clone(), it.addresses.clone(), what);
    let gained = all.values().filter(|it| it.after && !it.before).map(|it| {
        entry_of(it, if it.is_adopted { Control::GainsUnlessOwner } else { Control::Gains })
    });
    let lost = all.values().filter(|it| it.before && !it.after);
    let lost = lost.map(|it| entry_of(it, Control::Loses));
    let mut entries: Vec<_> = gained.chain(lost).collect();
    for change in changes().filter(|change| change.kind == Kind::Owners) {
        let ended = change.before.as_ref().filter(|_| fate(change, plan) == Fate::Deleted);
        let written = change.after.as_ref().filter(|_| !change.has("no-op"));
        for (object, is_end) in [(ended, true), (written, false)] {
            let Some(object) = object else { continue };
            let Some(integration) = object.text("integration") else { continue };
            if change.may_adopt() && !is_end {
                entries.push(entry(change, object, Control::UnlistedLose));
            }
            let place = (change.scope.as_str(), integration);
            let here = all.iter().filter(|(key, _)| (key.0, key.1) == place).map(|(_, it)| it);
            let is_known = is_end || !object.value("owners").is_null();
            if is_known && here.clone().any(|it| it.before != it.after) {
                let at_least = !is_end && object.is_unknown("owners");
                let owners = here.filter(|it| it.after).count();
                entries.push(entry(change, object, Control::Remain { owners, at_least }));
            }
        }
    }
    entries
}

fn add_ownerships<'a>(
    all: &mut Ownerships<'a>,
    change: &'a Change,
    object: &'a Object,
    [before, after]: [bool; 2],
) {
    let Some(integration) = object.text("integration") else { return };
    for (principal, name) in principals(object) {
        let ownership = all.entry((&change.scope, integration, principal)).or_insert(Ownership {
            name,
            addresses: BTreeSet::new(),
            before: false,
            after: false,
            is_adopted: change.may_adopt(),
        });
        ownership.addresses.insert(change.address.clone());
        ownership.before |= before;
        ownership.after |= after;
    }
}

// --- Drift, management, unknown values -------------------------------------------------------------------

fn changed_outside(drift: &Change) -> Option<Entry<Drift>> {
    let before = drift.before.as_ref()?;
    let after = drift.after.as_ref();
    let attributes = after.map_or_else(Vec::new, |after| changed(Some(before), after, &DRIFT));
    let update_time = after.map(|after| after.shown_text("update_time"));
    let what = Drift {
        deleted: after.is_none(),
        attributes,
        update_time: update_time.filter(|time| !time.is_empty()),
        by: after.and_then(|after| writer(before, after)),
    };
    (what.deleted || !what.attributes.is_empty()).then(|| entry(drift, before, what))
}

/// Returns who wrote a role last, as far as its fields show.
fn writer(before: &Object, after: &Object) -> Option<Writer> {
    let is_terraform = |object: &Object| object.text("manager") == Some("TERRAFORM");
    if !is_terraform(after) {
        // Where no manager was recorded, its absence says nothing.
        return is_terraform(before).then_some(Writer::NotTerraform);
    }
    let pair = |object: &Object| {
        ["repo_uri", "repo_dir"].map(|it| Some(object.shown_text(it)).filter(|it| !it.is_empty()))
    };
    let [repo_uri, repo_dir] = pair(after);
    if repo_uri.is_some() && pair(before) == pair(after) {
        return Some(Writer::SameRepository);
    }
    Some(Writer::Terraform { repo_uri, repo_dir })
}

/// Returns how a change brings objects under Terraform, or leaves them.
fn transfers(change: &Change, plan: &Plan) -> impl Iterator<Item = Entry<Transfer>> {
    let left = if change.has("forget") { Transfer::Forgotten } else { Transfer::Abandoned };
    let found = [
        (&change.after, change.imports.then_some(Transfer::Imported)),
        (&change.after, adoption(change)),
        (&change.before, (fate(change, plan) == Fate::Left).then_some(left)),
    ];
    let transfers = found.into_iter();
    transfers.filter_map(|(object, transfer)| Some(entry(change, object.as_ref()?, transfer?)))
}

/// Returns how a create takes over what exists. A resource that replaces itself takes over nothing.
fn adoption(change: &Change) -> Option<Transfer> {
    let new = change.after.as_ref().filter(|_| change.has("create"))?;
    let old_key = change.before.as_ref().and_then(|old| key(change, old));
    let adopts = new.is("adopt_existing", true) || new.is("allow_missing", false);
    if !adopts || old_key.is_some() && old_key == key(change, new) {
        return None;
    }
    Some(if change.kind == Kind::Role { Transfer::Overwrites } else { Transfer::Adopts })
}

fn unknown(plan: &Plan) -> impl Iterator<Item = Entry<Unknown>> {
    let unknown = |change: &Change, deferred: Option<&String>| {
        let object = change.after.as_ref().or(change.before.as_ref())?;
        let (parts, set) = change.kind.attributes();
        let set = set.filter(|_| change.sets_resources != Some(false) || change.kind != Kind::Role);
        let parts = parts.iter().copied().chain(set);
        let attributes: Vec<_> = parts.filter(|part| object.is_unknown(part)).collect();
        (deferred.is_some() || !attributes.is_empty())
            .then(|| entry(change, object, Unknown { attributes, deferred: deferred.cloned() }))
    };
    let planned = plan.changes.iter().map(|change| (change, None));
    let deferred = plan.deferred.iter().map(|(change, reason)| (change, Some(reason)));
    planned.chain(deferred).filter_map(move |(change, reason)| unknown(change, reason))
}

#[cfg(test)]
mod tests;
