//! What the changes of a plan mean for access: one pure function.
//!
//! Changes are first collected by object, not by address. A deposed object, two addresses for one
//! object, a swap of names and a replacement by itself then need no rules of their own: an object that
//! exists before and after is not deleted, and a principal that owns an integration before and after
//! neither gains nor loses control.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::plan::{Attribute, Change, Kind, Object, Plan, Policy, Value, name_parts};

const SENSITIVE: &str = "(sensitive)";
const UNKNOWN: &str = "(known after apply)";

/// The report as data: the JSON form is this, serialized.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) format_version: &'static str,
    pub(super) counts: Counts,
    pub(super) notes: Vec<String>,
    pub(super) owners: Vec<OwnerChange>,
    pub(super) roles: Vec<RoleChange>,
    pub(super) revoke: Vec<Revocation>,
    pub(super) drift: Vec<Drift>,
    pub(super) management: Vec<Management>,
    pub(super) unknown: Vec<Unknown>,
    /// Whether deletes depend on the environment of the apply.
    #[serde(skip)]
    pub(super) can_abandon: bool,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    /// Pairs of integration and principal.
    pub(super) gain: usize,
    pub(super) lose: usize,
    /// Role objects.
    pub(super) roles: usize,
    /// Pairs of role and resource.
    pub(super) revoke: usize,
}

impl Report {
    /// Returns whether the apply changes access, also in a way that only the apply will show.
    pub(super) fn changes_access(&self) -> bool {
        self.counts != Counts::default() || !self.owners.is_empty() || self.has_unknown_changes()
    }

    /// Returns whether the plan changes something that it does not name yet.
    pub(super) fn has_unknown_changes(&self) -> bool {
        self.unknown.iter().any(|unknown| unknown.deferred.is_none())
    }
}

/// The name of an object, as shown: parts may be `(sensitive)` or `(known after apply)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub(super) enum Name {
    Role { role: String },
    Owner { integration: String, principal: String },
    Owners { integration: String },
}

/// An object with its addresses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Subject {
    #[serde(flatten)]
    pub(super) name: Name,
    pub(super) addresses: BTreeSet<String>,
    /// Whether the name alone does not identify the object.
    #[serde(skip)]
    pub(super) is_ambiguous: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Control {
    Gains,
    /// Of an owner that may exist, and is then adopted.
    GainsUnlessOwner,
    Loses,
    /// Owners that the plan does not name.
    UnlistedLose,
    Remain,
}

