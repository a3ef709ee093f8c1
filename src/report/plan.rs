//! Reads the JSON of a plan (`terraform show -json`) into the changes of this provider's resources.
//!
//! Values of other providers are never parsed. They may be nested more deeply, and contain larger
//! numbers, than serde_json accepts by default: `RawValue` only finds their end.

use std::collections::{BTreeSet, HashMap};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

type Raws<'a> = HashMap<String, &'a RawValue>;

/// What a plan contains of this provider.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    pub(super) drift: Vec<Change>,
    /// Changes that the host has put off, each with its reason.
    pub(super) deferred: Vec<(Change, String)>,
    /// Addresses of resources whose values do not have this provider's types.
    pub(super) unreadable: Vec<String>,
    pub(super) policy: Policy,
    pub(super) errored: bool,
    pub(super) incomplete: bool,
}

/// The `deletion_policy` of the provider configurations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Policy {
    /// The environment decides, which a plan does not contain.
    #[default]
    Unset,
    /// All configurations have the constant `abandon`.
    Abandon,
    /// Anything else.
    Set,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Role,
    Owner,
    Owners,
}

/// A change, or drift, of one resource instance or deposed object.
pub(super) struct Change {
    pub(super) address: String,
    pub(super) kind: Kind,
    pub(super) actions: Vec<String>,
    pub(super) imports: bool,
    pub(super) before: Option<Object>,
    pub(super) after: Option<Object>,
    /// The expression of `base_url`: objects of one name in two regions are two objects.
    pub(super) scope: String,
    /// Whether the configuration sets `resources`; `None` if the plan does not contain the block.
    pub(super) sets_resources: Option<bool>,
}

impl Change {
    pub(super) fn has(&self, action: &str) -> bool {
        self.actions.iter().any(|planned| planned == action)
    }
}

/// The attributes of an object, by name.
#[derive(Default)]
pub(super) struct Object(HashMap<&'static str, Attribute>);

#[derive(Default)]
pub(super) struct Attribute {
    pub(super) value: Value,
    /// Whether the value, or an element of it, is known only after apply.
    pub(super) unknown: bool,
    pub(super) sensitive: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Value {
    #[default]
    Null,
    Flag(bool),
    Number(i64),
    Text(String),
    /// Unknown elements are missing.
    Set(BTreeSet<String>),
}

/// The attributes that are read.
const ATTRIBUTES: [&str; 18] = [
    "listing",
    "role",
    "display_name",
    "description",
    "priority",
    "resources",
    "integration",
    "owner",
    "owners",
    "allow_missing",
    "adopt_existing",
    "deletion_policy",
    "management",
    "manager",
    "repo_uri",
    "repo_dir",
    "create_time",
    "update_time",
];

impl Object {
    /// Returns an attribute; null if the object lacks it.
    pub(super) fn get(&self, name: &str) -> &Attribute {
        static NULL: Attribute = Attribute { value: Value::Null, unknown: false, sensitive: false };
        self.0.get(name).unwrap_or(&NULL)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match &self.get(name).value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the known elements of a set; `None` if there is no set, or all of it is unknown.
    pub(super) fn set(&self, name: &str) -> Option<&BTreeSet<String>> {
        match &self.get(name).value {
            Value::Set(set) => Some(set),
            _ => None,
        }
    }

    pub(super) fn is(&self, name: &str, flag: bool) -> bool {
        self.get(name).value == Value::Flag(flag)
    }
}

/// The names of the attributes that name an object.
pub(super) fn name_parts(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Role => &["listing", "role"],
        Kind::Owner => &["integration", "owner"],
        Kind::Owners => &["integration"],
    }
}

#[derive(Deserialize)]
struct Document<'a> {
    format_version: Option<String>,
    planned_values: Option<IgnoredAny>,
    #[serde(borrow)]
    resource_changes: Option<Vec<Entry<'a>>>,
    #[serde(borrow)]
    resource_drift: Option<Vec<Entry<'a>>>,
    #[serde(borrow)]
    deferred_changes: Option<Vec<Deferred<'a>>>,
    #[serde(borrow)]
    configuration: Option<Configuration<'a>>,
    errored: Option<bool>,
    complete: Option<bool>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    address: String,
    mode: Option<String>,
    r#type: String,
    provider_name: Option<String>,
    #[serde(borrow)]
    change: &'a RawValue,
}

#[derive(Deserialize)]
struct Deferred<'a> {
    reason: Option<String>,
    #[serde(borrow)]
    resource_change: Entry<'a>,
}

