//! The part of a client that its clones and their calls share.

use std::sync::Arc;

use crate::exchange::Request;
use crate::gate::Gate;
use crate::message;
use crate::outage::Budget;
use crate::proxy::Proxy;
use crate::redact::Redactor;
use crate::settings::Settings;

/// The configuration, the connections and the limits of a client.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) http: reqwest::Client,
    pub(crate) proxy: Option<Proxy>,
    /// The trusted certificates, for requests in HTTP/1.1 to a proxy over TLS.
    pub(crate) proxy_tls: Arc<rustls::ClientConfig>,
    pub(crate) redactor: Redactor,
    pub(crate) gate: Gate,
}

impl Shared {
    /// Returns the attempts and the waits that a new call may use.
    pub(crate) fn budget(&self, request: &Request) -> Budget {
        Budget {
            wait_left: self.settings.max_retry_wait,
            attempts: 0,
            retries: self.settings.max_retries,
            idempotent: request.idempotent,
        }
    }

    /// Returns a body as it may be logged: without control characters and secrets, and shortened.
    pub(crate) fn trace(&self, body: &[u8]) -> String {
        message::of_trace(body, &self.redactor)
    }
}
