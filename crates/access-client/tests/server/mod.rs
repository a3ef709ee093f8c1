//! A server with scripted responses.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// The response to the requests after those that a test expects. No call is sent again after it.
const OUT_OF_SCRIPT: &[u8] = b"HTTP/1.1 403 Unexpected\r\ncontent-length: 0\r\n\r\n";

/// The response to a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// The complete response.
    Whole(Vec<u8>),
    /// The complete response, after which the connection closes.
    Last(Vec<u8>),
    /// A success, after the test has released it.
    AfterRelease(String),
    /// The connection closes before a response.
    Reset,
    /// The connection closes within the body.
    CutOff,
    /// Nothing, until the client gives up.
    Hang,
    /// A part of the body, and then nothing until the client gives up.
    Stall,
}

impl Reply {
    pub(crate) fn ok(body: &str) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::with_headers(status, "", body)
    }

    pub(crate) fn throttled(retry_after: &str) -> Self {
        Self::with_headers(429, &format!("retry-after: {retry_after}\r\n"), "{}")
    }

    pub(crate) fn with_headers(status: u16, headers: &str, body: &str) -> Self {
        Self::with_bytes(status, headers, body.as_bytes())
    }

    pub(crate) fn with_bytes(status: u16, headers: &str, body: &[u8]) -> Self {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n");
        Self::Whole([head.as_bytes(), body].concat())
    }
}

/// The server; it stops when it is dropped.
pub(crate) struct Server {
    address: std::net::SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

/// Returns the response to a request by its number, which counts from 1.
type Script = Box<dyn Fn(usize) -> Option<Reply> + Send + Sync>;

struct Shared {
    script: Script,
    requests: Mutex<Vec<String>>,
    connections: AtomicUsize,
    arrived: Notify,
    released: Notify,
    ended: Notify,
}

impl Server {
    pub(crate) async fn start(script: Vec<Reply>) -> Self {
        Self::start_with(in_order(script), None).await
    }

    /// Starts a server that computes each response from the number of the request.
    pub(crate) async fn computed(reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with(Box::new(move |number| Some(reply(number))), None).await
    }

    /// Starts a server of TLS, which always returns a role.
    pub(crate) async fn start_tls(config: ServerConfig) -> Self {
        let tls = TlsAcceptor::from(Arc::new(config));
        Self::start_with(in_order(vec![Reply::ok(crate::ROLE); 10]), Some(tls)).await
    }

    async fn start_with(script: Script, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            script,
            requests: Mutex::default(),
            connections: AtomicUsize::new(0),
            arrived: Notify::new(),
            released: Notify::new(),
            ended: Notify::new(),
        });
        let task = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    shared.connections.fetch_add(1, Ordering::SeqCst);
                    let shared = Arc::clone(&shared);
                    let tls = tls.clone();
                    tokio::spawn(async move {
                        match tls {
                            None => serve(stream, &shared).await,
                            Some(tls) => {
                                let Ok(stream) = tls.accept(stream).await else { return };
                                serve(stream, &shared).await;
                            }
                        }
                        shared.ended.notify_one();
                    });
                }
            }
        });
        Self { address, shared, task }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Waits until `requests` requests have arrived.
    pub(crate) async fn saw(&self, requests: usize) {
        while self.requests().len() < requests {
            self.shared.arrived.notified().await;
        }
    }

    /// Sends the response that is held.
    pub(crate) fn release(&self) {
        self.shared.released.notify_one();
    }

    /// Waits until the service has closed a connection. After [`Reply::Last`] the client has closed
    /// it as well.
    pub(crate) async fn ended(&self) {
        self.shared.ended.notified().await;
    }

    /// Stops listening.
    pub(crate) async fn close(mut self) {
        self.task.abort();
        _ = (&mut self.task).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn in_order(script: Vec<Reply>) -> Script {
    Box::new(move |number| script.get(number - 1).cloned())
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, shared: &Shared) {
    while let Some(request) = read_request(&mut stream).await {
        let number = {
            let mut requests = shared.requests.lock().unwrap();
            requests.push(request);
            requests.len()
        };
        shared.arrived.notify_one();
        let bytes = match (shared.script)(number) {
            Some(Reply::Whole(bytes)) => bytes,
            Some(Reply::Last(bytes)) => {
                _ = stream.write_all(&bytes).await;
                _ = stream.shutdown().await;
                // The client closes its side as soon as it has read the end.
                _ = stream.read(&mut [0]).await;
                return;
            }
            Some(Reply::AfterRelease(body)) => {
                shared.released.notified().await;
                let Reply::Whole(bytes) = Reply::ok(&body) else { return };
                bytes
            }
            Some(reply @ (Reply::CutOff | Reply::Stall | Reply::Hang)) => {
                if !matches!(reply, Reply::Hang) {
                    _ = stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{").await;
                }
                if !matches!(reply, Reply::CutOff) {
                    // Until the client closes its side.
                    _ = stream.read(&mut [0]).await;
                }
                return;
            }
            Some(Reply::Reset) => return,
            // Ends the attempts of a call that should have ended before.
            None => OUT_OF_SCRIPT.to_vec(),
        };
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

/// Reads one request with its body; `None` if the client closes the connection.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some(end) = text.find("\r\n\r\n") {
            let length: usize = text
                .to_ascii_lowercase()
                .split("content-length: ")
                .nth(1)
                .and_then(|rest| rest.split("\r\n").next()?.parse().ok())
                .unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                return Some(text.into_owned());
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
