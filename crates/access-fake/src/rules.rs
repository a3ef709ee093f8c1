//! Settings that apply to some objects only: hidden objects, lag, omitted fields and odd lists.
//!
//! An object is named as in the API: `listings/github/roles/admin`,
//! `integrations/github/owners/founder`. A collection is named `listings/github/roles`. In all of
//! them `*` stands for any text.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Objects that exist but that some reads cannot access. Calls without a status here succeed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HiddenObject {
    /// Name or pattern of objects or collections.
    pub object: String,
    /// Status of GET on an object, for example 404 or 403.
    pub get: Option<u16>,
    /// Status of GET on a collection.
    pub list: Option<u16>,
    /// Whether lists omit the objects.
    pub omit_from_list: bool,
}

/// A lag of reads after writes of some objects. So many reads return the state before the write:
/// 404 after a create, the old values after an update, the object after a delete. If several rules
/// apply, the longest lag is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LagRule {
    /// Name or pattern of objects; all objects if absent.
    pub object: Option<String>,
    /// The writes after which reads lag; all writes if absent.
    pub after: Option<Write>,
    /// The reads that lag; GET and lists, each with its own count, if absent.
    pub read: Option<Read>,
    /// The number of reads that lag.
    pub reads: u32,
}

/// A kind of write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Write {
    /// PATCH that creates a role, or POST.
    Create,
    /// PATCH of an existing role.
    Update,
    /// DELETE.
    Delete,
}

/// A kind of read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Read {
    /// GET of an object.
    Get,
    /// GET of a collection.
    List,
}

/// Fields that some responses omit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OmittedFields {
    /// Name or pattern of objects; all objects if absent.
    pub object: Option<String>,
    /// The responses that omit the fields; all responses if empty.
    pub responses: Vec<ResponseTo>,
    /// The names of the fields as in the API, for example `manager` or `updateTime`.
    pub fields: Vec<String>,
}

/// A response that contains an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseTo {
    /// The response to GET of an object.
    Get,
    /// An entry of a list.
    List,
    /// The response to PATCH or POST.
    Write,
}

/// Unusual behaviour of lists. If several rules apply to a collection, the first one is used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OddList {
    /// Name or pattern of collections; all collections if absent.
    pub collection: Option<String>,
    /// Values at the beginning of the first page, in addition to the real entries: objects without
    /// a name, of another parent, or no objects at all.
    pub insert: Vec<Value>,
    /// Changes to entries: stale values, other names, wrong types.
    pub edit: Vec<EditedEntry>,
    /// The fraction of the entries (0 to 1) that is omitted, selected at random for each request.
    pub drop_probability: f64,
    /// The page that fails; the first page is 1.
    pub fail_page: Option<u32>,
    /// The status of the page that fails; 500 if absent.
    pub fail_status: Option<u16>,
    /// The last page has a token that leads to the same page again.
    pub loop_tokens: bool,
    /// Pages that follow the real entries and never end.
    pub endless: Option<EndlessPages>,
    /// The largest number of entries of a page, regardless of the requested size; 1,000 if absent.
    pub largest_page_size: Option<usize>,
}

/// Pages of a list that never end. Each has entries that do not exist, with names of their own, and
/// a token that no other page has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndlessPages {
    /// The number of entries of a page.
    pub entries: usize,
    /// The number of bytes of each token; a short token if 0.
    pub token_bytes: usize,
}

/// A change to an entry of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EditedEntry {
    /// The ID of the object; every entry if absent.
    pub id: Option<String>,
    /// Fields that replace those of the entry; null removes a field.
    pub fields: Map<String, Value>,
}

impl EditedEntry {
    /// Replaces the fields of an entry.
    pub(crate) fn apply(&self, entry: &mut Value) {
        let Value::Object(entry) = entry else { return };
        for (name, value) in &self.fields {
            if value.is_null() {
                entry.remove(name);
            } else {
                entry.insert(name.clone(), value.clone());
            }
        }
    }
}
