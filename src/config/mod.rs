//! The provider's arguments and their environment variables, turned into settings.
//!
//! An argument wins over its variable, which counts only if the argument is null or empty: never if
//! it is unknown, because a value that another resource will give must not be replaced by a default
//! in the meantime.

mod arguments;
mod duration;
mod key_file;
mod reader;
mod schema;

use std::path::Path;

use access_client::{ProxySettings, StopSignal};
pub(crate) use arguments::{DeletionPolicy, DriftDetection, ProviderConfig};
use reader::Reader;
pub(crate) use schema::provider_schema;
use tf_provider::Diagnostics;

use crate::environment::Environment;
use crate::repository::Repository;

/// The settings of a configured provider.
pub(crate) struct Settings {
    /// The settings of the HTTP client.
    pub(crate) client: access_client::Settings,
    /// The detection of changes made outside Terraform.
    pub(crate) drift_detection: DriftDetection,
    /// The deletion policy of resources without one of their own.
    pub(crate) deletion_policy: DeletionPolicy,
    /// The repository that is recorded on roles.
    pub(crate) repository: Repository,
}

/// A provider block combined with the environment.
pub(crate) enum Configuration {
    /// Everything is known.
    Ready(Box<Settings>),
    /// These arguments are known only after apply: no request may be sent.
    Unknown(Vec<&'static str>),
}

/// Checks the known values of the provider block, without the environment and without requests.
pub(crate) fn validate(config: &ProviderConfig, diags: &mut Diagnostics) {
    let mut reader = Reader::of_arguments_alone(diags);
    _ = reader.client_settings(config, "");
    _ = reader.repo_detection(config);
    _ = reader.drift_detection(config);
    _ = reader.deletion_policy(config);
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
    let mut reader = Reader::new(environment, diags);
    let suffix = reader.user_agent_suffix();
    let client = reader.client_settings(config, &user_agent(terraform_version, suffix.as_deref()));
    let repository = reader.repository(config, working_directory);
    let drift_detection = reader.drift_detection(config);
    let deletion_policy = reader.deletion_policy(config);
    let unknown = reader.take_unknown();
    if !unknown.is_empty() {
        return (!reader.has_errors()).then_some(Configuration::Unknown(unknown));
    }
    if client.base_url.is_none() {
        reader.report_missing("base_url", "ACCESS_BASE_URL", BASE_URL_REASON);
    }
    if client.api_key.is_none() {
        reader.report_missing("api_key", "ACCESS_API_KEY", API_KEY_REASON);
    }
    if reader.has_errors() {
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
        proxy: ProxySettings::from_env(environment),
        stop,
    };
    let settings = Settings {
        client,
        drift_detection: drift_detection?,
        deletion_policy: deletion_policy?,
        repository: repository?,
    };
    Some(Configuration::Ready(Box::new(settings)))
}

const BASE_URL_REASON: &str = "The provider needs the regional base address of the service.";
const API_KEY_REASON: &str = "The provider needs an API key of the service. Prefer the environment \
    variable, or a file with `api_key_file` or `ACCESS_API_KEY_FILE`: a key in a configuration ends \
    up in its repository.";

/// Returns `Terraform/<version> (+https://www.terraform.io) terraform-provider-access/<version>`,
/// the form of HashiCorp's own providers. The service recognises the caller by the last part.
fn user_agent(terraform_version: &str, suffix: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let own = format!(
        "Terraform/{terraform_version} (+https://www.terraform.io) terraform-provider-access/{version}"
    );
    suffix.map_or_else(|| own.clone(), |suffix| format!("{own} {suffix}"))
}

#[cfg(test)]
mod tests;
