//! The client: one call is as many attempts as it takes within its limits.

use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, USER_AGENT};
use time::OffsetDateTime;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::backoff::backoff;
use crate::error::{Error, Failure};
use crate::exchange::{RawResponse, Request, send};
use crate::gate::{Gate, sleep};
use crate::json::BodyError;
use crate::outage::{Budget, Permit, with_wait};
use crate::proxy::Proxy;
use crate::redact::Redactor;
use crate::settings::{Settings, SettingsError};
use crate::transport_error::TransportError;
use crate::{message, tls};

/// What is not encoded in a path segment: the unreserved characters of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The same in the value of a query, where commas separate the fields of a mask.
const VALUE: &AsciiSet = &SEGMENT.remove(b',');

/// The longest time for a connection, as a part of `request_timeout`: one that cannot be made must be
/// recognised as such, because only then a POST may be sent again.
const CONNECT_PART: f64 = 0.75;

/// A client of the service. Clones share connections, limits and what was learned.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

struct Shared {
    settings: Settings,
    http: reqwest::Client,
    proxy: Option<Proxy>,
    redactor: Redactor,
    gate: Gate,
}

/// An object of the service, with the time of the response.
#[derive(Clone, Debug, PartialEq)]
pub struct Response<T> {
    /// The object.
    pub object: T,
    /// The `Date` header, if the service sent one.
    pub date: Option<OffsetDateTime>,
}

/// What to do after a failed attempt.
enum Next {
    /// Send again after a backoff.
    Retry(Failure),
    /// Send again at once, without counting the attempt: the request was lost with a connection that
    /// ended, which is no failure of the service.
    Replace(Failure),
    /// Send again after the wait that the service asked for, which the gate enforces.
    Wait(Failure, Duration),
    /// Give up.
    Stop(Failure),
}

impl Client {
    /// Creates a client. Sends no request.
    ///
    /// # Errors
    ///
    /// Fails if there are no certificates to trust, if the proxy variable cannot be parsed, or if
    /// another setting cannot be used.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let https = settings.base_url.is_https();
        let tls = tls::config(https, settings.extra_roots.as_ref()).map_err(SettingsError)?;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .default_headers(headers(&settings)?)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .tcp_nodelay(true)
            .connect_timeout(settings.request_timeout.mul_f64(CONNECT_PART))
            .timeout(settings.request_timeout)
            .no_proxy();
        let proxy = if settings.base_url.is_loopback() { None } else { settings.proxy.proxy()? };
        if let Some(proxy) = &proxy {
            builder = builder.proxy(proxy.to_reqwest()?);
        }
        let http = builder.build().map_err(|error| SettingsError(error.to_string()))?;
        let mut secrets = settings.api_key.secrets();
        secrets.extend(settings.headers.iter().flat_map(|header| header.secrets()));
        secrets.extend(proxy.iter().flat_map(Proxy::secrets));
        let redactor = Redactor::new(secrets);
        let gate = Gate::new(settings.max_retry_wait, settings.max_requests_per_second);
        Ok(Self(Arc::new(Shared { settings, http, proxy, redactor, gate })))
    }

    /// Makes a text of the service, such as a name or an address in one of its objects, fit for a
    /// terminal: without control characters and secrets, and shortened.
    #[must_use]
    pub fn presentable(&self, text: &str) -> String {
        message::clean(text, &self.0.redactor)
    }

    /// Creates the error of a failure that is not one of an attempt.
    pub(crate) fn error(&self, method: &Method, path: &str, failure: Failure) -> Error {
        Error {
            method: method_name(method),
            path: path.to_owned(),
            base_url: self.0.settings.base_url.to_string(),
            failure,
            attempts: 1,
            request_id: None,
            processed: true,
            outage: false,
        }
    }

    /// Calls the service for an object, which `read` makes of the body.
    pub(crate) async fn call_for<T>(
        &self,
        request: Request,
        read: impl Fn(&[u8]) -> Result<T, BodyError>,
    ) -> Result<Response<T>, Error> {
        self.call(request, |response| {
            Ok(Response { object: read(&response.body)?, date: response.date })
        })
        .await
    }

    /// Calls the service; `read` makes a result of a success.
    pub(crate) async fn call<T>(
        &self,
        request: Request,
        read: impl Fn(&RawResponse) -> Result<T, BodyError>,
    ) -> Result<T, Error> {
        let shared = &*self.0;
        let stop = shared.settings.stop.current();
        let mut call = Call::new(shared, &request);
        match call.run(&stop, read).await {
            Ok(result) => Ok(result),
            Err(failure) => Err(Error {
                attempts: call.budget.attempts,
                request_id: call.request_id,
                processed: call.processed,
                outage: call.outage,
                ..self.error(&request.method, &request.path, failure)
            }),
        }
    }
}

