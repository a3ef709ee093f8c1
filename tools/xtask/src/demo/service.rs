//! The local service in a process of its own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// The local service, which ends with this value.
pub(super) struct Service {
    process: Child,
    pub(super) base_url: String,
}

impl Service {
    /// Starts it on a free port.
    pub(super) fn start(binary: &Path) -> Result<Self> {
        let mut command = Command::new(binary);
        let mut process =
            command.args(["--address", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().context("the service's output")?;
        let mut service = Self { process, base_url: String::new() };
        // The address is the first word that it prints.
        BufReader::new(output).read_line(&mut line)?;
        service.base_url =
            line.split(' ').next().filter(|url| !url.is_empty()).context("no address")?.to_owned();
        Ok(service)
    }

    /// Calls a page of the service for changes by hand, as one would with curl.
    pub(super) fn request(&self, method: &str, page: &str, body: &str) -> Result<String> {
        let address = self.base_url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address)?;
        let length = body.len();
        // Responses to HTTP/1.0 end with the connection.
        write!(
            stream,
            "{method} /_fake/{page} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        let (head, body) = response.split_once("\r\n\r\n").context("an incomplete response")?;
        ensure!(head.contains(" 200 "), "{method} {page}: {head}\n{body}");
        Ok(body.to_owned())
    }

    /// Returns the number of requests that the service has received, by method.
    pub(super) fn count_requests(&self) -> Result<String> {
        let requests = self.request("GET", "requests", "")?;
        let count = |method: &str| requests.matches(&format!("\"method\": \"{method}\"")).count();
        let counts = ["GET", "PATCH", "POST", "DELETE"].map(|it| format!("{} {it}", count(it)));
        Ok(counts.join(", "))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
