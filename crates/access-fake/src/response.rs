//! Responses.

use http::{HeaderValue, Response, StatusCode};
use hyper::body::Bytes;
use serde_json::{Value, json};

/// A complete response before it is sent.
pub(crate) type ApiResponse = Response<Bytes>;

/// Returns a response with a body of JSON.
pub(crate) fn json_response(status: u16, body: &Value) -> ApiResponse {
    response(status, "application/json", body.to_string())
}

/// Returns the response of a router to an unknown path.
pub(crate) fn page_not_found() -> ApiResponse {
    response(404, "text/plain; charset=utf-8", "404 page not found".to_owned())
}

/// Returns a response. An invalid status, which only a fault can have, becomes 500.
pub(crate) fn response(status: u16, content_type: &'static str, body: String) -> ApiResponse {
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert("content-type", HeaderValue::from_static(content_type));
    response
}

/// Sets a header. An invalid value, which only a fault can have, is empty.
pub(crate) fn with_header(
    mut response: ApiResponse,
    name: &'static str,
    value: &str,
) -> ApiResponse {
    let value = HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(""));
    response.headers_mut().insert(name, value);
    response
}

/// An error response: the status and the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) message: String,
}

impl ApiError {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(403, message)
    }

    pub(crate) fn not_found(name: &str) -> Self {
        Self::new(404, format!("{name} not found"))
    }

    pub(crate) fn response(&self) -> ApiResponse {
        let Self { status, message } = self;
        let error = json!({"code": status, "status": code_name(*status), "message": message});
        json_response(*status, &json!({ "error": error }))
    }
}

/// Returns the name of a status in bodies of errors, as Google's APIs have it.
fn code_name(status: u16) -> &'static str {
    match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        413 => "OUT_OF_RANGE",
        409 => "ALREADY_EXISTS",
        429 => "RESOURCE_EXHAUSTED",
        405 | 501 => "UNIMPLEMENTED",
        _ => "INTERNAL",
    }
}
