//! The client: one call is as many attempts as it takes within its limits.

use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, USER_AGENT};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::attempt::{Answer, Broken, Request, send};
use crate::error::{Error, Failure};
use crate::retry::{Quota, backoff};
use crate::settings::{Settings, SettingsError};
use crate::throttle::Throttle;
use crate::{tls, words};

/// What stays as it is in a path segment: the unreserved characters of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The same in the value of a query, where commas separate the fields of a mask.
const VALUE: &AsciiSet = &SEGMENT.remove(b',');

/// A client of the service. Clones share connections, limits and what was learned.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

struct Shared {
    settings: Settings,
    http: reqwest::Client,
    throttle: Throttle,
    quota: Quota,
}

/// What to do after a failed attempt.
enum Next {
    /// Send again after a backoff, taken from the quota.
    Again(Failure),
    /// Send again after the wait that the service asked for.
    Wait(Failure, Duration),
    /// Give up.
    Stop(Failure),
}

impl Client {
    /// A client of these settings. Makes no request.
    ///
    /// # Errors
    ///
    /// Fails where there are no certificates to trust, or a setting cannot be used.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let tls = tls::config(settings.base_url.is_https(), settings.extra_roots.as_ref())
            .map_err(SettingsError)?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let user_agent = HeaderValue::from_str(&settings.user_agent).map_err(|_| {
            SettingsError("the user agent is not one that a header can carry".to_owned())
        })?;
        headers.insert(USER_AGENT, user_agent);
        for header in &settings.headers {
            headers.insert(header.name.clone(), header.value.clone());
        }
        headers.insert(AUTHORIZATION, settings.api_key.header());
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .default_headers(headers)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .tcp_nodelay(true)
            .timeout(settings.request_timeout);
        if settings.base_url.is_loopback() {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| SettingsError(error.to_string()))?;
        let throttle = Throttle::new(settings.max_requests_per_second);
        Ok(Self(Arc::new(Shared { settings, http, throttle, quota: Quota::new() })))
    }

    /// A text of the service, such as a name or an address in one of its objects, fit for a terminal: as
    /// its messages are, without control characters and the key, and shortened.
    #[must_use]
    pub fn presentable(&self, text: &str) -> String {
        words::clean(text, &self.0.settings.api_key)
    }

    /// The base address, for errors.
    pub(crate) fn base_url(&self) -> String {
        self.0.settings.base_url.to_string()
    }

    /// Calls the service; `read` makes a result of a success, or says what is wrong with it.
    pub(crate) async fn call<T>(
        &self,
        request: Request,
        read: impl Fn(&Answer) -> Result<T, String>,
    ) -> Result<T, Error> {
        let shared = &*self.0;
        let stop = shared.settings.stop.current();
        shared.quota.call_begins();
        let mut call = Call {
            base_url: self.base_url(),
            patience: shared.settings.max_retry_wait,
            attempts: 0,
            retries_of_failures: 0,
            processed: false,
            request_id: None,
        };
        loop {
            if let Err(failure) = shared.admit(&mut call, &stop).await {
                return Err(call.error(&request, failure));
            }
            call.attempts += 1;
            let outcome = shared.attempt(&request, &mut call, &read).await;
            let next = match outcome {
                Ok(result) => {
                    shared.quota.give_back(call.retries_of_failures);
                    return Ok(result);
                }
                Err(next) => next,
            };
            let (failure, wait) = match next {
                Next::Stop(failure) => return Err(call.error(&request, failure)),
                Next::Again(failure) | Next::Wait(failure, _)
                    if call.attempts > shared.settings.max_retries =>
                {
                    return Err(call.error(&request, failure));
                }
                Next::Again(failure) => {
                    let wait = backoff(call.attempts, fastrand::f64());
                    if wait > call.patience || !shared.quota.take() {
                        return Err(call.error(&request, failure));
                    }
                    call.retries_of_failures += 1;
                    call.patience -= wait;
                    (failure, wait)
                }
                Next::Wait(failure, wait) => {
                    if wait > call.patience {
                        let failure = out_of_patience(failure, call.patience);
                        return Err(call.error(&request, failure));
                    }
                    // The shared gate makes this call wait, and takes it from its patience.
                    (failure, Duration::ZERO)
                }
            };
            if !wait.is_zero() && sleep(wait, &stop).await.is_err() {
                return Err(call.error(&request, failure));
            }
        }
    }
}

/// What one call has used up.
struct Call {
    base_url: String,
    patience: Duration,
    attempts: u32,
    retries_of_failures: u32,
    processed: bool,
    request_id: Option<String>,
}

impl Call {
    fn error(self, request: &Request, failure: Failure) -> Error {
        Error {
            method: match request.method {
                reqwest::Method::GET => "GET",
                reqwest::Method::POST => "POST",
                reqwest::Method::PATCH => "PATCH",
                _ => "DELETE",
            },
            path: request.path.clone(),
            base_url: self.base_url,
            failure,
            attempts: self.attempts,
            request_id: self.request_id,
            processed: self.processed,
        }
    }
}

