//! Reads the JSON of a plan (`terraform show -json`) into the changes of this provider's resources.
//!
//! A value is parsed where it is needed, and values of other providers never are: they may be nested more
//! deeply, and contain larger numbers, than serde_json accepts. `RawValue` only finds their end.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

type Members<'a> = HashMap<String, &'a RawValue>;

/// What a plan contains of this provider.
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    pub(super) drift: Vec<Change>,
    /// Changes that the host has put off, each with its reason.
    pub(super) deferred: Vec<(Change, String)>,
    /// The number of resources whose values are not of this provider's types.
    pub(super) unreadable: usize,
    pub(super) configuration: Configuration,
    pub(super) errored: bool,
    pub(super) incomplete: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Role,
    Owner,
    Owners,
}

impl Kind {
    fn of(resource_type: &str) -> Option<Self> {
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
    pub(super) kind: Kind,
    actions: Vec<String>,
    pub(super) imports: bool,
    pub(super) before: Option<Object>,
    pub(super) after: Option<Object>,
    /// The expression of `base_url`: objects of the same name in two regions are two objects.
    pub(super) scope: String,
    /// Whether the configuration sets `resources`; `None` if the plan does not contain the block.
    pub(super) sets_resources: Option<bool>,
}

impl Change {
    pub(super) fn has(&self, action: &str) -> bool {
        self.actions.iter().any(|planned| planned == action)
    }

    /// Returns whether this is a create that may adopt an object, as `adopt_existing` allows.
    pub(super) fn may_adopt(&self) -> bool {
        let may_adopt = |new: &Object| new.is("adopt_existing", true);
        self.has("create") && self.after.as_ref().is_some_and(may_adopt)
    }

    /// Returns whether this creates an object before it destroys another.
    pub(super) fn creates_first(&self) -> bool {
        self.actions.first().is_some_and(|first| first == "create")
    }
}

const SENSITIVE: &str = "(sensitive)";
pub(super) const UNKNOWN: &str = "(known after apply)";

/// The elements of a set, each as it is and as it may be shown.
pub(super) type Elements<'a> = BTreeMap<&'a str, &'a str>;

/// The attributes of an object by name, and what a plan marks: everything (`true`), or attributes and
/// elements of them.
pub(super) struct Object {
    values: HashMap<String, Value>,
    unknown: Value,
    sensitive: Value,
}

impl Object {
    /// Returns the value of an attribute; null if it is unknown, or if the object lacks it. Unknown elements of
    /// a set are null.
    pub(super) fn value(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or(&Value::Null)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.value(name).as_str()
    }

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

    fn is_marked(&self, marks: &Value, name: &str) -> bool {
        // A mark of everything is none of an attribute that the object does not have.
        let is_there = self.values.contains_key(name) || self.unknown.get(name).is_some();
        let contains_mark = |mark: &Value| mark.to_string().contains("true");
        is_there && (*marks == true || marks.get(name).is_some_and(contains_mark))
    }

    pub(super) fn shown(&self, name: &str) -> Value {
        if self.is_marked(&self.sensitive, name) {
            SENSITIVE.into()
        } else if self.is_wholly_unknown(name) {
            UNKNOWN.into()
        } else {
            self.value(name).clone()
        }
    }

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

/// Returns a member; `None` if it is missing or has another type.
fn value<'a, T: Deserialize<'a>>(members: &Members<'a>, name: &str) -> Option<T> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

fn text(members: &Members<'_>, name: &str) -> String {
    value(members, name).unwrap_or_default()
}

/// Returns the members of a member; none if it is missing or no object.
fn inner<'a>(members: &Members<'a>, name: &str) -> Members<'a> {
    value(members, name).unwrap_or_default()
}

/// Returns the elements of a list; none if the member is missing or null.
fn elements<'a>(members: &Members<'a>, name: &str) -> Result<Vec<Members<'a>>, String> {
    let list = members.get(name).map_or(Ok(None), |list| serde_json::from_str(list.get()));
    let list: Option<Vec<Members<'a>>> = list.map_err(|error| invalid(&error))?;
    Ok(list.unwrap_or_default())
}

