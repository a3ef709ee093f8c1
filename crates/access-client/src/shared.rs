//! The part of a client that its clones and their calls share.

use std::sync::Arc;

use http::HeaderMap;

use crate::gate::Gate;
use crate::http_client::HttpClient;
use crate::redact::Redactor;
use crate::settings::Settings;

/// The part of a client that its clones and their calls share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    /// Why the settings are not those of the user, and nothing is sent.
    pub(crate) unknown: Option<String>,
    pub(crate) http: HttpClient,
    /// The headers of every request.
    pub(crate) headers: HeaderMap,
    /// The variable that names the proxy, if there is one.
    pub(crate) proxy_variable: Option<&'static str>,
    pub(crate) redactor: Redactor,
    pub(crate) gate: Arc<Gate>,
}
