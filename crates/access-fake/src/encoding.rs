//! The form in which bodies are sent: error bodies of another shape, a byte order mark, gzip.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderValue;
use serde_json::{Value, json};

use crate::response::ApiResponse;
use crate::world::World;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns a response with its body in the form that the world sends.
pub(crate) fn encoded(response: ApiResponse, world: &World) -> ApiResponse {
    let mut response = match &world.error_body {
        Some(template) if response.status().as_u16() >= 400 => with_body(response, template),
        _ => response,
    };
    if world.byte_order_mark {
        response = response.map(|body| [BYTE_ORDER_MARK, &body].concat().into());
    }
    if world.gzip {
        let encoding = HeaderValue::from_static("gzip");
        response.headers_mut().insert("content-encoding", encoding);
        response = response.map(|body| compressed(&body).into());
    }
    response
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

/// Returns a body as gzip.
fn compressed(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}
