//! One request and its response.

use std::time::{Duration, SystemTime};

use http::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use http_body_util::BodyExt;
use tokio::runtime::{Handle, RuntimeFlavor};
use url::Url;

use crate::body;
use crate::json::Defect;
use crate::message;
use crate::redact::Redactor;
use crate::retry_after;
use crate::shared::Shared;
use crate::transport_error::{TransportError, is_undecodable};

/// The largest number of bytes read of a response, after it is unpacked. Documented objects are far
/// smaller.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The headers in which services and gateways return the ID of a request.
const REQUEST_ID_HEADERS: [&str; 4] =
    ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid"];

/// A request, ready to be sent any number of times.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: http::Method,
    /// Path below the base address, encoded.
    pub(crate) path: String,
    /// Query with its question mark, or an empty string.
    pub(crate) query: String,
    pub(crate) body: Option<Vec<u8>>,
    /// Whether sending the request twice has the same effect as sending it once.
    pub(crate) idempotent: bool,
}

impl Request {
    /// Creates a GET without a query.
    pub(crate) fn get(path: String) -> Self {
        let method = http::Method::GET;
        Self { method, path, query: String::new(), body: None, idempotent: true }
    }

    /// Creates a DELETE.
    pub(crate) fn delete(path: String) -> Self {
        Self { method: http::Method::DELETE, ..Self::get(path) }
    }
}

/// A complete response.
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    /// Unpacked.
    pub(crate) body: Vec<u8>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) request_id: Option<String>,
    /// The target of a redirect, without user info, query and fragment.
    pub(crate) location: Option<String>,
}

/// Sends a request and reads the complete response.
pub(crate) async fn send(
    shared: &Shared,
    request: &Request,
) -> Result<RawResponse, TransportError> {
    debug_assert_eq!(
        Handle::current().runtime_flavor(),
        RuntimeFlavor::CurrentThread,
        "on several threads hyper loses requests when an HTTP/2 connection ends"
    );
    let exchange = exchange(shared, request);
    let limit = shared.settings.request_timeout;
    tokio::time::timeout(limit, exchange).await.unwrap_or_else(|_| {
        Err(TransportError::Sent(format!("no complete response within {limit:?}")))
    })
}

/// Sends a request without a limit of time. The body is read to 8 MiB at most.
async fn exchange(shared: &Shared, request: &Request) -> Result<RawResponse, TransportError> {
    let redactor = &shared.redactor;
    let url = shared.settings.base_url.join(&format!("{}{}", request.path, request.query));
    let mut http_request = http::Request::new(request.body.clone().unwrap_or_default().into());
    *http_request.method_mut() = request.method.clone();
    *http_request.uri_mut() = url
        .parse()
        .map_err(|error: http::uri::InvalidUri| TransportError::Unprocessed(error.to_string()))?;
    *http_request.headers_mut() = shared.headers.clone();
    if request.body.is_some() {
        let json = HeaderValue::from_static("application/json");
        http_request.headers_mut().insert(CONTENT_TYPE, json);
    }
    let sent = shared.http.send(http_request).await;
    let response = sent.map_err(|error| TransportError::of_sending(&*error, redactor))?;
    let status = response.status().as_u16();
    let mut whole = read_headers(status, response.headers(), &url, redactor);
    let is_success = response.status().is_success();
    let unusable = |reason, defect| TransportError::Unusable { status, reason, defect };
    let mut frames = response.into_body();
    while let Some(frame) = frames.frame().await {
        // The status of an error counts, whatever its body is.
        let chunk = match frame.map(hyper::body::Frame::into_data) {
            Ok(Ok(chunk)) => chunk,
            Ok(Err(_)) => continue,
            Err(error) if is_undecodable(&error) && is_success => {
                return Err(unusable("its body cannot be unpacked", Defect::Other));
            }
            Err(error) if is_undecodable(&error) => break,
            Err(error) => return Err(TransportError::of_reading(&error, redactor)),
        };
        if whole.body.len() + chunk.len() > MAX_BODY_BYTES {
            if is_success {
                return Err(unusable("its body is larger than 8 MiB", Defect::TooLarge));
            }
            break;
        }
        whole.body.extend_from_slice(&chunk);
    }
    body::replace_half_surrogates(&mut whole.body);
    Ok(whole)
}

/// Returns the response that has these headers, still without its body.
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
    RawResponse { status, body: Vec::new(), retry_after, request_id, location }
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

/// Returns a header as text; `None` if it is absent or contains other bytes.
fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
