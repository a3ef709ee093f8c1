//! The arguments of the provider block and their values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tf_provider::value::Value;

use plugin_server::value::Number;

/// The provider block, in the order of the documentation. Not `Debug`: it contains the key.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct ProviderConfig {
    pub(super) base_url: Value<String>,
    pub(super) api_key: Value<String>,
    pub(super) api_key_file: Value<String>,
    pub(super) repo_uri: Value<String>,
    pub(super) repo_dir: Value<String>,
    pub(super) repo_detection: Value<String>,
    pub(super) drift_detection: Value<String>,
    pub(super) deletion_policy: Value<String>,
    pub(super) request_timeout: Value<String>,
    pub(super) max_retries: Value<Number>,
    pub(super) max_retry_wait: Value<String>,
    pub(super) max_requests_per_second: Value<Number>,
    pub(super) ca_file: Value<String>,
    pub(super) request_headers: Value<BTreeMap<String, Value<String>>>,
}

/// The detection of changes made outside Terraform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DriftDetection {
    /// Objects are read by GET, and by list after a few reads under one parent.
    Auto,
    /// Objects are read by list first, and by GET if the list does not confirm them.
    List,
    /// Roles are read by the documented PATCH.
    Patch,
    /// Nothing is read.
    Off,
}

/// The effect of destroying a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeletionPolicy {
    /// The object is deleted.
    Delete,
    /// The object stays at the service.
    Abandon,
}

impl DeletionPolicy {
    /// Parses a configured policy.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "delete" => Some(Self::Delete),
            "abandon" => Some(Self::Abandon),
            _ => None,
        }
    }
}
