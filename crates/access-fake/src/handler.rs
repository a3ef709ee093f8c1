//! Handles every request to the API and applies faults to its response.

use std::future::pending;

use http::{HeaderValue, Request, Response};
use hyper::body::Bytes;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::fault::Action;
use crate::request::ApiRequest;
use crate::response::{ApiResponse, response};
use crate::service::{AppliedFault, Service};

/// A body that is neither UTF-8 nor JSON.
const GARBAGE: &[u8] = b"\xff\xfe{\"name\": <<<";

/// The number of bytes that a response announces although its body, which is the part that is sent,
/// is shorter. It is among the response's extensions.
#[derive(Clone, Copy)]
pub(crate) struct Announced(pub(crate) usize);

impl Service {
    /// Handles a request as the server does, without a connection. Faults that reset a connection
    /// never return.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        self.handle_on(request, &Notify::new()).await
    }

    /// Handles a request on a connection, which `reset` resets.
    pub(crate) async fn handle_on(&self, request: Request<Bytes>, reset: &Notify) -> ApiResponse {
        let request = ApiRequest::new(request);
        let started = self.begin(&request);
        if !started.wait.is_zero() {
            sleep(started.wait).await;
        }
        let mut response = match started.fault {
            None => self.process(&request),
            Some(fault) => apply_fault(self, reset, &request, fault).await,
        };
        self.finish(started.number, response.status().as_u16());
        // Otherwise hyper would add the date of the system clock.
        if let Ok(date) = HeaderValue::from_str(&httpdate::fmt_http_date(self.now())) {
            response.headers_mut().entry("date").or_insert(date);
        }
        response
    }
}

/// Handles a request to which a fault applies.
async fn apply_fault(
    service: &Service,
    connection: &Notify,
    request: &ApiRequest,
    fault: AppliedFault,
) -> ApiResponse {
    let AppliedFault { action, mut until_removal } = fault;
    match action {
        Action::Respond { status, headers, body, processed } => {
            if processed {
                service.process(request);
            }
            let mut response = response(status, "application/json", body);
            for (name, value) in headers {
                if let (Ok(name), Ok(value)) = (name.parse::<http::HeaderName>(), value.parse()) {
                    response.headers_mut().insert(name, value);
                }
            }
            response
        }
        Action::Hold { processed } => {
            let response = processed.then(|| service.process(request));
            // Nothing is ever sent: this ends with an error when the faults are removed.
            _ = until_removal.changed().await;
            response.unwrap_or_else(|| service.process(request))
        }
        Action::Reset => reset(connection).await,
        Action::ResetAfterProcessing => {
            service.process(request);
            reset(connection).await
        }
        Action::Hang => pending().await,
        Action::HangAfterProcessing => {
            service.process(request);
            pending().await
        }
        Action::CutBody { bytes } => cut(service.process(request), bytes),
        Action::Garbage => {
            let mut response = service.process(request).map(|_| Bytes::from_static(GARBAGE));
            *response.status_mut() = http::StatusCode::OK;
            response
        }
    }
}

/// Requests the reset, and waits for it to end the waiting task.
async fn reset<T>(connection: &Notify) -> T {
    connection.notify_one();
    pending().await
}

/// Announces the whole body, of which a part is sent.
fn cut(mut response: ApiResponse, bytes: usize) -> ApiResponse {
    // The body is cut off even if all of it arrives.
    let announced = response.body().len().max(bytes + 1);
    response.extensions_mut().insert(Announced(announced));
    response.map(|mut body| body.split_to(bytes.min(body.len())))
}
