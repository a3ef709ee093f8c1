//! The log of requests and the status of their responses.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::request::ApiRequest;

/// A logged request. It never contains a key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path as on the wire, percent-encoded.
    pub path: String,
    /// The query as on the wire, without the question mark; empty if absent.
    pub query: String,
    /// The status of the response; `None` if there is no response yet.
    pub status: Option<u16>,
    /// The name of the caller's key (`admin`); `None` for an unknown key.
    pub key: Option<String>,
    /// The `User-Agent`.
    pub user_agent: Option<String>,
    /// All headers except those that contain keys, by their lower-case names.
    pub headers: BTreeMap<String, String>,
    /// The body: JSON if it can be parsed, otherwise its text; null if it is empty.
    pub body: Value,
}

impl Request {
    /// Returns a request without a response yet. `key` is the name of the caller's key.
    pub(crate) fn new(request: &ApiRequest, key: Option<String>) -> Self {
        Self {
            method: request.method.to_string(),
            path: request.path.clone(),
            query: request.query.clone(),
            status: None,
            key,
            user_agent: request.header("user-agent").map(str::to_owned),
            headers: request.headers.clone(),
            body: body(&request.body),
        }
    }

    /// Returns the decoded value of a query parameter.
    pub fn query_value(&self, name: &str) -> Option<String> {
        let mut pairs = form_urlencoded::parse(self.query.as_bytes());
        pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
    }

    /// Returns whether it can change data: any method except GET and HEAD.
    pub fn is_write(&self) -> bool {
        !matches!(self.method.as_str(), "GET" | "HEAD")
    }
}

/// Returns a body as the log shows it.
fn body(bytes: &[u8]) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(bytes).into_owned()))
}

/// The requests since the start, or since the log was last cleared.
#[derive(Debug, Default)]
pub(crate) struct Log {
    requests: Vec<Request>,
    /// The number of requests that were cleared. It keeps the numbers of later requests valid.
    cleared: usize,
}

impl Log {
    /// Adds a request and returns its number.
    pub(crate) fn add(&mut self, request: Request) -> usize {
        self.requests.push(request);
        self.cleared + self.requests.len() - 1
    }

    /// Records the response to a request.
    pub(crate) fn finish(&mut self, number: usize, status: u16) {
        let index = number.checked_sub(self.cleared);
        if let Some(request) = index.and_then(|index| self.requests.get_mut(index)) {
            request.status = Some(status);
        }
    }

    pub(crate) fn all(&self) -> Vec<Request> {
        self.requests.clone()
    }

    pub(crate) fn clear(&mut self) {
        self.cleared += self.requests.len();
        self.requests.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str) -> Request {
        let request = http::Request::get(path).body("".into()).unwrap();
        Request::new(&ApiRequest::new(request), None)
    }

    #[test]
    fn request_cleared_while_in_flight_is_not_confused_with_another() {
        let mut log = Log::default();
        let cleared = log.add(request("/cleared"));
        log.clear();
        let hanging = log.add(request("/hanging"));
        log.finish(cleared, 200);
        assert_eq!(log.all()[0].status, None);
        log.finish(hanging, 500);
        assert_eq!(log.all()[0].status, Some(500));
    }
}
