//! Values of any type.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tf_provider::schema::AttributeType;
use tf_provider::value::{Value, ValueEmpty};

use super::number::Number;
use crate::wire::Type;

/// The value of an attribute of type `Any`, with its type. Terraform calls it a dynamic value.
///
/// ```
/// use plugin_server::value::{Any, AnyValue};
/// use plugin_server::tf_provider::schema::AttributeType;
///
/// let ports = AnyValue::List(vec![AnyValue::Number(80.into()), AnyValue::Number(443.into())]);
/// let ports = Any::new(&AttributeType::List(Box::new(AttributeType::Number)), ports);
/// assert_eq!(ports.type_json(), Some(r#"["list","number"]"#));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Any {
    type_json: Option<String>,
    value: AnyValue,
}

/// A value inside [`Any`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnyValue {
    /// No value.
    #[default]
    Null,
    /// A value that is not known yet.
    Unknown,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// The elements of a list, a set or a tuple.
    List(Vec<Self>),
    /// The entries of a map, or the attributes of an object.
    Map(BTreeMap<String, Self>),
}

impl Any {
    /// Returns a value of a type. The type must not contain nested attributes.
    #[must_use]
    pub fn new(ty: &AttributeType, value: AnyValue) -> Self {
        Self { type_json: Some(ty.to_string()), value }
    }

    /// Returns an unknown value of an unknown type.
    #[must_use]
    pub fn unknown() -> Self {
        Self { type_json: None, value: AnyValue::Unknown }
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &AnyValue {
        &self.value
    }

    /// Returns the type as JSON, such as `["list","number"]`; `None` for a null or unknown value
    /// without a type.
    #[must_use]
    pub fn type_json(&self) -> Option<&str> {
        self.type_json.as_deref()
    }
}

impl From<&str> for Any {
    fn from(text: &str) -> Self {
        Self::new(&AttributeType::String, AnyValue::String(text.to_owned()))
    }
}

impl From<Number> for Any {
    fn from(number: Number) -> Self {
        Self::new(&AttributeType::Number, AnyValue::Number(number))
    }
}

impl From<bool> for Any {
    fn from(value: bool) -> Self {
        Self::new(&AttributeType::Bool, AnyValue::Bool(value))
    }
}

impl Serialize for Any {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.type_json {
            Some(ty) => (ty, &self.value).serialize(serializer),
            None => self.value.serialize(serializer),
        }
    }
}

impl Serialize for AnyValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Unknown => ValueEmpty::Unknown.serialize(serializer),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::List(items) => items.serialize(serializer),
            Self::Map(entries) => entries.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::<(String, AnyValue)>::deserialize(deserializer)? {
            Value::Null => Self::default(),
            Value::Unknown => Self::unknown(),
            Value::Value((ty, value)) => {
                let parsed = Type::parse(ty.as_bytes()).unwrap_or(Type::Dynamic);
                Self { type_json: Some(ty), value: with_numbers(value, &parsed) }
            }
        })
    }
}

/// Makes numbers of the decimal text in which Terraform writes some of them.
fn with_numbers(value: AnyValue, ty: &Type) -> AnyValue {
    let part = |index| ty.part(index).unwrap_or(&Type::Dynamic);
    match (value, ty) {
        (AnyValue::String(text), Type::Number) => {
            text.parse().map_or(AnyValue::String(text), AnyValue::Number)
        }
        (AnyValue::List(items), _) => {
            let items = items.into_iter().enumerate();
            AnyValue::List(items.map(|(index, item)| with_numbers(item, part(index))).collect())
        }
        (AnyValue::Map(entries), _) => {
            let typed = entries.into_iter().map(|(name, value)| {
                let ty = match ty {
                    Type::Object(shape) => shape.field(&name).map(|field| &field.ty),
                    _ => ty.part(0),
                };
                let value = with_numbers(value, ty.unwrap_or(&Type::Dynamic));
                (name, value)
            });
            AnyValue::Map(typed.collect())
        }
        (value, _) => value,
    }
}

/// A value that is neither null nor unknown. Text is tried first, because numbers are read from text, too.
#[derive(Deserialize)]
#[serde(untagged)]
enum Known {
    String(String),
    Bool(bool),
    Number(Number),
    List(Vec<AnyValue>),
    Map(BTreeMap<String, AnyValue>),
}

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::<Known>::deserialize(deserializer)? {
            Value::Null => Self::Null,
            Value::Unknown => Self::Unknown,
            Value::Value(Known::String(text)) => Self::String(text),
            Value::Value(Known::Bool(value)) => Self::Bool(value),
            Value::Value(Known::Number(number)) => Self::Number(number),
            Value::Value(Known::List(items)) => Self::List(items),
            Value::Value(Known::Map(entries)) => Self::Map(entries),
        })
    }
}
