//! The provider's arguments and their environment variables, turned into settings.

mod arguments;
mod key_file;
mod reader;
mod settings;

use std::path::Path;
use std::time::Duration;

use access_client::{BaseUrl, PemBundle, ProxySettings, StopSignal};
use plugin_server::duration;
use tf_provider::Diagnostics;

pub(crate) use arguments::{ProviderConfig, provider_schema};
use reader::{api_key, headers};
use settings::{Setting, SettingsReader, one_of, user_agent};

use crate::environment::Environment;
use crate::repository::{OwnRepository, Repository, detect, normalise_dir, normalise_uri};

/// What a provider block and the environment amount to.
pub(crate) struct Settings {
    pub(crate) client: access_client::Settings,
    /// Whether a refresh and a plan read objects: by GET, and by list after a few GETs under a
    /// parent.
    pub(crate) detects_drift: bool,
    /// Whether the destroy of a resource without a policy of its own leaves the object at the
    /// service.
    pub(crate) abandons: bool,
    pub(crate) repository: OwnRepository,
}

/// A provider block combined with the environment.
pub(crate) enum Configuration {
    Ready(Box<Settings>),
    /// No request may be sent.
    Unknown(Unknown),
}

/// What is known although arguments are not.
pub(crate) struct Unknown {
    /// The arguments that are known only after apply.
    pub(crate) arguments: Vec<&'static str>,
    /// Whether the deletion policy is known, and is `abandon`.
    pub(crate) abandons: bool,
}

/// What the process and its environment give to the settings.
struct Process<'a> {
    user_agent: String,
    proxy: ProxySettings,
    working_directory: &'a Path,
    stop: StopSignal,
}

/// Checks the known values of the provider block, without the environment and without requests.
pub(crate) fn validate(config: &ProviderConfig, diags: &mut Diagnostics) {
    let mut reader = SettingsReader::new(diags, &|_| None);
    _ = settings(&mut reader, config, None);
}

/// Returns the settings of the provider block and the environment, or `None` with errors in
/// `diags`. Sends no request.
pub(crate) fn configure(
    config: &ProviderConfig,
    terraform_version: &str,
    environment: Environment<'_>,
    working_directory: &Path,
    stop: StopSignal,
    diags: &mut Diagnostics,
) -> Option<Configuration> {
    // The service recognises the caller by the last part.
    let product = concat!("terraform-provider-access/", env!("CARGO_PKG_VERSION"));
    let user_agent = user_agent(terraform_version, product, environment, diags);
    let proxy = ProxySettings::from_env(environment);
    let mut reader = SettingsReader::new(diags, environment);
    let process = Process { user_agent, proxy, working_directory, stop };
    let settings = settings(&mut reader, config, Some(process));
    if !reader.diags.errors.is_empty() {
        return None;
    }
    if !reader.unknown.is_empty() {
        let abandons = abandons(&mut reader, config).is_ok_and(|policy| policy == Some(true));
        let arguments = reader.unknown;
        return Some(Configuration::Unknown(Unknown { arguments, abandons }));
    }
    settings.map(|settings| Configuration::Ready(Box::new(settings)))
}

/// Reads the deletion policy: whether it is `abandon`.
fn abandons(reader: &mut SettingsReader<'_>, config: &ProviderConfig) -> Setting<bool> {
    let policies = one_of([("delete", false), ("abandon", true)]);
    reader.text("deletion_policy", &config.deletion_policy, policies)
}

/// Reads every argument, so that all errors are reported at once. Returns `None` if one of them
/// cannot be used, and at `validate`, which has no process.
fn settings(
    reader: &mut SettingsReader<'_>,
    config: &ProviderConfig,
    process: Option<Process<'_>>,
) -> Option<Settings> {
    let base_url = reader.text("base_url", &config.base_url, |text| {
        BaseUrl::parse(text).map_err(|error| format!("The base address {error}."))
    });
    let api_key = api_key(reader, config, process.is_some());
    let request_timeout = reader.text("request_timeout", &config.request_timeout, |text| {
        duration::parse(text, Duration::from_millis(1))
    });
    let max_retries = reader.number(
        "max_retries",
        &config.max_retries,
        "a whole number from 0 to 1000",
        |number| {
            number.as_i64().and_then(|value| u32::try_from(value).ok()).filter(|n| *n <= 1_000)
        },
    );
    let max_retry_wait = reader.text("max_retry_wait", &config.max_retry_wait, |text| {
        duration::parse(text, Duration::ZERO)
    });
    // The upper bound keeps the interval above the clock's resolution, the lower one below a
    // quarter of an hour.
    let max_requests_per_second = reader.number(
        "max_requests_per_second",
        &config.max_requests_per_second,
        "a number from 0.001 to 1000000",
        |number| Some(number.to_f64()).filter(|rate| (0.001..=1e6).contains(rate)),
    );
    let extra_roots =
        reader.text("ca_file", &config.ca_file, |path| PemBundle::read(Path::new(path)));
    let headers = headers(reader, &config.request_headers);
    let drift_detection = reader.text(
        "drift_detection",
        &config.drift_detection,
        one_of([("auto", true), ("off", false)]),
    );
    let abandons = abandons(reader, config);
    let repo_uri = reader.text("repo_uri", &config.repo_uri, |text| {
        normalise_uri(text).map_err(|rule| format!("The repository URI {rule}."))
    });
    let repo_dir = reader.text("repo_dir", &config.repo_dir, |text| {
        normalise_dir(text).map_err(|rule| format!("The directory {rule}."))
    });
    let repo_detection = reader.text(
        "repo_detection",
        &config.repo_detection,
        one_of([("auto", true), ("off", false)]),
    );
    let process = process?;
    if !reader.unknown.is_empty() {
        return None;
    }
    let base_url = reader.required(
        "base_url",
        base_url,
        "The provider needs the regional base address of the service.",
    );
    let api_key = reader.required(
        "api_key",
        api_key,
        "Or name a file with `api_key_file` or `ACCESS_API_KEY_FILE`. Prefer a variable or a file: a key in a \
         configuration ends up in its repository. The provider needs an API key of the service.",
    );
    let detects = repo_detection.ok()?.unwrap_or(true);
    Some(Settings {
        client: access_client::Settings {
            base_url: base_url?,
            api_key: api_key?,
            user_agent: process.user_agent,
            request_timeout: request_timeout.ok()?.unwrap_or(Duration::from_secs(30)),
            max_retries: max_retries.ok()?.unwrap_or(10),
            max_retry_wait: max_retry_wait.ok()?.unwrap_or(Duration::from_secs(120)),
            max_requests_per_second: max_requests_per_second.ok()?,
            extra_roots: extra_roots.ok()?,
            headers: headers.ok()?.unwrap_or_default(),
            proxy: process.proxy,
            stop: process.stop,
        },
        detects_drift: drift_detection.ok()?.unwrap_or(true),
        abandons: abandons.ok()?.unwrap_or(false),
        repository: OwnRepository::new(
            Repository { uri: repo_uri.ok()?, dir: repo_dir.ok()? },
            || detects.then(|| detect(process.working_directory)).flatten().unwrap_or_default(),
        ),
    })
}

#[cfg(test)]
mod tests;
