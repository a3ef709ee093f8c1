//! Parsing of response bodies into typed objects.
//!
//! Bodies are deserialized directly into their types, because 8 MiB of `{"":0},` would take almost
//! 1 GB as a tree of values. Unknown fields are skipped without being stored, and the length of
//! lists is limited.

use serde::Deserialize;
use serde::de::{Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::fmt;

/// The largest number of strings in one field. Terraform is slow with sets of a tenth of this size.
const MAX_STRINGS: usize = 250_000;
/// The largest `management` that is parsed. While its values are sorted, they take up to a hundred
/// times the memory.
const MAX_MANAGEMENT_BYTES: usize = 64 * 1024;
/// The message by which errors of these limits are distinguished from serde's other errors.
const TOO_MANY: &str = "more values than any response of this service";

/// The reason why a body cannot be used. It completes a sentence that ends with "…, but".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyError {
    pub(crate) reason: String,
    /// Whether the body exceeds a limit on the number of values.
    pub(crate) too_large: bool,
}

impl BodyError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), too_large: false }
    }
}

/// Parses a body that must be a JSON object.
pub(crate) fn object<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, BodyError> {
    match body.trim_ascii_start().first() {
        Some(b'{') => serde_json::from_slice(body).map_err(|error| body_error(&error)),
        None => Err(BodyError::new("its body is empty")),
        Some(_) if serde_json::from_slice::<IgnoredAny>(body).is_ok() => {
            Err(BodyError::new("its body is JSON but not an object"))
        }
        Some(_) => Err(BodyError::new("its body is not JSON")),
    }
}

/// Parses an item of a list.
pub(crate) fn item<'b, T: Deserialize<'b>>(raw: &'b RawValue) -> Result<T, BodyError> {
    object(raw.get().as_bytes())
}

/// Returns whether a body is a JSON object.
pub(crate) fn is_object(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| {
        text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
    })
}

/// Describes an error of serde without its text, which may quote a value. The body is logged at
/// TRACE.
pub(crate) fn body_error(error: &serde_json::Error) -> BodyError {
    match error.classify() {
        Category::Data if error.to_string().contains(TOO_MANY) => {
            BodyError { reason: format!("its body contains {TOO_MANY}"), too_large: true }
        }
        Category::Data => BodyError::new("the type of a field differs from the documented type"),
        Category::Io | Category::Syntax | Category::Eof => BodyError::new("its body is not JSON"),
    }
}

/// Returns serde's error for a list that is too long.
pub(crate) fn too_many<E: serde::de::Error>() -> E {
    E::custom(TOO_MANY)
}

/// Deserializes an optional list of strings, up to a limit.
pub(crate) fn strings<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    struct Strings;
    impl<'de> Visitor<'de> for Strings {
        type Value = Option<Vec<String>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of strings")
        }

        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            let mut strings = Vec::new();
            while let Some(text) = items.next_element::<String>()? {
                if strings.len() >= MAX_STRINGS {
                    return Err(too_many());
                }
                strings.push(text);
            }
            Ok(Some(strings))
        }
    }
    deserializer.deserialize_any(Strings)
}

/// Deserializes a value of unknown structure to a string. A string is returned unchanged, null and
/// "" as `None`, and any other value as JSON with sorted names, so that the service's order does
/// not matter.
pub(crate) fn value_text<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    if raw.get().len() > MAX_MANAGEMENT_BYTES {
        return Err(too_many());
    }
    Ok(match serde_json::from_str(raw.get()).map_err(D::Error::custom)? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    })
}
