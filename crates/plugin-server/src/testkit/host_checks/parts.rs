//! The parts of values that are compared with each other.

use crate::wire::Value;

/// Returns a member of an object. Those of null are null, and those of an unknown object are
/// unknown.
pub(super) fn member<'v, 'b>(value: &'v Value<'b>, index: usize) -> &'v Value<'b> {
    match value {
        Value::Object(members) => &members[index],
        Value::Unknown => &Value::Unknown,
        _ => &Value::Null,
    }
}

/// Returns an entry of a map; null if there is none.
pub(super) fn entry<'v, 'b>(value: &'v Value<'b>, key: &str) -> Option<&'v Value<'b>> {
    match value {
        Value::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
        _ => None,
    }
}