#[derive(Deserialize)]
struct Transition<'a> {
    actions: Vec<String>,
    #[serde(borrow)]
    before: Option<Raws<'a>>,
    #[serde(borrow)]
    after: Option<Raws<'a>>,
    #[serde(borrow)]
    after_unknown: Option<&'a RawValue>,
    #[serde(borrow)]
    before_sensitive: Option<&'a RawValue>,
    #[serde(borrow)]
    after_sensitive: Option<&'a RawValue>,
    importing: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Configuration<'a> {
    #[serde(borrow)]
    provider_config: Option<HashMap<String, ProviderBlock<'a>>>,
    #[serde(borrow)]
    root_module: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ProviderBlock<'a> {
    full_name: Option<String>,
    #[serde(borrow)]
    expressions: Option<Raws<'a>>,
}

#[derive(Deserialize)]
struct Module<'a> {
    #[serde(borrow)]
    resources: Option<Vec<ResourceBlock<'a>>>,
    #[serde(borrow)]
    module_calls: Option<HashMap<String, ModuleCall<'a>>>,
}

#[derive(Deserialize)]
struct ResourceBlock<'a> {
    address: String,
    provider_config_key: Option<String>,
    #[serde(borrow)]
    expressions: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ModuleCall<'a> {
    #[serde(borrow)]
    module: Option<&'a RawValue>,
}

/// Reads a plan.
///
/// # Errors
///
/// What is wrong with the text, as the end of a sentence that begins with "The input".
pub(super) fn read(text: &str) -> Result<Plan, String> {
    let document: Document<'_> = serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            "is not complete, or empty".to_owned()
        } else {
            format!("is not a plan in JSON: {error}")
        }
    })?;
    let Some(version) = &document.format_version else {
        return Err("is JSON, but not a plan of `show -json`: it has no format_version".to_owned());
    };
    if !["0", "1"].contains(&version.split('.').next().unwrap_or_default()) {
        return Err(format!("has the format_version {version:?}; this version reads 1.x"));
    }
    let is_plan = document.planned_values.is_some()
        || document.resource_changes.is_some()
        || document.resource_drift.is_some();
    if !is_plan {
        return Err("is JSON, but not of a plan: perhaps of a state".to_owned());
    }
    let blocks = Blocks::read(document.configuration.as_ref());
    let mut plan = Plan {
        policy: blocks.policy,
        errored: document.errored == Some(true),
        incomplete: document.complete == Some(false),
        ..Plan::default()
    };
    for entry in document.resource_changes.unwrap_or_default() {
        let change = blocks.change(&entry, &mut plan.unreadable);
        plan.changes.extend(change);
    }
    for entry in document.resource_drift.unwrap_or_default() {
        let change = blocks.change(&entry, &mut plan.unreadable);
        plan.drift.extend(change);
    }
    for Deferred { reason, resource_change } in document.deferred_changes.unwrap_or_default() {
        let change = blocks.change(&resource_change, &mut plan.unreadable);
        plan.deferred.extend(change.map(|change| (change, reason.unwrap_or_default())));
    }
    Ok(plan)
}

/// Returns whether this is the provider, under whichever host and namespace.
fn is_ours(full_name: Option<&str>) -> bool {
    full_name.is_some_and(|name| name.rsplit('/').next() == Some("access"))
}

