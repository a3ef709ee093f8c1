//! The arguments of the provider block: names, variables, descriptions and values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use plugin_server::schema::{map_of_strings, new_schema, optional, sensitive};
use plugin_server::value::Number;

pub(super) const API_KEY: &str = "api_key";
pub(super) const API_KEY_FILE: &str = "api_key_file";
pub(super) const HEADERS: &str = "request_headers";

/// The text arguments that no environment variable sets. Each other has one, such as
/// `ACCESS_BASE_URL`, which counts if the argument is null.
const WITHOUT_VARIABLE: [&str; 3] = ["repo_detection", "request_timeout", "max_retry_wait"];

/// Returns the environment variable of an argument; `None` if it does not have one.
pub(super) fn variable_of(argument: &str) -> Option<String> {
    let has_variable = !WITHOUT_VARIABLE.contains(&argument);
    has_variable.then(|| format!("ACCESS_{}", argument.to_uppercase()))
}

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

pub(crate) fn provider_schema() -> Schema {
    let text = |name, description| (name, optional(AttributeType::String, description));
    let number = |name, description| (name, optional(AttributeType::Number, description));
    let texts = |name, description| (name, optional(map_of_strings(), description));
    let secret = |(name, attribute)| (name, sensitive(attribute));
    let attributes = [
        text(
            "base_url",
            "Regional base address of the service, such as `https://eu.access.example.com`. `https` only; `http` is accepted for loopback hosts. A path prefix is kept, but `/api/v1` is refused, because the provider adds it. Required here or as `ACCESS_BASE_URL`, which applies to every provider configuration without a `base_url`.",
        ),
        secret(text(
            "api_key",
            "API key, sent as `Authorization: Bearer`. Required here or, preferably, as `ACCESS_API_KEY`, or in a file (`api_key_file`).",
        )),
        text(
            "api_key_file",
            "Path of a file that contains the API key, such as a mounted secret. The file is read in every run, so a rotated key counts from the next run on. A relative path starts at the working directory. A file that every user of the machine can read causes a warning. Conflicts with `api_key`. Can also be set as `ACCESS_API_KEY_FILE`, which counts only if `ACCESS_API_KEY` is not set.",
        ),
        text(
            "repo_uri",
            "Repository recorded on every role, such as `https://github.com/example/access`. Can also be set as `ACCESS_REPO_URI`. By default repository and directory are those of the Git checkout that contains the working directory. A value set here or in the variable is enforced: a role that records another repository is updated.",
        ),
        text(
            "repo_dir",
            "Directory in the repository, relative to its top. Can also be set as `ACCESS_REPO_DIR`. Enforced like `repo_uri`. Set both: if one is set, the other is not detected.",
        ),
        text(
            "repo_detection",
            "Whether to detect the repository if it is not set: `auto` or `off`. Defaults to `auto`.",
        ),
        text(
            "drift_detection",
            "Whether changes made outside Terraform are detected: `auto` or `off`. With `off`, a refresh and a plan read nothing. Can also be set as `ACCESS_DRIFT_DETECTION`. Defaults to `auto`.",
        ),
        text(
            "deletion_policy",
            "What destroying a resource without a `deletion_policy` of its own does: `delete` deletes the object, `abandon` leaves it at the service and sends no request. Can also be set as `ACCESS_DELETION_POLICY`. Defaults to `delete`.",
        ),
        text(
            "request_timeout",
            "Time limit of one attempt of a request, as a Go duration such as `1m30s`, from `1ms` to `2562047h`. Defaults to `30s`.",
        ),
        number(
            "max_retries",
            "Number of further attempts of one call after the first. Defaults to `10`.",
        ),
        text(
            "max_retry_wait",
            "Longest total wait between the attempts of one call, as a Go duration of at most `2562047h`. Defaults to `2m`.",
        ),
        number(
            "max_requests_per_second",
            "Maximum number of requests per second of this provider instance. Unlimited by default.",
        ),
        text(
            "ca_file",
            "PEM file of certificate authorities to trust in addition to those of the system. Can also be set as `ACCESS_CA_FILE`.",
        ),
        secret(texts(
            "request_headers",
            "Headers added to every request, for gateways. `Authorization`, `Host` and `Content-*` are refused; `User-Agent` may be replaced.",
        )),
    ];
    new_schema(
        0,
        "Manages the roles of listings and the owners of integrations of the access-management service.",
        attributes,
    )
}
