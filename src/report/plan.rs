//! Reads the JSON of a plan (`terraform show -json`) into the changes of this provider's resources.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::configuration::{Configuration, Place};
use super::members::{Members, elements, inner, invalid, is_ours, text, value};

/// What the hosts do with an object. A change with any other action cannot be read.
const ACTIONS: [&str; 6] = ["no-op", "read", "create", "update", "delete", "forget"];

/// What a plan contains of this provider.
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    pub(super) drift: Vec<Change>,
    /// Changes that the host has put off, each with its reason.
    pub(super) deferred: Vec<(Change, String)>,
    /// Who owned integrations when the plan was made, as far as state and data sources show.
    pub(super) present: Vec<Present>,
    /// The number of resources whose values are not of this provider's types.
    pub(super) unreadable: usize,
    pub(super) configuration: Configuration,
    pub(super) errored: bool,
    pub(super) incomplete: bool,
}

/// The resources of this provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Role,
    Owner,
    Owners,
}

impl Kind {
    /// Returns whether the resource has owners of an integration.
    pub(super) fn is_of_owners(self) -> bool {
        match self {
            Self::Owner | Self::Owners => true,
            Self::Role => false,
        }
    }

    /// Returns the kind of a resource type; `None` for any other.
    pub(super) fn of(resource_type: &str) -> Option<Self> {
        match resource_type {
            "access_listing_role" => Some(Self::Role),
            "access_integration_owner" => Some(Self::Owner),
            "access_integration_owners" => Some(Self::Owners),
            _ => None,
        }
    }

    /// Returns the attributes that name an object, and the set that it consists of.
    pub(super) fn attributes(self) -> (&'static [&'static str], Option<&'static str>) {
        match self {
            Self::Role => (&["listing", "role"], Some("resources")),
            Self::Owner => (&["integration", "owner"], None),
            Self::Owners => (&["integration"], Some("owners")),
        }
    }
}

/// A change, or drift, of one resource instance or deposed object.
pub(super) struct Change {
    pub(super) address: String,
    /// The key of a deposed object.
    deposed: Option<String>,
    pub(super) kind: Kind,
    actions: Vec<String>,
    pub(super) imports: bool,
    /// Whether it is `lifecycle { destroy = false }` that makes the host forget the object.
    pub(super) is_kept_by_lifecycle: bool,
    pub(super) before: Option<Object>,
    pub(super) after: Option<Object>,
    pub(super) place: Place,
    /// Whether the configuration sets `resources`; `None` if the plan does not contain the block.
    pub(super) sets_resources: Option<bool>,
}

impl Change {
    /// Returns whether an action is planned. A replacement has `delete` and `create`.
    pub(super) fn has(&self, action: &str) -> bool {
        self.actions.iter().any(|planned| planned == action)
    }

    /// Returns whether this is a create that may adopt an object, as far as is known before the
    /// apply.
    pub(super) fn may_adopt(&self) -> bool {
        let may_adopt = |new: &Object| {
            let is_late = new.is_unknown("adopt_existing") || new.is_unknown("allow_missing");
            new.is("adopt_existing", true) || new.is("allow_missing", false) || is_late
        };
        self.has("create") && self.after.as_ref().is_some_and(may_adopt)
    }

    /// Returns whether this is a create that adopts an object that exists.
    pub(super) fn adopts(&self) -> bool {
        let adopts = |new: &Object| new.is("adopt_existing", true);
        self.has("create") && self.after.as_ref().is_some_and(adopts)
    }

    /// Replaces the old object by the one that a refresh has read. Terraform 1.9 to 1.11 plans the
    /// delete of an object whose block is gone before it reads the object.
    fn refresh(&mut self, drift: &[Self]) {
        let Some(old) = self.before.as_ref().filter(|_| self.has("delete")) else { return };
        let is_own = |it: &&Self| it.address == self.address && it.deposed == self.deposed;
        let read = drift.iter().filter(is_own).find_map(|it| it.after.as_ref());
        let has_its_name = |read: &&Object| {
            let mut parts = self.kind.attributes().0.iter();
            parts.all(|part| read.value(part) == old.value(part))
        };
        if let Some(read) = read.filter(has_its_name) {
            self.before = Some(read.clone());
        }
    }

    /// Returns whether this creates an object before it destroys another.
    pub(super) fn creates_first(&self) -> bool {
        self.actions.first().is_some_and(|first| first == "create")
    }
}

/// What is shown in place of values.
pub(super) const SENSITIVE: &str = "(sensitive)";
pub(super) const UNKNOWN: &str = "(known after apply)";

/// The elements of a set, each as it is and as it may be shown.
pub(super) type Elements<'a> = BTreeMap<&'a str, &'a str>;

/// The attributes of an object by name, and what a plan marks: everything (`true`), or attributes
/// and elements of them.
#[derive(Clone)]
pub(super) struct Object {
    values: HashMap<String, Value>,
    unknown: Value,
    sensitive: Value,
}

