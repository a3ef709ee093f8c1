//! What a client is made of.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::base_url::BaseUrl;
use crate::secret::{ApiKey, ExtraHeader};
use crate::tls::PemBundle;

/// Settings of a [`Client`](crate::Client).
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the service is; the key goes nowhere else.
    pub base_url: BaseUrl,
    /// Sent as `Authorization: Bearer`.
    pub api_key: ApiKey,
    /// Sent as `User-Agent`, unless `headers` replace it.
    pub user_agent: String,
    /// What one attempt may take, its body included.
    pub request_timeout: Duration,
    /// Further attempts of one call after the first.
    pub max_retries: u32,
    /// What one call may wait between its attempts in all.
    pub max_retry_wait: Duration,
    /// The most requests a second, if limited.
    pub max_requests_per_second: Option<f64>,
    /// Authorities to trust beside the system's.
    pub extra_roots: Option<PemBundle>,
    /// Headers added to every request.
    pub headers: Vec<ExtraHeader>,
    /// How an interrupt reaches the calls that run then.
    pub stop: StopSignal,
}

/// Yields the token that an interrupt of the calls running now would cancel.
///
/// A function and not a token: an interrupt ends the waits of the calls that run then, and of no
/// later ones. The default is never interrupted.
#[derive(Clone)]
pub struct StopSignal(Arc<dyn Fn() -> CancellationToken + Send + Sync>);

impl StopSignal {
    /// A signal that asks `current` at the start of each call.
    pub fn new(current: impl Fn() -> CancellationToken + Send + Sync + 'static) -> Self {
        Self(Arc::new(current))
    }

    pub(crate) fn current(&self) -> CancellationToken {
        (self.0)()
    }
}

impl Default for StopSignal {
    fn default() -> Self {
        Self::new(CancellationToken::new)
    }
}

impl fmt::Debug for StopSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StopSignal")
    }
}

/// Why no client could be made of the settings.
#[derive(Clone, Debug)]
pub struct SettingsError(pub(crate) String);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingsError {}
