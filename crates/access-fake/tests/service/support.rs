//! A minimal client on a raw connection, so that tests see every byte that arrives.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use access_fake::{Fake, Running, Service, World};
use serde_json::Value;

/// A `User-Agent` that the service recognizes as the infrastructure-as-code provider.
pub(crate) const PROVIDER: &str =
    "Terraform/1.15.0 (+https://www.terraform.io) terraform-provider-access/0.1.0";

/// A running service and its callers.
pub(crate) struct Host {
    running: Running,
}

impl Host {
    pub(crate) fn new(world: World) -> Self {
        Self { running: Fake::start_blocking(world).unwrap() }
    }

    /// Returns a service with every operation.
    pub(crate) fn full() -> Self {
        Self::new(World::default())
    }

    pub(crate) fn service(&self) -> &Service {
        self.running.service()
    }

    /// Changes settings through their page.
    #[track_caller]
    pub(crate) fn change_world(&self, change: &Value) {
        self.caller("", "curl/8").patch("/_fake/world", change).json(200);
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// Returns an admin that is not the provider.
    pub(crate) fn admin(&self) -> Caller {
        self.caller("admin-key", "curl/8")
    }

    /// Returns the provider with an admin key.
    pub(crate) fn provider(&self) -> Caller {
        self.caller("admin-key", PROVIDER)
    }

    pub(crate) fn caller(&self, key: &str, user_agent: &str) -> Caller {
        Caller::new(self.address(), key, user_agent)
    }
}

/// A caller with its headers.
pub(crate) struct Caller {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

impl Caller {
    pub(crate) fn new(address: SocketAddr, key: &str, user_agent: &str) -> Self {
        let bearer = if key.is_empty() { String::new() } else { format!("Bearer {key}") };
        Self { address, headers: Vec::new() }
            .with("authorization", &bearer)
            .with("user-agent", user_agent)
            .with("content-type", "application/json")
    }

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

    /// Sends a request, whose response must be complete.
    #[track_caller]
    pub(crate) fn send(&self, method: &str, target: &str, body: &str) -> Reply {
        let (bytes, end) = self.exchange(method, target, body);
        let reply = Reply::read(&bytes);
        assert!(reply.is_whole, "{method} {target}: {end:?} after {reply:?}");
        reply
    }

    /// Sends a request and returns everything that arrives and how the connection ended.
    pub(crate) fn exchange(
        &self,
        method: &str,
        target: &str,
        body: &str,
    ) -> (Vec<u8>, io::Result<()>) {
        let mut stream = self.open(method, target, body);
        let mut bytes = Vec::new();
        let end = stream.read_to_end(&mut bytes).map(|_| ());
        (bytes, end)
    }

    /// Sends a request and returns the connection.
    pub(crate) fn open(&self, method: &str, target: &str, body: &str) -> TcpStream {
        let mut head = format!(
            "{method} {target} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        stream
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the body has the announced length.
    pub(crate) is_whole: bool,
}

impl Reply {
    /// Returns whether the bytes are a complete response.
    pub(crate) fn is_complete(bytes: &[u8]) -> bool {
        bytes.windows(4).any(|window| window == b"\r\n\r\n") && Self::read(bytes).is_whole
    }

    /// Parses a response that announces the length of its body, as all of the service's do.
    #[track_caller]
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let end = bytes
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .unwrap_or_else(|| panic!("a response: {:?}", String::from_utf8_lossy(bytes)));
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut reply = Self { status, headers, body: bytes[end + 4..].to_vec(), is_whole: false };
        let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        reply.is_whole = reply.body.len() == length;
        reply
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the JSON body of a response with a status.
    #[track_caller]
    pub(crate) fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Fails the test unless the response is an error with a status and a part of a message.
    #[track_caller]
    pub(crate) fn is_refused(&self, status: u16, part: &str) {
        let error = &self.json(status)["error"];
        let message = error["message"].as_str().unwrap();
        assert_eq!(error["code"], status);
        assert!(message.contains(part), "{part:?} in {message:?}");
    }
}

/// Polls until the condition holds.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !holds() {
        assert!(start.elapsed().as_secs() < 60, "not in 60 s: {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