fn invalid(error: &serde_json::Error) -> String {
    match error.is_eof() {
        true => "is not complete, or empty".to_owned(),
        false => format!("is not a plan in JSON: {error}"),
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
    let mut change = |entry: &Members<'_>| configuration.change(entry, &mut unreadable);
    let changes = elements(&document, "resource_changes")?.iter().filter_map(&mut change).collect();
    let drift = elements(&document, "resource_drift")?.iter().filter_map(&mut change).collect();
    let deferred = elements(&document, "deferred_changes")?;
    let mut deferred_change =
        |it| Some((change(&inner(it, "resource_change"))?, text(it, "reason")));
    let deferred = deferred.iter().filter_map(&mut deferred_change).collect();
    Ok(Plan {
        changes,
        drift,
        deferred,
        unreadable,
        configuration,
        errored: value(&document, "errored") == Some(true),
        incomplete: value(&document, "complete") == Some(false),
    })
}

/// Returns whether a member names the provider, under whichever host and namespace.
fn is_ours(members: &Members<'_>, name: &str) -> bool {
    text(members, name).rsplit('/').next() == Some("access")
}

/// What the configuration in the plan says about resources.
#[derive(Default)]
pub(super) struct Configuration {
    /// By address without keys: `base_url` of the provider, and whether `resources` is set.
    resources: HashMap<String, (String, bool)>,
    /// The only `base_url` of all provider configurations, for resources without a block.
    scope: String,
    /// Whether every provider configuration has the constant `abandon`.
    pub(super) abandons: bool,
    /// Whether a provider configuration leaves the policy to the environment.
    pub(super) reads_environment: bool,
}

impl Configuration {
    fn read(configuration: &Members<'_>) -> Self {
        let mut found = Self::default();
        let providers = inner(configuration, "provider_config");
        let argument = |provider: &str, name: &str| {
            let expressions = inner(&inner(&providers, provider), "expressions");
            expressions.get(name).map(|expression| expression.get().to_owned())
        };
        let mut used = BTreeSet::new();
        // Addresses in a module are relative to it.
        let mut modules = vec![(String::new(), inner(configuration, "root_module"))];
        while let Some((prefix, module)) = modules.pop() {
            for block in elements(&module, "resources").unwrap_or_default() {
                let provider = text(&block, "provider_config_key");
                let address = prefix.clone() + &text(&block, "address");
                let scope = argument(&provider, "base_url").unwrap_or_default();
                found.resources.insert(address, (scope, sets_resources(&block)));
                used.insert(provider);
            }
            let calls = inner(&module, "module_calls");
            for name in calls.keys() {
                let module = inner(&inner(&calls, name), "module");
                modules.push((format!("{prefix}module.{name}."), module));
            }
        }
        // A plan lists the default configuration also where no block exists and nothing uses it.
        let is_configured = |name: &&String| {
            let provider = inner(&providers, name);
            is_ours(&provider, "full_name")
                && (provider.contains_key("expressions") || used.contains(*name))
        };
        let names: Vec<_> = providers.keys().filter(is_configured).collect();
        let all = |argument_name: &str| -> BTreeSet<_> {
            names.iter().map(|name| argument(name, argument_name)).collect()
        };
        let scopes = all("base_url");
        if scopes.len() == 1 {
            found.scope = scopes.into_iter().flatten().collect();
        }
        let policies = all("deletion_policy");
        found.reads_environment = policies.is_empty() || policies.contains(&None);
        let is_abandon = |policy: &String| {
            serde_json::from_str::<Value>(policy).is_ok_and(|it| it["constant_value"] == "abandon")
        };
        found.abandons = !found.reads_environment && policies.iter().flatten().all(is_abandon);
        found
    }

    /// Reads a change of one of our resources. Returns `None` for any other, and counts one whose values are
    /// not of our types.
    fn change(&self, entry: &Members<'_>, unreadable: &mut usize) -> Option<Change> {
        let kind = Kind::of(&text(entry, "type"))?;
        let is_managed = ["", "managed"].contains(&text(entry, "mode").as_str());
        if !is_managed || !is_ours(entry, "provider_name") {
            return None;
        }
        let change = inner(entry, "change");
        let (Some(address), Some(before), Some(after), Some(actions)) = (
            value::<String>(entry, "address"),
            side(kind, &change, "before"),
            side(kind, &change, "after"),
            value(&change, "actions"),
        ) else {
            *unreadable += 1;
            return None;
        };
        let block = self.resources.get(&without_keys(&address));
        Some(Change {
            address,
            kind,
            actions,
            imports: change.get("importing").is_some_and(|importing| importing.get() != "null"),
            before,
            after,
            scope: block.map_or(&self.scope, |(scope, _)| scope).clone(),
            sets_resources: block.map(|(_, sets)| *sets),
        })
    }
}

/// Returns whether a block sets `resources` to anything but a constant null. In a plan, a
/// function without references, such as `toset(["a"])`, has an expression without members.
fn sets_resources(block: &Members<'_>) -> bool {
    let expressions = inner(block, "expressions");
    let constant = inner(&expressions, "resources").remove("constant_value");
    expressions.contains_key("resources") && constant.is_none_or(|value| value.get() != "null")
}

/// Removes the instance keys from an address. A key may contain anything, also `].module.`.
fn without_keys(address: &str) -> String {
    let mut stripped = String::new();
    let (mut in_key, mut in_quotes) = (false, false);
    let mut characters = address.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if in_quotes => _ = characters.next(),
            '"' if in_key => in_quotes = !in_quotes,
            '[' if !in_key => in_key = true,
            ']' if in_key && !in_quotes => in_key = false,
            _ if in_key => {}
            _ => stripped.push(character),
        }
    }
    stripped
}

/// Reads the object on a side of a change, if there is one; `None` if its name cannot be read.
fn side(kind: Kind, change: &Members<'_>, side: &str) -> Option<Option<Object>> {
    let json = |member: &str| change.get(member).map_or("null", |raw| raw.get());
    let marks = |mark: &str| serde_json::from_str(json(&format!("{side}_{mark}"))).ok();
    let Some(values) = serde_json::from_str(json(side)).ok()? else { return Some(None) };
    let object = Object { values, unknown: marks("unknown")?, sensitive: marks("sensitive")? };
    let is_named = |part: &&str| object.text(part).is_some() || object.is_unknown(part);
    kind.attributes().0.iter().all(is_named).then_some(Some(object))
}
