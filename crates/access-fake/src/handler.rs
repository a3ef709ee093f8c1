//! Handles every request to the API and applies faults to its response.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::api::with_wait;
use crate::connection::Connection;
use crate::fault::Action;
use crate::request::ApiRequest;
use crate::response::{ApiError, ApiResponse};
use crate::service::{AppliedFault, Service};

/// The largest request body, far larger than any reasonable one.
const MAX_BODY_BYTES: usize = 16 << 20;
/// A body that is neither UTF-8 nor JSON.
const GARBAGE: &[u8] = b"\xff\xfe{\"name\": <<<";

/// Handles one request.
pub(crate) async fn serve(State(service): State<Service>, request: Request) -> Response {
    let connection = request.extensions().get::<Connection>().cloned().unwrap_or_default();
    let in_flight = connection.begin_request();
    let response = respond(&service, &connection, request).await;
    let (mut parts, body) = response.into_parts();
    // Otherwise hyper would add the date of the system clock.
    if let Ok(date) = HeaderValue::from_str(&httpdate::fmt_http_date(service.now())) {
        parts.headers.entry("date").or_insert(date);
    }
    Response::from_parts(parts, in_flight.until_end_of(body))
}

async fn respond(service: &Service, connection: &Connection, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = match to_bytes(body, MAX_BODY_BYTES).await {
        Ok(body) => body.to_vec(),
        Err(error) => {
            let error = ApiError::bad_request(format!("the body cannot be read: {error}"));
            return http_response(error.response());
        }
    };
    let request = ApiRequest::new(&parts, body);
    let started = service.begin(&request, connection.number);
    wait(started.wait).await;
    let response = match started.fault {
        None => http_response(service.process(&request)),
        Some(fault) => apply_fault(service, connection, &request, fault).await,
    };
    service.finish(started.number, response.status().as_u16());
    response
}

/// Handles a request to which a fault applies.
async fn apply_fault(
    service: &Service,
    connection: &Connection,
    request: &ApiRequest,
    fault: AppliedFault,
) -> Response {
    let AppliedFault { action, rest, mut until_removal } = fault;
    match action {
        Action::Respond { status, headers, body, processed } => {
            if processed {
                service.process(request);
            }
            let mut response =
                ApiResponse { body: body.into_bytes(), ..ApiResponse::empty(status) };
            response = response.with_header("content-type", "application/json".to_owned());
            for (name, value) in headers {
                response.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
                response.headers.push((name, value));
            }
            http_response(response)
        }
        Action::Redirect { status, location } => {
            http_response(ApiResponse::empty(status).with_header("location", location))
        }
        Action::Delay { milliseconds } => {
            wait(Duration::from_millis(milliseconds)).await;
            http_response(service.process(request))
        }
        Action::Hold { processed } => {
            let response = processed.then(|| service.process(request));
            // Nothing is ever sent: this ends with an error when the faults are removed.
            _ = until_removal.changed().await;
            http_response(response.unwrap_or_else(|| service.process(request)))
        }
        Action::Reset => connection.reset().await,
        Action::ResetAfterProcessing => {
            service.process(request);
            connection.reset().await
        }
        Action::Hang => pending().await,
        Action::HangAfterProcessing => {
            service.process(request);
            pending().await
        }
        Action::CutBody { bytes } => cut(service.process(request), bytes),
        Action::Trickle { bytes, milliseconds } => {
            trickle(service.process(request), bytes, Duration::from_millis(milliseconds))
        }
        Action::Garbage => {
            let ApiResponse { headers, .. } = service.process(request);
            http_response(ApiResponse { status: 200, headers, body: GARBAGE.to_vec() })
        }
        Action::Huge { bytes } => http_response(padded(service.process(request), bytes)),
        Action::WrongName => http_response(misnamed(service.process(request))),
        Action::Unavailable { retry_after, seconds } => {
            let wait = seconds.map(Duration::from_secs).or(rest).unwrap_or_default();
            let error = ApiError::new(503, "the service is not available");
            let response = error.response();
            http_response(with_wait(response, retry_after, wait, service.now()))
        }
        Action::Refuse { milliseconds } => {
            service.refuse_connections(Duration::from_millis(milliseconds));
            pending().await
        }
        Action::Echo { status, header, key_only, encoding, every_character, offset } => {
            let value = request.any_header(&header).unwrap_or_default();
            let value = match value.split_once(' ') {
                Some((_, key)) if key_only => key,
                _ => value,
            };
            let echo = encoding.encode(value, every_character, offset);
            let error = ApiError::new(status, format!("cannot accept {header} {echo}"));
            http_response(error.response())
        }
    }
}

async fn wait(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

fn http_response(response: ApiResponse) -> Response {
    let ApiResponse { status, headers, body } = response;
    build(status, &headers, Body::from(body))
}

fn build(status: u16, headers: &[(String, String)], body: Body) -> Response {
    let mut builder = Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    // Only a fault or a setting can contain an invalid status or header.
    builder.body(body).unwrap_or_else(|error| {
        let problem = format!("the configured response is invalid: {error}");
        (StatusCode::INTERNAL_SERVER_ERROR, problem).into_response()
    })
}

/// Announces the whole body, sends a part of it and fails, so that hyper closes the connection.
fn cut(response: ApiResponse, bytes: usize) -> Response {
    let ApiResponse { status, headers, mut body } = response;
    // The body is cut off even if all of it arrives.
    let announced = body.len().max(bytes + 1);
    body.truncate(bytes);
    let parts = stream::unfold(Some(body), |part| async move {
        match part {
            Some(part) if !part.is_empty() => Some((Ok(Bytes::from(part)), Some(Vec::new()))),
            _ => {
                // hyper flushes its buffer when the body is pending. Without this pause it would
                // discard the part together with the connection.
                tokio::task::yield_now().await;
                Some((Err(io::Error::other("cut off on purpose")), None))
            }
        }
    });
    announcing(announced, build(status, &headers, Body::from_stream(parts)))
}

/// Announces the whole body and sends it piece by piece.
fn trickle(response: ApiResponse, bytes: usize, pause: Duration) -> Response {
    let ApiResponse { status, headers, body } = response;
    let length = body.len();
    let pieces = stream::unfold(Bytes::from(body), move |mut rest| async move {
        if rest.is_empty() {
            return None;
        }
        wait(pause).await;
        let piece = rest.split_to(bytes.clamp(1, rest.len()));
        Some((Ok::<_, Infallible>(piece), rest))
    });
    announcing(length, build(status, &headers, Body::from_stream(pieces)))
}

fn announcing(length: usize, mut response: Response) -> Response {
    response.headers_mut().insert("content-length", HeaderValue::from(length));
    response
}

/// Adds a field that makes the object large.
fn padded(mut response: ApiResponse, bytes: usize) -> ApiResponse {
    if let Ok(Value::Object(mut object)) = serde_json::from_slice(&response.body) {
        object.insert("padding".to_owned(), json!("x".repeat(bytes)));
        response.body = Value::Object(object).to_string().into_bytes();
    }
    response
}

/// Replaces the object's name by another object's.
fn misnamed(mut response: ApiResponse) -> ApiResponse {
    if let Ok(mut object) = serde_json::from_slice::<Value>(&response.body)
        && let Some(name) = object.get("name").and_then(Value::as_str)
        && let Some((parent, _)) = name.rsplit_once('/')
    {
        object["name"] = json!(format!("{parent}/another-object"));
        response.body = object.to_string().into_bytes();
    }
    response
}
