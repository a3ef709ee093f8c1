//! The objects on the two sides of a change: their attributes, and what the plan marks as unknown
//! or sensitive.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::entries::{AttributeChange, Name};
use crate::members::{Members, value};

/// What is shown in place of values.
pub(crate) const SENSITIVE: &str = "(sensitive)";
pub(crate) const UNKNOWN: &str = "(known after apply)";

/// The attributes of roles that the report reads, in the order in which it shows them. Without `id`
/// and `name`, which follow from the others.
const ROLE: &[(&str, Type)] = &[
    ("listing", Type::Text),
    ("role", Type::Text),
    ("display_name", Type::Text),
    ("description", Type::Text),
    ("priority", Type::Integer),
    ("resources", Type::Set),
    ("adopt_existing", Type::Flag),
    ("management", Type::Text),
    ("manager", Type::Text),
    ("repo_uri", Type::Text),
    ("repo_dir", Type::Text),
    ("create_time", Type::Text),
    ("update_time", Type::Text),
];

/// The attributes of single owners.
const OWNER: &[(&str, Type)] = &[
    ("integration", Type::Text),
    ("owner", Type::Text),
    ("integration_owner_id", Type::Text),
    ("adopt_existing", Type::Flag),
    ("create_time", Type::Text),
    ("update_time", Type::Text),
];

/// The attributes of lists of owners.
const OWNERS: &[(&str, Type)] = &[("integration", Type::Text), ("owners", Type::Set)];

/// The texts and the order that people see who request a role.
pub(crate) const TEXTS: [&str; 3] = ["display_name", "description", "priority"];

#[derive(Clone, Copy)]
enum Type {
    Text,
    Integer,
    Flag,
    Set,
}

/// The resources of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Role,
    Owner,
    /// All owners of an integration.
    Owners,
}

impl Kind {
    /// Returns the kind of a resource type; `None` for types of other providers.
    pub(crate) fn of(resource_type: &str) -> Option<Self> {
        match resource_type {
            "access_listing_role" => Some(Self::Role),
            "access_integration_owner" => Some(Self::Owner),
            "access_integration_owners" => Some(Self::Owners),
            _ => None,
        }
    }

    fn attributes(self) -> &'static [(&'static str, Type)] {
        match self {
            Self::Role => ROLE,
            Self::Owner => OWNER,
            Self::Owners => OWNERS,
        }
    }

    /// Returns the attributes that name an object.
    pub(crate) fn name(self) -> &'static [&'static str] {
        match self {
            Self::Role => &["listing", "role"],
            Self::Owner => &["integration", "owner"],
            Self::Owners => &["integration"],
        }
    }

    /// Returns the set that an object consists of.
    pub(crate) fn set(self) -> Option<&'static str> {
        match self {
            Self::Role => Some("resources"),
            Self::Owner => None,
            Self::Owners => Some("owners"),
        }
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    Integer(i64),
    Flag(bool),
    Set(Set),
    Unknown,
}

/// The known elements of a set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Set {
    elements: BTreeSet<String>,
    /// Whether some elements are known only after apply.
    pub(crate) has_unknown: bool,
    is_sensitive: bool,
}

impl Set {
    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns the elements as they may be shown.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.shown_if(|_| true)
    }

    /// Returns the elements that another set lacks, as they may be shown.
    pub(crate) fn without(&self, other: &Self) -> Vec<String> {
        self.shown_if(|element| !other.elements.contains(element))
    }

    /// Returns the elements of both sets, as they may be shown.
    pub(crate) fn shared(&self, other: &Self) -> Vec<String> {
        let is_sensitive = self.is_sensitive || other.is_sensitive;
        Self { is_sensitive, ..self.clone() }.shown_if(|element| other.elements.contains(element))
    }

    /// Returns the elements of either set.
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self {
            elements: &self.elements | &other.elements,
            has_unknown: self.has_unknown || other.has_unknown,
            is_sensitive: self.is_sensitive || other.is_sensitive,
        }
    }

    fn shown_if(&self, is_shown: impl Fn(&String) -> bool) -> Vec<String> {
        let elements = self.elements.iter().filter(|element| is_shown(element));
        elements.map(|element| shown(element, self.is_sensitive)).collect()
    }
}

/// Returns a text as it may be shown.
fn shown(text: &str, is_sensitive: bool) -> String {
    if is_sensitive { SENSITIVE } else { text }.to_owned()
}

/// An object, as the plan has it on one side of a change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    kind: Kind,
    /// Without those that are null.
    values: BTreeMap<&'static str, Value>,
    sensitive: BTreeSet<&'static str>,
}

impl Object {
    /// Reads one side of a change, `before` or `after`; `None` if there is no object, or if its
    /// values are not of our types.
    pub(crate) fn read(kind: Kind, change: &Members<'_>, side: &str) -> Option<Self> {
        let members: Members<'_> = value(change, side)?;
        let unknown = marks(change, &format!("{side}_unknown"))?;
        let sensitive = marks(change, &format!("{side}_sensitive"))?;
        let mut object = Self { kind, values: BTreeMap::new(), sensitive: BTreeSet::new() };
        for &(name, attribute_type) in kind.attributes() {
            let is_unknown = is_marked(&unknown, name);
            if let Some(value) = read_value(attribute_type, &members, name, is_unknown)? {
                object.values.insert(name, value);
            }
            if is_marked(&sensitive, name) {
                object.sensitive.insert(name);
            }
        }
        let has_name = kind.name().iter().all(|part| object.values.contains_key(part));
        has_name.then_some(object)
    }

