//! The provider's arguments and their environment variables, turned into settings.

mod arguments;
mod read;

use std::path::Path;

use access_client::{ProxySettings, StopSignal};
use tf_provider::Diagnostics;

use arguments::Values;
pub(crate) use arguments::provider_schema;
pub(crate) use read::ProviderConfig;
use read::Reader;

use crate::environment::Environment;
use crate::repository::{ConfiguredRepository, Repository, detect};

/// What a provider block and the environment amount to.
pub(crate) struct Settings {
    pub(crate) client: access_client::Settings,
    /// Whether a refresh and a plan read objects: by GET, and by list after a few GETs under a
    /// parent.
    pub(crate) detects_drift: bool,
    /// Whether the destroy of a resource leaves the object at the service.
    pub(crate) abandons: bool,
    pub(crate) repository: ConfiguredRepository,
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

/// Checks the known values of the provider block. The environment sets none of them here.
pub(crate) fn validate(
    config: &ProviderConfig,
    environment: Environment<'_>,
    diags: &mut Diagnostics,
) {
    _ = Reader { config, environment, is_validate: true }.read(diags);
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
    let reader = Reader { config, environment, is_validate: false };
    // The service recognises the caller by the last part.
    let product = concat!("terraform-provider-access/", env!("CARGO_PKG_VERSION"));
    let user_agent = reader.user_agent(terraform_version, product, diags);
    let values = reader.read(diags);
    if !diags.errors.is_empty() {
        return None;
    }
    let unknown = reader.unknown();
    if !unknown.is_empty() {
        let unknown = Unknown { arguments: unknown, abandons: values.abandons };
        return Some(Configuration::Unknown(unknown));
    }
    let Values { detects_repository, detects_drift, abandons, .. } = values;
    let detect = || detects_repository.then(|| detect(working_directory));
    let repository = Repository { uri: values.repo_uri, dir: values.repo_dir };
    let repository = ConfiguredRepository::new(repository, detect);
    let client = access_client::Settings {
        base_url: values.base_url?,
        api_key: values.api_key?,
        user_agent,
        request_timeout: values.request_timeout,
        max_retries: values.max_retries,
        max_retry_wait: values.max_retry_wait,
        extra_roots: values.extra_roots,
        proxy: ProxySettings::from_env(environment),
        stop,
    };
    let settings = Settings { client, detects_drift, abandons, repository };
    Some(Configuration::Ready(Box::new(settings)))
}

#[cfg(test)]
mod tests;
