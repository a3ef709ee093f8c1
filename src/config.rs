//! The provider's arguments and their environment variables, made into settings.
//!
//! The only file that reads the environment. An argument wins over its variable, which counts
//! only where the argument is null or empty: never where it is unknown, for a value that another
//! resource will give must not be replaced by a default in the meantime.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use access_client::{ApiKey, BaseUrl, ExtraHeader, StopSignal};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use crate::attribute::{map_of_strings, optional, schema, sensitive};
use crate::diagnostic::Report;
use crate::duration;
use crate::number::Number;
use crate::repository::{self, Repository};

/// The provider block, in the order of the documentation. Not `Debug`: it holds the key.
#[derive(Serialize, Deserialize)]
pub(crate) struct ProviderConfig {
    base_url: Value<String>,
    api_key: Value<String>,
    repo_uri: Value<String>,
    repo_dir: Value<String>,
    repo_detection: Value<String>,
    drift_detection: Value<String>,
    request_timeout: Value<String>,
    max_retries: Value<Number>,
    max_retry_wait: Value<String>,
    max_requests_per_second: Value<Number>,
    ca_file: Value<String>,
    request_headers: Value<BTreeMap<String, Value<String>>>,
}

/// How changes made outside the configuration are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DriftDetection {
    /// Each object is read by GET, where the service has it.
    Auto,
    /// One list per listing or integration answers the reads of its objects; GET the rest.
    List,
    /// Roles are read by the documented PATCH.
    Patch,
    /// Nothing is read.
    Off,
}

impl DriftDetection {
    /// Whether objects are read by GET, so that evidence of it is worth a request.
    pub(crate) fn uses_get(self) -> bool {
        matches!(self, Self::Auto | Self::List)
    }
}

/// What the provider needs to talk to the service.
pub(crate) struct Settings {
    /// How to reach the service.
    pub(crate) client: access_client::Settings,
    /// How changes made outside the configuration are found.
    pub(crate) drift_detection: DriftDetection,
    /// The repository that is recorded on roles.
    pub(crate) repository: Repository,
}