#[derive(Debug, Serialize)]
pub(super) struct OwnerChange {
    #[serde(flatten)]
    pub(super) subject: Subject,
    pub(super) action: Control,
    /// Owners after the apply, if `action` is `remain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) owners: Option<usize>,
    /// Whether more owners are known only after apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at_least: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RoleAction {
    Created,
    CreatedOrOverwritten,
    Overwritten,
    Replaced,
    Updated,
    Deleted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Resources {
    Managed,
    NotManaged,
    /// Some elements are known only after apply.
    PartlyUnknown,
    NotManagedOrUnknown,
}

#[derive(Debug, Serialize)]
pub(super) struct RoleChange {
    #[serde(flatten)]
    pub(super) subject: Subject,
    pub(super) action: RoleAction,
    /// How the configuration treats `resources`; none for a role that is deleted.
    pub(super) resources: Option<Resources>,
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) attributes: Vec<AttributeChange>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct AttributeChange {
    pub(super) attribute: &'static str,
    pub(super) before: Value,
    pub(super) after: Value,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Revocation {
    #[serde(flatten)]
    pub(super) subject: Subject,
    pub(super) resource: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Drift {
    #[serde(flatten)]
    pub(super) subject: Subject,
    pub(super) deleted: bool,
    /// Sets contain what was removed (`before`) and what was added (`after`).
    pub(super) attributes: Vec<AttributeChange>,
    pub(super) update_time: Option<String>,
    pub(super) by: Option<Writer>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "writer", rename_all = "snake_case")]
pub(super) enum Writer {
    NotTerraform,
    SameRepository,
    Terraform { repo_uri: Option<String>, repo_dir: Option<String> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Transfer {
    Imported,
    Overwrites,
    Adopts,
    Forgotten,
    Abandoned,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Management {
    #[serde(flatten)]
    pub(super) subject: Subject,
    pub(super) action: Transfer,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Unknown {
    #[serde(flatten)]
    pub(super) subject: Subject,
    pub(super) attributes: Vec<&'static str>,
    /// Why the host has put the change off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deferred: Option<String>,
}

/// Returns what a plan means for access.
pub(super) fn findings(plan: &Plan) -> Report {
    let names = Addresses::of(plan);
    let (roles, revoke) = roles(plan, &names);
    let owners = owners(plan, &names);
    let count = |actions: &[Control]| {
        owners.iter().filter(|change: &&OwnerChange| actions.contains(&change.action)).count()
    };
    Report {
        format_version: "1.0",
        counts: Counts {
            gain: count(&[Control::Gains, Control::GainsUnlessOwner]),
            lose: count(&[Control::Loses]),
            roles: roles.len(),
            revoke: revoke.len(),
        },
        notes: notes(plan),
        can_abandon: plan.policy == Policy::Unset
            && plan.changes.iter().any(|change| {
                change.has("delete")
                    && change
                        .before
                        .as_ref()
                        .is_some_and(|old| old.text("deletion_policy").is_none())
            }),
        owners,
        roles,
        revoke,
        drift: drift(plan, &names),
        management: management(plan, &names),
        unknown: unknown(plan, &names),
    }
}

fn notes(plan: &Plan) -> Vec<String> {
    let mut notes = Vec::new();
    if plan.errored {
        notes.push("The plan failed: this is only a part of the changes.".to_owned());
    } else if plan.incomplete {
        let note = "The plan is incomplete: -target or deferred changes leave out a part.";
        notes.push(note.to_owned());
    }
    if !plan.deferred.is_empty() {
        notes.push(format!("Changes that are deferred to a later plan: {}.", plan.deferred.len()));
    }
    if !plan.unreadable.is_empty() {
        let note = "Resources of this type whose values are not this provider's, and are not shown";
        notes.push(format!("{note}: {}.", plan.unreadable.len()));
    }
    notes
}

/// Returns a part of a name, or an attribute, as it may be shown.
fn shown(attribute: &Attribute) -> Value {
    match attribute {
        Attribute { sensitive: true, .. } => Value::Text(SENSITIVE.to_owned()),
        Attribute { unknown: true, value: Value::Null, .. } => Value::Text(UNKNOWN.to_owned()),
        Attribute { value, .. } => value.clone(),
    }
}

fn shown_text(object: &Object, name: &str) -> String {
    match shown(object.get(name)) {
        Value::Text(text) => text,
        _ => String::new(),
    }
}

/// Returns an element of a set as it may be shown: a sensitive element marks the whole set.
fn shown_element(set: &Attribute, element: &str) -> String {
    if set.sensitive { SENSITIVE.to_owned() } else { element.to_owned() }
}

/// Names are built from their parts: `name` and `id` contain sensitive parts without a mark.
fn name(kind: Kind, object: &Object) -> Name {
    let part = |name| shown_text(object, name);
    match kind {
        Kind::Role => {
            Name::Role { role: format!("listings/{}/roles/{}", part("listing"), part("role")) }
        }
        Kind::Owner => Name::Owner { integration: part("integration"), principal: part("owner") },
        Kind::Owners => Name::Owners { integration: part("integration") },
    }
}

/// Returns the names that an object stands for: of `access_integration_owners` also each owner.
fn names(kind: Kind, object: &Object) -> Vec<Name> {
    let mut names = vec![name(kind, object)];
    if kind == Kind::Owners {
        let set = object.get("owners");
        let owners = object.set("owners").into_iter().flatten();
        names.extend(owners.map(|owner| Name::Owner {
            integration: shown_text(object, "integration"),
            principal: shown_element(set, owner),
        }));
    }
    names
}

/// The addresses of each name in the plan.
struct Addresses(BTreeMap<Name, BTreeSet<String>>);

impl Addresses {
    fn of(plan: &Plan) -> Self {
        let mut addresses = BTreeMap::<_, BTreeSet<_>>::new();
        let deferred = plan.deferred.iter().map(|(change, _)| change);
        for change in plan.changes.iter().chain(&plan.drift).chain(deferred) {
            for object in change.before.iter().chain(&change.after) {
                for name in names(change.kind, object) {
                    addresses.entry(name).or_default().insert(change.address.clone());
                }
            }
        }
        Self(addresses)
    }

    fn subject(&self, name: Name, addresses: BTreeSet<String>) -> Subject {
        let has_many = self.0.get(&name).is_some_and(|all| all.len() > 1);
        let is_ambiguous = has_many || format!("{name:?}").contains(UNKNOWN);
        Subject { name, addresses, is_ambiguous }
    }

    fn one(&self, kind: Kind, object: &Object, address: &str) -> Subject {
        self.subject(name(kind, object), BTreeSet::from([address.to_owned()]))
    }
}

/// Returns what identifies an object in a plan: its region and its name; `None` if a part is unknown.
fn key<'a>(change: &'a Change, object: &'a Object) -> Option<Vec<&'a str>> {
    let parts = name_parts(change.kind).iter().map(|part| object.text(part));
    std::iter::once(Some(change.scope.as_str())).chain(parts).collect()
}

/// What becomes of the object that an address has had.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Deleted,
    /// It stays at the service, and the state no longer contains it.
    Left,
}

fn fate(change: &Change, policy: Policy) -> Fate {
    if change.has("forget") {
        return Fate::Left;
    }
    if !change.has("delete") {
        return Fate::Kept;
    }
    let policy = match change.before.as_ref().and_then(|old| old.text("deletion_policy")) {
        Some(policy) => policy == "abandon",
        None => policy == Policy::Abandon,
    };
    if policy { Fate::Left } else { Fate::Deleted }
}

// --- Roles ---------------------------------------------------------------------------------------------

/// Everything that a plan does with one role object.
#[derive(Default)]
struct RoleSides<'a> {
    addresses: BTreeSet<String>,
    /// Objects that the plan ends, or leaves.
    old: Vec<(&'a Object, Fate)>,
    /// The change that keeps, updates or creates the role.
    new: Option<&'a Change>,
}

/// Collects the changes of roles by object. A role of which a part of the name is unknown is an object of
/// its own, with its address.
fn role_sides(plan: &Plan) -> Vec<RoleSides<'_>> {
    let mut sides = BTreeMap::<Vec<&str>, RoleSides<'_>>::new();
    for change in plan.changes.iter().filter(|change| change.kind == Kind::Role) {
        let key_of = |object| key(change, object).unwrap_or_else(|| vec![&change.address]);
        let fate = fate(change, plan.policy);
        if let Some(old) = change.before.as_ref().filter(|_| fate != Fate::Kept) {
            let side = sides.entry(key_of(old)).or_default();
            side.addresses.insert(change.address.clone());
            side.old.push((old, fate));
        }
        if let Some(new) = &change.after {
            let side = sides.entry(key_of(new)).or_default();
            side.addresses.insert(change.address.clone());
            // One address may keep what another creates: what writes counts.
            if side.new.is_none_or(|other| other.has("no-op")) {
                side.new = Some(change);
            }
        }
    }
    sides.into_values().collect()
}

/// Decides what happens to a role: `deleted` is whether the plan deletes an object of this name.
fn role_action(deleted: bool, new: Option<&Change>) -> Option<RoleAction> {
    let Some(new) = new else { return deleted.then_some(RoleAction::Deleted) };
    if !new.has("create") {
        return new.has("update").then_some(RoleAction::Updated);
    }
    let after = new.after.as_ref()?;
    Some(if deleted {
        RoleAction::Replaced
    } else if after.is("allow_missing", false) {
        RoleAction::Overwritten
    } else if after.is("adopt_existing", true) {
        RoleAction::CreatedOrOverwritten
    } else {
        RoleAction::Created
    })
}

fn roles(plan: &Plan, names: &Addresses) -> (Vec<RoleChange>, Vec<Revocation>) {
    let (mut roles, mut revoke) = (Vec::new(), Vec::new());
    for side in role_sides(plan) {
        let deleted = side.old.iter().any(|(_, fate)| *fate == Fate::Deleted);
        let Some(action) = role_action(deleted, side.new) else { continue };
        let Some(change) = role_change(&side, action, names) else { continue };
        let subject = || change.subject.clone();
        let resources = change.removed.iter();
        revoke.extend(
            resources.map(|resource| Revocation { subject: subject(), resource: resource.clone() }),
        );
        roles.push(change);
    }
    roles.sort_by(|a, b| a.subject.cmp(&b.subject));
    revoke.sort();
    (roles, revoke)
}

/// Returns how the configuration treats the resources of a new or changed role.
fn managed_resources(new: &Change) -> Resources {
    let Some(resources) = new.after.as_ref().map(|after| after.get("resources")) else {
        return Resources::Managed;
    };
    match (new.sets_resources, &resources.value) {
        (Some(false), _) => Resources::NotManaged,
        (_, Value::Null) if resources.unknown => Resources::NotManagedOrUnknown,
        _ if resources.unknown => Resources::PartlyUnknown,
        _ => Resources::Managed,
    }
}

/// Returns the change of a role; `None` if an update changes neither texts, order nor resources.
fn role_change(side: &RoleSides<'_>, action: RoleAction, names: &Addresses) -> Option<RoleChange> {
    let updated = side.new.filter(|new| new.has("update")).and_then(|new| new.before.as_ref());
    let old: Vec<&Object> = match action {
        RoleAction::Updated => updated.into_iter().collect(),
        _ => side.old.iter().map(|(old, _)| *old).collect(),
    };
    let new = side.new.and_then(|new| new.after.as_ref());
    let object = new.or(old.first().copied())?;
    let resources = side.new.map(managed_resources);
    let none = BTreeSet::new();
    let after = match resources {
        // A role that is deleted and made again has none. One that is written in place keeps its own.
        Some(Resources::NotManaged) if is_made_anew(side) => Some(&none),
        Some(Resources::NotManaged | Resources::NotManagedOrUnknown) => None,
        Some(_) => new.and_then(|new| new.set("resources")),
        None => Some(&none),
    };
    let held: BTreeMap<_, _> = old.iter().flat_map(|old| elements(old, "resources")).collect();
    let set = object.get("resources");
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    if let Some(after) = after {
        let missing = after.iter().filter(|resource| !held.contains_key(resource.as_str()));
        added.extend(missing.map(|resource| shown_element(set, resource)));
        let gone = held.iter().filter(|(resource, _)| !after.contains(**resource));
        removed.extend(gone.map(|(_, shown)| shown.clone()));
    }
    let null = Object::default();
    let attributes = match new {
        Some(new) => changed(old.first().unwrap_or(&&null), new, &TEXTS),
        None => Vec::new(),
    };
    let becomes_unknown = resources == Some(Resources::NotManagedOrUnknown)
        || resources == Some(Resources::PartlyUnknown);
    let is_access = action != RoleAction::Updated
        || !(added.is_empty() && removed.is_empty() && attributes.is_empty())
        || becomes_unknown;
    is_access.then(|| RoleChange {
        subject: names.subject(name(Kind::Role, object), side.addresses.clone()),
        action,
        resources,
        added,
        removed,
        attributes,
    })
}

/// Returns whether the service loses the old object of this name before it makes the new one: not if an
/// object is left, and not if `create_before_destroy` adopts the object, whose delete then sends nothing.
fn is_made_anew(side: &RoleSides<'_>) -> bool {
    let adopts_first = side.new.is_some_and(|new| {
        let adopts = new.after.as_ref().is_some_and(|after| after.is("adopt_existing", true));
        adopts && new.actions.first().is_some_and(|first| first == "create")
    });
    !adopts_first && side.old.iter().any(|(_, fate)| *fate == Fate::Deleted)
}

/// Returns the known elements of a set, each as it is and as it may be shown.
fn elements<'a>(object: &'a Object, name: &'a str) -> impl Iterator<Item = (&'a str, String)> {
    let attribute = object.get(name);
    let set = object.set(name).into_iter().flatten();
    set.map(move |element| (element.as_str(), shown_element(attribute, element)))
}

// --- Owners --------------------------------------------------------------------------------------------

/// A principal of an integration: as shown, and the addresses.
struct Principal {
    name: Name,
    addresses: BTreeSet<String>,
    /// Whether it may own the integration already.
    is_adopted: bool,
}

/// The principals that own integrations before or after the apply, by region, integration and principal.
type Principals<'a> = BTreeMap<(&'a str, &'a str, &'a str), Principal>;

fn owners(plan: &Plan, names: &Addresses) -> Vec<OwnerChange> {
    let (mut before, mut after) = (Principals::new(), Principals::new());
    for change in plan.changes.iter().filter(|change| change.kind != Kind::Role) {
        let is_kept = fate(change, plan.policy) != Fate::Deleted;
        if let Some(old) = &change.before {
            add_principals(&mut before, change, old);
            // A set that is unknown as a whole says nothing about what it replaces.
            let is_replaced = change.after.as_ref().is_some_and(|new| {
                change.has("update")
                    && !(change.kind == Kind::Owners && new.set("owners").is_none())
            });
            if is_kept && !is_replaced {
                add_principals(&mut after, change, old);
            }
        }
        if let Some(new) = &change.after {
            add_principals(&mut after, change, new);
        }
    }
    let mut changes = Vec::new();
    for (key, principal) in &after {
        if !before.contains_key(key) {
            let action =
                if principal.is_adopted { Control::GainsUnlessOwner } else { Control::Gains };
            changes.push(owner_change(names, principal, action));
        }
    }
    for (_, principal) in before.iter().filter(|(key, _)| !after.contains_key(key)) {
        changes.push(owner_change(names, principal, Control::Loses));
    }
    for change in plan.changes.iter().filter(|change| change.kind == Kind::Owners) {
        let has_changed = |integration: &str| {
            let is_here = |key: &&(&str, &str, &str)| key.0 == change.scope && key.1 == integration;
            let keys = |principals: &Principals<'_>| -> BTreeSet<String> {
                principals.keys().filter(is_here).map(|key| key.2.to_owned()).collect()
            };
            (keys(&before) != keys(&after)).then(|| keys(&after).len())
        };
        changes.extend(remaining(change, plan.policy, names, has_changed));
    }
    changes.sort_by(|a, b| owner_order(a).cmp(&owner_order(b)));
    changes
}

/// Changes of one integration stand together: principals by name, then what remains.
fn owner_order(change: &OwnerChange) -> (&str, bool, &Subject, Control) {
    let (integration, is_summary) = match &change.subject.name {
        Name::Owner { integration, .. } => (integration.as_str(), false),
        Name::Owners { integration } => (integration.as_str(), true),
        Name::Role { role } => (role.as_str(), false),
    };
    (integration, is_summary, &change.subject, change.action)
}

fn add_principals<'a>(all: &mut Principals<'a>, change: &'a Change, object: &'a Object) {
    let Some(integration) = object.text("integration") else { return };
    let owners: Vec<(&str, String)> = match change.kind {
        Kind::Owners => elements(object, "owners").collect(),
        _ => object
            .text("owner")
            .map(|owner| (owner, shown_text(object, "owner")))
            .into_iter()
            .collect(),
    };
    for (owner, principal) in owners {
        let name = Name::Owner { integration: shown_text(object, "integration"), principal };
        let is_adopted = change.has("create") && object.is("adopt_existing", true);
        let entry = all.entry((&change.scope, integration, owner));
        let found = entry.or_insert(Principal { name, addresses: BTreeSet::new(), is_adopted });
        found.addresses.insert(change.address.clone());
    }
}

