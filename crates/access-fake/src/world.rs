//! The settings of the service, with one setting for each question that the API document leaves
//! open.
//!
//! The default is a service that has every operation, records every field and omits nothing. The
//! admin pages represent a world as JSON with the field names below.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::kind::OperationsByKind;
use crate::operations::{Absence, Operations, Presence};
use crate::rules::{HiddenObject, LagRule, OddList, OmittedFields};

/// The behaviour of the service in the cases that the API document leaves open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct World {
    /// The undocumented operations.
    pub operations: OperationsByKind,
    /// Responses omit `""`, `[]` and a priority of 0, as proto3 JSON does.
    pub omit_defaults: bool,
    /// Writes by the infrastructure-as-code provider do not record `manager: "TERRAFORM"`.
    pub ignores_caller: bool,
    /// The same user, group or team can be added to an integration more than once.
    pub duplicate_owners: bool,
    /// POST of a principal that is an owner already responds with 200 and that owner, not with 409.
    pub returns_existing_owner: bool,
    /// Principals of owners that differ in case only are the same. The spelling of the first POST
    /// stays.
    pub owners_ignore_case: bool,
    /// IDs of objects are stored in lower case and found in any: after PATCH of `roles/Admin`,
    /// every response has the `name` `roles/admin`.
    pub lower_case_ids: bool,
    /// The response to GET of a deleted role is 200 with `deleteTime`, not 404.
    pub returns_deleted_roles: bool,
    /// Reads that lag behind writes.
    pub lags: Vec<LagRule>,
    /// Objects that some reads cannot access although they exist.
    pub hidden: Vec<HiddenObject>,
    /// Fields that some responses omit.
    pub omitted_fields: Vec<OmittedFields>,
    /// Unusual behaviour of lists. The first rule for a collection applies.
    pub lists: Vec<OddList>,
    /// Path prefixes (`/eu`) under which the API is served as well.
    pub base_paths: Vec<String>,
    /// Principals of owners (`users/ada`) and the spelling under which they are stored.
    pub canonical_owners: BTreeMap<String, String>,
    /// `repoUri` is stored with `.git` at its end.
    pub repo_uri_git_suffix: bool,
    /// `repoUri` is stored with its host in upper case.
    pub repo_uri_upper_host: bool,
    /// Milliseconds by which the service's clock is ahead, or behind if negative. It sets
    /// `createTime`, `updateTime`, `deleteTime`, `Date` and the date in `Retry-After`.
    pub clock_offset_ms: i64,
    /// The number of milliseconds by which every request is delayed.
    pub latency_ms: u64,
    /// The rate beyond which the response is 429.
    pub rate_limit: Option<RateLimit>,
}

impl World {
    /// Returns a service that has only the two documented operations.
    pub fn documented_only(absence: Absence) -> Self {
        let mut world = Self::default();
        world.set_undocumented(Presence::Absent(absence));
        world
    }

    /// Sets whether the undocumented operations exist.
    pub fn set_undocumented(&mut self, presence: Presence) {
        let operations = Operations { get: presence, list: presence, delete: presence };
        self.operations = OperationsByKind::all(operations);
    }

    /// Returns the settings with a change, which is an object with some of them.
    ///
    /// # Errors
    ///
    /// A setting is unknown or has another type.
    pub fn changed(&self, change: Value) -> Result<Self, serde_json::Error> {
        let mut merged = serde_json::to_value(self)?;
        merge(&mut merged, change);
        serde_json::from_value(merged)
    }
}

/// Sets the members that a change has. Objects are merged, other values replaced.
fn merge(into: &mut Value, change: Value) {
    match (into, change) {
        (Value::Object(into), Value::Object(change)) => {
            for (name, value) in change {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, change) => *into = change,
    }
}

/// A rate beyond which the response is 429.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Requests per second on average.
    pub per_second: f64,
    /// Requests that are accepted at once after a pause.
    pub burst: u32,
}
