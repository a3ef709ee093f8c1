//! The configuration of a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::base_url::BaseUrl;
use crate::proxy::ProxySettings;
use crate::secret::ApiKey;
use crate::tls::PemBundle;

/// Settings of a [`Client`](crate::Client).
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address of the service. The API key is sent only to this address.
    pub base_url: BaseUrl,
    /// Sent as `Authorization: Bearer`.
    pub api_key: ApiKey,
    /// Sent as `User-Agent`.
    pub user_agent: String,
    /// The longest time that one attempt may take, including its body.
    pub request_timeout: Duration,
    /// The largest number of attempts of one call after the first.
    pub max_retries: u32,
    /// The longest total wait between the attempts of one call.
    pub max_retry_wait: Duration,
    /// Certificate authorities to trust in addition to the system's.
    pub extra_roots: Option<PemBundle>,
    /// The proxy settings of the environment. Loopback addresses are reached without a proxy.
    pub proxy: ProxySettings,
    /// The source of the cancellation tokens of calls.
    pub stop: StopSignal,
}

impl Settings {
    /// Returns the usual settings of a client without a proxy.
    pub fn new(base_url: BaseUrl, api_key: ApiKey) -> Self {
        Self {
            base_url,
            api_key,
            user_agent: "access-client".to_owned(),
            request_timeout: Duration::from_secs(30),
            max_retries: 10,
            max_retry_wait: Duration::from_secs(120),
            extra_roots: None,
            proxy: ProxySettings::default(),
            stop: StopSignal::default(),
        }
    }
}

/// The source of the cancellation token that an interrupt cancels.
///
/// It is a function and not a token, because an interrupt ends the waits of the calls in progress
/// and not those of later calls. Calls with the default are never interrupted.
#[derive(Clone)]
pub struct StopSignal(Arc<dyn Fn() -> CancellationToken + Send + Sync>);

impl StopSignal {
    /// Creates a signal that calls `current` at the start of each call.
    pub fn new(current: impl Fn() -> CancellationToken + Send + Sync + 'static) -> Self {
        Self(Arc::new(current))
    }

    /// Returns the cancellation token for a new call.
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
