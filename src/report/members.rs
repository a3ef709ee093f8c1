//! The members of JSON objects in a plan, unparsed until somebody asks for them.
//!
//! Values of other providers are never parsed: they may be nested more deeply, and contain larger
//! numbers, than serde_json accepts. `RawValue` only finds their end.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The members of an object, by name.
pub(super) type Members<'a> = HashMap<String, &'a RawValue>;

/// Returns a member; `None` if it is missing or has another type.
pub(super) fn value<'a, T: Deserialize<'a>>(members: &Members<'a>, name: &str) -> Option<T> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

/// Returns the text of a member; "" if it is missing or no text.
pub(super) fn text(members: &Members<'_>, name: &str) -> String {
    value(members, name).unwrap_or_default()
}

/// Returns the members of a member; none if it is missing or no object.
pub(super) fn inner<'a>(members: &Members<'a>, name: &str) -> Members<'a> {
    value(members, name).unwrap_or_default()
}

/// Returns the elements of a list; none if the member is missing or null.
pub(super) fn elements<'a>(members: &Members<'a>, name: &str) -> Result<Vec<Members<'a>>, String> {
    let list = members.get(name).map_or(Ok(None), |list| serde_json::from_str(list.get()));
    let list: Option<Vec<Members<'a>>> = list.map_err(|error| invalid(&error))?;
    Ok(list.unwrap_or_default())
}

/// Returns why a text is not the JSON of a plan, as the end of a sentence.
pub(super) fn invalid(error: &serde_json::Error) -> String {
    match error.is_eof() {
        true => "is not complete, or empty".to_owned(),
        false => format!("is not a plan in JSON: {error}"),
    }
}

/// Returns whether a member names the provider, under whichever host and namespace.
pub(super) fn is_ours(members: &Members<'_>, name: &str) -> bool {
    text(members, name).rsplit('/').next() == Some("access")
}