fn owner_change(names: &Addresses, principal: &Principal, action: Control) -> OwnerChange {
    let subject = names.subject(principal.name.clone(), principal.addresses.clone());
    OwnerChange { subject, action, owners: None, at_least: None }
}

/// Returns what a change of `access_integration_owners` says about the integration as a whole.
/// `count_if_changed` returns the number of its owners after the apply if they change.
fn remaining(
    change: &Change,
    policy: Policy,
    names: &Addresses,
    count_if_changed: impl Fn(&str) -> Option<usize>,
) -> Vec<OwnerChange> {
    let mut changes = Vec::new();
    let mut add = |object: &Object, action, owners, at_least| {
        let subject = names.one(Kind::Owners, object, &change.address);
        changes.push(OwnerChange { subject, action, owners, at_least });
    };
    let new = change.after.as_ref().filter(|_| change.has("create") || change.has("update"));
    let integration =
        |object: Option<&Object>| object.and_then(|it| it.text("integration")).map(str::to_owned);
    if let Some(old) = change.before.as_ref().filter(|_| fate(change, policy) == Fate::Deleted) {
        let is_replaced = integration(Some(old)) == integration(new);
        let count = old.text("integration").and_then(&count_if_changed);
        if let Some(count) = count.filter(|_| !is_replaced) {
            add(old, Control::Remain, Some(count), None);
        }
    }
    if let Some(new) = new {
        if change.has("create") && new.is("adopt_existing", true) {
            add(new, Control::UnlistedLose, None, None);
        }
        let count = new.text("integration").and_then(&count_if_changed);
        if let Some(count) = count.filter(|_| new.set("owners").is_some()) {
            let at_least = new.get("owners").unknown.then_some(true);
            add(new, Control::Remain, Some(count), at_least);
        }
    }
    changes
}

