//! The arguments of the provider block: names, variables, descriptions and values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use plugin_server::schema::{map_of_strings, new_schema, optional, sensitive};
use plugin_server::value::Number;

/// An argument of the provider block.
pub(super) struct Argument {
    pub(super) name: &'static str,
    /// The environment variable that counts if the argument is null.
    pub(super) variable: Option<&'static str>,
    kind: Kind,
    description: &'static str,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Secret,
    Number,
    SecretTexts,
}

impl Argument {
    const fn new(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, variable: None, kind, description }
    }

    const fn or(mut self, variable: &'static str) -> Self {
        self.variable = Some(variable);
        self
    }

    pub(super) const fn without_variable(mut self) -> Self {
        self.variable = None;
        self
    }

    pub(super) fn is_secret(&self) -> bool {
        matches!(self.kind, Kind::Secret | Kind::SecretTexts)
    }
}

pub(super) const BASE_URL: Argument = Argument::new(
    "base_url",
    Kind::Text,
    "Regional base address of the service, such as `https://eu.access.example.com`. `https` only; `http` is accepted for loopback hosts. A path prefix is kept, but `/api/v1` is refused, because the provider adds it. Required here or as `ACCESS_BASE_URL`, which applies to every provider configuration without a `base_url`.",
)
.or("ACCESS_BASE_URL");
pub(super) const API_KEY: Argument = Argument::new(
    "api_key",
    Kind::Secret,
    "API key, sent as `Authorization: Bearer`. Required here or, preferably, as `ACCESS_API_KEY`, or in a file (`api_key_file`).",
)
.or("ACCESS_API_KEY");
pub(super) const API_KEY_FILE: Argument = Argument::new(
    "api_key_file",
    Kind::Text,
    "Path of a file that contains the API key, such as a mounted secret. The file is read in every run, so a rotated key counts from the next run on. A relative path starts at the working directory. A file that every user of the machine can read causes a warning. Conflicts with `api_key`. Can also be set as `ACCESS_API_KEY_FILE`, which counts only if `ACCESS_API_KEY` is not set.",
)
.or("ACCESS_API_KEY_FILE");
pub(super) const REPO_URI: Argument = Argument::new(
    "repo_uri",
    Kind::Text,
    "Repository recorded on every role, such as `https://github.com/example/access`. Can also be set as `ACCESS_REPO_URI`. By default repository and directory are those of the Git checkout that contains the working directory. A value set here or in the variable is enforced: a role that records another repository is updated.",
)
.or("ACCESS_REPO_URI");
pub(super) const REPO_DIR: Argument = Argument::new(
    "repo_dir",
    Kind::Text,
    "Directory in the repository, relative to its top. Can also be set as `ACCESS_REPO_DIR`. Enforced like `repo_uri`. Set both: if one is set, the other is not detected.",
)
.or("ACCESS_REPO_DIR");
pub(super) const REPO_DETECTION: Argument = Argument::new(
    "repo_detection",
    Kind::Text,
    "Whether to detect the repository if it is not set: `auto` or `off`. Defaults to `auto`.",
);
pub(super) const DRIFT_DETECTION: Argument = Argument::new(
    "drift_detection",
    Kind::Text,
    "Whether changes made outside Terraform are detected: `auto` or `off`. With `off`, a refresh and a plan read nothing. Can also be set as `ACCESS_DRIFT_DETECTION`. Defaults to `auto`.",
)
.or("ACCESS_DRIFT_DETECTION");
pub(super) const DELETION_POLICY: Argument = Argument::new(
    "deletion_policy",
    Kind::Text,
    "What destroying a resource without a `deletion_policy` of its own does: `delete` deletes the object, `abandon` leaves it at the service and sends no request. Can also be set as `ACCESS_DELETION_POLICY`. Defaults to `delete`.",
)
.or("ACCESS_DELETION_POLICY");
pub(super) const REQUEST_TIMEOUT: Argument = Argument::new(
    "request_timeout",
    Kind::Text,
    "Time limit of one attempt of a request, as a Go duration such as `1m30s`, from `1ms` to `2562047h`. Defaults to `30s`.",
);
pub(super) const MAX_RETRIES: Argument = Argument::new(
    "max_retries",
    Kind::Number,
    "Number of further attempts of one call after the first. Defaults to `10`.",
);
pub(super) const MAX_RETRY_WAIT: Argument = Argument::new(
    "max_retry_wait",
    Kind::Text,
    "Longest total wait between the attempts of one call, as a Go duration of at most `2562047h`. Defaults to `2m`.",
);
pub(super) const MAX_REQUESTS_PER_SECOND: Argument = Argument::new(
    "max_requests_per_second",
    Kind::Number,
    "Maximum number of requests per second of this provider instance. Unlimited by default.",
);
pub(super) const CA_FILE: Argument = Argument::new(
    "ca_file",
    Kind::Text,
    "PEM file of certificate authorities to trust in addition to those of the system. Can also be set as `ACCESS_CA_FILE`.",
)
.or("ACCESS_CA_FILE");
pub(super) const REQUEST_HEADERS: Argument = Argument::new(
    "request_headers",
    Kind::SecretTexts,
    "Headers added to every request, for gateways. `Authorization`, `Host` and `Content-*` are refused; `User-Agent` may be replaced.",
);

/// All arguments, in the order of the documentation.
const ARGUMENTS: [Argument; 14] = [
    BASE_URL,
    API_KEY,
    API_KEY_FILE,
    REPO_URI,
    REPO_DIR,
    REPO_DETECTION,
    DRIFT_DETECTION,
    DELETION_POLICY,
    REQUEST_TIMEOUT,
    MAX_RETRIES,
    MAX_RETRY_WAIT,
    MAX_REQUESTS_PER_SECOND,
    CA_FILE,
    REQUEST_HEADERS,
];

/// The values of the provider block. Not `Debug`: it contains the key.
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

/// Returns the schema of the provider block.
pub(crate) fn provider_schema() -> Schema {
    let attributes = ARGUMENTS.map(|Argument { name, kind, description, .. }| {
        let attribute = match kind {
            Kind::Text => optional(AttributeType::String, description),
            Kind::Secret => sensitive(optional(AttributeType::String, description)),
            Kind::Number => optional(AttributeType::Number, description),
            Kind::SecretTexts => sensitive(optional(map_of_strings(), description)),
        };
        (name, attribute)
    });
    new_schema(
        0,
        "Manages the roles of listings and the owners of integrations of the access-management service.",
        attributes,
    )
}
