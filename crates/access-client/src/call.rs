//! One call: each response is classified, and [`Attempts`](crate::retry::Attempts) decides whether
//! the request is sent again.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Failure, Wait};
use crate::exchange::{RawResponse, Request, send};
use crate::json::BodyError;
use crate::message;
use crate::retry::{Attempt, Class, Failed};
use crate::shared::Shared;
use crate::transport_error::TransportError;

/// A request that is being sent, with all its attempts. `read` parses a successful response.
pub(crate) struct Sending<'c, R> {
    shared: &'c Shared,
    request: &'c Request,
    read: R,
    /// Whether the service may have processed any of the attempts.
    pub(crate) processed: bool,
    /// The service's ID of the last request.
    pub(crate) request_id: Option<String>,
}

impl<T, R: Fn(&RawResponse) -> Result<T, BodyError>> Attempt<T> for Sending<'_, R> {
    async fn attempt(&mut self, attempt: u32) -> Result<T, Failed> {
        let started = Instant::now();
        let shared = self.shared;
        let request = self.request;
        let method = &request.method;
        let path = &request.path;
        let base_url = &shared.settings.base_url;
        let sent = send(shared, request).await;
        let milliseconds = started.elapsed().as_millis();
        match sent {
            Ok(response) => {
                let status = response.status;
                let request_id = response.request_id.as_deref();
                tracing::debug!(
                    %method, %base_url, path, status, attempt, milliseconds, request_id, "request"
                );
                let trace = |body: &[u8]| message::of_trace(body, &shared.redactor);
                tracing::trace!(
                    request = request.body.as_deref().map(trace),
                    response = trace(&response.body),
                    "bodies"
                );
                self.request_id.clone_from(&response.request_id);
                self.classify_response(&response)
            }
            Err(error) => {
                let failed = self.classify_transport_error(error);
                let failure = &failed.failure;
                tracing::debug!(
                    %method, %base_url, path, attempt, milliseconds, ?failure, "request failed"
                );
                Err(failed)
            }
        }
    }

    fn announce_retry(&self, failure: &Failure, wait: Duration) {
        let method = &self.request.method;
        let path = &self.request.path;
        let base_url = &self.shared.settings.base_url;
        let reason = failure.cause();
        let wait_seconds = wait.as_secs_f32();
        tracing::warn!(%method, %base_url, path, reason, wait_seconds, "the request is sent again");
    }
}

impl<'c, T, R: Fn(&RawResponse) -> Result<T, BodyError>> Sending<'c, R> {
    pub(crate) fn new(shared: &'c Shared, request: &'c Request, read: R) -> Self {
        Self { shared, request, read, processed: false, request_id: None }
    }

    /// Returns the result of a complete response, or the failure and whether another attempt may
    /// help.
    fn classify_response(&mut self, response: &RawResponse) -> Result<T, Failed> {
        let status = response.status;
        // 429 means that the service did not process the request, so that even a POST can be
        // repeated.
        self.processed |= status != 429;
        if (200..300).contains(&status) {
            return (self.read)(response).map_err(|BodyError { reason, defect }| {
                // It may quote a name that the service returned.
                let reason = message::clean(&reason, &self.shared.redactor);
                let failure = Failure::Unreadable { status, reason, defect };
                Failed { failure, class: Class::Final }
            });
        }
        let message = message::of_body(&response.body, &self.shared.redactor);
        let class = match status {
            429 => Class::Throttled,
            500 | 502 | 503 | 504 => Class::Passing,
            _ => Class::Final,
        };
        let asked = response.retry_after.filter(|_| matches!(status, 429 | 503));
        let wait = asked.map(|asked| Wait { asked, exceeds: None });
        let target = response.location.clone();
        let failure = Failure::Status { status, message, wait, target };
        Err(Failed { failure, class })
    }

    /// Returns the failure without a complete response, and whether another attempt may help.
    fn classify_transport_error(&mut self, error: TransportError) -> Failed {
        let (failure, class) = match error {
            TransportError::NotConnected(reason) => {
                let failure = match self.shared.proxy_variable {
                    Some(variable) => Failure::Proxy { variable, reason },
                    None => Failure::NotConnected { reason },
                };
                (failure, Class::Unprocessed)
            }
            TransportError::Unprocessed(reason) => {
                (Failure::Transport { reason }, Class::Unprocessed)
            }
            TransportError::Sent(reason) => {
                self.processed = true;
                (Failure::Transport { reason }, Class::Passing)
            }
            TransportError::Certificate { reason, is_authority } => {
                (Failure::Certificate { reason, is_authority }, Class::Final)
            }
            TransportError::NotTls => (Failure::NotTls, Class::Final),
            TransportError::Unusable { status, reason, defect } => {
                self.processed = true;
                let reason = reason.to_owned();
                (Failure::Unreadable { status, reason, defect }, Class::Final)
            }
        };
        Failed { failure, class }
    }
}
