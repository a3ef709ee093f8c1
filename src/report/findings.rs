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
use super::plan::{Attribute, Change, Kind, Object, Plan};

const SENSITIVE: &str = "(sensitive)";
const UNKNOWN: &str = "(known after apply)";

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
    let names = Addresses::of(plan);
    let roles = roles(plan, &names);
    let revoke: Vec<_> = roles.iter().flat_map(revocations).collect();
    let owners = owners(plan, &names);
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
        drift: sorted(plan.drift.iter().filter_map(|drift| changed_outside(drift, &names))),
        management: sorted(plan.changes.iter().flat_map(|it| transfers(it, plan, &names))),
        unknown: unknown(plan, &names),
        can_abandon: plan.reads_environment
            && plan.changes.iter().any(|change| {
                let policy = change.before.as_ref().map(|old| old.text("deletion_policy"));
                change.has("delete") && policy == Some(None)
            }),
        owners,
        roles,
        revoke,
    }
}

fn sorted<T>(entries: impl Iterator<Item = Entry<T>>) -> Vec<Entry<T>> {
    let mut entries: Vec<_> = entries.collect();
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

/// Returns a value as it may be shown.
fn shown(attribute: Attribute<'_>) -> Value {
    match attribute {
        Attribute { sensitive: true, .. } => SENSITIVE.into(),
        Attribute { unknown: true, value: Value::Null, .. } => UNKNOWN.into(),
        Attribute { value, .. } => value.clone(),
    }
}

fn shown_text(object: &Object, name: &str) -> String {
    shown(object.get(name)).as_str().unwrap_or_default().to_owned()
}

/// The elements of a set, each as it is and as it may be shown.
type Elements<'a> = BTreeMap<&'a str, String>;

/// Returns the known elements of a set. One sensitive element marks the whole set.
fn elements<'a>(object: &'a Object, name: &str) -> Elements<'a> {
    let is_sensitive = object.get(name).sensitive;
    let shown = |element: &str| if is_sensitive { SENSITIVE } else { element }.to_owned();
    let set = object.set(name).into_iter().flatten();
    set.map(|element| (element, shown(element))).collect()
}

/// Returns the elements of the first set that the other lacks, as they may be shown.
fn missing(first: &Elements<'_>, other: &Elements<'_>) -> Vec<String> {
    let missing = first.iter().filter(|(element, _)| !other.contains_key(*element));
    missing.map(|(_, shown)| shown.clone()).collect()
}

/// Names are built from their parts: `name` and `id` contain sensitive parts without a mark.
fn name(kind: Kind, object: &Object) -> Name {
    let part = |name| shown_text(object, name);
    let owner = |principal| Name::Owner { integration: part("integration"), principal };
    match kind {
        Kind::Role => {
            Name::Role { role: format!("listings/{}/roles/{}", part("listing"), part("role")) }
        }
        Kind::Owner => owner(Some(part("owner"))),
        Kind::Owners => owner(None),
    }
}

/// The addresses of each name in the plan.
struct Addresses(BTreeMap<Name, BTreeSet<String>>);

impl Addresses {
    fn of(plan: &Plan) -> Self {
        let mut found = BTreeMap::<_, BTreeSet<_>>::new();
        let deferred = plan.deferred.iter().map(|(change, _)| change);
        for change in plan.changes.iter().chain(&plan.drift).chain(deferred) {
            for object in change.before.iter().chain(&change.after) {
                let owners = elements(object, "owners").into_values().map(|principal| {
                    let integration = shown_text(object, "integration");
                    Name::Owner { integration, principal: Some(principal) }
                });
                for name in owners.chain([name(change.kind, object)]) {
                    found.entry(name).or_default().insert(change.address.clone());
                }
            }
        }
        Self(found)
    }

    fn entry<T>(&self, name: Name, addresses: BTreeSet<String>, what: T) -> Entry<T> {
        let is_unknown = name.sort_key().iter().any(|part| part.contains(UNKNOWN));
        let is_ambiguous = is_unknown || self.0.get(&name).is_some_and(|all| all.len() > 1);
        Entry { name, addresses, is_ambiguous, what }
    }

