//! Values of any type.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tf_provider::schema::AttributeType;
use tf_provider::value::ValueEmpty;

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
        struct AnyVisitor;
        impl<'de> Visitor<'de> for AnyVisitor {
            type Value = Any;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its type")
            }

            fn visit_unit<E>(self) -> Result<Any, E> {
                Ok(Any::default())
            }

            // In this form, unknown values are read from msgpack.
            fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Any, D::Error> {
                inner.deserialize_any(IgnoredAny)?;
                Ok(Any::unknown())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Any, A::Error> {
                let short = || A::Error::invalid_length(0, &self);
                let ty: String = pair.next_element()?.ok_or_else(short)?;
                let value = pair.next_element()?.ok_or_else(short)?;
                let parsed = Type::parse(ty.as_bytes()).unwrap_or(Type::Dynamic);
                Ok(Any { type_json: Some(ty), value: with_numbers(value, &parsed) })
            }
        }
        deserializer.deserialize_any(AnyVisitor)
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
                    Type::Object(shape) => {
                        shape.position(&name).and_then(|at| Some(&shape.fields.get(at)?.ty))
                    }
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

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValueVisitor)
    }
}

struct AnyValueVisitor;

impl<'de> Visitor<'de> for AnyValueVisitor {
    type Value = AnyValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<AnyValue, E> {
        Ok(AnyValue::Null)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<AnyValue, D::Error> {
        inner.deserialize_any(IgnoredAny)?;
        Ok(AnyValue::Unknown)
    }

    fn visit_bool<E>(self, value: bool) -> Result<AnyValue, E> {
        Ok(AnyValue::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<AnyValue, E> {
        Ok(AnyValue::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<AnyValue, E> {
        Ok(AnyValue::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, float: f64) -> Result<AnyValue, E> {
        let number = Number::from_f64(float);
        number.map(AnyValue::Number).ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E>(self, text: &str) -> Result<AnyValue, E> {
        Ok(AnyValue::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<AnyValue, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(AnyValue::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<AnyValue, A::Error> {
        let mut all = BTreeMap::new();
        while let Some((key, value)) = entries.next_entry()? {
            all.insert(key, value);
        }
        Ok(AnyValue::Map(all))
    }
}