impl Object {
    /// Returns the value of an attribute; null if it is unknown, or if the object lacks it. Unknown
    /// elements of a set are null.
    pub(super) fn value(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or(&Value::Null)
    }

    /// Returns the text of an attribute; `None` if it is null, unknown or no text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.value(name).as_str()
    }

    /// Returns whether an attribute is known, and has this value.
    pub(super) fn is(&self, name: &str, flag: bool) -> bool {
        *self.value(name) == flag
    }

    /// Returns whether an attribute, or an element of it, is known only after apply.
    pub(super) fn is_unknown(&self, name: &str) -> bool {
        self.is_marked(&self.unknown, name)
    }

    /// Returns whether nothing of an attribute is known before the apply.
    pub(super) fn is_wholly_unknown(&self, name: &str) -> bool {
        self.is_unknown(name) && self.value(name).is_null()
    }

    /// Returns whether an attribute, or an element of it, is marked.
    fn is_marked(&self, marks: &Value, name: &str) -> bool {
        // A mark of everything is none of an attribute that the object does not have.
        let is_there = self.values.contains_key(name) || self.unknown.get(name).is_some();
        is_there && (*marks == true || marks.get(name).is_some_and(contains_mark))
    }

    /// Returns the value of an attribute as it may be shown.
    pub(super) fn shown(&self, name: &str) -> Value {
        if self.is_marked(&self.sensitive, name) {
            SENSITIVE.into()
        } else if self.is_wholly_unknown(name) {
            UNKNOWN.into()
        } else {
            self.value(name).clone()
        }
    }

    /// Returns an attribute as it may be shown; "" if it is not a text.
    pub(super) fn shown_text(&self, name: &str) -> String {
        self.shown(name).as_str().unwrap_or_default().to_owned()
    }

    /// Returns the known elements of a set. One sensitive element marks the whole set.
    pub(super) fn elements(&self, name: &str) -> Elements<'_> {
        let is_sensitive = self.is_marked(&self.sensitive, name);
        let elements = self.value(name).as_array().into_iter().flatten().filter_map(Value::as_str);
        elements.map(|text| (text, if is_sensitive { SENSITIVE } else { text })).collect()
    }
}

/// Reads a plan.
///
/// # Errors
///
/// The end of a sentence that begins with the name of the input.
pub(super) fn read(json: &str) -> Result<Plan, String> {
    let document: Members<'_> = serde_json::from_str(json).map_err(|error| invalid(&error))?;
    let version = text(&document, "format_version");
    if version.is_empty() {
        return Err("is not a plan: it has no format_version".to_owned());
    }
    if !["0", "1"].contains(&version.split('.').next().unwrap_or_default()) {
        return Err(format!("has the format_version {version:?}, and only 1 can be read"));
    }
    if !["planned_values", "resource_changes", "resource_drift"]
        .iter()
        .any(|member| document.contains_key(*member))
    {
        return Err("is not a plan, but perhaps a state".to_owned());
    }
    let configuration = value(&document, "configuration").map(|it| Configuration::read(&it));
    let configuration = configuration.unwrap_or_default();
    let mut unreadable = 0;
    let mut change = |entry: &Members<'_>| change(entry, &configuration, &mut unreadable);
    let drift: Vec<_> =
        elements(&document, "resource_drift")?.iter().filter_map(&mut change).collect();
    let mut changes: Vec<_> =
        elements(&document, "resource_changes")?.iter().filter_map(&mut change).collect();
    changes.iter_mut().for_each(|change| change.refresh(&drift));
    let deferred = elements(&document, "deferred_changes")?;
    let mut deferred_change =
        |it| Some((change(&inner(it, "resource_change"))?, text(it, "reason")));
    let deferred = deferred.iter().filter_map(&mut deferred_change).collect();
    Ok(Plan {
        changes,
        drift,
        deferred,
        present: present(&document, &configuration),
        unreadable,
        configuration,
        errored: value(&document, "errored") == Some(true),
        incomplete: value(&document, "complete") == Some(false),
    })
}

/// Reads a change of one of our resources. Returns `None` for any other, and counts one that cannot
/// be read: its values are not of our types, or its actions are not those of a host.
fn change(
    entry: &Members<'_>,
    configuration: &Configuration,
    unreadable: &mut usize,
) -> Option<Change> {
    let kind = Kind::of(&text(entry, "type"))?;
    let is_managed = ["", "managed"].contains(&text(entry, "mode").as_str());
    if !is_managed || !is_ours(entry, "provider_name") {
        return None;
    }
    let read = read_change(kind, entry, configuration);
    *unreadable += usize::from(read.is_none());
    read
}

