//! Conversion between values of the protocol and JSON, which tests can write and compare.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use crate::pb::tfplugin6::DynamicValue;

/// The unknown value in the JSON of [`encode`] and [`decode`].
const UNKNOWN: &str = "\u{1}unknown";
/// The marker before the type in the JSON of a dynamic value.
const DYNAMIC: &str = "\u{1}dynamic";

/// Returns an unknown value.
#[must_use]
pub fn unknown() -> Json {
    Json::from(UNKNOWN)
}

/// Returns a dynamic value, with its type as in Terraform's JSON.
#[must_use]
pub fn dynamic(ty: Json, value: Json) -> Json {
    Json::from(vec![Json::from(DYNAMIC), ty, value])
}

/// Returns a null value.
#[must_use]
pub fn null() -> DynamicValue {
    encode(&Json::Null)
}

/// Encodes a value like Terraform: a number that a float cannot represent exactly becomes a string.
#[must_use]
pub fn encode(value: &Json) -> DynamicValue {
    let mut out = Vec::new();
    put(&mut out, value);
    DynamicValue { msgpack: out.into(), json: Default::default() }
}

fn put(out: &mut Vec<u8>, value: &Json) {
    use rmp::encode as write;
    let length = |count: usize| u32::try_from(count).expect("a test's value is small");
    match value {
        Json::Null => out.push(rmp::Marker::Null.to_u8()),
        Json::Bool(value) => out.push(if *value { 0xc3 } else { 0xc2 }),
        Json::String(text) if text == UNKNOWN => out.extend([0xd4, 0, 0]),
        Json::String(text) => write::write_str(out, text).expect("a vector takes every byte"),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => {
                write::write_sint(out, number).expect("a vector takes every byte");
            }
            (None, Some(float)) if float.fract() != 0.0 && (float * 1024.0).fract() == 0.0 => {
                write::write_f64(out, float).expect("a vector takes every byte");
            }
            _ => write::write_str(out, &number.to_string()).expect("a vector takes every byte"),
        },
        Json::Array(items) if items.first().is_some_and(|first| first == DYNAMIC) => {
            write::write_array_len(out, 2).expect("a vector takes every byte");
            let ty = items[1].to_string();
            write::write_bin(out, ty.as_bytes()).expect("a vector takes every byte");
            put(out, &items[2]);
        }
        Json::Array(items) => {
            write::write_array_len(out, length(items.len())).expect("a vector takes every byte");
            items.iter().for_each(|item| put(out, item));
        }
        Json::Object(members) => {
            write::write_map_len(out, length(members.len())).expect("a vector takes every byte");
            for (key, value) in members {
                write::write_str(out, key).expect("a vector takes every byte");
                put(out, value);
            }
        }
    }
}

/// Decodes a value. The types of dynamic values become text.
#[must_use]
pub fn decode(value: &DynamicValue) -> Json {
    assert!(value.json.is_empty(), "a value in JSON, which cannot be unknown");
    if value.msgpack.is_empty() {
        return Json::Null;
    }
    rmp_serde::from_slice::<Any>(&value.msgpack).expect("msgpack").0
}

struct Any(Json);

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Any, E> {
        Ok(Any(Json::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Any, E> {
        Ok(Any(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Any, E> {
        Ok(Any(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Any, E> {
        Ok(Any(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Any, E> {
        Ok(Any(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Any, E> {
        Ok(Any(value.into()))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Any, E> {
        Ok(Any(String::from_utf8_lossy(value).into()))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Any, D::Error> {
        // rmp-serde represents extensions like this. All of them are unknown values.
        inner.deserialize_any(IgnoredAny)?;
        Ok(Any(unknown()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Any, A::Error> {
        let mut all = Vec::new();
        while let Some(Any(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Any(all.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Any, A::Error> {
        let mut all = Map::new();
        while let Some((key, Any(value))) = entries.next_entry()? {
            all.insert(key, value);
        }
        Ok(Any(all.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_survives_a_round_trip() {
        let value = serde_json::json!({
            "a": [1, -7, 0.5, true, null, unknown()],
            "b": { "c": "text" },
        });
        assert_eq!(decode(&encode(&value)), value);
    }
}
