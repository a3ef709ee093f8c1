//! Reads the JSON of a plan (`terraform show -json`) into the changes of this provider's resources.

use serde_json::value::RawValue;

use crate::configuration;
use crate::entries::Origin;
use crate::members::{Members, address, elements, inner, value};
use crate::object::{Kind, Object};

/// What a plan contains of this provider.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) changes: Vec<Change>,
    pub(crate) drift: Vec<Drift>,
    pub(crate) deferred: Vec<Deferred>,
    /// The number of changes that cannot be read.
    pub(crate) unreadable: usize,
    /// The number of changes of other providers.
    pub(crate) others: usize,
    /// The addresses of resources and actions that run commands.
    pub(crate) commands: Vec<String>,
    /// Whether a provider configuration may leave objects that are deleted.
    pub(crate) may_leave: bool,
    pub(crate) is_errored: bool,
    pub(crate) is_incomplete: bool,
}

/// A change of one resource instance or deposed object.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) origin: Origin,
    pub(crate) action: Action,
    /// Whether the object is imported.
    pub(crate) is_import: bool,
}

/// What the host does, with the object before and the object after it.
#[derive(Debug)]
pub(crate) enum Action {
    Nothing(Object),
    Create(Object),
    Update(Object, Object),
    Delete(Object),
    Replace(Object, Object),
    Forget(Object),
    ForgetAndCreate(Object, Object),
}

/// A change outside Terraform; `after` is `None` if the object is gone.
#[derive(Debug)]
pub(crate) struct Drift {
    pub(crate) origin: Origin,
    pub(crate) before: Object,
    pub(crate) after: Option<Object>,
}

/// A change that the host has put off.
#[derive(Debug)]
pub(crate) struct Deferred {
    pub(crate) origin: Origin,
    pub(crate) object: Object,
    pub(crate) reason: String,
}

/// Reads a plan.
///
/// # Errors
///
/// The end of a sentence that begins with the name of the input.
pub(crate) fn read(json: &str) -> Result<Plan, String> {
    let document: Members<'_> =
        serde_json::from_str(json).map_err(|error| match error.is_eof() {
            true => "is not complete, or empty".to_owned(),
            false => format!("is not a plan in JSON: {error}"),
        })?;
    check(&document)?;
    let configuration = inner(&document, "configuration");
    let mut plan = Plan {
        commands: configuration::provisioned(&configuration),
        may_leave: configuration::may_leave(&configuration),
        is_errored: value(&document, "errored") == Some(true),
        is_incomplete: value(&document, "complete") == Some(false),
        ..Plan::default()
    };
    plan.commands.extend(elements(&document, "action_invocations").iter().map(address));
    for entry in elements(&document, "deferred_action_invocations") {
        plan.commands.push(address(&inner(&entry, "action_invocation")));
    }
    plan.commands.sort();
    plan.commands.dedup();
    for entry in elements(&document, "resource_changes") {
        let entry_change = inner(&entry, "change");
        let actions: Vec<String> = value(&entry_change, "actions").unwrap_or_default();
        let is_only = |action: &str| actions == [action];
        let is_idle = (is_only("no-op") || is_only("read")) && !is_import(&entry_change);
        match whose(&entry) {
            Whose::Ours(_) if is_idle => {}
            Whose::Ours(kind) => plan.unless_unreadable(change(kind, &entry), |it| &mut it.changes),
            _ if is_only("no-op") => {}
            // A read that is in a plan is read in the apply, and can write.
            Whose::Others => plan.others += 1,
            Whose::Unreadable => plan.unreadable += 1,
        }
    }
    for entry in elements(&document, "resource_drift") {
        match whose(&entry) {
            Whose::Ours(kind) => plan.unless_unreadable(drift(kind, &entry), |it| &mut it.drift),
            Whose::Others => {}
            Whose::Unreadable => plan.unreadable += 1,
        }
    }
    for entry in elements(&document, "deferred_changes") {
        let entry_change = inner(&entry, "resource_change");
        let reason = value(&entry, "reason").unwrap_or_else(|| "unknown".to_owned());
        match whose(&entry_change) {
            Whose::Ours(kind) => {
                let deferred = self::deferred(kind, &entry_change, reason);
                plan.unless_unreadable(deferred, |it| &mut it.deferred);
            }
            Whose::Others => plan.others += 1,
            Whose::Unreadable => plan.unreadable += 1,
        }
    }
    Ok(plan)
}