/// Reads a change; `None` if it cannot be read.
fn read_change(kind: Kind, entry: &Members<'_>, configuration: &Configuration) -> Option<Change> {
    let change = inner(entry, "change");
    let address: String = value(entry, "address")?;
    let actions: Vec<String> = value(&change, "actions")?;
    if !actions.iter().all(|action| ACTIONS.contains(&action.as_str())) {
        return None;
    }
    let deposed: Option<String> = value(entry, "deposed");
    let own_name = format!("{address} {}", deposed.as_deref().unwrap_or_default());
    let sets_resources = configuration.sets_resources(&address);
    // Without its block, a resource is forgotten because of a `removed` block. OpenTofu stores the
    // lifecycle as well, and names it.
    let is_lifecycle = text(entry, "action_reason").starts_with("forgot_because_lifecycle");
    Some(Change {
        deposed,
        kind,
        imports: change.get("importing").is_some_and(|importing| importing.get() != "null"),
        is_kept_by_lifecycle: is_lifecycle || sets_resources.is_some(),
        before: side(kind, &change, "before")?,
        after: side(kind, &change, "after")?,
        place: configuration.place(&address, &own_name),
        sets_resources,
        actions,
        address,
    })
}

/// Reads the object on a side of a change, if there is one; `None` if its name or its set cannot be
/// read.
fn side(kind: Kind, change: &Members<'_>, side: &str) -> Option<Option<Object>> {
    let json = |member: &str| change.get(member).map_or("null", |raw| raw.get());
    let marks = |mark: &str| serde_json::from_str(json(&format!("{side}_{mark}"))).ok();
    let Some(values) = serde_json::from_str(json(side)).ok()? else { return Some(None) };
    let object = Object { values, unknown: marks("unknown")?, sensitive: marks("sensitive")? };
    let (parts, set) = kind.attributes();
    let is_named = |part: &&str| object.text(part).is_some() || object.is_unknown(part);
    let is_set = |set: &str| match object.value(set) {
        Value::Null => true,
        Value::Array(elements) => elements.iter().all(|it| it.is_string() || it.is_null()),
        _ => false,
    };
    (parts.iter().all(is_named) && set.is_none_or(is_set)).then_some(Some(object))
}

/// Owners that an integration has, as a state or a data source shows them.
pub(super) struct Present {
    pub(super) address: String,
    pub(super) place: Place,
    pub(super) integration: String,
    /// Principals that are not sensitive.
    pub(super) principals: Vec<String>,
    /// Whether these are all owners, and not one of them.
    pub(super) are_all: bool,
    pub(super) is_data_source: bool,
}

/// Reads the owners in the prior state of a plan, which contains data sources as well. What cannot
/// be read is passed over: it changes nothing.
fn present(document: &Members<'_>, configuration: &Configuration) -> Vec<Present> {
    let mut present = Vec::new();
    let values = inner(&inner(document, "prior_state"), "values");
    let mut modules = vec![inner(&values, "root_module")];
    while let Some(module) = modules.pop() {
        let resources = elements(&module, "resources").unwrap_or_default();
        present.extend(resources.iter().filter_map(|it| present_owners(it, configuration)));
        modules.extend(elements(&module, "child_modules").unwrap_or_default());
    }
    present
}

/// Returns whether a mark of a value, or of anything in it, is set.
fn contains_mark(mark: &Value) -> bool {
    match mark {
        Value::Bool(is_marked) => *is_marked,
        Value::Array(marks) => marks.iter().any(contains_mark),
        Value::Object(marks) => marks.values().any(contains_mark),
        Value::Null | Value::Number(_) | Value::String(_) => false,
    }
}

/// Reads the owners that one resource or data source shows; `None` for any other, and if it cannot
/// be read.
fn present_owners(resource: &Members<'_>, configuration: &Configuration) -> Option<Present> {
    let kind = Kind::of(&text(resource, "type")).filter(|kind| kind.is_of_owners())?;
    if !is_ours(resource, "provider_name") {
        return None;
    }
    let address = text(resource, "address");
    let values: Value = value(resource, "values")?;
    let sensitive: Value = value(resource, "sensitive_values").unwrap_or_default();
    let is_sensitive = |name: &str| contains_mark(&sensitive[name]);
    let integration = values["integration"].as_str().filter(|_| !is_sensitive("integration"))?;
    let principal = |it: &Value| it.as_str().or_else(|| it["owner"].as_str()).map(str::to_owned);
    let found: Vec<_> = match kind {
        Kind::Owners if !is_sensitive("owners") => values["owners"].as_array()?.iter().collect(),
        Kind::Owner if !is_sensitive("owner") => vec![&values["owner"]],
        _ => Vec::new(),
    };
    Some(Present {
        place: configuration.place(&address, &address),
        address,
        integration: integration.to_owned(),
        principals: found.into_iter().filter_map(principal).collect(),
        are_all: kind == Kind::Owners,
        is_data_source: text(resource, "mode") == "data",
    })
}
