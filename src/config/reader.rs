//! Reads the provider's arguments one by one, each with its variable, its default and its errors.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use access_client::{ApiKey, BaseUrl, ExtraHeader};
use plugin_server::Report as _;
use plugin_server::value::Number;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::arguments::{DeletionPolicy, DriftDetection, ProviderConfig};
use super::duration::{self, LONGEST, Parsed};
use super::key_file::read_key_file;
use crate::environment::Environment;
use crate::repository::{self, Detection, Repository};

/// The argument whose value no error shows.
const API_KEY: &str = "api_key";

/// Settings of the client, each `None` if its argument is missing, unknown or invalid.
pub(super) struct ClientSettings {
    pub(super) base_url: Option<BaseUrl>,
    pub(super) api_key: Option<ApiKey>,
    pub(super) user_agent: String,
    pub(super) request_timeout: Option<Duration>,
    pub(super) max_retries: Option<u32>,
    pub(super) max_retry_wait: Option<Duration>,
    pub(super) max_requests_per_second: Option<Option<f64>>,
    pub(super) extra_roots: Option<access_client::PemBundle>,
    pub(super) headers: Option<Vec<ExtraHeader>>,
}

/// Reads arguments, collects the unknown ones, and reports invalid ones at the argument.
pub(super) struct Reader<'a> {
    environment: Environment<'a>,
    /// Whether the file with the key is read. `validate` needs no key.
    reads_key_file: bool,
    unknown: Vec<&'static str>,
    /// Arguments whose values came from the environment.
    from_environment: Vec<FromEnvironment>,
    diags: &'a mut Diagnostics,
}

/// An argument whose value came from the environment.
struct FromEnvironment {
    argument: &'static str,
    variable: &'static str,
    /// The value, which errors show. `None` for the key, which no error shows.
    shown: Option<String>,
}

impl<'a> Reader<'a> {
    /// Returns a reader of this environment.
    pub(super) fn new(environment: Environment<'a>, diags: &'a mut Diagnostics) -> Self {
        Self {
            environment,
            reads_key_file: true,
            unknown: Vec::new(),
            from_environment: Vec::new(),
            diags,
        }
    }

    /// Returns a reader for `validate`: it uses neither the environment nor the key's file.
    pub(super) fn of_arguments_alone(diags: &'a mut Diagnostics) -> Self {
        Self { reads_key_file: false, ..Self::new(&|_| None, diags) }
    }

