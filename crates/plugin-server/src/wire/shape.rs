//! The types of values, which are derived from a schema.

use std::fmt::Display;

use serde_json::Value as Json;

/// The nesting depth beyond which a value is not read, so that it cannot exhaust the stack.
///
/// Only dynamic values can nest deeper than their schema. Terraform's values are far below this
/// limit.
pub(super) const MAX_DEPTH: usize = 256;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    String,
    Number,
    Bool,
    /// A value that is sent with its own type.
    Dynamic,
    List(Box<Self>),
    Set(Box<Self>),
    Map(Box<Self>),
    Tuple(Vec<Self>),
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
    Attribute { optional: bool, computed: bool, required: bool, write_only: bool },
    /// A nested block.
    Block(Nesting),
}

impl Role {
    pub(crate) fn is_write_only(self) -> bool {
        matches!(self, Self::Attribute { write_only: true, .. })
    }

    /// Returns whether only the provider sets the attribute.
    pub(crate) fn is_read_only(self) -> bool {
        matches!(self, Self::Attribute { computed: true, optional: false, .. })
    }

    /// Returns whether the configuration has to set the attribute.
    pub(super) fn is_required(self) -> bool {
        matches!(self, Self::Attribute { required: true, .. })
    }

    /// Returns whether this is a block whose absence is an empty value instead of null.
    pub(super) fn is_never_null(self) -> bool {
        matches!(self, Self::Block(nesting) if nesting != Nesting::Single)
    }
}

/// How blocks of one name are nested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Nesting {
    Single,
    Group,
    List,
    /// A list of at most one block.
    Optional,
    Set,
    Map,
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

    /// Returns whether an attribute of the object, or inside it, is write-only.
    #[cfg(feature = "testkit")]
    pub(crate) fn has_write_only(&self) -> bool {
        self.fields.iter().any(|field| {
            field.role.is_write_only() || field.ty.object().is_some_and(Self::has_write_only)
        })
    }
}

impl Type {
    /// Returns the type of an attribute or of a parameter. tf-provider writes both in the form of hosts.
    pub(crate) fn of(ty: &impl Display) -> Self {
        Self::parse(ty.to_string().as_bytes()).unwrap_or(Self::Dynamic)
    }

    /// Parses the type of a dynamic value, such as `["list","string"]`.
    pub(crate) fn parse(json: &[u8]) -> Option<Self> {
        fn build(json: &Json, depth: usize) -> Option<Type> {
            if depth > MAX_DEPTH {
                return None;
            }
            match json {
                Json::String(name) => match name.as_str() {
                    "string" => Some(Type::String),
                    "number" => Some(Type::Number),
                    "bool" => Some(Type::Bool),
                    "dynamic" => Some(Type::Dynamic),
                    _ => None,
                },
                Json::Array(parts) => {
                    let (kind, argument) = (parts.first()?.as_str()?, parts.get(1)?);
                    let inner = |json| build(json, depth + 1);
                    match kind {
                        "list" => Some(Type::List(Box::new(inner(argument)?))),
                        "set" => Some(Type::Set(Box::new(inner(argument)?))),
                        "map" => Some(Type::Map(Box::new(inner(argument)?))),
                        "tuple" => argument
                            .as_array()?
                            .iter()
                            .map(inner)
                            .collect::<Option<_>>()
                            .map(Type::Tuple),
                        "object" => {
                            let fields = argument.as_object()?.iter().map(|(name, ty)| {
                                Some(Field {
                                    name: name.clone(),
                                    ty: inner(ty)?,
                                    role: Role::Member,
                                })
                            });
                            Some(Type::Object(ObjectShape::new(fields.collect::<Option<_>>()?)))
                        }
                        _ => None,
                    }
                }
                _ => None,
            }
        }
        build(&serde_json::from_slice(json).ok()?, 0)
    }

    /// Returns the type as JSON, as dynamic values and schemas contain it.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::String => Json::from("string"),
            Self::Number => Json::from("number"),
            Self::Bool => Json::from("bool"),
            Self::Dynamic => Json::from("dynamic"),
            Self::List(element) => Json::from(vec![Json::from("list"), element.to_json()]),
            Self::Set(element) => Json::from(vec![Json::from("set"), element.to_json()]),
            Self::Map(element) => Json::from(vec![Json::from("map"), element.to_json()]),
            Self::Tuple(elements) => Json::from(vec![
                Json::from("tuple"),
                elements.iter().map(Self::to_json).collect::<Vec<_>>().into(),
            ]),
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

    /// Returns the type of a collection's elements, or of the member of a tuple at `index`.
    pub(crate) fn part(&self, index: usize) -> Option<&Self> {
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => Some(element),
            Self::Tuple(types) => types.get(index),
            _ => None,
        }
    }

    /// Returns the shape of this object, or of the objects in this collection.
    pub(crate) fn object(&self) -> Option<&ObjectShape> {
        match self {
            Self::Object(shape) => Some(shape),
            Self::List(element) | Self::Set(element) | Self::Map(element) => match &**element {
                Self::Object(shape) => Some(shape),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the name of the type with its article, for errors.
    pub(crate) fn description(&self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Dynamic => "a value with its type",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map",
            Self::Tuple(_) => "a tuple",
            Self::Object(_) => "an object",
        }
    }
}
