use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::{Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, DuplexStream};
use tokio::sync::{mpsc, oneshot};
use tower_service::Service;

use super::{TransportError, is_unprocessed};
use crate::gate::Gate;
use crate::http_client::HttpClient;
use crate::redact::Redactor;
use crate::tls;

/// A connection that has negotiated HTTP/2.
struct Http2Stream(TokioIo<DuplexStream>);

impl Http2Stream {
    /// Returns a connection and its other end. A write stalls while `capacity` bytes are unread.
    fn new(capacity: usize) -> (Self, DuplexStream) {
        let (client, server) = tokio::io::duplex(capacity);
        (Self(TokioIo::new(client)), server)
    }
}

impl Connection for Http2Stream {
    fn connected(&self) -> Connected {
        Connected::new().negotiated_h2()
    }
}

impl Read for Http2Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl Write for Http2Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// Asks the test for each connection.
#[derive(Clone)]
struct Connector(mpsc::UnboundedSender<oneshot::Sender<Http2Stream>>);

impl Service<Uri> for Connector {
    type Response = Http2Stream;
    type Error = oneshot::error::RecvError;
    type Future = oneshot::Receiver<Http2Stream>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _uri: Uri) -> Self::Future {
        let (connect, connection) = oneshot::channel();
        self.0.send(connect).unwrap();
        connection
    }
}

/// Three requests open a connection each and wait for the first one that is ready. That one closes,
/// and while the third request upgrades its connection, the second one's is open: hyper-util then
/// cancels the second request.
#[tokio::test]
async fn request_that_another_upgrade_to_http2_cancels_is_unprocessed() {
    let (calls, mut connects) = mpsc::unbounded_channel();
    let client = Client::builder(TokioExecutor::new()).build::<_, String>(Connector(calls));
    let request = || {
        let request = Request::get("http://service.test").body(String::new()).unwrap();
        Box::pin(client.request(request))
    };
    let context = &mut Context::from_waker(Waker::noop());
    let first = tokio::spawn(request());
    let connect_first = connects.recv().await.unwrap();
    let mut second = request();
    assert!(second.as_mut().poll(context).is_pending());
    let connect_second = connects.recv().await.unwrap();
    let mut third = request();
    assert!(third.as_mut().poll(context).is_pending());
    let connect_third = connects.recv().await.unwrap();

    let (stream, mut server) = Http2Stream::new(1024);
    connect_first.send(stream).ok().unwrap();
    read_until_headers(&mut server).await;
    drop(server);
    assert!(first.await.unwrap().is_err());

    let (stream, _stalls) = Http2Stream::new(1);
    connect_third.send(stream).ok().unwrap();
    assert!(third.as_mut().poll(context).is_pending());
    connect_second.send(Http2Stream::new(1).0).ok().unwrap();
    let Poll::Ready(Err(error)) = second.as_mut().poll(context) else { panic!("not canceled") };
    assert!(is_unprocessed(&error), "{error:?}");
}

/// Reads the client's frames until a request begins (RFC 9113, 3.4 and 4.1).
async fn read_until_headers(server: &mut DuplexStream) {
    server.read_exact(&mut [0; 24]).await.unwrap();
    loop {
        let mut header = [0; 9];
        server.read_exact(&mut header).await.unwrap();
        if header[3] == 1 {
            return;
        }
        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]);
        server.read_exact(&mut vec![0; length as usize]).await.unwrap();
    }
}

/// The service has responded before, and then accepts a connection and never responds to the TLS
/// handshake.
#[tokio::test]
async fn connection_that_takes_too_long_is_not_connected() {
    let hanging = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", hanging.local_addr().unwrap());
    let gate = Arc::new(Gate::default());
    gate.record_connection();
    let tls = tls::config(false, None).unwrap();
    let client = HttpClient::new(tls, None, Duration::from_secs(30), gate).ok().unwrap();
    tokio::time::pause();
    let started = tokio::time::Instant::now();
    let request = http::Request::post(url).body(Default::default()).unwrap();
    let error = client.send(request).await.unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(23), "{:?}", started.elapsed());
    let error = TransportError::of_sending(&*error, &Redactor::new([]));
    let TransportError::NotConnected(reason) = error else { panic!("{error:?}") };
    assert_eq!(reason, "could not connect in time");
}
