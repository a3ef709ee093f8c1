//! The client, and the steps that all its calls have in common.

use std::sync::Arc;

use http::Method;
use http::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, USER_AGENT};

use crate::base_url::BaseUrl;
use crate::call::Sending;
use crate::error::{Error, Failure};
use crate::exchange::{RawResponse, Request};
use crate::gate::Gate;
use crate::http_client::HttpClient;
use crate::invalid::Invalid;
use crate::json::{self, BodyError};
use crate::redact::Redactor;
use crate::retry::{Attempts, Limits, Retries};
use crate::secret::ApiKey;
use crate::settings::Settings;
use crate::shared::Shared;
use crate::{message, tls};

/// The key of a client without settings, which nobody has and no text contains.
const NO_KEY: &str = "no-key:unknown-settings";

/// A client of the service. Clones share connections, limits and the observed state of the service.
///
/// Its calls must run on a runtime with one thread (`flavor = "current_thread"`). On several, hyper
/// can pass a request to an HTTP/2 connection that ends at the same time: the request is never
/// sent, and fails only after `request_timeout`. Debug builds panic on such a runtime.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    retries: Retries,
}

impl Client {
    /// Creates a client. Sends no request.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no certificates to trust, if the proxy variable cannot be
    /// parsed, or if another setting is invalid.
    pub fn new(settings: Settings) -> Result<Self, Invalid> {
        Self::with_settings(settings, None)
    }

    /// Creates a client without settings: every call fails, for this reason, and sends nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has no HTTP client.
    pub fn without_settings(reason: String) -> Result<Self, Invalid> {
        let base_url = BaseUrl::parse("http://localhost")?;
        let settings = Settings::new(base_url, ApiKey::parse(NO_KEY)?);
        Self::with_settings(settings, Some(reason))
    }

    fn with_settings(settings: Settings, unknown: Option<String>) -> Result<Self, Invalid> {
        let https = settings.base_url.is_https();
        let tls = tls::config(https, settings.extra_roots.as_ref())?;
        let proxy = settings.proxy.proxy(&settings.base_url)?;
        let password = proxy.as_ref().and_then(|proxy| proxy.password.clone());
        let redactor = Redactor::new([settings.api_key.secret()].into_iter().chain(password));
        let headers = headers(&settings)?;
        let gate = Arc::new(Gate::default());
        let proxy_variable = proxy.as_ref().map(|proxy| proxy.variable);
        let proxy = proxy.map(|proxy| proxy.proxy);
        let http = HttpClient::new(tls, proxy, settings.request_timeout, Arc::clone(&gate))?;
        let shared = Shared { settings, unknown, http, headers, proxy_variable, redactor, gate };
        Ok(Self { shared: Arc::new(shared), retries: Retries::All })
    }

    /// Returns a client that shares everything with this one, except that its calls are sent again
    /// only after these failures.
    #[must_use]
    pub fn with_retries(&self, retries: Retries) -> Self {
        Self { shared: Arc::clone(&self.shared), retries }
    }

    /// Returns text from the service, such as a name in one of its objects, in a form that is safe
    /// to print: shortened, and without control characters and secrets.
    #[must_use]
    pub fn presentable(&self, text: &str) -> String {
        message::clean(text, &self.shared.redactor)
    }

    /// Creates the error of a failure that did not occur in an attempt.
    pub(crate) fn error(&self, method: &Method, path: &str, failure: Failure) -> Error {
        Error {
            method: match *method {
                Method::GET => "GET",
                Method::POST => "POST",
                Method::PATCH => "PATCH",
                _ => "DELETE",
            },
            path: path.to_owned(),
            base_url: match self.shared.unknown {
                None => self.shared.settings.base_url.to_string(),
                Some(_) => String::new(),
            },
            failure,
            attempts: 1,
            request_id: None,
            processed: true,
            outage: false,
        }
    }

    /// Calls the service and returns the object that `read` parses from the body.
    pub(crate) async fn call_for<T>(
        &self,
        request: Request,
        read: impl Fn(&[u8]) -> Result<T, BodyError>,
    ) -> Result<T, Error> {
        self.call(request, |response| read(&response.body)).await
    }

    /// Calls the service and returns the result that `read` parses from a successful response.
    pub(crate) async fn call<T>(
        &self,
        request: Request,
        read: impl Fn(&RawResponse) -> Result<T, BodyError>,
    ) -> Result<T, Error> {
        let shared = &*self.shared;
        if let Some(reason) = shared.unknown.clone() {
            let failure = Failure::SettingsUnknown { reason };
            let error = self.error(&request.method, &request.path, failure);
            return Err(Error { attempts: 0, processed: false, ..error });
        }
        let stop = shared.settings.stop.current();
        let limits = Limits {
            retries: self.retries,
            idempotent: request.idempotent,
            retries_left: shared.settings.max_retries,
            wait_left: shared.settings.max_retry_wait,
        };
        let mut attempts = Attempts::new(&shared.gate, &stop, limits);
        let mut call = Sending::new(shared, &request, read);
        let result = attempts.run(&mut call).await;
        result.map_err(|failure| Error {
            attempts: attempts.sent,
            request_id: call.request_id,
            processed: call.processed,
            outage: attempts.ended_by_outage,
            ..self.error(&request.method, &request.path, failure)
        })
    }
}

/// Returns the headers of every request.
fn headers(settings: &Settings) -> Result<HeaderMap, Invalid> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let user_agent = HeaderValue::from_str(&settings.user_agent)
        .map_err(|_| "the user agent contains a character that is not allowed in an HTTP header")?;
    headers.insert(USER_AGENT, user_agent);
    headers.insert(AUTHORIZATION, settings.api_key.header());
    Ok(headers)
}

/// Checks that a success comes from the service. A gateway's page does not prove that anything was
/// deleted.
pub(crate) fn expect_deleted(response: &RawResponse) -> Result<(), BodyError> {
    if response.body.trim_ascii().is_empty() || json::is_object(&response.body) {
        return Ok(());
    }
    Err(BodyError::new("its body is neither empty nor a JSON object"))
}

/// Serializes a request body.
pub(crate) fn to_json(body: &impl serde::Serialize) -> Vec<u8> {
    // Strings and integers under fixed names always serialize.
    serde_json::to_vec(body).unwrap_or_default()
}
