//! One request and its answer.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde::de::IgnoredAny;

use crate::retry_after;
use crate::secret::ApiKey;
use crate::words;

/// The most bytes read of an answer. No documented object comes near it.
const LARGEST_BODY: usize = 8 * 1024 * 1024;

/// A request, ready to be sent any number of times.
pub(crate) struct Request {
    pub(crate) method: reqwest::Method,
    /// Path below the base address, encoded.
    pub(crate) path: String,
    /// Query with its question mark, or nothing.
    pub(crate) query: String,
    pub(crate) body: Option<Vec<u8>>,
    /// What to make of a success: sent twice it does no harm.
    pub(crate) idempotent: bool,
}

/// A whole answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) request_id: Option<String>,
}

/// Why there is no whole answer.
pub(crate) enum Broken {
    /// The request was surely not sent.
    NotSent(String),
    /// The request may have been processed.
    Sent(String),
    /// The certificate was refused: nothing was sent, and a further attempt would meet the same.
    Certificate(String),
    /// The body is larger than is read.
    TooLarge { status: u16 },
}

/// Sends a request and reads its answer to the end.
pub(crate) async fn send(
    http: &reqwest::Client,
    url: String,
    request: &Request,
    key: &ApiKey,
) -> Result<Answer, Broken> {
    let mut builder = http.request(request.method.clone(), url);
    if let Some(body) = &request.body {
        builder =
            builder.header(reqwest::header::CONTENT_TYPE, "application/json").body(body.clone());
    }
    let mut response = builder.send().await.map_err(|error| broken(error, key))?;
    let status = response.status().as_u16();
    let retry_after = header(response.headers(), RETRY_AFTER.as_str()).and_then(|value| {
        let date = header(response.headers(), DATE.as_str());
        retry_after::parse(value, date, SystemTime::now())
    });
    let request_id = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid"]
        .iter()
        .find_map(|name| header(response.headers(), name))
        .map(|id| words::clean(id, key));
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(Answer { status, body, retry_after, request_id }),
            Ok(Some(chunk)) if body.len() + chunk.len() > LARGEST_BODY => {
                return Err(Broken::TooLarge { status });
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Err(error) => return Err(Broken::Sent(reason(&error, key))),
        }
    }
}

impl Answer {
    /// Whether the body is a JSON object: the service's own word rather than a gateway's.
    pub(crate) fn is_json_object(&self) -> bool {
        // Not read into a value, which might take a hundred times the memory.
        std::str::from_utf8(&self.body).is_ok_and(|text| {
            text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
        })
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn broken(error: reqwest::Error, key: &ApiKey) -> Broken {
    let reason = reason(&error, key);
    if is_certificate_fault(&error) {
        Broken::Certificate(reason)
    } else if error.is_connect() || error.is_builder() {
        Broken::NotSent(reason)
    } else {
        Broken::Sent(reason)
    }
}

/// The error in a line: what reqwest says, and its causes. The URL is the caller's to name.
fn reason(error: &reqwest::Error, key: &ApiKey) -> String {
    if error.is_timeout() {
        return "no whole answer within `request_timeout`".to_owned();
    }
    let mut parts = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // hyper's own layer says nothing that users need, and causes often repeat what they wrap.
        if !text.starts_with("client error")
            && parts.last().is_none_or(|last: &String| !last.contains(&text))
        {
            parts.push(text);
        }
        cause = error.source();
    }
    let what = if error.is_connect() { "could not connect" } else { "the answer broke off" };
    words::clean(&format!("{what}: {}", parts.join(": ")), key)
}

fn is_certificate_fault(error: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return matches!(
            error,
            rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented
        );
    }
    // An io::Error's source skips the error that it wraps, and TLS errors come wrapped in several.
    let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    wrapped.is_some_and(|wrapped| is_certificate_fault(wrapped))
        || error.source().is_some_and(is_certificate_fault)
}
