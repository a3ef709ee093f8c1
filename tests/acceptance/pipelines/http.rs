//! A local HTTP server that stands in for the API of a forge, or serves the files of a release.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A request as the server received it.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query.
    pub(super) path: String,
    pub(super) headers: String,
    pub(super) body: String,
}

impl Request {
    /// The body as JSON; null if it is not JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

type Handler = dyn Fn(&Request) -> (u16, Vec<u8>) + Send + Sync;

/// A server that runs until the end of the test's process.
pub(super) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server that responds with what the handler returns: a status and a body.
    pub(super) fn start(
        handler: impl Fn(&Request) -> (u16, Vec<u8>) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a socket on loopback");
        let address = listener.local_addr().expect("its address");
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let received = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that closes the connection reports its own failure.
                _ = serve(&stream, &received, &handler);
            }
        });
        Self { address, requests }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests since the last call.
    pub(super) fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.requests.lock().expect("the requests"))
    }
}

fn serve(
    stream: &TcpStream,
    requests: &Mutex<Vec<Request>>,
    handler: &Handler,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or_default()];
    reader.read_exact(&mut body)?;
    let mut first = head.split_whitespace().map(str::to_owned);
    let request = Request {
        method: first.next().unwrap_or_default(),
        path: first.next().unwrap_or_default(),
        body: String::from_utf8_lossy(&body).into_owned(),
        headers: head,
    };
    let (status, body) = handler(&request);
    requests.lock().expect("the requests").push(request);
    let head = format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let mut stream = stream;
    stream.write_all(format!("HTTP/1.1 {status} Status\r\n{head}").as_bytes())?;
    stream.write_all(&body)
}