/// A provider block with the environment taken in.
pub(crate) enum Configuration {
    /// Everything is known.
    Ready(Box<Settings>),
    /// These arguments are known only after apply: nothing may be asked of the service.
    Unknown(Vec<&'static str>),
}

/// The environment that counts for a configuration: a function, so that tests bring their own.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The environment of this process.
pub(crate) fn process_environment(variable: &str) -> Option<String> {
    env::var(variable).ok()
}

/// The schema of the provider block.
pub(crate) fn provider_schema() -> Schema {
    schema(
        0,
        "Manages the roles of listings and the owners of integrations of the access-management service.",
        [
            (
                "base_url",
                optional(
                    AttributeType::String,
                    "Regional base address of the service, such as `https://eu.access.example.com`. `https` only; `http` is accepted for loopback hosts alone. A path prefix is kept. Required here or as `ACCESS_BASE_URL`.",
                ),
            ),
            (
                "api_key",
                sensitive(optional(
                    AttributeType::String,
                    "Key sent as `Authorization: Bearer`. Required here or, better, as `ACCESS_API_KEY`.",
                )),
            ),
            (
                "repo_uri",
                optional(
                    AttributeType::String,
                    "Repository recorded on every role, such as `https://github.com/example/access`. May be set as `ACCESS_REPO_URI`; else it is detected from CI variables or the Git repository that holds the working directory. A value set here or in the variable is enforced: a role that records another is updated.",
                ),
            ),
            (
                "repo_dir",
                optional(
                    AttributeType::String,
                    "Directory in that repository, relative to its top. May be set as `ACCESS_REPO_DIR`; else it is detected. Enforced like `repo_uri`.",
                ),
            ),
            (
                "repo_detection",
                optional(
                    AttributeType::String,
                    "`auto` (default) detects the repository where it is not set; `off` does not.",
                ),
            ),
            (
                "drift_detection",
                optional(
                    AttributeType::String,
                    "How changes made outside the configuration are found: `auto` (default) reads each object where the service allows it; `list` reads those of a listing or integration at once, for large configurations; `patch` reads roles by the documented update call, which touches their `update_time`; `off` reads nothing. May be set as `ACCESS_DRIFT_DETECTION`.",
                ),
            ),
            (
                "request_timeout",
                optional(
                    AttributeType::String,
                    "Time that one attempt of a request may take, as a Go duration such as `30s` (default) or `1m30s`.",
                ),
            ),
            (
                "max_retries",
                optional(
                    AttributeType::Number,
                    "Further attempts of one call after the first. Default: `8`.",
                ),
            ),
            (
                "max_retry_wait",
                optional(
                    AttributeType::String,
                    "The longest that one call may spend waiting between its attempts in all, as a Go duration. Default: `2m`.",
                ),
            ),
            (
                "max_requests_per_second",
                optional(
                    AttributeType::Number,
                    "Limit on the requests that this provider instance sends. Default: none.",
                ),
            ),
            (
                "ca_file",
                optional(
                    AttributeType::String,
                    "PEM file of certificate authorities to trust beside the system's. May be set as `ACCESS_CA_FILE`.",
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

/// Checks what is known of the provider block, without the environment and without requests.
pub(crate) fn validate(config: &ProviderConfig, diags: &mut Diagnostics) {
    let mut reader = Reader { environment: &|_| None, unknown: Vec::new(), diags };
    _ = reader.client_settings(config, "");
    _ = reader.repo_detection(config);
    _ = reader.drift_detection(config);
}

/// Makes settings of the provider block and the environment. `None` with errors in `diags`.
pub(crate) fn configure(
    config: &ProviderConfig,
    terraform_version: &str,
    environment: Environment<'_>,
    working_directory: &std::path::Path,
    stop: StopSignal,
    diags: &mut Diagnostics,
) -> Option<Configuration> {
    let mut reader = Reader { environment, unknown: Vec::new(), diags };
    let client = reader.client_settings(config, &user_agent(terraform_version, environment));
    let repository = reader.repository(config, working_directory);
    let drift_detection = reader.drift_detection(config);
    if !reader.unknown.is_empty() {
        return reader.diags.errors.is_empty().then_some(Configuration::Unknown(reader.unknown));
    }
    reader.require(client.base_url.is_some(), "base_url", "ACCESS_BASE_URL", BASE_URL_HINT);
    reader.require(client.api_key.is_some(), "api_key", "ACCESS_API_KEY", API_KEY_HINT);
    if !reader.diags.errors.is_empty() {
        return None;
    }
    let client = access_client::Settings {
        base_url: client.base_url?,
        api_key: client.api_key?,
        user_agent: client.user_agent,
        request_timeout: client.request_timeout?,
        max_retries: client.max_retries?,
        max_retry_wait: client.max_retry_wait?,
        max_requests_per_second: client.max_requests_per_second?,
        extra_roots: client.extra_roots,
        headers: client.headers?,
        stop,
    };
    let settings = Settings { client, drift_detection: drift_detection?, repository: repository? };
    Some(Configuration::Ready(Box::new(settings)))
}

const BASE_URL_HINT: &str = "The provider needs the regional base address of the service.";
const API_KEY_HINT: &str = "The provider needs a key of the service. Prefer the environment \
    variable: a key in a configuration file ends up in its repository.";

/// `Terraform/<version> (+https://www.terraform.io) terraform-provider-access/<version>`, the
/// form of HashiCorp's own providers. The last part is what the service knows the caller by.
fn user_agent(terraform_version: &str, environment: Environment<'_>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let own = format!(
        "Terraform/{terraform_version} (+https://www.terraform.io) terraform-provider-access/{version}"
    );
    match environment("TF_APPEND_USER_AGENT") {
        Some(more) if !more.trim().is_empty() => format!("{own} {}", more.trim()),
        _ => own,
    }
}

/// Settings of the client, each `None` where its argument is missing, unknown or wrong.
struct ClientSettings {
    base_url: Option<BaseUrl>,
    api_key: Option<ApiKey>,
    user_agent: String,
    request_timeout: Option<Duration>,
    max_retries: Option<u32>,
    max_retry_wait: Option<Duration>,
    max_requests_per_second: Option<Option<f64>>,
    extra_roots: Option<access_client::PemBundle>,
    headers: Option<Vec<ExtraHeader>>,
}

/// Reads arguments, collects the unknown ones, and reports wrong ones at the argument.
struct Reader<'a> {
    environment: Environment<'a>,
    unknown: Vec<&'static str>,
    diags: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn client_settings(&mut self, config: &ProviderConfig, user_agent: &str) -> ClientSettings {
        ClientSettings {
            base_url: self.base_url(config),
            api_key: self.api_key(config),
            user_agent: user_agent.to_owned(),
            request_timeout: self.duration(
                "request_timeout",
                &config.request_timeout,
                Duration::from_secs(30),
                Duration::from_millis(1),
            ),
            max_retries: self.max_retries(config),
            max_retry_wait: self.duration(
                "max_retry_wait",
                &config.max_retry_wait,
                Duration::from_secs(120),
                Duration::ZERO,
            ),
            max_requests_per_second: self.max_requests_per_second(config),
            extra_roots: self.extra_roots(config),
            headers: self.headers(config),
        }
    }

    fn base_url(&mut self, config: &ProviderConfig) -> Option<BaseUrl> {
        let text = self.text("base_url", &config.base_url, Some("ACCESS_BASE_URL"))?;
        match BaseUrl::parse(&text) {
            Ok(base_url) => Some(base_url),
            Err(error) => {
                self.invalid("base_url", format!("The base address {error}."));
                None
            }
        }
    }

    fn api_key(&mut self, config: &ProviderConfig) -> Option<ApiKey> {
        let text = self.text("api_key", &config.api_key, Some("ACCESS_API_KEY"))?;
        match ApiKey::parse(&text) {
            Ok(key) => Some(key),
            Err(error) => {
                self.invalid("api_key", format!("The key {error}. Its value is not shown."));
                None
            }
        }
    }

    fn max_retries(&mut self, config: &ProviderConfig) -> Option<u32> {
        let number = self.value("max_retries", &config.max_retries).or(Some(Number::Integer(8)))?;
        match number.integer().and_then(|value| u32::try_from(value).ok()) {
            Some(value) if value <= 1_000 => Some(value),
            _ => {
                self.invalid(
                    "max_retries",
                    format!("Needs a whole number from 0 to 1000, not {number}."),
                );
                None
            }
        }
    }

    fn max_requests_per_second(&mut self, config: &ProviderConfig) -> Option<Option<f64>> {
        let Some(number) = self.value("max_requests_per_second", &config.max_requests_per_second)
        else {
            return Some(None);
        };
        match number.float() {
            // The upper bound keeps the interval above the clock's resolution, the lower one below
            // what anybody waits for.
            Some(rate) if (0.001..=1e6).contains(&rate) => Some(Some(rate)),
            _ => {
                self.invalid(
                    "max_requests_per_second",
                    format!("Needs a number from 0.001 to 1000000, not {number}."),
                );
                None
            }
        }
    }

    fn extra_roots(&mut self, config: &ProviderConfig) -> Option<access_client::PemBundle> {
        let path = PathBuf::from(self.text("ca_file", &config.ca_file, Some("ACCESS_CA_FILE"))?);
        let bundle = fs::read(&path).map_err(|error| error.to_string()).and_then(|bytes| {
            access_client::PemBundle::parse(&bytes).map_err(|error| error.to_string())
        });
        match bundle {
            Ok(bundle) => Some(bundle),
            Err(error) => {
                self.invalid(
                    "ca_file",
                    format!(
                        "Could not use {} as a PEM file of certificates: {error}.",
                        path.display()
                    ),
                );
                None
            }
        }
    }

    fn headers(&mut self, config: &ProviderConfig) -> Option<Vec<ExtraHeader>> {
        let headers = self.value("request_headers", &config.request_headers).unwrap_or_default();
        let mut parsed = Vec::with_capacity(headers.len());
        for (name, value) in headers {
            match value {
                Value::Unknown => self.note_unknown("request_headers"),
                Value::Null => self.invalid("request_headers", format!("{name:?} has no value.")),
                Value::Value(value) => match ExtraHeader::parse(&name, &value) {
                    Ok(header) => parsed.push(header),
                    Err(error) => self.invalid("request_headers", format!("{name:?} {error}.")),
                },
            }
        }
        Some(parsed)
    }

    fn repo_detection(&mut self, config: &ProviderConfig) -> Option<bool> {
        match self.text("repo_detection", &config.repo_detection, None).as_deref() {
            None | Some("auto") => Some(true),
            Some("off") => Some(false),
            Some(other) => {
                self.invalid("repo_detection", format!("Needs `auto` or `off`, not {other:?}."));
                None
            }
        }
    }

    fn drift_detection(&mut self, config: &ProviderConfig) -> Option<DriftDetection> {
        let mode =
            self.text("drift_detection", &config.drift_detection, Some("ACCESS_DRIFT_DETECTION"));
        match mode.as_deref() {
            None | Some("auto") => Some(DriftDetection::Auto),
            Some("list") => Some(DriftDetection::List),
            Some("patch") => Some(DriftDetection::Patch),
            Some("off") => Some(DriftDetection::Off),
            Some(other) => {
                self.invalid(
                    "drift_detection",
                    format!("Needs `auto`, `list`, `patch` or `off`, not {other:?}."),
                );
                None
            }
        }
    }

    fn repository(
        &mut self,
        config: &ProviderConfig,
        working_directory: &std::path::Path,
    ) -> Option<Repository> {
        let explicit = repository::Explicit {
            uri: self.text("repo_uri", &config.repo_uri, Some("ACCESS_REPO_URI")),
            dir: self.text("repo_dir", &config.repo_dir, Some("ACCESS_REPO_DIR")),
        };
        let detection = self.repo_detection(config)?;
        match repository::find(explicit, detection, self.environment, working_directory) {
            Ok(repository) => Some(repository),
            Err(error) => {
                self.invalid(error.attribute(), format!("{error}."));
                None
            }
        }
    }

    fn duration(
        &mut self,
        name: &'static str,
        argument: &Value<String>,
        default: Duration,
        least: Duration,
    ) -> Option<Duration> {
        let Some(text) = self.text(name, argument, None) else { return Some(default) };
        match duration::parse(&text) {
            Some(duration) if duration >= least => Some(duration),
            _ => {
                self.invalid(
                    name,
                    format!("Needs a duration such as `30s` or `1m30s`, not {text:?}."),
                );
                None
            }
        }
    }

    /// A text argument: itself, else its variable. Empty counts as not set, in both.
    fn text(
        &mut self,
        name: &'static str,
        argument: &Value<String>,
        variable: Option<&str>,
    ) -> Option<String> {
        if argument.is_unknown() {
            self.note_unknown(name);
            return None;
        }
        let not_empty = |text: &String| !text.trim().is_empty();
        argument
            .as_ref_option()
            .cloned()
            .filter(not_empty)
            .or_else(|| variable.and_then(|variable| (self.environment)(variable)))
            .filter(not_empty)
    }

    fn value<T: Clone>(&mut self, name: &'static str, argument: &Value<T>) -> Option<T> {
        if argument.is_unknown() {
            self.note_unknown(name);
        }
        argument.as_ref_option().cloned()
    }

    fn note_unknown(&mut self, name: &'static str) {
        if !self.unknown.contains(&name) {
            self.unknown.push(name);
        }
    }

    fn invalid(&mut self, name: &'static str, detail: String) {
        self.diags.report_error(format!("Invalid {name}"), detail, Some(name));
    }

    fn require(&mut self, present: bool, name: &'static str, variable: &str, hint: &str) {
        let reported = self.diags.errors.iter().any(|error| {
            error.attribute.steps.first().is_some_and(|step| step.to_string() == name)
        });
        if !present && !reported {
            self.diags.report_error(
                format!("Missing {name}"),
                format!(
                    "{hint} Set the argument `{name}` or the environment variable `{variable}`."
                ),
                Some(name),
            );
        }
    }
}
