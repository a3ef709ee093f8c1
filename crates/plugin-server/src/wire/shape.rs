//! The types of values, which are derived from a schema.

use std::fmt::Display;

use serde_json::Value as Json;

/// The nesting depth beyond which a value that does not fit its type is not skipped, so that it
/// cannot exhaust the stack. Terraform's values are far below this limit.
pub(super) const MAX_DEPTH: usize = 256;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    String,
    Number,
    Bool,
    List(Box<Self>),
    Set(Box<Self>),
    Map(Box<Self>),
    Object(ObjectShape),
}

/// The members of an object, sorted by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ObjectShape {
    pub(crate) fields: Vec<Field>,
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) role: Role,
}

/// The role of a member in the schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// A member of an object type, without rules of its own.
    Member,
    /// An attribute.
    Attribute { optional: bool, computed: bool, required: bool },
}

impl Role {
    /// Returns whether only the provider sets the attribute.
    pub(crate) fn is_read_only(self) -> bool {
        matches!(self, Self::Attribute { computed: true, optional: false, .. })
    }

    /// Returns whether the configuration has to set the attribute.
    pub(super) fn is_required(self) -> bool {
        matches!(self, Self::Attribute { required: true, .. })
    }
}

impl ObjectShape {
    pub(crate) fn new(mut fields: Vec<Field>) -> Self {
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Self { fields }
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(self.position(name)?)
    }
}

impl Type {
    /// Returns the type of an attribute, which tf-provider writes in the form of hosts. `None` for
    /// one that is not served: a tuple, and one with values of any type.
    pub(crate) fn of(ty: &impl Display) -> Option<Self> {
        Self::parse(ty.to_string().as_bytes())
    }

    /// Parses the type of an attribute, such as `["list","string"]`.
    pub(crate) fn parse(json: &[u8]) -> Option<Self> {
        Self::build(&serde_json::from_slice(json).ok()?)
    }

    fn build(json: &Json) -> Option<Self> {
        if let Json::String(name) = json {
            return match name.as_str() {
                "string" => Some(Self::String),
                "number" => Some(Self::Number),
                "bool" => Some(Self::Bool),
                _ => None,
            };
        }
        let [kind, argument] = &json.as_array()?[..] else { return None };
        match kind.as_str()? {
            "list" => Some(Self::List(Box::new(Self::build(argument)?))),
            "set" => Some(Self::Set(Box::new(Self::build(argument)?))),
            "map" => Some(Self::Map(Box::new(Self::build(argument)?))),
            "object" => {
                let fields = argument.as_object()?.iter().map(|(name, ty)| {
                    Some(Field { name: name.clone(), ty: Self::build(ty)?, role: Role::Member })
                });
                Some(Self::Object(ObjectShape::new(fields.collect::<Option<_>>()?)))
            }
            _ => None,
        }
    }

    /// Returns the type as JSON, as schemas contain it.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::String => Json::from("string"),
            Self::Number => Json::from("number"),
            Self::Bool => Json::from("bool"),
            Self::List(element) => Json::from(vec![Json::from("list"), element.to_json()]),
            Self::Set(element) => Json::from(vec![Json::from("set"), element.to_json()]),
            Self::Map(element) => Json::from(vec![Json::from("map"), element.to_json()]),
            Self::Object(shape) => Json::from(vec![
                Json::from("object"),
                shape
                    .fields
                    .iter()
                    .map(|field| (field.name.clone(), field.ty.to_json()))
                    .collect::<serde_json::Map<_, _>>()
                    .into(),
            ]),
        }
    }

    /// Returns the type of a collection's elements.
    pub(crate) fn element(&self) -> Option<&Self> {
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => Some(element),
            _ => None,
        }
    }

    /// Returns the shape of this object, or of the objects in this collection.
    #[cfg(feature = "testkit")]
    pub(crate) fn object(&self) -> Option<&ObjectShape> {
        match self.element().unwrap_or(self) {
            Self::Object(shape) => Some(shape),
            _ => None,
        }
    }

    /// Returns the name of the type with its article, for errors.
    pub(crate) fn description(&self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map",
            Self::Object(_) => "an object",
        }
    }
}