    /// Takes the names of the unknown arguments that were read so far.
    pub(super) fn take_unknown(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.unknown)
    }

    /// Returns whether an error was added.
    pub(super) fn has_errors(&self) -> bool {
        !self.diags.errors.is_empty()
    }

    /// Reads the settings of the client. Those that are unknown or invalid are `None`.
    pub(super) fn client_settings(
        &mut self,
        config: &ProviderConfig,
        user_agent: &str,
    ) -> ClientSettings {
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

    /// Returns the addition to the user agent, if one is set.
    pub(super) fn user_agent_suffix(&mut self) -> Option<String> {
        let text = (self.environment)("TF_APPEND_USER_AGENT").filter(|text| is_set(text))?;
        let text = text.trim();
        let rule = if text.contains(char::REPLACEMENT_CHARACTER) {
            "Must be text in UTF-8."
        } else if text.chars().any(|c| c.is_control() && c != '\t') {
            "Must not contain a line break or another control character, because it is sent in an \
             HTTP header."
        } else {
            return Some(text.to_owned());
        };
        let shown: String = text.chars().take(200).collect();
        self.diags.report_error(
            "Invalid TF_APPEND_USER_AGENT",
            format!("{rule} The environment variable TF_APPEND_USER_AGENT is set to {shown:?}."),
        );
        None
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

    /// Returns the key of the first source that is set: the arguments before the variables, the
    /// key itself before the file.
    fn api_key(&mut self, config: &ProviderConfig) -> Option<ApiKey> {
        let key = self.text(API_KEY, &config.api_key, None);
        let path = self.text("api_key_file", &config.api_key_file, None);
        match (key, path) {
            (Some(_), Some(_)) => {
                self.diags.report_attribute_error(
                    "api_key_file",
                    "Conflicting arguments",
                    "`api_key` and `api_key_file` are both set. Remove one of them.",
                );
                None
            }
            (Some(key), None) => self.parse_api_key(&key),
            (None, Some(path)) => self.key_of_file(&path),
            // An unknown argument must not be replaced by a variable in the meantime.
            (None, None) if config.api_key.is_unknown() || config.api_key_file.is_unknown() => None,
            (None, None) => {
                if let Some(key) = self.variable(API_KEY, "ACCESS_API_KEY") {
                    return self.parse_api_key(&key);
                }
                let path = self.variable("api_key_file", "ACCESS_API_KEY_FILE")?;
                self.key_of_file(&path)
            }
        }
    }

    fn parse_api_key(&mut self, text: &str) -> Option<ApiKey> {
        match ApiKey::parse(text) {
            Ok(key) => Some(key),
            Err(error) => {
                self.invalid(API_KEY, format!("The API key {error}. Its value is not shown."));
                None
            }
        }
    }

    fn key_of_file(&mut self, path: &str) -> Option<ApiKey> {
        if !self.reads_key_file {
            return None;
        }
        let file = match read_key_file(Path::new(path)) {
            Ok(file) => file,
            Err(error) => {
                let detail = format!("The file {path:?} {error}. Its content is not shown.");
                self.invalid("api_key_file", detail);
                return None;
            }
        };
        if file.readable_by_others {
            self.diags.report_attribute_warning(
                "api_key_file",
                "Every user of this machine can read the API key",
                format!(
                    "The permissions of the file {path:?} allow every user to read it. \
                     Restrict them with `chmod 600`, or with the mode of the mounted secret."
                ),
            );
        }
        Some(file.key)
    }

    fn max_retries(&mut self, config: &ProviderConfig) -> Option<u32> {
        let number = self.value("max_retries", &config.max_retries).or(Some(Number::from(8)))?;
        match number.as_i64().and_then(|value| u32::try_from(value).ok()) {
            Some(value) if value <= 1_000 => Some(value),
            _ => {
                self.invalid(
                    "max_retries",
                    format!("Must be a whole number from 0 to 1000, not {number}."),
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
        match number.to_f64() {
            // The upper bound keeps the interval above the clock's resolution, the lower one below
            // a quarter of an hour.
            rate if (0.001..=1e6).contains(&rate) => Some(Some(rate)),
            _ => {
                self.invalid(
                    "max_requests_per_second",
                    format!("Must be a number from 0.001 to 1000000, not {number}."),
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

    /// Returns the mode of repository detection.
    pub(super) fn repo_detection(&mut self, config: &ProviderConfig) -> Option<Detection> {
        match self.text("repo_detection", &config.repo_detection, None).as_deref() {
            None | Some("auto") => Some(Detection::Auto),
            Some("off") => Some(Detection::Off),
            Some(other) => {
                self.invalid("repo_detection", format!("Must be `auto` or `off`, not {other:?}."));
                None
            }
        }
    }

    /// Returns the mode of drift detection.
    pub(super) fn drift_detection(&mut self, config: &ProviderConfig) -> Option<DriftDetection> {
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
                    format!("Must be `auto`, `list`, `patch` or `off`, not {other:?}."),
                );
                None
            }
        }
    }

    pub(super) fn deletion_policy(&mut self, config: &ProviderConfig) -> Option<DeletionPolicy> {
        let Some(text) =
            self.text("deletion_policy", &config.deletion_policy, Some("ACCESS_DELETION_POLICY"))
        else {
            return Some(DeletionPolicy::Delete);
        };
        let policy = DeletionPolicy::parse(&text);
        if policy.is_none() {
            let detail = format!("Must be `delete` or `abandon`, not {text:?}.");
            self.invalid("deletion_policy", detail);
        }
        policy
    }

    pub(super) fn repository(
        &mut self,
        config: &ProviderConfig,
        working_directory: &Path,
    ) -> Option<Repository> {
        let explicit = repository::Explicit {
            uri: self.text("repo_uri", &config.repo_uri, Some("ACCESS_REPO_URI")),
            dir: self.text("repo_dir", &config.repo_dir, Some("ACCESS_REPO_DIR")),
        };
        let detection = self.repo_detection(config)?;
        match repository::find_repository(explicit, detection, self.environment, working_directory)
        {
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
        let rule = match duration::parse(&text) {
            Some(Parsed::Duration(duration)) if duration >= least => return Some(duration),
            Some(Parsed::Duration(_) | Parsed::Negative) => {
                format!("at least {}ms", least.as_millis())
            }
            Some(Parsed::TooLong) => format!("at most {}h", LONGEST.as_secs() / 3600),
            None => "a duration such as `30s` or `1m30s`".to_owned(),
        };
        self.invalid(name, format!("Must be {rule}, not {text:?}."));
        None
    }

    /// Returns a text argument, or its variable if it is not set. Empty counts as not set.
    fn text(
        &mut self,
        name: &'static str,
        argument: &Value<String>,
        variable: Option<&'static str>,
    ) -> Option<String> {
        if argument.is_unknown() {
            self.note_unknown(name);
            return None;
        }
        if let Some(text) = argument.as_ref_option().cloned().filter(|text| is_set(text)) {
            return Some(text);
        }
        self.variable(name, variable?)
    }

    /// Returns the variable of an argument that is not set. Empty counts as not set.
    fn variable(&mut self, name: &'static str, variable: &'static str) -> Option<String> {
        let text = (self.environment)(variable).filter(|text| is_set(text))?;
        // SECURITY.md lists the copies of the key: this must not be one of them.
        let shown = (name != API_KEY).then(|| text.clone());
        self.from_environment.push(FromEnvironment { argument: name, variable, shown });
        if text.contains(char::REPLACEMENT_CHARACTER) {
            self.invalid(name, "Must be text in UTF-8.".to_owned());
            return None;
        }
        Some(text)
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

    /// Adds the error of an invalid value. One from the environment is named with its variable and
    /// shown, except the key.
    fn invalid(&mut self, name: &'static str, detail: String) {
        let source = self.from_environment.iter().find(|source| source.argument == name);
        let detail = match source {
            Some(FromEnvironment { variable, shown: Some(value), .. }) => {
                let value = without_user_info(value);
                let shown: String = value.chars().filter(|c| !c.is_control()).take(200).collect();
                format!("{detail} The environment variable {variable} is set to {shown:?}.")
            }
            Some(FromEnvironment { variable, shown: None, .. }) => {
                format!("{detail} The value comes from the environment variable {variable}.")
            }
            None => detail,
        };
        self.diags.report_attribute_error(name, format!("Invalid {name}"), detail);
    }

    /// Adds the error of a required argument that is not set. `reason` is a sentence about its
    /// purpose.
    pub(super) fn report_missing(&mut self, name: &'static str, variable: &str, reason: &str) {
        // An error of the key's file is one of the key.
        let is_reported = self.diags.errors.iter().any(|error| {
            error.attribute.steps.first().is_some_and(|step| {
                let argument = step.to_string();
                argument.strip_suffix("_file").unwrap_or(&argument) == name
            })
        });
        if !is_reported {
            let detail = format!(
                "{reason} Set the argument `{name}` or the environment variable `{variable}`."
            );
            self.diags.report_attribute_error(name, format!("Missing {name}"), detail);
        }
    }
}

/// Returns whether a text sets its argument: blanks alone do not.
fn is_set(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Replaces the user info of a URL, which may contain a password.
fn without_user_info(text: &str) -> Cow<'_, str> {
    let Some((user_info, rest)) = text.rsplit_once('@') else { return text.into() };
    // Up to the last "@": a password that is not percent-encoded may contain "/" or "@".
    let scheme = user_info.split_once("://").map_or("", |(scheme, _)| scheme);
    format!("{scheme}://[redacted]@{rest}").into()
}
