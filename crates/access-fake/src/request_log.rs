//! The log of requests: what came in and what was answered.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::request::{ApiRequest, query_pairs};

/// A request as the log has it. Keys are never in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path as on the wire, percent-encoded.
    pub path: String,
    /// The query as on the wire, without the question mark; empty where there is none.
    pub query: String,
    /// The status of the answer; none while there is no answer, and for those that never get one.
    pub status: Option<u16>,
    /// The name of the caller's key (`admin`), none for an unknown key.
    pub key: Option<String>,
    /// The `User-Agent`.
    pub user_agent: Option<String>,
    /// All headers but those that carry keys, names in small letters.
    pub headers: BTreeMap<String, String>,
    /// The body: JSON where it is JSON, else its text; null where it is empty.
    pub body: Value,
    /// When it came, in milliseconds since the service started.
    pub received_ms: u64,
    /// When its response was ready, in milliseconds since the service started; none if it has no
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

    /// The decoded value of a query parameter.
    pub fn query_value(&self, name: &str) -> Option<String> {
        query_pairs(&self.query).into_iter().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Whether it asks for a change: every method but GET and HEAD.
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

/// The requests since the start, or since they were last forgotten.
#[derive(Debug, Default)]
pub(crate) struct Log {
    requests: Vec<Request>,
    /// How many were forgotten, so that a number given before still names its request.
    forgotten: usize,
}

impl Log {
    /// Adds a request and gives the number to finish it by.
    pub(crate) fn add(&mut self, request: Request) -> usize {
        self.requests.push(request);
        self.forgotten + self.requests.len() - 1
    }

    /// Records the response to a request.
    pub(crate) fn finish(&mut self, number: usize, status: u16, since_start: Duration) {
        let index = number.checked_sub(self.forgotten);
        if let Some(request) = index.and_then(|index| self.requests.get_mut(index)) {
            request.status = Some(status);
            request.finished_ms = Some(milliseconds(since_start));
        }
    }

    pub(crate) fn all(&self) -> Vec<Request> {
        self.requests.clone()
    }

    pub(crate) fn forget(&mut self) {
        self.forgotten += self.requests.len();
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
    fn request_that_was_forgotten_under_way_is_not_taken_for_another() {
        let mut log = Log::default();
        let forgotten = log.add(request("/forgotten"));
        log.forget();
        let hanging = log.add(request("/hanging"));
        log.finish(forgotten, 200, Duration::ZERO);
        assert_eq!(log.all()[0].status, None);
        log.finish(hanging, 500, Duration::from_millis(7));
        assert_eq!(log.all()[0].status, Some(500));
        assert_eq!(log.all()[0].finished_ms, Some(7));
    }
}