fn headers(settings: &Settings) -> Result<HeaderMap, SettingsError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let user_agent = HeaderValue::from_str(&settings.user_agent).map_err(|_| {
        SettingsError("the user agent contains a character that no header can carry".to_owned())
    })?;
    headers.insert(USER_AGENT, user_agent);
    for header in &settings.headers {
        headers.insert(header.name.clone(), header.value.clone());
    }
    headers.insert(AUTHORIZATION, settings.api_key.header());
    Ok(headers)
}

/// A call in progress.
struct Call<'c> {
    shared: &'c Shared,
    request: &'c Request,
    budget: Budget,
    /// Whether a connection may still be replaced without counting the attempt.
    replaceable: bool,
    processed: bool,
    request_id: Option<String>,
    /// Whether the call ended because of an outage that all calls share.
    outage: bool,
}

impl<'c> Call<'c> {
    fn new(shared: &'c Shared, request: &'c Request) -> Self {
        let budget = Budget {
            patience: shared.settings.max_retry_wait,
            attempts: 0,
            retries: shared.settings.max_retries,
            idempotent: request.idempotent,
        };
        Self {
            shared,
            request,
            budget,
            replaceable: true,
            processed: false,
            request_id: None,
            outage: false,
        }
    }

    async fn run<T>(
        &mut self,
        stop: &CancellationToken,
        read: impl Fn(&RawResponse) -> Result<T, BodyError>,
    ) -> Result<T, Failure> {
        let gate = &self.shared.gate;
        let mut last = None;
        loop {
            let permit = match gate.enter(&mut self.budget, stop).await {
                Ok(permit) => permit,
                Err(failure) => {
                    self.outage = gate.is_outage();
                    return Err(failure.or_own(last));
                }
            };
            if permit.probe && !self.request.idempotent {
                self.probe(permit).await;
                continue;
            }
            self.budget.attempts += 1;
            let failure = match self.attempt(permit, &read).await {
                Ok(result) => return Ok(result),
                Err(Next::Stop(failure)) => return Err(failure),
                Err(Next::Replace(failure)) => {
                    self.replaceable = false;
                    self.budget.attempts -= 1;
                    last = Some(failure);
                    continue;
                }
                Err(Next::Wait(failure, wait)) if wait > self.budget.patience => {
                    return Err(with_wait(&failure, wait, self.budget.patience));
                }
                Err(Next::Retry(failure) | Next::Wait(failure, _)) if self.budget.retries == 0 => {
                    self.outage = gate.is_outage();
                    return Err(failure);
                }
                Err(Next::Retry(failure)) => {
                    self.back_off(&failure, stop).await?;
                    failure
                }
                Err(Next::Wait(failure, _)) => failure,
            };
            self.budget.retries -= 1;
            self.replaceable = true;
            last = Some(failure);
        }
    }

    /// Waits before a further attempt, unless an outage makes the call wait at the gate.
    async fn back_off(
        &mut self,
        failure: &Failure,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        if self.shared.gate.is_outage() {
            return Ok(());
        }
        let wait = backoff(self.budget.attempts, fastrand::f64());
        if wait > self.budget.patience {
            return Err(failure.clone());
        }
        self.budget.patience -= wait;
        sleep(wait, stop).await
    }

    /// Probes an outage for a request that must not be sent twice: by a GET of the same path, whose
    /// response need not be a success.
    async fn probe(&mut self, permit: Permit<'_>) {
        let request = Request::get(self.request.path.clone());
        let mut probe = Call::new(self.shared, &request);
        probe.budget.attempts = 1;
        _ = probe.attempt(permit, |_| Ok(())).await;
    }

    async fn attempt<T>(
        &mut self,
        permit: Permit<'_>,
        read: impl Fn(&RawResponse) -> Result<T, BodyError>,
    ) -> Result<T, Next> {
        let started = Instant::now();
        let (shared, request) = (self.shared, self.request);
        let url = shared.settings.base_url.join(&format!("{}{}", request.path, request.query));
        let timeout = permit.timeout.filter(|limit| *limit < shared.settings.request_timeout);
        let sent = send(&shared.http, url, request, timeout, &shared.redactor).await;
        let milliseconds = started.elapsed().as_millis();
        let (method, path, attempt) = (&request.method, &request.path, self.budget.attempts);
        match sent {
            Ok(response) => {
                let (status, request_id) = (response.status, response.request_id.as_deref());
                tracing::debug!(%method, path, status, attempt, milliseconds, request_id, "request");
                tracing::trace!(
                    request = request.body.as_deref().map(|body| shared.trace(body)),
                    response = shared.trace(&response.body),
                    "bodies"
                );
                self.request_id.clone_from(&response.request_id);
                self.judge(permit, &response, read)
            }
            Err(error) => {
                let next = self.judge_transport(permit, error).await;
                let (Next::Retry(failure)
                | Next::Replace(failure)
                | Next::Stop(failure)
                | Next::Wait(failure, _)) = &next;
                tracing::debug!(%method, path, attempt, milliseconds, ?failure, "request failed");
                Err(next)
            }
        }
    }