    fn entry_of<T>(&self, change: &Change, object: &Object, what: T) -> Entry<T> {
        let addresses = BTreeSet::from([change.address.clone()]);
        self.entry(name(change.kind, object), addresses, what)
    }
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
    let abandons = policy.map_or(plan.abandons, |policy| policy == "abandon");
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
fn roles(plan: &Plan, names: &Addresses) -> Vec<Entry<RoleChange>> {
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
    sorted(roles.values().filter_map(|role| {
        let action = role_action(role.is_deleted, role.new)?;
        role_change(role, action, names)
    }))
}

/// Decides what happens to a role. `is_deleted` says whether the plan deletes an object of this name.
fn role_action(is_deleted: bool, new: Option<&Change>) -> Option<RoleAction> {
    let Some(new) = new else { return is_deleted.then_some(RoleAction::Deleted) };
    if !new.has("create") {
        return new.has("update").then_some(RoleAction::Updated);
    }
    let after = new.after.as_ref()?;
    Some(if is_deleted {
        RoleAction::Replaced
    } else if after.is("allow_missing", false) {
        RoleAction::Overwritten
    } else if after.is("adopt_existing", true) {
        RoleAction::CreatedOrOverwritten
    } else {
        RoleAction::Created
    })
}

/// Returns the change of a role; `None` if an update changes neither texts, order nor resources.
fn role_change(
    role: &Role<'_>,
    action: RoleAction,
    names: &Addresses,
) -> Option<Entry<RoleChange>> {
    let updated = role.new.and_then(|new| new.before.as_ref());
    let old: Vec<&Object> = match action {
        RoleAction::Updated => updated.into_iter().collect(),
        _ => role.old.clone(),
    };
    let new = role.new.and_then(|new| new.after.as_ref());
    let object = new.or(old.first().copied())?;
    let resources = role.new.map(managed_resources);
    let held: Elements<'_> = old.iter().flat_map(|old| elements(old, "resources")).collect();
    let wanted = match resources {
        None => Elements::new(),
        // A role that is made anew has none. One that is written in place keeps its own.
        Some(Resources::NotManaged) if is_made_anew(role) => Elements::new(),
        Some(Resources::NotManaged | Resources::NotManagedOrUnknown) => held.clone(),
        Some(_) => elements(object, "resources"),
    };
    let change = RoleChange {
        action,
        resources,
        added: missing(&wanted, &held),
        removed: missing(&held, &wanted),
        attributes: new.map_or_else(Vec::new, |new| changed(old.first().copied(), new, &TEXTS)),
    };
    let is_known = matches!(resources, None | Some(Resources::Managed | Resources::NotManaged));
    let is_empty =
        change.added.is_empty() && change.removed.is_empty() && change.attributes.is_empty();
    let is_access = action != RoleAction::Updated || !is_known || !is_empty;
    is_access.then(|| names.entry(name(Kind::Role, object), role.addresses.clone(), change))
}

/// Returns how the configuration treats the resources of a role. Its expression tells, because the service
/// sets the attribute otherwise.
fn managed_resources(new: &Change) -> Resources {
    let resources = new.after.as_ref().map(|after| after.get("resources"));
    match resources {
        _ if new.sets_resources == Some(false) => Resources::NotManaged,
        Some(Attribute { unknown: true, value: Value::Null, .. }) => Resources::NotManagedOrUnknown,
        Some(Attribute { unknown: true, .. }) => Resources::PartlyUnknown,
        _ => Resources::Managed,
    }
}

/// Returns whether the service loses the old role before it makes the new one. It does not if
/// `create_before_destroy` adopts the role: the delete then sends nothing.
fn is_made_anew(role: &Role<'_>) -> bool {
    let makes_anew = |new: &Change| new.has("create") && !(new.creates_first() && new.may_adopt());
    role.is_deleted && role.new.is_some_and(makes_anew)
}

/// Returns the grants that outlive the change of a role.
fn revocations(role: &Entry<RoleChange>) -> impl Iterator<Item = Entry<Revocation>> {
    role.what.removed.iter().map(|resource| Entry {
        name: role.name.clone(),
        addresses: role.addresses.clone(),
        is_ambiguous: role.is_ambiguous,
        what: Revocation { resource: resource.clone() },
    })
}

/// Returns the attributes that differ. No text and an empty one are the same.
fn changed(
    before: Option<&Object>,
    after: &Object,
    attributes: &[&'static str],
) -> Vec<AttributeChange> {
    let null = Attribute { value: &Value::Null, unknown: false, sensitive: false };
    let differs = |&attribute: &&'static str| {
        let (old, new) = (before.map_or(null, |old| old.get(attribute)), after.get(attribute));
        let is_set = |value: &&Value| **value != "" && !value.is_null();
        let is_unknown = new.unknown && new.value.is_null();
        if Some(old.value).filter(is_set) == Some(new.value).filter(is_set) && !is_unknown {
            return None;
        }
        let (before, after) = match (before, old.value, new.value) {
            (Some(before), Value::Array(_), Value::Array(_)) => {
                let (had, has) = (elements(before, attribute), elements(after, attribute));
                (missing(&had, &has).into(), missing(&has, &had).into())
            }
            _ => (shown(old), shown(new)),
        };
        Some(AttributeChange { attribute, before, after })
    };
    attributes.iter().filter_map(differs).collect()
}

// --- Owners --------------------------------------------------------------------------------------------

/// The principals that own integrations, by region, integration and principal.
type Principals<'a> = BTreeMap<(&'a str, &'a str, &'a str), Principal>;