/// What the configuration in the plan says about resources.
#[derive(Default)]
struct Blocks {
    /// `base_url` of the provider configuration, and whether `resources` is set, by address without keys.
    resources: HashMap<String, (String, bool)>,
    /// The only `base_url` of all provider configurations, for resources without a block.
    scope: String,
    policy: Policy,
}

impl Blocks {
    fn read(configuration: Option<&Configuration<'_>>) -> Self {
        let Some(configuration) = configuration else { return Self::default() };
        let mut found = Self::default();
        let empty = HashMap::new();
        let providers = configuration.provider_config.as_ref().unwrap_or(&empty);
        let argument = |key: &str, name: &str| {
            let raw = providers.get(key)?.expressions.as_ref()?.get(name)?;
            Some(raw.get().to_owned())
        };
        let mut used = BTreeSet::new();
        // An address in a module is relative to it. Modules are read one by one, not recursively.
        let mut modules: Vec<(String, &RawValue)> =
            configuration.root_module.map(|root| (String::new(), root)).into_iter().collect();
        while let Some((prefix, module)) = modules.pop() {
            let Ok(module) = serde_json::from_str::<Module<'_>>(module.get()) else { continue };
            for block in module.resources.unwrap_or_default() {
                let key = block.provider_config_key.unwrap_or_default();
                let scope = argument(&key, "base_url").unwrap_or_default();
                let sets_resources = block.expressions.is_some_and(sets_resources);
                found.resources.insert(prefix.clone() + &block.address, (scope, sets_resources));
                used.insert(key);
            }
            for (name, call) in module.module_calls.unwrap_or_default() {
                modules
                    .extend(call.module.map(|module| (format!("{prefix}module.{name}."), module)));
            }
        }
        // The plan lists the default configuration also if no block exists and nothing uses it.
        let ours = providers.iter().filter(|(key, block)| {
            is_ours(block.full_name.as_deref())
                && (block.expressions.is_some() || used.contains(*key))
        });
        let keys: Vec<_> = ours.map(|(key, _)| key).collect();
        let all = |name: &str| keys.iter().map(|key| argument(key, name)).collect::<BTreeSet<_>>();
        let scopes = all("base_url");
        if scopes.len() == 1 {
            found.scope = scopes.into_iter().flatten().next().unwrap_or_default();
        }
        let policies = all("deletion_policy");
        let is_abandon = |policy: &Option<String>| {
            policy.as_deref().and_then(constant).as_deref() == Some("\"abandon\"")
        };
        found.policy = if policies.is_empty() || policies.contains(&None) {
            Policy::Unset
        } else if policies.iter().all(is_abandon) {
            Policy::Abandon
        } else {
            Policy::Set
        };
        found
    }

    /// Reads a change of one of our resources. Returns `None` for any other, and notes an address whose
    /// values are not of our types.
    fn change(&self, entry: &Entry<'_>, unreadable: &mut Vec<String>) -> Option<Change> {
        let kind = match entry.r#type.as_str() {
            "access_listing_role" => Kind::Role,
            "access_integration_owner" => Kind::Owner,
            "access_integration_owners" => Kind::Owners,
            _ => return None,
        };
        let is_managed = entry.mode.as_deref().is_none_or(|mode| mode == "managed");
        if !is_managed || !is_ours(entry.provider_name.as_deref()) {
            return None;
        }
        let change = self.transition(entry, kind);
        if change.is_none() {
            unreadable.push(entry.address.clone());
        }
        change
    }

    fn transition(&self, entry: &Entry<'_>, kind: Kind) -> Option<Change> {
        let transition: Transition<'_> = serde_json::from_str(entry.change.get()).ok()?;
        let object = |values: Option<Raws<'_>>, unknown, sensitive| match values {
            Some(values) => {
                object(kind, &values, &Marks::read(unknown), &Marks::read(sensitive)).map(Some)
            }
            None => Some(None),
        };
        let block = self.resources.get(&without_keys(&entry.address));
        Some(Change {
            address: entry.address.clone(),
            kind,
            imports: transition.importing.is_some(),
            before: object(transition.before, None, transition.before_sensitive)?,
            after: object(transition.after, transition.after_unknown, transition.after_sensitive)?,
            actions: transition.actions,
            scope: block.map_or_else(|| self.scope.clone(), |(scope, _)| scope.clone()),
            sets_resources: block.map(|(_, sets)| *sets),
        })
    }
}

