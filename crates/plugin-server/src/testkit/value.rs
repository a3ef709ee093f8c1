//! Conversion between values of the protocol and JSON, which tests can write and compare.

use rmp::encode as write;
use serde_json::{Map, Value as Json};

use crate::pb::tfplugin6::DynamicValue;
use crate::wire::{Broken, Number, Token, Tokens};

/// The unknown value in the JSON of [`encode`] and [`decode`].
const UNKNOWN: &str = "\u{1}unknown";

/// Returns an unknown value.
#[must_use]
pub fn unknown() -> Json {
    Json::from(UNKNOWN)
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
    put(&mut out, value).expect("a vector takes every byte");
    DynamicValue { msgpack: out.into(), ..DynamicValue::default() }
}

fn put(out: &mut Vec<u8>, value: &Json) -> Result<(), write::ValueWriteError> {
    let length = |count: usize| u32::try_from(count).expect("a test's value is small");
    match value {
        Json::Null => out.push(rmp::Marker::Null.to_u8()),
        Json::Bool(value) => out.push(if *value { 0xc3 } else { 0xc2 }),
        Json::String(text) if text == UNKNOWN => out.extend([0xd4, 0, 0]),
        Json::String(text) => write::write_str(out, text)?,
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => drop(write::write_sint(out, number)?),
            (None, Some(float)) if float.fract() != 0.0 && (float * 1024.0).fract() == 0.0 => {
                write::write_f64(out, float)?;
            }
            _ => write::write_str(out, &number.to_string())?,
        },
        Json::Array(items) => {
            write::write_array_len(out, length(items.len()))?;
            items.iter().try_for_each(|item| put(out, item))?;
        }
        Json::Object(members) => {
            write::write_map_len(out, length(members.len()))?;
            for (key, value) in members {
                write::write_str(out, key)?;
                put(out, value)?;
            }
        }
    }
    Ok(())
}

/// Decodes a value.
#[must_use]
pub fn decode(value: &DynamicValue) -> Json {
    if value.msgpack.is_empty() {
        return Json::Null;
    }
    json(&mut Tokens::new(&value.msgpack)).expect("msgpack")
}

fn json(tokens: &mut Tokens<'_>) -> Result<Json, Broken> {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ok(match tokens.token()? {
        Token::Nil => Json::Null,
        Token::Bool(value) => value.into(),
        Token::Number(Number::Integer(number)) => number.into(),
        Token::Number(Number::Text(text)) => serde_json::from_str(&text).map_err(|_| Broken)?,
        Token::Text(bytes) | Token::Binary(bytes) => text(bytes).into(),
        Token::Array(count) => (0..count).map(|_| json(tokens)).collect::<Result<_, _>>()?,
        Token::Map(count) => {
            let mut members = Map::new();
            for _ in 0..count {
                let Token::Text(name) = tokens.token()? else { return Err(Broken) };
                members.insert(text(name), json(tokens)?);
            }
            members.into()
        }
        Token::Extension | Token::Unknown => unknown(),
    })
}
