//! Response bodies, read into typed objects.
//!
//! Bodies are deserialized directly into their types: eight mebibytes of `{"":0},` would take close
//! to a gigabyte as a tree of values. Fields that are not known are skipped without being stored,
//! and lists have a limit.

use serde::Deserialize;
use serde::de::{Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::fmt;

/// The most texts in one field. Terraform itself is slow with sets of a tenth of it.
const MOST_TEXTS: usize = 250_000;
/// The longest `management` that is read. Its values take up to a hundred times the memory while they
/// are sorted.
const LONGEST_MANAGEMENT: usize = 64 * 1024;
/// Marks the errors of these limits among serde's.
const TOO_MANY: &str = "more values than any response of this service";

/// Why a body is not usable; reads on after "…, but".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyError {
    pub(crate) reason: String,
    /// Whether the body has more values than are read.
    pub(crate) too_large: bool,
}

impl BodyError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), too_large: false }
    }
}

/// Reads a body that must be a JSON object.
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

/// Reads an item of a list.
pub(crate) fn item<'b, T: Deserialize<'b>>(raw: &'b RawValue) -> Result<T, BodyError> {
    object(raw.get().as_bytes())
}

/// Returns whether a body is a JSON object.
pub(crate) fn is_object(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| {
        text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
    })
}

/// Describes an error of serde, whose text may quote a value; the log shows that one at TRACE.
pub(crate) fn body_error(error: &serde_json::Error) -> BodyError {
    match error.classify() {
        Category::Data if error.to_string().contains(TOO_MANY) => {
            BodyError { reason: format!("its body holds {TOO_MANY}"), too_large: true }
        }
        Category::Data => BodyError::new("a field has another type than documented"),
        Category::Io | Category::Syntax | Category::Eof => BodyError::new("its body is not JSON"),
    }
}

/// Returns serde's error for a list that is too long.
pub(crate) fn too_many<E: serde::de::Error>() -> E {
    E::custom(TOO_MANY)
}

/// Deserializes a list of texts, if it is there, up to a limit.
pub(crate) fn texts<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    struct Texts;
    impl<'de> Visitor<'de> for Texts {
        type Value = Option<Vec<String>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of texts")
        }

        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            let mut texts = Vec::new();
            while let Some(text) = items.next_element::<String>()? {
                if texts.len() >= MOST_TEXTS {
                    return Err(too_many());
                }
                texts.push(text);
            }
            Ok(Some(texts))
        }
    }
    deserializer.deserialize_any(Texts)
}

/// Deserializes a value of unknown structure as text: a string as it is, nothing for null and "",
/// any other value as JSON with sorted names, so that the service's order makes no difference.
pub(crate) fn value_text<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    if raw.get().len() > LONGEST_MANAGEMENT {
        return Err(too_many());
    }
    Ok(match serde_json::from_str(raw.get()).map_err(D::Error::custom)? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    })
}
