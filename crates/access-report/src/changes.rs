//! What each change of a plan says about access. No entry depends on another one.
//!
//! A change becomes one or two [`Step`]s, and each step becomes entries by the kind of its object.

use std::collections::HashMap;

use crate::entries::{
    AttributeChange, Control, Drift, Entries, Entry, Name, Origin, Revocation, RoleAction,
    RoleChange, Transfer, TransferAction, Unknown,
};
use crate::object::{Kind, Object, TEXTS};
use crate::plan::{self, Action, Change, Plan};

/// What happens to one object of the service.
enum Step<'a> {
    Created(&'a Object),
    Changed(&'a Object, &'a Object),
    Deleted(&'a Object),
    /// Deleted and created under its own name.
    Replaced(&'a Object, &'a Object),
}

/// Returns the entries of a plan, and the number of changes that change nothing of access.
pub(crate) fn entries(plan: &Plan) -> (Entries, usize) {
    let mut entries = Entries::default();
    let refreshed =
        plan.drift.iter().filter_map(|drift| Some((&drift.origin, drift.after.as_ref()?)));
    let refreshed: HashMap<_, _> = refreshed.collect();
    let mut without_access = 0;
    for change in &plan.changes {
        let refreshed = refreshed.get(&change.origin).copied();
        let mut said = Said { entries: &mut entries, origin: &change.origin, says_access: false };
        transfers(change, &mut said);
        for step in steps(&change.action) {
            match step.object().kind() {
                Kind::Owner => owner(&step, &mut said),
                Kind::Owners => owners(&step, &mut said),
                Kind::Role => role(&step, refreshed, &mut said),
            }
            unknown(&step, &mut said);
        }
        without_access += usize::from(!said.says_access);
    }
    entries.drift.extend(plan.drift.iter().filter_map(drift));
    entries.unknown.extend(plan.deferred.iter().map(|deferred| {
        let attributes = unknown_attributes(&deferred.object, true);
        let what = Unknown { attributes, deferred: Some(deferred.reason.clone()) };
        Entry { name: deferred.object.name(), origin: deferred.origin.clone(), what }
    }));
    entries.sort();
    (entries, without_access)
}

/// Returns what an action does to objects. Another name is another object, also in an update.
fn steps(action: &Action) -> Vec<Step<'_>> {
    match action {
        Action::Nothing(_) | Action::Forget(_) => vec![],
        Action::Create(new) | Action::ForgetAndCreate(_, new) => vec![Step::Created(new)],
        Action::Delete(old) => vec![Step::Deleted(old)],
        Action::Update(old, new) if old.has_name_of(new) => vec![Step::Changed(old, new)],
        Action::Replace(old, new) if old.has_name_of(new) => vec![Step::Replaced(old, new)],
        Action::Update(old, new) | Action::Replace(old, new) => {
            vec![Step::Deleted(old), Step::Created(new)]
        }
    }
}

impl Step<'_> {
    fn object(&self) -> &Object {
        match self {
            Self::Created(object)
            | Self::Changed(_, object)
            | Self::Deleted(object)
            | Self::Replaced(_, object) => object,
        }
    }
}

/// The entries of one change.
struct Said<'a> {
    entries: &'a mut Entries,
    origin: &'a Origin,
    /// Whether one of them is about access.
    says_access: bool,
}

impl Said<'_> {
    fn entry<T>(&mut self, name: Name, what: T) -> Entry<T> {
        self.says_access = true;
        Entry { name, origin: self.origin.clone(), what }
    }

    fn owner(&mut self, name: Name, control: Control) {
        let entry = self.entry(name, control);
        self.entries.owners.push(entry);
    }

    /// Adds an entry for each principal.
    fn principals(&mut self, list: &Object, principals: Vec<String>, control: Control) {
        for principal in principals {
            let Name::Owner { integration, .. } = list.name() else { return };
            self.owner(Name::Owner { integration, principal: Some(principal) }, control);
        }
    }

    fn role(&mut self, object: &Object, change: RoleChange) {
        let entry = self.entry(object.name(), change);
        self.entries.roles.push(entry);
    }

    fn revoke(&mut self, object: &Object, resources: Vec<String>) {
        if !resources.is_empty() {
            let entry = self.entry(object.name(), Revocation { resources });
            self.entries.revoke.push(entry);
        }
    }
}

