//! One call. [`Retries`](crate::retry::Retries) decides how often its request is sent. This module
//! classifies each response, and reports to the gate if it concerns all calls.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Failure, Wait};
use crate::exchange::{RawResponse, Request, send};
use crate::json::BodyError;
use crate::message;
use crate::outage::Permit;
use crate::retry::{Attempt, Next};
use crate::shared::Shared;
use crate::transport_error::TransportError;

/// A call in progress. `read` parses a successful response.
pub(crate) struct Call<'c, R> {
    shared: &'c Shared,
    request: &'c Request,
    read: R,
    /// Whether the service may have processed any of the attempts.
    pub(crate) processed: bool,
    /// The service's ID of the last request.
    pub(crate) request_id: Option<String>,
}

impl<T, R: Fn(&RawResponse) -> Result<T, BodyError>> Attempt<T> for Call<'_, R> {
    async fn attempt(
        &mut self,
        permit: Permit<'_>,
        attempt: u32,
        replaceable: bool,
    ) -> Result<T, Next> {
        let started = Instant::now();
        let (shared, request) = (self.shared, self.request);
        let url = shared.settings.base_url.join(&format!("{}{}", request.path, request.query));
        let timeout = permit.timeout.filter(|limit| *limit < shared.settings.request_timeout);
        let sent = send(&shared.http, url, request, timeout, &shared.redactor).await;
        let milliseconds = started.elapsed().as_millis();
        let (method, path) = (&request.method, &request.path);
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
                self.classify_response(permit, &response)
            }
            Err(error) => {
                let next = self.classify_transport_error(permit, error, replaceable).await;
                let (Next::Retry(failure)
                | Next::Replace(failure)
                | Next::Stop(failure)
                | Next::Wait(failure, _)) = &next;
                tracing::debug!(%method, path, attempt, milliseconds, ?failure, "request failed");
                Err(next)
            }
        }
    }

    async fn probe(&mut self, permit: Permit<'_>) {
        // Any response shows that the service works again, even if the service does not offer this
        // GET.
        let request = Request::get(self.request.path.clone());
        _ = Call::new(self.shared, &request, |_: &_| Ok(())).attempt(permit, 1, false).await;
    }
}

impl<'c, T, R: Fn(&RawResponse) -> Result<T, BodyError>> Call<'c, R> {
    pub(crate) fn new(shared: &'c Shared, request: &'c Request, read: R) -> Self {
        Self { shared, request, read, processed: false, request_id: None }
    }

    fn classify_response(&mut self, permit: Permit<'_>, response: &RawResponse) -> Result<T, Next> {
        let gate = &self.shared.gate;
        let status = response.status;
        let message = || message::of_body(&response.body, &self.shared.redactor);
        if status == 429 {
            let asked = gate.record_429(permit, response.retry_after);
            let wait = response.retry_after.map(|asked| Wait { asked, exceeds: None });
            // 429 means that the service did not process the request, so that even a POST can be
            // repeated.
            return Err(Next::Wait(Failure::Throttled { message: message(), wait }, asked));
        }
        self.processed = true;
        if (200..300).contains(&status) {
            gate.record_success(permit);
            return (self.read)(response).map_err(|BodyError { reason, too_large }| {
                Next::Stop(Failure::Unreadable { status, reason, too_large })
            });
        }
        let json = response.is_json_object();
        if (300..400).contains(&status) {
            gate.record_success(permit);
            let target = response.location.clone();
            return Err(Next::Stop(Failure::Redirect { status, message: message(), target, json }));
        }
        let failure = Failure::Status { status, message: message(), json, wait: None };
        if !matches!(status, 500 | 502 | 503 | 504) {
            gate.record_success(permit);
            return Err(Next::Stop(failure));
        }
        let asked = response.retry_after.filter(|_| status == 503);
        self.report(permit, &failure, asked);
        Err(match asked {
            _ if self.request.optional => Next::Stop(failure),
            _ if !self.request.idempotent => Next::Stop(failure),
            Some(wait) => Next::Wait(failure, wait),
            None => Next::Retry(failure),
        })
    }

    /// Reports a failure that can affect other calls as well. The failure of an optional request may
    /// be that of its operation alone; only as a probe it shows that an outage goes on.
    fn report(&self, permit: Permit<'_>, failure: &Failure, retry_after: Option<Duration>) {
        if permit.probe || !self.request.optional {
            permit.failed(failure, retry_after);
        }
    }

    /// Returns the next step after a failure of a request that may be sent again.
    fn repeat(&self, failure: Failure) -> Next {
        if self.request.optional { Next::Stop(failure) } else { Next::Retry(failure) }
    }

    async fn classify_transport_error(
        &mut self,
        permit: Permit<'_>,
        error: TransportError,
        replaceable: bool,
    ) -> Next {
        let idempotent = self.request.idempotent;
        let replaceable = replaceable && !permit.probe;
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
                self.report(permit, &failure, None);
                self.repeat(failure)
            }
            TransportError::Sent(reason) | TransportError::Closed(reason) => {
                self.processed = true;
                let failure = Failure::Transport { reason };
                self.report(permit, &failure, None);
                if idempotent { self.repeat(failure) } else { Next::Stop(failure) }
            }
            TransportError::Certificate(reason) => Next::Stop(Failure::Certificate { reason }),
            TransportError::NotTls => Next::Stop(Failure::NotTls),
            TransportError::Proxy { status, reason } => {
                let variable =
                    self.shared.proxy.as_ref().map_or("HTTPS_PROXY", |proxy| proxy.variable);
                let status = match (&self.shared.proxy, status) {
                    (Some(proxy), None) if reason.is_empty() => {
                        proxy
                            .connect_status(&self.shared.settings.base_url, &self.shared.proxy_tls)
                            .await
                    }
                    (_, status) => status,
                };
                let failure = Failure::Proxy { variable, status, reason };
                if matches!(status, Some(400..=499)) {
                    return Next::Stop(failure);
                }
                self.report(permit, &failure, None);
                self.repeat(failure)
            }
            TransportError::TooLarge { status } => {
                self.processed = true;
                self.shared.gate.record_success(permit);
                let reason = "its body is larger than 8 MiB".to_owned();
                Next::Stop(Failure::Unreadable { status, reason, too_large: true })
            }
        }
    }
}
