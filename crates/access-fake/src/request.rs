//! A request to the API: its caller, its parameters and its body.

use std::collections::BTreeMap;

use http::{HeaderMap, Method};
use hyper::body::Bytes;

use crate::object::Object;
use crate::response::ApiError;

/// A part of the infrastructure-as-code provider's `User-Agent`.
const PROVIDER_USER_AGENT: &str = "terraform-provider-access";
/// Headers that contain keys and must not be logged.
const SECRET_HEADERS: [&str; 3] = ["authorization", "proxy-authorization", "cookie"];

/// A request that has been read but not validated.
#[derive(Clone, Debug)]
pub(crate) struct ApiRequest {
    pub(crate) method: Method,
    /// The path, percent-encoded.
    pub(crate) path: String,
    /// The query, percent-encoded and without the question mark.
    pub(crate) query: String,
    /// The headers that do not contain keys, by their lower-case names.
    pub(crate) headers: BTreeMap<String, String>,
    /// The key in `Authorization`, after `Bearer`.
    pub(crate) key: Option<String>,
    pub(crate) body: Bytes,
}

impl ApiRequest {
    pub(crate) fn new(request: http::Request<Bytes>) -> Self {
        let (parts, body) = request.into_parts();
        Self {
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: public_headers(&parts.headers),
            key: bearer(&parts.headers),
            method: parts.method,
            body,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Returns whether the infrastructure-as-code provider sent the request.
    pub(crate) fn is_from_provider(&self) -> bool {
        self.header("user-agent").is_some_and(|agent| agent.contains(PROVIDER_USER_AGENT))
    }

    /// Returns the query parameters. Unknown and repeated parameters are errors.
    pub(crate) fn parameters(&self, known: &[&str]) -> Result<BTreeMap<String, String>, ApiError> {
        let mut parameters = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(self.query.as_bytes()) {
            if !known.contains(&&*name) {
                return Err(ApiError::bad_request(format!("unknown query parameter {name:?}")));
            }
            if parameters.insert(name.to_string(), value.into_owned()).is_some() {
                return Err(ApiError::bad_request(format!("query parameter {name:?} is repeated")));
            }
        }
        Ok(parameters)
    }

    /// Parses the body, which must be a JSON object with a JSON `Content-Type`.
    pub(crate) fn json_object(&self) -> Result<Object, ApiError> {
        let content_type = self.header("content-type").unwrap_or_default();
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        if !media_type.eq_ignore_ascii_case("application/json") {
            return Err(ApiError::bad_request(format!(
                "Content-Type must be application/json, not {content_type:?}"
            )));
        }
        serde_json::from_slice(&self.body).map_err(|error| {
            ApiError::bad_request(format!("the body is not a JSON object: {error}"))
        })
    }
}

/// Returns the headers that do not contain keys.
fn public_headers(all: &HeaderMap) -> BTreeMap<String, String> {
    let public = all.iter().filter(|(name, _)| !SECRET_HEADERS.contains(&name.as_str()));
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    public.map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect()
}

/// Returns the key in `Authorization`.
fn bearer(headers: &HeaderMap) -> Option<String> {
    let authorization = headers.get("authorization")?.to_str().ok()?;
    authorization.strip_prefix("Bearer ").map(str::to_owned)
}