/// Adds the entries of an object that comes under Terraform or leaves it.
fn transfers(change: &Change, said: &mut Said<'_>) {
    let leaves = matches!(change.action, Action::Forget(_) | Action::ForgetAndCreate(..));
    let (Action::Nothing(object)
    | Action::Create(object)
    | Action::Update(object, _)
    | Action::Delete(object)
    | Action::Replace(object, _)
    | Action::Forget(object)
    | Action::ForgetAndCreate(object, _)) = &change.action;
    let actions = [
        change.is_import.then_some(TransferAction::Comes),
        leaves.then_some(TransferAction::Leaves),
    ];
    for action in actions.into_iter().flatten() {
        let [repo_uri, repo_dir] = ["repo_uri", "repo_dir"].map(|name| object.text(name));
        let what = Transfer { action, repo_uri, repo_dir };
        let entry = Entry { name: object.name(), origin: said.origin.clone(), what };
        said.entries.management.push(entry);
    }
}

/// Adds the entry of a single owner.
fn owner(step: &Step<'_>, said: &mut Said<'_>) {
    if let Step::Created(new) | Step::Replaced(_, new) = step {
        said.entries.may_gain_less |= may_adopt(new);
    }
    let control = match step {
        // The entry of what is unknown has the integration.
        Step::Created(new) if new.is_unknown("owner") => return,
        Step::Created(new) if may_adopt(new) => Control::GainsOrHas,
        Step::Created(_) => Control::Gains,
        Step::Changed(..) => return,
        Step::Deleted(_) => Control::Loses,
        Step::Replaced(..) => Control::Again,
    };
    said.owner(step.object().name(), control);
}

/// Adds the entries of a list of owners.
fn owners(step: &Step<'_>, said: &mut Said<'_>) {
    let set = |object: &Object| object.set().unwrap_or_default();
    if let Step::Created(new) | Step::Replaced(_, new) = step {
        said.entries.may_gain_less = true;
        said.owner(new.name(), Control::Stays);
    }
    match step {
        Step::Created(new) => said.principals(new, set(new).shown(), Control::GainsOrHas),
        Step::Deleted(old) => said.principals(old, set(old).shown(), Control::Loses),
        Step::Replaced(old, new) => {
            let (before, after) = (set(old), set(new));
            said.principals(old, before.shared(&after), Control::Again);
            said.principals(old, before.without(&after), Control::Loses);
            said.principals(new, after.without(&before), Control::GainsOrHas);
        }
        Step::Changed(old, new) => {
            let (before, after) = (set(old), set(new));
            let is_unknown = new.is_unknown("owners");
            let loses = if is_unknown || after.has_unknown {
                Control::LosesOrKeeps
            } else {
                Control::Loses
            };
            let (added, removed) = (after.without(&before), before.without(&after));
            let is_changed = !added.is_empty() || !removed.is_empty() || after.has_unknown;
            said.principals(new, added, Control::Gains);
            said.principals(old, removed, loses);
            if is_changed && !is_unknown {
                let names = Control::Names { owners: after.len(), at_least: after.has_unknown };
                said.owner(new.name(), names);
            }
        }
    }
}