    fn judge<T>(
        &mut self,
        permit: Permit<'_>,
        response: &RawResponse,
        read: impl Fn(&RawResponse) -> Result<T, BodyError>,
    ) -> Result<T, Next> {
        let gate = &self.shared.gate;
        let status = response.status;
        let message = || message::of_body(&response.body, &self.shared.redactor);
        if status == 429 {
            let asked = gate.throttled(permit, response.retry_after);
            let wait =
                response.retry_after.map(|asked| crate::error::Wait { asked, exceeds: None });
            // With 429 the service states that it did not process the request: a POST as well.
            return Err(Next::Wait(Failure::Throttled { message: message(), wait }, asked));
        }
        self.processed = true;
        if (200..300).contains(&status) {
            gate.succeeded(permit);
            return read(response).map_err(|BodyError { reason, too_large }| {
                Next::Stop(Failure::Unreadable { status, reason, too_large })
            });
        }
        let json = response.is_json_object();
        if (300..400).contains(&status) {
            gate.succeeded(permit);
            let target = response.location.clone();
            return Err(Next::Stop(Failure::Redirect { status, message: message(), target, json }));
        }
        let failure = Failure::Status { status, message: message(), json, wait: None };
        if !matches!(status, 500 | 502 | 503 | 504) {
            gate.succeeded(permit);
            return Err(Next::Stop(failure));
        }
        let asked = response.retry_after.filter(|_| status == 503);
        permit.failed(&failure, asked);
        Err(match asked {
            _ if !self.request.idempotent => Next::Stop(failure),
            Some(wait) => Next::Wait(failure, wait),
            None => Next::Retry(failure),
        })
    }

    async fn judge_transport(&mut self, permit: Permit<'_>, error: TransportError) -> Next {
        let idempotent = self.request.idempotent;
        let replaceable = self.replaceable && !permit.probe;
        match error {
            TransportError::Unprocessed(reason) if replaceable => {
                Next::Replace(Failure::Transport { reason })
            }
            TransportError::Closed(reason) if replaceable && idempotent => {
                self.processed = true;
                Next::Replace(Failure::Transport { reason })
            }
            TransportError::NotSent(reason) | TransportError::Unprocessed(reason) => {
                let failure = Failure::Transport { reason };
                permit.failed(&failure, None);
                Next::Retry(failure)
            }
            TransportError::Sent(reason) | TransportError::Closed(reason) => {
                self.processed = true;
                let failure = Failure::Transport { reason };
                permit.failed(&failure, None);
                if idempotent { Next::Retry(failure) } else { Next::Stop(failure) }
            }
            TransportError::Certificate(reason) => Next::Stop(Failure::Certificate { reason }),
            TransportError::NotTls => Next::Stop(Failure::NotTls),
            TransportError::Proxy { status, reason } => {
                let variable = self.shared.proxy.as_ref().map_or("HTTPS_PROXY", |it| it.variable);
                let status = match (&self.shared.proxy, status) {
                    (Some(proxy), None) if reason.is_empty() => {
                        proxy.connect_status(&self.shared.settings.base_url).await
                    }
                    (_, status) => status,
                };
                let failure = Failure::Proxy { variable, status, reason };
                if matches!(status, Some(400..=499)) {
                    return Next::Stop(failure);
                }
                permit.failed(&failure, None);
                Next::Retry(failure)
            }
            TransportError::TooLarge { status } => {
                self.processed = true;
                self.shared.gate.succeeded(permit);
                let reason = "its body is larger than 8 MiB".to_owned();
                Next::Stop(Failure::Unreadable { status, reason, too_large: true })
            }
        }
    }
}

impl Shared {
    fn trace(&self, body: &[u8]) -> String {
        message::of_trace(body, &self.redactor)
    }
}

fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        _ => "DELETE",
    }
}

/// Checks that a success is the service's own: a gateway's page does not prove that anything was
/// deleted.
pub(crate) fn expect_deleted(response: &RawResponse) -> Result<(), BodyError> {
    if response.body.trim_ascii().is_empty() || response.is_json_object() {
        return Ok(());
    }
    Err(BodyError::new("its body is neither empty nor a JSON object"))
}

/// Serializes a request body.
pub(crate) fn to_json(body: &impl serde::Serialize) -> Vec<u8> {
    // Texts and integers under fixed names cannot fail.
    serde_json::to_vec(body).unwrap_or_default()
}

/// Returns the path of these segments, each encoded as one.
pub(crate) fn path(segments: &[&str]) -> String {
    let mut path = "/api/v1".to_owned();
    for segment in segments {
        path.push('/');
        path.extend(utf8_percent_encode(segment, SEGMENT));
    }
    path
}

/// Returns the query of these parameters, values encoded; empty if there are none.
pub(crate) fn query(parameters: &[(&str, &str)]) -> String {
    let mut query = String::new();
    for (name, value) in parameters {
        query.push(if query.is_empty() { '?' } else { '&' });
        query.push_str(name);
        query.push('=');
        query.extend(utf8_percent_encode(value, VALUE));
    }
    query
}