impl Plan {
    /// Adds an entry to its list, or counts it as one that cannot be read.
    fn unless_unreadable<T>(&mut self, read: Option<T>, list: impl Fn(&mut Self) -> &mut Vec<T>) {
        match read {
            Some(read) => list(self).push(read),
            None => self.unreadable += 1,
        }
    }
}

/// Refuses a document that is not a plan of a format that can be read.
fn check(document: &Members<'_>) -> Result<(), String> {
    let Some(version) = value::<String>(document, "format_version") else {
        return Err("is not a plan: it has no format_version".to_owned());
    };
    if !["0", "1"].contains(&version.split('.').next().unwrap_or_default()) {
        return Err(format!("has the format_version {version:?}, and only 1 can be read"));
    }
    let lists = [
        "resource_changes",
        "resource_drift",
        "deferred_changes",
        "action_invocations",
        "deferred_action_invocations",
    ];
    if !document.contains_key("planned_values")
        && !lists.iter().any(|list| document.contains_key(*list))
    {
        return Err("is not a plan, but perhaps a state".to_owned());
    }
    for list in lists.iter().filter(|list| document.contains_key(**list)) {
        if value::<Option<Vec<&RawValue>>>(document, list).is_none() {
            return Err(format!("is not a plan: its {list} is not a list"));
        }
    }
    Ok(())
}

enum Whose {
    Ours(Kind),
    Others,
    /// Without a text as type or mode.
    Unreadable,
}

/// Returns whose resource a change is about. The type decides, under any source address.
fn whose(entry: &Members<'_>) -> Whose {
    let text = |name| value::<String>(entry, name);
    match (text("type"), text("mode")) {
        (Some(resource_type), Some(mode)) => match Kind::of(&resource_type) {
            Some(kind) if mode == "managed" => Whose::Ours(kind),
            _ => Whose::Others,
        },
        _ => Whose::Unreadable,
    }
}

fn is_import(change: &Members<'_>) -> bool {
    has(change, "importing")
}

/// Returns whether a member is there, and not null.
fn has(members: &Members<'_>, name: &str) -> bool {
    members.get(name).is_some_and(|raw| raw.get() != "null")
}

/// Returns the place of an object; `None` if it has no address.
fn origin(entry: &Members<'_>) -> Option<Origin> {
    Some(Origin { address: value(entry, "address")?, deposed: value(entry, "deposed") })
}

/// Reads a change; `None` if its values are not of our types, or its actions not those of a host.
fn change(kind: Kind, entry: &Members<'_>) -> Option<Change> {
    let change = inner(entry, "change");
    let before = || Object::read(kind, &change, "before");
    let after = || Object::read(kind, &change, "after");
    let actions: Vec<String> = value(&change, "actions")?;
    let action = match actions.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["no-op" | "read"] => Action::Nothing(before().or_else(after)?),
        ["create"] => Action::Create(after()?),
        ["update"] => Action::Update(before()?, after()?),
        ["delete"] => Action::Delete(before()?),
        ["delete", "create"] | ["create", "delete"] => Action::Replace(before()?, after()?),
        ["forget"] => Action::Forget(before()?),
        ["forget", "create"] | ["create", "forget"] => Action::ForgetAndCreate(before()?, after()?),
        _ => return None,
    };
    Some(Change { origin: origin(entry)?, action, is_import: is_import(&change) })
}

/// Reads a change outside Terraform; `None` if it cannot be read.
fn drift(kind: Kind, entry: &Members<'_>) -> Option<Drift> {
    let change = inner(entry, "change");
    let before = Object::read(kind, &change, "before")?;
    let after = match has(&change, "after") {
        true => Some(Object::read(kind, &change, "after")?),
        false => None,
    };
    Some(Drift { origin: origin(entry)?, before, after })
}

/// Reads a change that the host has put off; `None` if it cannot be read.
fn deferred(kind: Kind, entry: &Members<'_>, reason: String) -> Option<Deferred> {
    let change = inner(entry, "change");
    let object = match ["after", "before"].into_iter().find(|side| has(&change, side)) {
        Some(side) => Object::read(kind, &change, side)?,
        None => Object::unknown(kind),
    };
    Some(Deferred { origin: origin(entry)?, object, reason })
}
