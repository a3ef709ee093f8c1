//! Parsing of response bodies into typed objects. Unknown fields are skipped without being stored.
//!
//! Responses are parsed leniently: a proto3 service omits 0, "" and [], and a 64-bit integer may be
//! a number or a decimal string.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::names::nfc;

/// The largest value of unknown structure that is parsed. While its values are sorted, they take up to a
/// hundred times the memory.
const MAX_ANY_BYTES: usize = 64 * 1024;

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
        // The text of the error may quote a value. The body is logged at TRACE.
        Some(b'{') => serde_json::from_slice(body).map_err(|error| match error.classify() {
            Category::Data => BodyError::new("its body has a field twice"),
            Category::Io | Category::Syntax | Category::Eof => {
                BodyError::new("its body is not JSON")
            }
        }),
        None => Err(BodyError::new("its body is empty")),
        Some(_) if serde_json::from_slice::<IgnoredAny>(body).is_ok() => {
            Err(BodyError::new("its body is JSON but not an object"))
        }
        Some(_) => Err(BodyError::new("its body is not JSON")),
    }
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

/// Returns the error of a field whose type is not the documented one.
fn other_type(field: &str) -> BodyError {
    BodyError::new(format!("the type of `{field}` differs from the documented type"))
}

/// Returns the name of an object; empty without one.
pub(crate) fn name_text(raw: &Raw) -> String {
    let text = raw.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok());
    text.unwrap_or_default()
}

/// The fields of an object, each of which is read by itself. A value that its field cannot hold counts as
/// absent.
#[derive(Default)]
pub(crate) struct Fields {
    /// What the first such value is.
    pub(crate) defect: Option<String>,
}

/// A field of a body; `None` if it is absent or null.
pub(crate) type Raw = Option<Box<RawValue>>;

impl Fields {
    /// Reads a field.
    pub(crate) fn read<T: FieldValue>(&mut self, name: &str, raw: &Raw) -> T {
        let Some(raw) = raw else { return T::default() };
        T::parse(raw).unwrap_or_else(|part| {
            self.defect.get_or_insert_with(|| other_type(&format!("{name}{part}")).reason);
            T::default()
        })
    }
}

/// A value of a field. A proto3 service omits the default.
pub(crate) trait FieldValue: Default {
    /// Parses a value.
    ///
    /// # Errors
    ///
    /// Returns the part of another type, such as `[1]`; empty if it is the whole value.
    fn parse(raw: &RawValue) -> Result<Self, String>;
}

/// In NFC, the form in which hosts hold texts.
impl FieldValue for String {
    fn parse(raw: &RawValue) -> Result<Self, String> {
        let text: Self = serde_json::from_str(raw.get()).map_err(|_| Self::new())?;
        Ok(nfc(&text).into_owned())
    }
}

/// `None` for "", which proto3 does not distinguish from an absent field.
impl FieldValue for Option<String> {
    fn parse(raw: &RawValue) -> Result<Self, String> {
        Ok(Some(String::parse(raw)?).filter(|text| !text.is_empty()))
    }
}

impl FieldValue for Vec<String> {
    fn parse(raw: &RawValue) -> Result<Self, String> {
        let items: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(|_| String::new())?;
        let text = |(at, item): (usize, &&RawValue)| {
            String::parse(item).map_err(|part| format!("[{at}]{part}"))
        };
        items.iter().enumerate().map(text).collect()
    }
}

/// A 64-bit integer: a decimal string or a number.
impl FieldValue for i64 {
    fn parse(raw: &RawValue) -> Result<Self, String> {
        if let Ok(value) = raw.get().trim_matches('"').trim().parse() {
            return Ok(value);
        }
        // A number may be written as 3.0 or 1e3. Beyond 2^53 a float is not exact.
        match serde_json::from_str::<f64>(raw.get()) {
            #[allow(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
            Ok(value) if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 => {
                Ok(value as Self)
            }
            _ => Err(String::new()),
        }
    }
}

/// A value of unknown structure as text: a string as it is, anything else as JSON with sorted names, so
/// that the service's order does not matter.
#[derive(Default)]
pub(crate) struct AnyText(pub(crate) Option<String>);

impl FieldValue for AnyText {
    fn parse(raw: &RawValue) -> Result<Self, String> {
        if raw.get().len() > MAX_ANY_BYTES {
            return Err(String::new());
        }
        let value = serde_json::from_str(raw.get()).map_err(|_| String::new())?;
        Ok(Self(match value {
            serde_json::Value::String(text) => {
                Some(nfc(&text).into_owned()).filter(|text| !text.is_empty())
            }
            other => Some(other.to_string()),
        }))
    }
}
