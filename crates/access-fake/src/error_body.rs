//! The settings for the bodies of errors.

use serde::{Deserialize, Serialize};

/// The body of the 404 response to a missing operation or from a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotFoundBody {
    /// A JSON error body.
    Json,
    /// The text `404 page not found`, as from a gateway.
    Text,
    /// No body.
    Empty,
    /// An HTML page.
    Html,
}

/// The shape of error bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorBody {
    /// `{"error": {"code": 404, "status": "NOT_FOUND", "message": "…"}}`.
    Structured,
    /// `{"message": "…"}`.
    Message,
    /// The message as plain text.
    Text,
    /// No body.
    Empty,
}