/// Adds the entries of a role. `refreshed` is the role as a refresh of this plan has read it:
/// Terraform 1.9 to 1.11 plans the delete of a role whose block is gone before it reads the role.
fn role(step: &Step<'_>, refreshed: Option<&Object>, said: &mut Said<'_>) {
    let set = |object: &Object| object.set().unwrap_or_default();
    let deleted = |old: &Object| set(old).union(&refreshed.map(set).unwrap_or_default());
    let change = |action, new: &Object| RoleChange {
        action,
        added: vec![],
        removed: vec![],
        resources: new.set().map(|set| set.shown()),
        attributes: vec![],
    };
    match step {
        Step::Created(new) => {
            let action = match may_adopt(new) {
                true => RoleAction::CreatedOrOverwritten,
                false => RoleAction::Created,
            };
            said.role(new, RoleChange { attributes: new.texts(), ..change(action, new) });
        }
        Step::Deleted(old) => {
            let removed = deleted(old).shown();
            let deleted = change(RoleAction::Deleted, old);
            said.role(old, RoleChange { removed: removed.clone(), resources: None, ..deleted });
            said.revoke(old, removed);
        }
        Step::Replaced(old, new) => {
            let removed = deleted(old).without(&set(new));
            let replaced = RoleChange {
                removed: removed.clone(),
                attributes: texts(old, new),
                ..change(RoleAction::Replaced, new)
            };
            said.role(new, replaced);
            said.revoke(new, removed);
        }
        Step::Changed(old, new) => {
            let (before, after) = (set(old), set(new));
            let changed = RoleChange {
                added: after.without(&before),
                removed: before.without(&after),
                attributes: texts(old, new),
                ..change(RoleAction::Changed, new)
            };
            said.revoke(new, changed.removed.clone());
            if changed.changes_grants() || !changed.attributes.is_empty() {
                said.role(new, changed);
            }
        }
    }
}

/// Returns the texts that change, and the order.
fn texts(old: &Object, new: &Object) -> Vec<AttributeChange> {
    let changes = old.changes(new).into_iter();
    changes.filter(|change| TEXTS.contains(&change.name)).collect()
}

/// Returns whether a create may adopt an object, as far as is known before the apply.
fn may_adopt(new: &Object) -> bool {
    new.is_true("adopt_existing") || new.is_unknown("adopt_existing")
}

/// Adds the entry of what is known only after apply.
fn unknown(step: &Step<'_>, said: &mut Said<'_>) {
    let attributes = match step {
        Step::Deleted(_) => vec![],
        Step::Changed(_, new) => unknown_attributes(new, true),
        // The resources of a new role are unknown if the configuration does not manage them.
        Step::Created(new) | Step::Replaced(_, new) => {
            unknown_attributes(new, new.kind() == Kind::Owners)
        }
    };
    if !attributes.is_empty() {
        let what = Unknown { attributes, deferred: None };
        let entry = said.entry(step.object().name(), what);
        said.entries.unknown.push(entry);
    }
}

/// Returns the parts of the name that are known only after apply, and the set if an element is. A
/// set of which nothing is known counts if `counts_whole`.
fn unknown_attributes(object: &Object, counts_whole: bool) -> Vec<&'static str> {
    let name = object.kind().name().iter().copied().filter(|part| object.is_unknown(part));
    let is_unknown = |set: &&str| match object.is_unknown(set) {
        true => counts_whole,
        false => object.set().is_some_and(|set| set.has_unknown),
    };
    name.chain(object.kind().set().filter(is_unknown)).collect()
}

/// Returns the entry of a change outside Terraform; `None` if only the time of the last update has
/// changed.
fn drift(drift: &plan::Drift) -> Option<Entry<Drift>> {
    let plan::Drift { origin, before, after } = drift;
    let mut attributes = after.as_ref().map(|after| before.changes(after)).unwrap_or_default();
    attributes.retain(|change| change.name != "update_time");
    let recorded = |name| after.as_ref().and_then(|after| after.text(name));
    let what = Drift {
        gone: after.is_none(),
        attributes,
        manager: recorded("manager"),
        repo_uri: recorded("repo_uri"),
        repo_dir: recorded("repo_dir"),
        update_time: recorded("update_time"),
    };
    let is_shown = what.gone || !what.attributes.is_empty();
    is_shown.then(|| Entry { name: before.name(), origin: origin.clone(), what })
}
