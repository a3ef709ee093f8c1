//! Responses.

use serde_json::{Value, json};

use crate::rules::{Gateway, NotFoundBody};

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html";
const HTML_NOT_FOUND: &str = "<!doctype html><html><body><h1>Not here</h1></body></html>";
const PAGE_NOT_FOUND: &str = "404 page not found";

/// A complete response before it is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl ApiResponse {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::with_type(status, JSON, body.to_string())
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// Returns the response of a router to an unknown path.
    pub(crate) fn page_not_found() -> Self {
        Self::with_type(404, TEXT, PAGE_NOT_FOUND.to_owned())
    }

    /// Returns the response of a gateway in front of the service.
    pub(crate) fn of_gateway(gateway: &Gateway) -> Self {
        let status = gateway.status;
        match gateway.body {
            NotFoundBody::Json => Self::json(status, &json!({"message": "no route for this path"})),
            NotFoundBody::Text => Self::with_type(status, TEXT, PAGE_NOT_FOUND.to_owned()),
            NotFoundBody::Empty => Self::empty(status),
            NotFoundBody::Html => Self::with_type(status, HTML, HTML_NOT_FOUND.to_owned()),
        }
    }

    pub(crate) fn with_header(mut self, name: &str, value: String) -> Self {
        self.headers.push((name.to_owned(), value));
        self
    }

    fn with_type(status: u16, content_type: &str, body: String) -> Self {
        Self { body: body.into_bytes(), ..Self::empty(status) }
            .with_header("content-type", content_type.to_owned())
    }
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
        ApiResponse::json(*status, &json!({ "error": error }))
    }
}

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
