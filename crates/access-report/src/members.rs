//! The members of JSON objects in a plan, unparsed until they are needed.
//!
//! The values of other types are never parsed. They may be nested more deeply, and contain larger
//! numbers, than `serde_json` accepts. `RawValue` only finds their end.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The members of an object, by name.
pub(crate) type Members<'a> = HashMap<String, &'a RawValue>;

/// Returns a member; `None` if it is missing or has another type.
pub(crate) fn value<'a, T: Deserialize<'a>>(members: &Members<'a>, name: &str) -> Option<T> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

/// Returns the address of what runs commands.
pub(crate) fn address(members: &Members<'_>) -> String {
    value(members, "address").unwrap_or_else(|| "(unknown)".to_owned())
}

/// Returns the members of a member; none if it is missing or not an object.
pub(crate) fn inner<'a>(members: &Members<'a>, name: &str) -> Members<'a> {
    value(members, name).unwrap_or_default()
}

/// Returns the elements of a list; none if it is missing or not a list. An element that is not an
/// object has no members.
pub(crate) fn elements<'a>(members: &Members<'a>, name: &str) -> Vec<Members<'a>> {
    let list: Vec<&RawValue> = value(members, name).unwrap_or_default();
    list.into_iter().map(|raw| serde_json::from_str(raw.get()).unwrap_or_default()).collect()
}
