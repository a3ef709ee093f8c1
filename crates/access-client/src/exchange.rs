//! One request and its response.

use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, LOCATION, RETRY_AFTER};
use time::OffsetDateTime;
use tokio::runtime::{Handle, RuntimeFlavor};
use url::Url;

use crate::connection::observe;
use crate::json;
use crate::message;
use crate::redact::Redactor;
use crate::retry_after;
use crate::transport_error::TransportError;

/// The largest number of bytes read of a response. Documented objects are far smaller.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The headers in which services and gateways return the ID of a request.
const REQUEST_ID_HEADERS: [&str; 4] =
    ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid"];

/// A request, ready to be sent any number of times.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: reqwest::Method,
    /// Path below the base address, encoded.
    pub(crate) path: String,
    /// Query with its question mark, or an empty string.
    pub(crate) query: String,
    pub(crate) body: Option<Vec<u8>>,
    /// Whether sending the request twice has the same effect as sending it once.
    pub(crate) idempotent: bool,
    /// Whether the caller goes on without the response. The request is then not repeated after a
    /// failure, and its failure does not count towards an outage.
    pub(crate) optional: bool,
}

impl Request {
    /// Creates a GET without a query.
    pub(crate) fn get(path: String) -> Self {
        let method = reqwest::Method::GET;
        Self { method, path, query: String::new(), body: None, idempotent: true, optional: false }
    }

    /// Creates a DELETE.
    pub(crate) fn delete(path: String) -> Self {
        Self { method: reqwest::Method::DELETE, ..Self::get(path) }
    }
}

/// A complete response.
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) date: Option<OffsetDateTime>,
    pub(crate) request_id: Option<String>,
    /// The target of a redirect, without user info, query and fragment.
    pub(crate) location: Option<String>,
}

/// Sends a request and reads the complete response.
pub(crate) async fn send(
    http: &reqwest::Client,
    url: String,
    request: &Request,
    timeout: Option<Duration>,
    redactor: &Redactor,
) -> Result<RawResponse, TransportError> {
    debug_assert_eq!(
        Handle::current().runtime_flavor(),
        RuntimeFlavor::CurrentThread,
        "on several threads hyper loses requests when an HTTP/2 connection ends"
    );
    let mut builder = http.request(request.method.clone(), &url);
    if let Some(body) = &request.body {
        builder = builder.header(CONTENT_TYPE, "application/json").body(body.clone());
    }
    if let Some(timeout) = timeout {
        builder = builder.timeout(timeout);
    }
    let (sent, is_new) = observe(builder.send()).await;
    let failed = |error| TransportError::of_sending(&error, is_new, redactor);
    let mut response = sent.map_err(failed)?;
    let status = response.status().as_u16();
    let mut whole = read_headers(status, response.headers(), &url, redactor);
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(whole),
            Ok(Some(chunk)) if whole.body.len() + chunk.len() > MAX_BODY_BYTES => {
                return Err(TransportError::TooLarge { status });
            }
            Ok(Some(chunk)) => whole.body.extend_from_slice(&chunk),
            Err(error) => return Err(TransportError::of_reading(&error, redactor)),
        }
    }
}

fn read_headers(status: u16, headers: &HeaderMap, url: &str, redactor: &Redactor) -> RawResponse {
    let date = header(headers, DATE.as_str());
    let retry_after = header(headers, RETRY_AFTER.as_str())
        .and_then(|value| retry_after::parse(value, date, SystemTime::now()));
    let request_id = REQUEST_ID_HEADERS
        .iter()
        .find_map(|name| header(headers, name))
        .map(|id| message::clean(id, redactor));
    let location = (300..400)
        .contains(&status)
        .then(|| redirect_target(headers.get(LOCATION)?.as_bytes(), url))
        .flatten()
        .map(|target| message::clean(&target, redactor));
    RawResponse {
        status,
        body: Vec::new(),
        retry_after,
        date: date.and_then(retry_after::parse_date).map(OffsetDateTime::from),
        request_id,
        location,
    }
}

/// Returns the address that a redirect names. Its query and user info may hold secrets.
fn redirect_target(location: &[u8], url: &str) -> Option<String> {
    let location = String::from_utf8_lossy(location);
    let mut target = Url::parse(url).ok()?.join(&location).ok()?;
    target.set_query(None);
    target.set_fragment(None);
    _ = target.set_username("");
    _ = target.set_password(None);
    Some(target.to_string())
}

impl RawResponse {
    /// Returns whether the body is a JSON object, which distinguishes the service's responses from
    /// a gateway's.
    pub(crate) fn is_json_object(&self) -> bool {
        json::is_object(&self.body)
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
