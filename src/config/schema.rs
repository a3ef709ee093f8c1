//! The schema of the provider block.

use tf_provider::schema::{AttributeType, Schema};

use plugin_server::schema::{map_of_strings, new_schema, optional, sensitive};

/// Returns the schema of the provider block.
pub(crate) fn provider_schema() -> Schema {
    new_schema(
        0,
        "Manages the roles of listings and the owners of integrations of the access-management service.",
        [
            (
                "base_url",
                optional(
                    AttributeType::String,
                    "Regional base address of the service, such as `https://eu.access.example.com`. `https` only; `http` is accepted for loopback hosts. A path prefix is kept. Required here or as `ACCESS_BASE_URL`, which applies to every provider configuration without a `base_url`.",
                ),
            ),
            (
                "api_key",
                sensitive(optional(
                    AttributeType::String,
                    "API key, sent as `Authorization: Bearer`. Required here or, preferably, as `ACCESS_API_KEY`, or in a file (`api_key_file`).",
                )),
            ),
            (
                "api_key_file",
                optional(
                    AttributeType::String,
                    "Path of a file that contains the API key, such as a mounted secret. The file is read in every run, so that a rotated key counts from the next one on. A relative path starts at the working directory. A file that every user of the machine can read causes a warning. Conflicts with `api_key`. Can also be set as `ACCESS_API_KEY_FILE`, which counts only if `ACCESS_API_KEY` is not set.",
                ),
            ),
            (
                "repo_uri",
                optional(
                    AttributeType::String,
                    "Repository recorded on every role, such as `https://github.com/example/access`. Can also be set as `ACCESS_REPO_URI`. By default it is detected from CI variables or from the Git repository that contains the working directory. A value set here or in the variable is enforced: a role that records another repository is updated.",
                ),
            ),
            (
                "repo_dir",
                optional(
                    AttributeType::String,
                    "Directory in the repository, relative to its top. Can also be set as `ACCESS_REPO_DIR`. Detected and enforced like `repo_uri`, with which it is one pair: set both.",
                ),
            ),
            (
                "repo_detection",
                optional(
                    AttributeType::String,
                    "Whether to detect the repository if it is not set: `auto` or `off`. Defaults to `auto`.",
                ),
            ),
            (
                "drift_detection",
                optional(
                    AttributeType::String,
                    "How changes made outside Terraform are found. `auto` reads each object by GET, and by list after a few reads under one parent; `list` reads by list first; `patch` reads roles by the documented update call, which changes their `update_time`; `off` reads nothing. Can also be set as `ACCESS_DRIFT_DETECTION`. Defaults to `auto`.",
                ),
            ),
            (
                "deletion_policy",
                optional(
                    AttributeType::String,
                    "What destroying a resource without a `deletion_policy` of its own does: `delete` deletes the object, `abandon` leaves it at the service and sends no request. Can also be set as `ACCESS_DELETION_POLICY`. Defaults to `delete`.",
                ),
            ),
            (
                "request_timeout",
                optional(
                    AttributeType::String,
                    "Time limit of one attempt of a request, as a Go duration such as `1m30s`, from `1ms` to `2562047h`. Defaults to `30s`.",
                ),
            ),
            (
                "max_retries",
                optional(
                    AttributeType::Number,
                    "Number of further attempts of one call after the first. Defaults to `8`.",
                ),
            ),
            (
                "max_retry_wait",
                optional(
                    AttributeType::String,
                    "Longest total wait between the attempts of one call, as a Go duration of at most `2562047h`. Defaults to `2m`.",
                ),
            ),
            (
                "max_requests_per_second",
                optional(
                    AttributeType::Number,
                    "Maximum number of requests per second of this provider instance. Unlimited by default.",
                ),
            ),
            (
                "ca_file",
                optional(
                    AttributeType::String,
                    "PEM file of certificate authorities to trust in addition to those of the system. Can also be set as `ACCESS_CA_FILE`.",
                ),
            ),
            (
                "request_headers",
                sensitive(optional(
                    map_of_strings(),
                    "Headers added to every request, for gateways. `Authorization`, `Host` and `Content-*` are refused; `User-Agent` may be replaced.",
                )),
            ),
        ],
    )
}