struct Principal {
    name: Name,
    addresses: BTreeSet<String>,
    /// Whether it may own the integration already.
    is_adopted: bool,
}

fn owners(plan: &Plan, names: &Addresses) -> Vec<Entry<Control>> {
    let (mut before, mut after) = (Principals::new(), Principals::new());
    let changes = || plan.changes.iter().filter(|change| change.kind != Kind::Role);
    for change in changes() {
        if let Some(old) = &change.before {
            add_principals(&mut before, change, old);
            // A set that is unknown as a whole says nothing about what it replaces.
            let is_unknown = change
                .after
                .as_ref()
                .is_some_and(|new| change.kind == Kind::Owners && new.set("owners").is_none());
            let fate = fate(change, plan);
            if fate == Fate::Left || fate == Fate::Kept && is_unknown {
                add_principals(&mut after, change, old);
            }
        }
        if let Some(new) = &change.after {
            add_principals(&mut after, change, new);
        }
    }
    let entry = |principal: &Principal, control| {
        names.entry(principal.name.clone(), principal.addresses.clone(), control)
    };
    let gained = after.iter().filter(|(key, _)| !before.contains_key(key)).map(|(_, principal)| {
        let is_adopted = principal.is_adopted;
        entry(principal, if is_adopted { Control::GainsUnlessOwner } else { Control::Gains })
    });
    let lost = before.iter().filter(|(key, _)| !after.contains_key(key));
    let lost = lost.map(|(_, principal)| entry(principal, Control::Loses));
    let mut entries: Vec<_> = gained.chain(lost).collect();
    let owners_of = |all: &Principals<'_>, scope: &str, integration: &str| -> BTreeSet<String> {
        let here = all.range((scope, integration, "")..).map(|(key, _)| key);
        let here = here.take_while(|key| (key.0, key.1) == (scope, integration));
        here.map(|key| key.2.to_owned()).collect()
    };
    for change in changes().filter(|change| change.kind == Kind::Owners) {
        let ended = change.before.as_ref().filter(|_| fate(change, plan) == Fate::Deleted);
        let written = change.after.as_ref().filter(|_| !change.has("no-op"));
        for (object, is_end) in
            ended.map(|it| (it, true)).into_iter().chain(written.map(|it| (it, false)))
        {
            let Some(integration) = object.text("integration") else { continue };
            if change.may_adopt() && !is_end {
                entries.push(names.entry_of(change, object, Control::UnlistedLose));
            }
            let remaining = owners_of(&after, &change.scope, integration);
            let is_known = is_end || object.set("owners").is_some();
            if is_known && remaining != owners_of(&before, &change.scope, integration) {
                let at_least = !is_end && object.get("owners").unknown;
                let control = Control::Remain { owners: remaining.len(), at_least };
                entries.push(names.entry_of(change, object, control));
            }
        }
    }
    sorted(entries.into_iter())
}

