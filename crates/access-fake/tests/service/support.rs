//! Calls of a service in memory, whose clock only runs while a call waits.

use access_fake::{Service, World};
use http::{Request, Response};
use hyper::body::Bytes;
use serde_json::{Value, json};

/// A `User-Agent` that the service recognizes as the infrastructure-as-code provider.
const PROVIDER: &str =
    "Terraform/1.15.0 (+https://www.terraform.io) terraform-provider-access/0.1.0";

/// A service and its callers.
pub(crate) struct Host(Service);

impl Host {
    /// Returns a service with every operation.
    pub(crate) fn full() -> Self {
        Self(Service::new(World::default()))
    }

    /// Returns a service with these settings.
    pub(crate) fn with(change: Value) -> Self {
        Self(Service::new(World::default().changed(change).unwrap()))
    }

    pub(crate) fn service(&self) -> &Service {
        &self.0
    }

    /// Returns an admin that is not the provider.
    pub(crate) fn admin(&self) -> Caller<'_> {
        Caller { service: &self.0, headers: Vec::new() }
            .with("authorization", "Bearer admin-key")
            .with("user-agent", "curl/8")
            .with("content-type", "application/json")
    }

    /// Returns the provider with an admin key.
    pub(crate) fn provider(&self) -> Caller<'_> {
        self.admin().with("user-agent", PROVIDER)
    }
}

/// A caller with its headers.
#[derive(Clone)]
pub(crate) struct Caller<'s> {
    service: &'s Service,
    headers: Vec<(String, String)>,
}

impl Caller<'_> {
    /// Sets a header, or removes it if the value is empty.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(other, _)| other != name);
        if !value.is_empty() {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    pub(crate) fn get(&self, target: &str) -> Reply {
        self.send("GET", target, "")
    }

    pub(crate) fn delete(&self, target: &str) -> Reply {
        self.send("DELETE", target, "")
    }

    pub(crate) fn patch(&self, target: &str, body: &Value) -> Reply {
        self.send("PATCH", target, &body.to_string())
    }

    pub(crate) fn post(&self, target: &str, body: &Value) -> Reply {
        self.send("POST", target, &body.to_string())
    }

    pub(crate) fn send(&self, method: &str, target: &str, body: &str) -> Reply {
        let request = self.request(method, target, body);
        Reply(paused().block_on(self.service.handle(request)))
    }

    pub(crate) fn request(&self, method: &str, target: &str, body: &str) -> Request<Bytes> {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(body.to_owned().into()).unwrap()
    }
}

/// Returns a runtime whose clock only runs while everything waits.
pub(crate) fn paused() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().unwrap()
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply(Response<Bytes>);

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.0.headers().get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.0.body()).into_owned()
    }

    /// Returns the JSON body of a response with a status.
    #[track_caller]
    pub(crate) fn json(&self, status: u16) -> Value {
        assert_eq!(self.status(), status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(self.0.body()).unwrap()
    }

    /// Fails the test unless the response is an error with a status and a part of a message.
    #[track_caller]
    pub(crate) fn is_refused(&self, status: u16, part: &str) {
        let error = &self.json(status)["error"];
        let message = error["message"].as_str().unwrap();
        assert_eq!(error["code"], json!(status));
        assert!(message.contains(part), "{part:?} in {message:?}");
    }
}