// --- Drift ---------------------------------------------------------------------------------------------

/// The attributes whose change is a change of access.
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

/// Returns the attributes that differ. No text and an empty one are the same.
fn changed(before: &Object, after: &Object, names: &[&'static str]) -> Vec<AttributeChange> {
    let empty = Value::Text(String::new());
    let mut changes = Vec::new();
    for &attribute in names {
        let (old, new) = (before.get(attribute), after.get(attribute));
        let value = |it: &Attribute| if it.value == empty { Value::Null } else { it.value.clone() };
        let is_unknown = new.unknown && new.value == Value::Null;
        if value(old) == value(new) && !is_unknown {
            continue;
        }
        let (before, after) = match (&old.value, &new.value) {
            (Value::Set(had), Value::Set(has)) => {
                let only = |set: &Attribute, here: &BTreeSet<String>, there: &BTreeSet<String>| {
                    Value::Set(here.difference(there).map(|it| shown_element(set, it)).collect())
                };
                (only(old, had, has), only(new, has, had))
            }
            _ => (shown(old), shown(new)),
        };
        changes.push(AttributeChange { attribute, before, after });
    }
    changes
}

fn drift(plan: &Plan, names: &Addresses) -> Vec<Drift> {
    let mut entries: Vec<Drift> =
        plan.drift.iter().filter_map(|drift| entry(drift, names)).collect();
    entries.sort_by(|a, b| a.subject.cmp(&b.subject));
    entries
}

fn entry(drift: &Change, names: &Addresses) -> Option<Drift> {
    let before = drift.before.as_ref()?;
    let subject = names.one(drift.kind, before, &drift.address);
    let Some(after) = &drift.after else {
        let attributes = Vec::new();
        return Some(Drift { subject, deleted: true, attributes, update_time: None, by: None });
    };
    let attributes = changed(before, after, &DRIFT);
    let update_time = || Some(shown_text(after, "update_time")).filter(|time| !time.is_empty());
    (!attributes.is_empty()).then(|| Drift {
        subject,
        deleted: false,
        attributes,
        update_time: update_time(),
        by: writer(before, after),
    })
}

/// Returns who wrote a role last, as far as its fields show.
fn writer(before: &Object, after: &Object) -> Option<Writer> {
    let is_terraform = |object: &Object| object.text("manager") == Some("TERRAFORM");
    if !is_terraform(after) {
        // Where no manager was recorded, its absence says nothing.
        return is_terraform(before).then_some(Writer::NotTerraform);
    }
    let recorded =
        |object: &Object, name| Some(shown_text(object, name)).filter(|text| !text.is_empty());
    let pair = |object| (recorded(object, "repo_uri"), recorded(object, "repo_dir"));
    let (repo_uri, repo_dir) = pair(after);
    if repo_uri.is_some() && pair(before) == pair(after) {
        return Some(Writer::SameRepository);
    }
    Some(Writer::Terraform { repo_uri, repo_dir })
}

// --- Management and unknown values ---------------------------------------------------------------------

fn management(plan: &Plan, names: &Addresses) -> Vec<Management> {
    let mut entries = Vec::new();
    for change in &plan.changes {
        let mut add = |object: &Option<Object>, action| {
            let object = object.as_ref();
            let subject = object.map(|object| names.one(change.kind, object, &change.address));
            entries.extend(subject.map(|subject| Management { subject, action }));
        };
        if change.imports {
            add(&change.after, Transfer::Imported);
        }
        if let Some(action) = adoption(change) {
            add(&change.after, action);
        }
        if fate(change, plan.policy) == Fate::Left {
            let is_forgotten = change.has("forget");
            let action = if is_forgotten { Transfer::Forgotten } else { Transfer::Abandoned };
            add(&change.before, action);
        }
    }
    entries.sort();
    entries
}

/// Returns how a create takes over what exists. A resource that replaces itself takes over nothing.
fn adoption(change: &Change) -> Option<Transfer> {
    let new = change.after.as_ref().filter(|_| change.has("create"))?;
    let old = change.before.as_ref();
    if old.is_some_and(|old| key(change, old).is_some() && key(change, old) == key(change, new)) {
        return None;
    }
    match change.kind {
        Kind::Role if new.is("allow_missing", false) => Some(Transfer::Overwrites),
        _ if !new.is("adopt_existing", true) => None,
        Kind::Role => Some(Transfer::Overwrites),
        Kind::Owner | Kind::Owners => Some(Transfer::Adopts),
    }
}

fn unknown(plan: &Plan, names: &Addresses) -> Vec<Unknown> {
    let mut entries = Vec::new();
    for change in plan.changes.iter().filter(|it| it.has("create") || it.has("update")) {
        let Some(new) = &change.after else { continue };
        let attributes = unknown_attributes(change, new);
        if !attributes.is_empty() {
            let subject = names.one(change.kind, new, &change.address);
            entries.push(Unknown { subject, attributes, deferred: None });
        }
    }
    for (change, reason) in &plan.deferred {
        if let Some(object) = change.after.as_ref().or(change.before.as_ref()) {
            let subject = names.one(change.kind, object, &change.address);
            let attributes = unknown_attributes(change, object);
            entries.push(Unknown { subject, attributes, deferred: Some(reason.clone()) });
        }
    }
    entries.sort();
    entries
}

fn unknown_attributes(change: &Change, object: &Object) -> Vec<&'static str> {
    let set = match change.kind {
        Kind::Role if change.sets_resources == Some(false) => None,
        Kind::Role => Some("resources"),
        Kind::Owner => None,
        Kind::Owners => Some("owners"),
    };
    let parts = name_parts(change.kind).iter().copied().chain(set);
    parts.filter(|part| object.get(part).unknown).collect()
}
