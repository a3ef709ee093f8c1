//! Parsing of response bodies into typed objects. Unknown fields are skipped without being stored.
//!
//! Responses are parsed leniently: a proto3 service omits 0, "" and [], and a 64-bit integer may be
//! a number or a decimal string.

use std::collections::HashMap;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

/// The largest `management` that is parsed. While its values are sorted, they take up to a hundred
/// times the memory.
const MAX_MANAGEMENT_BYTES: usize = 64 * 1024;

/// The reason why a body cannot be used. It completes a sentence that ends with "…, but".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyError {
    pub(crate) reason: String,
    pub(crate) defect: Defect,
}

/// The defects of a body that callers distinguish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    /// The body, or the list, is larger than this client reads.
    TooLarge,
    /// The body is not what was requested.
    Other,
}

impl BodyError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), defect: Defect::Other }
    }
}

/// Parses a body that must be a JSON object.
pub(crate) fn object<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, BodyError> {
    match body.trim_ascii_start().first() {
        Some(b'{') => serde_json::from_slice(body).map_err(|error| body_error::<T>(body, &error)),
        None => Err(BodyError::new("its body is empty")),
        Some(_) if serde_json::from_slice::<IgnoredAny>(body).is_ok() => {
            Err(BodyError::new("its body is JSON but not an object"))
        }
        Some(_) => Err(BodyError::new("its body is not JSON")),
    }
}

/// Parses an item of a list, or returns the reason to skip it.
pub(crate) fn item<'b, T: Deserialize<'b>>(raw: &'b RawValue) -> Result<T, String> {
    object(raw.get().as_bytes()).map_err(|error| error.reason)
}

/// Parses a field of a body; `None` if it is absent or null.
pub(crate) fn field<'b, T: Deserialize<'b>>(
    parts: &HashMap<String, &'b RawValue>,
    name: &str,
) -> Result<Option<T>, BodyError> {
    let Some(raw) = parts.get(name) else { return Ok(None) };
    serde_json::from_str(raw.get()).map_err(|_| other_type(name))
}

/// Returns whether a body is a JSON object.
pub(crate) fn is_object(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| {
        text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
    })
}

/// Describes an error of serde without its text, which may quote a value. The body is logged at
/// TRACE.
fn body_error<'b, T: Deserialize<'b>>(body: &'b [u8], error: &serde_json::Error) -> BodyError {
    match error.classify() {
        Category::Data => other_type(&path_to_error::<T>(body)),
        Category::Io | Category::Syntax | Category::Eof => BodyError::new("its body is not JSON"),
    }
}

/// Returns the field whose type is not the documented one.
fn path_to_error<'b, T: Deserialize<'b>>(body: &'b [u8]) -> String {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let result: Result<T, _> = serde_path_to_error::deserialize(&mut deserializer);
    result.err().map_or_else(|| ".".to_owned(), |error| error.path().to_string())
}

/// Returns the error of a field whose type is not the documented one.
fn other_type(field: &str) -> BodyError {
    BodyError::new(format!("the type of `{field}` differs from the documented type"))
}

/// Deserializes a value of unknown structure to a string. A string is returned unchanged, null and
/// "" as `None`, and any other value as JSON with sorted names, so that the service's order does
/// not matter.
pub(crate) fn value_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    if raw.get().len() > MAX_MANAGEMENT_BYTES {
        return Err(D::Error::custom("a structure that is too large"));
    }
    Ok(match serde_json::from_str(raw.get()).map_err(D::Error::custom)? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    })
}

/// Returns the string unless it is "", which proto3 does not distinguish from an absent field.
pub(crate) fn not_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Serializes a 64-bit integer as a decimal string, which keeps all digits.
pub(crate) fn decimal_text<S: Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Deserializes a 64-bit integer from a decimal string or a number; null is 0.
pub(crate) fn int64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    let text = raw.get().trim_matches('"').trim();
    match text.parse() {
        Ok(value) => Ok(value),
        Err(_) if raw.get() == "null" => Ok(0),
        // A number may be written as 3.0 or 1e3. Beyond 2^53 a float is not exact.
        Err(_) => match serde_json::from_str::<f64>(raw.get()) {
            #[allow(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
            Ok(value) if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 => {
                Ok(value as i64)
            }
            _ => Err(D::Error::custom("not a 64-bit integer")),
        },
    }
}
