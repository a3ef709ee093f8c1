//! A request to the API: its target, its caller, its parameters and its body.

use std::collections::BTreeMap;
use std::fmt;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use serde_json::{Map, Value};

use crate::names::{check_identifier, owner_name, owners_name, role_name, roles_name};
use crate::response::ApiError;

/// A part of the infrastructure-as-code provider's `User-Agent`.
const PROVIDER_USER_AGENT: &str = "terraform-provider-access";
const API_PREFIX: &str = "/api/v1/";
/// Headers that contain keys and must not be logged.
const SECRET_HEADERS: [&str; 3] = ["authorization", "proxy-authorization", "cookie"];

/// A request that has been read but not validated.
#[derive(Clone, Debug)]
pub(crate) struct ApiRequest {
    pub(crate) method: String,
    /// The path, percent-encoded.
    pub(crate) path: String,
    /// The query, percent-encoded and without the question mark.
    pub(crate) query: String,
    /// The headers that do not contain keys, by their lower-case names.
    pub(crate) headers: BTreeMap<String, String>,
    /// The headers that contain keys and must not be printed.
    pub(crate) secrets: Secrets,
    /// The key in `Authorization`, after `Bearer`.
    pub(crate) key: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Headers that contain keys. `Debug` does not print their values.
#[derive(Clone, Default)]
pub(crate) struct Secrets(BTreeMap<String, String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secrets(..)")
    }
}

/// The object or collection that a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Roles { listing: String },
    Role { listing: String, role: String },
    Owners { integration: String },
    Owner { integration: String, owner: String },
}

impl Target {
    /// Parses a path. Returns `None` for a path that the service does not have.
    pub(crate) fn of_path(path: &str) -> Option<Result<Self, ApiError>> {
        let segments: Vec<&str> = path.strip_prefix(API_PREFIX)?.split('/').collect();
        Some(match segments.as_slice() {
            ["listings", listing, "roles"] => {
                identifier(listing).map(|listing| Self::Roles { listing })
            }
            ["listings", listing, "roles", role] => identifier(listing)
                .and_then(|listing| Ok(Self::Role { listing, role: identifier(role)? })),
            ["integrations", integration, "owners"] => {
                identifier(integration).map(|integration| Self::Owners { integration })
            }
            ["integrations", integration, "owners", owner] => identifier(integration)
                .and_then(|integration| Ok(Self::Owner { integration, owner: identifier(owner)? })),
            _ => return None,
        })
    }

    /// Returns the name of the object or collection.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Roles { listing } => roles_name(listing),
            Self::Role { listing, role } => role_name(listing, role),
            Self::Owners { integration } => owners_name(integration),
            Self::Owner { integration, owner } => owner_name(integration, owner),
        }
    }
}

impl ApiRequest {
    pub(crate) fn new(parts: &Parts, body: Vec<u8>) -> Self {
        Self {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: headers(&parts.headers, false),
            secrets: Secrets(headers(&parts.headers, true)),
            key: bearer(&parts.headers),
            body,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Returns the value of a header, even if it contains a key.
    pub(crate) fn any_header(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        self.headers.get(&name).or_else(|| self.secrets.0.get(&name)).map(String::as_str)
    }

    /// Returns whether the infrastructure-as-code provider sent the request.
    pub(crate) fn is_from_provider(&self) -> bool {
        self.header("user-agent").is_some_and(|agent| agent.contains(PROVIDER_USER_AGENT))
    }

    /// Returns the query parameters. Unknown and repeated parameters are errors.
    pub(crate) fn parameters(&self, known: &[&str]) -> Result<BTreeMap<String, String>, ApiError> {
        let mut parameters = BTreeMap::new();
        for (name, value) in query_pairs(&self.query) {
            if !known.contains(&name.as_str()) {
                return Err(ApiError::bad_request(format!("unknown query parameter {name:?}")));
            }
            if parameters.insert(name.clone(), value).is_some() {
                return Err(ApiError::bad_request(format!("query parameter {name:?} is repeated")));
            }
        }
        Ok(parameters)
    }

    /// Parses the body, which must be a JSON object with a JSON `Content-Type`.
    pub(crate) fn json_object(&self) -> Result<Map<String, Value>, ApiError> {
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

/// Returns either the headers that contain keys or all others.
fn headers(all: &HeaderMap, secret: bool) -> BTreeMap<String, String> {
    all.iter()
        .filter(|(name, _)| SECRET_HEADERS.contains(&name.as_str()) == secret)
        .map(|(name, value)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let authorization = headers.get("authorization")?.to_str().ok()?;
    authorization.strip_prefix("Bearer ").map(str::to_owned)
}

/// Decodes and validates a path segment.
pub(crate) fn identifier(segment: &str) -> Result<String, ApiError> {
    let text = percent_decoded(segment)
        .ok_or_else(|| ApiError::bad_request(format!("path segment {segment:?} is malformed")))?;
    check_identifier(&text).map(|()| text)
}

/// Returns the decoded pairs of a query. A plus sign is a space, as in forms.
pub(crate) fn query_pairs(query: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        percent_decoded(&text).unwrap_or(text)
    };
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

/// Decodes percent-encoding. Returns `None` if it is malformed or not UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifier_is_decoded_and_checked() {
        assert_eq!(identifier("a%20b").unwrap_err().status, 400);
        assert_eq!(identifier("gr%C3%BCn%2B1+1").unwrap(), "grün+1+1");
        for bad in ["", ".", "..", "%2F", "%2f", "a%", "a%4", "%zz", "%FF", "%00", "%25", "a%3Fb"] {
            assert_eq!(identifier(bad).unwrap_err().status, 400, "{bad:?}");
        }
        assert!(identifier(&"x".repeat(512)).is_ok());
        assert!(identifier(&"x".repeat(513)).is_err());
    }

    #[test]
    fn query_is_decoded() {
        let expected =
            [("a", "b c,d"), ("e", ""), ("f", "1=2")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(query_pairs("a=b+c%2Cd&e&&f=1=2"), expected);
    }
}
