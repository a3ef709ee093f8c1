//! A web server with TLS that returns files and documents.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use super::network::{Authority, TlsFront};

/// What a server returns with status 200.
pub(crate) struct Page {
    media_type: String,
    content: Vec<u8>,
}

/// Returns the page at a path, which begins with a slash.
type Pages = dyn Fn(&str) -> Option<Page> + Send + Sync;

/// A server at `https://localhost`, until it is dropped.
pub(crate) struct Web {
    requests: Arc<Mutex<Vec<String>>>,
    front: TlsFront,
    _runtime: Runtime,
}

impl Web {
    /// Starts a server with a certificate of this authority.
    pub(crate) fn start(
        authority: &Authority,
        pages: impl Fn(&str) -> Option<Page> + Send + Sync + 'static,
    ) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a socket");
        let address: SocketAddr = listener.local_addr().expect("its address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&requests);
        let pages: Arc<Pages> = Arc::new(pages);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let received = Arc::clone(&received);
                let pages = Arc::clone(&pages);
                tokio::spawn(async move {
                    // A host that closes the connection early reports it.
                    _ = respond(stream, &received, &*pages).await;
                });
            }
        });
        Self { requests, front: authority.serve("localhost", address), _runtime: runtime }
    }

    /// Returns `localhost` with the port.
    pub(crate) fn host(&self) -> String {
        format!("localhost:{}", self.front.address.port())
    }

    /// Returns the paths of the requests since the last call.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().expect("no panic"))
    }
}

/// Answers one request, and closes the connection.
async fn respond(
    stream: TcpStream,
    received: &Mutex<Vec<String>>,
    pages: &Pages,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    stream.read_line(&mut request).await?;
    let mut header = String::new();
    while stream.read_line(&mut header).await? > 2 {
        header.clear();
    }
    let path = request.split([' ', '?']).nth(1).unwrap_or_default();
    received.lock().expect("no panic").push(path.to_owned());
    let (status, page) = match pages(path) {
        Some(page) => ("200 OK", page),
        None => {
            let media_type = "text/plain".to_owned();
            ("404 Not Found", Page { media_type, content: Vec::new() })
        }
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        page.media_type,
        page.content.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&page.content).await?;
    stream.shutdown().await
}

/// Returns the files in a directory, with the media types that web servers derive from their names.
pub(crate) fn files(directory: PathBuf) -> impl Fn(&str) -> Option<Page> + Send + Sync {
    move |path| {
        let content = fs::read(directory.join(path.trim_start_matches('/'))).ok()?;
        let is_json = path.ends_with(".json");
        let media_type = if is_json { "application/json" } else { "application/octet-stream" };
        Some(Page { media_type: media_type.to_owned(), content })
    }
}