fn add_principals<'a>(all: &mut Principals<'a>, change: &'a Change, object: &'a Object) {
    let Some(integration) = object.text("integration") else { return };
    let owners = match object.text("owner") {
        Some(owner) => BTreeMap::from([(owner, shown_text(object, "owner"))]),
        None => elements(object, "owners"),
    };
    for (owner, principal) in owners {
        let integration_name = shown_text(object, "integration");
        let name = Name::Owner { integration: integration_name, principal: Some(principal) };
        let entry = all.entry((&change.scope, integration, owner));
        let is_adopted = change.may_adopt();
        let principal = entry.or_insert(Principal { name, addresses: BTreeSet::new(), is_adopted });
        principal.addresses.insert(change.address.clone());
    }
}

// --- Drift, management, unknown values -------------------------------------------------------------------

fn changed_outside(drift: &Change, names: &Addresses) -> Option<Entry<Drift>> {
    let before = drift.before.as_ref()?;
    let after = drift.after.as_ref();
    let attributes = after.map_or_else(Vec::new, |after| changed(Some(before), after, &DRIFT));
    let update_time = after.map(|after| shown_text(after, "update_time"));
    let what = Drift {
        deleted: after.is_none(),
        attributes,
        update_time: update_time.filter(|time| !time.is_empty()),
        by: after.and_then(|after| writer(before, after)),
    };
    (what.deleted || !what.attributes.is_empty()).then(|| names.entry_of(drift, before, what))
}

/// Returns who wrote a role last, as far as its fields show.
fn writer(before: &Object, after: &Object) -> Option<Writer> {
    let is_terraform = |object: &Object| object.text("manager") == Some("TERRAFORM");
    if !is_terraform(after) {
        // Where no manager was recorded, its absence says nothing.
        return is_terraform(before).then_some(Writer::NotTerraform);
    }
    let pair = |object| {
        ["repo_uri", "repo_dir"].map(|it| Some(shown_text(object, it)).filter(|it| !it.is_empty()))
    };
    let [repo_uri, repo_dir] = pair(after);
    if repo_uri.is_some() && pair(before) == pair(after) {
        return Some(Writer::SameRepository);
    }
    Some(Writer::Terraform { repo_uri, repo_dir })
}

/// Returns how a change brings objects under Terraform, or leaves them.
fn transfers(change: &Change, plan: &Plan, names: &Addresses) -> Vec<Entry<Transfer>> {
    let comes = [change.imports.then_some(Transfer::Imported), adoption(change)];
    let left = if change.has("forget") { Transfer::Forgotten } else { Transfer::Abandoned };
    let leaves = (fate(change, plan) == Fate::Left).then_some(left);
    let of = |object: &Option<Object>, transfer| {
        object.as_ref().map(|object| names.entry_of(change, object, transfer))
    };
    let comes = comes.into_iter().flatten().filter_map(|transfer| of(&change.after, transfer));
    comes.chain(leaves.and_then(|transfer| of(&change.before, transfer))).collect()
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

fn unknown(plan: &Plan, names: &Addresses) -> Vec<Entry<Unknown>> {
    let entry = |change: &Change, deferred: Option<String>| {
        let object = change.after.as_ref().or(change.before.as_ref())?;
        let (parts, set) = change.kind.attributes();
        let set = set.filter(|_| change.sets_resources != Some(false) || change.kind != Kind::Role);
        let parts = parts.iter().copied().chain(set);
        let attributes: Vec<_> = parts.filter(|part| object.get(part).unknown).collect();
        (deferred.is_some() || !attributes.is_empty())
            .then(|| names.entry_of(change, object, Unknown { attributes, deferred }))
    };
    let deferred = plan.deferred.iter();
    let deferred = deferred.filter_map(|(change, reason)| entry(change, Some(reason.clone())));
    sorted(plan.changes.iter().filter_map(|change| entry(change, None)).chain(deferred))
}

#[cfg(test)]
mod tests;
