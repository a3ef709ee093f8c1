//! Error bodies of another shape.

use serde_json::{Value, json};

use crate::response::ApiResponse;
use crate::world::World;

/// Returns a response with its body in the form that the world sends.
pub(crate) fn encoded(response: ApiResponse, world: &World) -> ApiResponse {
    match &world.error_body {
        Some(template) if response.status().as_u16() >= 400 => with_body(response, template),
        _ => response,
    }
}

/// Replaces the body of an error.
fn with_body(response: ApiResponse, template: &str) -> ApiResponse {
    response.map(|body| {
        let error: Value = serde_json::from_slice(&body).unwrap_or_default();
        let message = error["error"]["message"].as_str().unwrap_or_default();
        let quoted = json!(message).to_string();
        let escaped = &quoted[1..quoted.len() - 1];
        template.replace("{message}", escaped).into()
    })
}
