//! The log of requests and the status of their responses.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::request::{ApiRequest, query_pairs};

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
    /// The time of its arrival, in milliseconds since the service started.
    pub received_ms: u64,
    /// The time of its response, in milliseconds since the service started; none if there is no
    /// response.
    pub finished_ms: Option<u64>,
    /// The number of its connection; the first connection of a service is 1.
    pub connection: u64,
}

impl Request {
    pub(crate) fn new(
        request: &ApiRequest,
        key: Option<String>,
        connection: u64,
        since_start: Duration,
    ) -> Self {
        Self {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            status: None,
            key,
            user_agent: request.header("user-agent").map(str::to_owned),
            headers: request.headers.clone(),
            body: body(&request.body),
            received_ms: milliseconds(since_start),
            finished_ms: None,
            connection,
        }
    }

    /// Returns the decoded value of a query parameter.
    pub fn query_value(&self, name: &str) -> Option<String> {
        query_pairs(&self.query).into_iter().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Returns whether it can change data: any method except GET and HEAD.
    pub fn is_write(&self) -> bool {
        !matches!(self.method.as_str(), "GET" | "HEAD")
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

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
    pub(crate) fn finish(&mut self, number: usize, status: u16, since_start: Duration) {
        let index = number.checked_sub(self.cleared);
        if let Some(request) = index.and_then(|index| self.requests.get_mut(index)) {
            request.status = Some(status);
            request.finished_ms = Some(milliseconds(since_start));
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
    use crate::request::Secrets;

    fn request(path: &str) -> Request {
        let request = ApiRequest {
            method: "GET".to_owned(),
            path: path.to_owned(),
            query: String::new(),
            headers: BTreeMap::new(),
            secrets: Secrets::default(),
            key: None,
            body: Vec::new(),
        };
        Request::new(&request, None, 1, Duration::ZERO)
    }

    #[test]
    fn request_cleared_while_in_flight_is_not_confused_with_another() {
        let mut log = Log::default();
        let cleared = log.add(request("/cleared"));
        log.clear();
        let hanging = log.add(request("/hanging"));
        log.finish(cleared, 200, Duration::ZERO);
        assert_eq!(log.all()[0].status, None);
        log.finish(hanging, 500, Duration::from_millis(7));
        assert_eq!(log.all()[0].status, Some(500));
        assert_eq!(log.all()[0].finished_ms, Some(7));
    }
}