    /// Returns an object of which nothing is known: the host has deferred even its name.
    pub(crate) fn unknown(kind: Kind) -> Self {
        let values = kind.name().iter().map(|part| (*part, Value::Unknown)).collect();
        Self { kind, values, sensitive: BTreeSet::new() }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn is_unknown(&self, name: &str) -> bool {
        self.values.get(name) == Some(&Value::Unknown)
    }

    /// Returns whether an attribute is known, and true.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.values.get(name) == Some(&Value::Flag(true))
    }

    /// Returns whether another object surely has the name of this one, which is known.
    pub(crate) fn has_name_of(&self, other: &Self) -> bool {
        let mut parts = self.kind.name().iter();
        parts.all(|part| self.values.get(part) == other.values.get(part))
    }

    /// Returns the name as it may be shown.
    pub(crate) fn name(&self) -> Name {
        let part = |name| self.text(name).unwrap_or_default();
        match self.kind {
            Kind::Role => {
                Name::Role { role: format!("listings/{}/roles/{}", part("listing"), part("role")) }
            }
            Kind::Owner => {
                Name::Owner { integration: part("integration"), principal: Some(part("owner")) }
            }
            Kind::Owners => Name::Owner { integration: part("integration"), principal: None },
        }
    }

    /// Returns an attribute as text that may be shown; `None` if it is null.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match self.shown(name) {
            Json::Null => None,
            Json::String(text) => Some(text),
            other => Some(other.to_string()),
        }
    }

    /// Returns the set that the object consists of; `None` if the plan does not have it.
    pub(crate) fn set(&self) -> Option<Set> {
        let name = self.kind.set()?;
        match self.values.get(name) {
            Some(Value::Set(set)) => {
                Some(Set { is_sensitive: self.sensitive.contains(name), ..set.clone() })
            }
            _ => None,
        }
    }

    /// Returns the attributes that another object has otherwise.
    pub(crate) fn changes(&self, after: &Self) -> Vec<AttributeChange> {
        let names = self.kind.attributes().iter().map(|(name, _)| *name);
        let changed = names.filter(|name| self.values.get(name) != after.values.get(name));
        changed.map(|name| self.change(after, name)).collect()
    }

    /// Returns the texts of a new role.
    pub(crate) fn texts(&self) -> Vec<AttributeChange> {
        let texts = ["display_name", "description"].into_iter();
        let texts =
            texts.map(|name| AttributeChange { name, before: Json::Null, after: self.shown(name) });
        texts.filter(|text| !text.after.is_null()).collect()
    }

    /// Returns an attribute of this object and of another one. Of two sets, only the differences
    /// are shown.
    fn change(&self, after: &Self, name: &'static str) -> AttributeChange {
        let sets = (self.kind.set() == Some(name)).then(|| {
            let [before, after] = [self, after].map(|object| object.set().unwrap_or_default());
            (before.without(&after).into(), after.without(&before).into())
        });
        let (before, after) = sets.unwrap_or_else(|| (self.shown(name), after.shown(name)));
        AttributeChange { name, before, after }
    }

    /// Returns the value of an attribute as it may be shown, whether or not it is null.
    fn shown(&self, name: &str) -> Json {
        match self.values.get(name) {
            Some(Value::Unknown) => UNKNOWN.into(),
            _ if self.sensitive.contains(name) => SENSITIVE.into(),
            None => Json::Null,
            Some(Value::Text(text)) => text.as_str().into(),
            Some(Value::Integer(number)) => (*number).into(),
            Some(Value::Flag(flag)) => (*flag).into(),
            Some(Value::Set(set)) => set.shown().into(),
        }
    }
}

/// Reads the value of an attribute: `None` if it has another type, and `Some(None)` if it is null
/// or an empty text, which are the same.
fn read_value(
    attribute_type: Type,
    members: &Members<'_>,
    name: &str,
    is_unknown: bool,
) -> Option<Option<Value>> {
    let is_null = members.get(name).is_none_or(|raw| matches!(raw.get(), "null" | "\"\""));
    if is_null {
        return Some(is_unknown.then_some(Value::Unknown));
    }
    Some(Some(match attribute_type {
        Type::Text => Value::Text(value(members, name)?),
        Type::Integer => Value::Integer(value(members, name)?),
        Type::Flag => Value::Flag(value(members, name)?),
        Type::Set => Value::Set(read_set(value(members, name)?, is_unknown)),
    }))
}

/// Returns a set of which the plan may mark elements as unknown; those are null.
fn read_set(elements: Vec<Option<String>>, is_unknown: bool) -> Set {
    let has_unknown = is_unknown || elements.contains(&None);
    Set { elements: elements.into_iter().flatten().collect(), has_unknown, is_sensitive: false }
}

/// Returns what a plan marks: everything (`true`), or attributes and elements of them. Nothing is
/// marked if the member is missing.
fn marks(change: &Members<'_>, name: &str) -> Option<Json> {
    serde_json::from_str(change.get(name).map_or("null", |raw| raw.get())).ok()
}

/// Returns whether an attribute, or an element of it, is marked.
fn is_marked(marks: &Json, name: &str) -> bool {
    *marks == true || marks.get(name).is_some_and(contains_mark)
}

/// Returns whether a mark of a value, or of anything in it, is set.
fn contains_mark(mark: &Json) -> bool {
    match mark {
        Json::Bool(is_marked) => *is_marked,
        Json::Array(marks) => marks.iter().any(contains_mark),
        Json::Object(marks) => marks.values().any(contains_mark),
        Json::Null | Json::Number(_) | Json::String(_) => false,
    }
}