/// Returns the JSON of a constant expression.
fn constant(expression: &str) -> Option<String> {
    let members: Raws<'_> = serde_json::from_str(expression).ok()?;
    members.get("constant_value").map(|value| value.get().to_owned())
}

/// Returns whether the expressions of a resource set `resources` to anything but null.
fn sets_resources(expressions: &RawValue) -> bool {
    let expressions: Raws<'_> = serde_json::from_str(expressions.get()).unwrap_or_default();
    let Some(expression) = expressions.get("resources") else { return false };
    let members: Raws<'_> = serde_json::from_str(expression.get()).unwrap_or_default();
    members.get("constant_value").map_or(!members.is_empty(), |value| value.get() != "null")
}

/// Removes the instance keys from an address. A key may contain anything, also `].module.`.
fn without_keys(address: &str) -> String {
    let mut stripped = String::new();
    let mut characters = address.chars();
    while let Some(character) = characters.next() {
        if character != '[' {
            stripped.push(character);
            continue;
        }
        let mut in_quotes = false;
        while let Some(character) = characters.next() {
            match character {
                '\\' if in_quotes => _ = characters.next(),
                '"' => in_quotes = !in_quotes,
                ']' if !in_quotes => break,
                _ => {}
            }
        }
    }
    stripped
}

/// What a plan marks: everything, or attributes and elements.
struct Marks<'a> {
    everything: bool,
    attributes: Raws<'a>,
}

impl<'a> Marks<'a> {
    fn read(raw: Option<&'a RawValue>) -> Self {
        let text = raw.map_or("false", RawValue::get);
        // `false` is no object, and marks nothing.
        Self {
            everything: text == "true",
            attributes: serde_json::from_str(text).unwrap_or_default(),
        }
    }

    /// Returns whether the attribute, or an element of it, is marked.
    fn contain(&self, name: &str) -> bool {
        let marks = self.attributes.get(name).map_or("", |marks| marks.get());
        self.everything || marks.contains("true")
    }
}

/// Reads an object; `None` if a value does not have the attribute's type, or a part of the name is
/// missing.
fn object(kind: Kind, raws: &Raws<'_>, unknown: &Marks<'_>, hidden: &Marks<'_>) -> Option<Object> {
    let mut object = Object::default();
    for name in ATTRIBUTES {
        let attribute = Attribute {
            value: raws.get(name).map_or(Some(Value::Null), |raw| value(name, raw.get()))?,
            unknown: unknown.contain(name),
            sensitive: hidden.contain(name),
        };
        object.0.insert(name, attribute);
    }
    let is_named = |part: &&str| object.text(part).is_some() || object.get(part).unknown;
    name_parts(kind).iter().all(is_named).then_some(object)
}

fn value(name: &str, json: &str) -> Option<Value> {
    if json == "null" {
        return Some(Value::Null);
    }
    Some(match name {
        "resources" | "owners" => {
            let elements: Vec<Option<String>> = serde_json::from_str(json).ok()?;
            Value::Set(elements.into_iter().flatten().collect())
        }
        "priority" => Value::Number(serde_json::from_str(json).ok()?),
        "allow_missing" | "adopt_existing" => Value::Flag(serde_json::from_str(json).ok()?),
        _ => Value::Text(serde_json::from_str(json).ok()?),
    })
}