impl Shared {
    /// Waits at the gate. Waits before a further attempt count against the call's patience, and so do
    /// those for a gate that was closed meanwhile. The first place in the queue does not, but a gate
    /// closed for longer than anybody waits fails at once.
    async fn admit(&self, call: &mut Call, stop: &CancellationToken) -> Result<(), Failure> {
        if stop.is_cancelled() {
            return Err(Failure::Interrupted);
        }
        let mut waited_before = call.attempts > 0;
        loop {
            let at = self.throttle.admit(call.patience).map_err(|wait| Failure::Throttled {
                words: "an earlier answer asked all calls to wait".to_owned(),
                retry_after: Some(wait),
                budget: Some(call.patience),
            })?;
            let wait = at.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                return Ok(());
            }
            if waited_before {
                call.patience = call.patience.saturating_sub(wait);
            }
            sleep(wait, stop).await?;
            if !self.throttle.is_closed() {
                return Ok(());
            }
            waited_before = true;
        }
    }

    async fn attempt<T>(
        &self,
        request: &Request,
        call: &mut Call,
        read: impl Fn(&Answer) -> Result<T, String>,
    ) -> Result<T, Next> {
        let started = Instant::now();
        let key = &self.settings.api_key;
        let url = self.settings.base_url.join(&format!("{}{}", request.path, request.query));
        let sent = send(&self.http, url, request, key).await;
        let milliseconds = started.elapsed().as_millis();
        let (method, path, attempt) = (&request.method, &request.path, call.attempts);
        match sent {
            Ok(answer) => {
                let (status, request_id) = (answer.status, answer.request_id.as_deref());
                tracing::debug!(%method, path, status, attempt, milliseconds, request_id, "request");
                tracing::trace!(
                    sent = request.body.as_deref().map(|body| words::of_trace(body, key)),
                    answered = words::of_trace(&answer.body, key),
                    "bodies"
                );
                call.request_id.clone_from(&answer.request_id);
                self.judge(request, call, &answer, read)
            }
            Err(broken) => {
                let next = judge_broken(request, call, broken);
                let (Next::Again(failure) | Next::Stop(failure) | Next::Wait(failure, _)) = &next;
                tracing::debug!(%method, path, attempt, milliseconds, ?failure, "request failed");
                Err(next)
            }
        }
    }

    fn judge<T>(
        &self,
        request: &Request,
        call: &mut Call,
        answer: &Answer,
        read: impl Fn(&Answer) -> Result<T, String>,
    ) -> Result<T, Next> {
        let words = || words::of_body(&answer.body, &self.settings.api_key);
        if answer.status == 429 {
            let wait = self.throttle.refused(answer.retry_after);
            let failure = Failure::Throttled {
                words: words(),
                retry_after: answer.retry_after,
                budget: None,
            };
            // 429 is the service's word that it did not process the request: POST as well.
            return Err(Next::Wait(failure, wait));
        }
        self.throttle.accepted();
        call.processed = true;
        if (200..300).contains(&answer.status) {
            return read(answer).map_err(|reason| {
                Next::Stop(Failure::Unreadable { status: answer.status, reason })
            });
        }
        let failure = Failure::Status {
            status: answer.status,
            words: words(),
            json: answer.is_json_object(),
        };
        let passing = matches!(answer.status, 500 | 502 | 503 | 504);
        Err(if passing && request.idempotent { Next::Again(failure) } else { Next::Stop(failure) })
    }
}

fn judge_broken(request: &Request, call: &mut Call, broken: Broken) -> Next {
    match broken {
        Broken::NotSent(reason) => Next::Again(Failure::Transport { reason }),
        Broken::Sent(reason) => {
            call.processed = true;
            let failure = Failure::Transport { reason };
            if request.idempotent { Next::Again(failure) } else { Next::Stop(failure) }
        }
        Broken::Certificate(reason) => Next::Stop(Failure::Certificate { reason }),
        Broken::TooLarge { status } => {
            call.processed = true;
            Next::Stop(Failure::Unreadable {
                status,
                reason: "its body is larger than 8 MiB".to_owned(),
            })
        }
    }
}

fn out_of_patience(failure: Failure, left: Duration) -> Failure {
    match failure {
        Failure::Throttled { words, retry_after, .. } => {
            Failure::Throttled { words, retry_after, budget: Some(left) }
        }
        other => other,
    }
}

/// Waits, unless it is interrupted.
async fn sleep(wait: Duration, stop: &CancellationToken) -> Result<(), Failure> {
    tokio::select! {
        () = tokio::time::sleep(wait) => Ok(()),
        () = stop.cancelled() => Err(Failure::Interrupted),
    }
}

/// A path of segments, each encoded as one.
pub(crate) fn path(segments: &[&str]) -> String {
    let mut path = "/api/v1".to_owned();
    for segment in segments {
        path.push('/');
        path.extend(utf8_percent_encode(segment, SEGMENT));
    }
    path
}

/// A query of these parameters, values encoded; nothing of none.
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
