//! A way to read large values: `#[serde(with = "plugin_server::value::streamed")]`.
//!
//! tf-provider's `Value` is an untagged enum: serde reads the whole value into a buffer of 32 bytes for
//! each element before it creates the first one. With this attribute, a field reads its elements
//! directly. If its strings are `&str`, they borrow from the message, and a call needs at most four
//! times the size of the message, where tf-provider's `ValueString` needs six times.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use plugin_server::tf_provider::value::Value;
//!
//! #[derive(Serialize, Deserialize)]
//! struct State<'a> {
//!     #[serde(with = "plugin_server::value::streamed", borrow)]
//!     members: Value<Vec<Value<&'a str>>>,
//! }
//! ```

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{
    BorrowedBytesDeserializer, BorrowedStrDeserializer, MapAccessDeserializer,
    SeqAccessDeserializer,
};
use serde::de::{Error, IgnoredAny, IntoDeserializer as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tf_provider::value::Value;

/// Serializes a value.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize<T: Serialize, S: Serializer>(
    value: &Value<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}

/// Deserializes a value without a buffer.
///
/// # Errors
///
/// Those of the type.
pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Value<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(ValueVisitor(PhantomData))
}

struct ValueVisitor<T>(PhantomData<T>);

macro_rules! visit {
    ($($method:ident($type:ty)),* $(,)?) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<Value<T>, E> {
            T::deserialize(value.into_deserializer()).map(Value::Value)
        }
    )*};
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ValueVisitor<T> {
    type Value = Value<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    visit!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));

    fn visit_unit<E>(self) -> Result<Value<T>, E> {
        Ok(Value::Null)
    }

    // In this form, unknown values are read from msgpack.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value<T>, D::Error> {
        inner.deserialize_any(IgnoredAny)?;
        Ok(Value::Unknown)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Value<T>, E> {
        T::deserialize(BorrowedStrDeserializer::new(text)).map(Value::Value)
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Value<T>, E> {
        T::deserialize(BorrowedBytesDeserializer::new(bytes)).map(Value::Value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Value<T>, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(items)).map(Value::Value)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Value<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Value::Value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tf_provider::value::ValueString;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct State<'a> {
        #[serde(with = "super", borrow)]
        list: Value<Vec<&'a str>>,
        #[serde(with = "super")]
        strings: Value<Vec<ValueString<'a>>>,
        #[serde(with = "super")]
        number: Value<i64>,
    }

    #[test]
    fn streamed_value_is_the_same_as_a_buffered_one() {
        let known = State {
            list: Value::Value(vec!["a", "b"]),
            strings: Value::Value(vec!["c".into(), Value::Unknown, Value::Null]),
            number: Value::Value(-7),
        };
        let null = State { list: Value::Null, strings: Value::Null, number: Value::Null };
        let unknown =
            State { list: Value::Unknown, strings: Value::Unknown, number: Value::Unknown };
        for state in [known, null, unknown] {
            let bytes = rmp_serde::to_vec_named(&state).unwrap();
            assert_eq!(rmp_serde::from_slice::<State<'_>>(&bytes).unwrap(), state);
        }
    }
}
