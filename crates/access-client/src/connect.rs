//! Connections to the service, through the proxy if there is one.
//!
//! The tunnels of reqwest and hyper-util do not return the status with which a proxy refuses, so this
//! module sends CONNECT itself.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower_service::Service;

use crate::health::Health;
use crate::proxy::Proxy;

/// The largest head of a proxy's response.
const MAX_HEAD_BYTES: usize = 8 * 1024;
/// The time for a connection after a service that has never responded has been given up.
const LATE_CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;
/// A connection to the service, or to a proxy in TLS.
type PlainStream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// The error of a connection that is not established in time.
#[derive(Debug)]
pub(crate) struct ConnectTimeout;

/// The error of a proxy that does not connect.
#[derive(Debug)]
pub(crate) struct ProxyError {
    /// The status of the proxy's response, if it sent one.
    pub(crate) status: Option<u16>,
    source: Option<BoxError>,
}

/// Connects to the service, within a time limit.
#[derive(Clone)]
pub(crate) struct Connector {
    https: HttpsConnector<Tunnel>,
    through_proxy: bool,
    timeout: Duration,
    health: Arc<Health>,
}

impl Connector {
    pub(crate) fn new(
        tls: ClientConfig,
        proxy: Option<Proxy>,
        timeout: Duration,
        health: Arc<Health>,
    ) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Divided among the addresses of a host.
        tcp.set_connect_timeout(Some(timeout));
        let mut proxy_tls = tls.clone();
        proxy_tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let through_proxy = proxy.is_some();
        let proxy = proxy.map(|proxy| (HttpsConnector::from((tcp.clone(), proxy_tls)), proxy));
        let https = HttpsConnector::from((Tunnel { tcp, proxy }, tls));
        Self { https, through_proxy, timeout, health }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<PlainStream>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.https.poll_ready(context)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let left = self.health.first_response_left().map(|left| left.max(LATE_CONNECT_TIMEOUT));
        let limit = left.map_or(self.timeout, |left| left.min(self.timeout));
        let (connecting, through_proxy) = (self.https.call(target), self.through_proxy);
        Box::pin(async move {
            match tokio::time::timeout(limit, connecting).await {
                Ok(connected) => connected,
                Err(_) if through_proxy => {
                    Err(ProxyError { status: None, source: Some(ConnectTimeout.into()) }.into())
                }
                Err(_) => Err(ConnectTimeout.into()),
            }
        })
    }
}

/// Connects to a host directly, or through the proxy.
#[derive(Clone)]
struct Tunnel {
    tcp: HttpConnector,
    proxy: Option<(HttpsConnector<HttpConnector>, Proxy)>,
}

impl Service<Uri> for Tunnel {
    type Response = PlainStream;
    type Error = BoxError;
    type Future = Connecting<PlainStream>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let Some((connector, proxy)) = &mut self.proxy else {
            let connecting = self.tcp.call(target);
            return Box::pin(async { Ok(MaybeHttpsStream::Http(connecting.await?)) });
        };
        let connecting = connector.call(proxy.uri());
        let request = proxy.connect_request(&target);
        Box::pin(async move {
            let failed = |source| ProxyError { status: None, source: Some(source) };
            let stream = connecting.await.map_err(failed)?;
            let (stream, status) =
                send_connect(stream, &request).await.map_err(|error| failed(error.into()))?;
            if !(200..300).contains(&status) {
                return Err(ProxyError { status: Some(status), source: None }.into());
            }
            Ok(stream)
        })
    }
}

/// Sends a CONNECT request and returns the status of the response.
async fn send_connect(stream: PlainStream, request: &str) -> std::io::Result<(PlainStream, u16)> {
    let mut stream = TokioIo::new(stream);
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let mut head = Vec::new();
    // The service sends nothing before the TLS handshake, so nothing after the head is lost.
    while !head.windows(4).any(|part| part == b"\r\n\r\n") {
        if head.len() > MAX_HEAD_BYTES || stream.read_buf(&mut head).await? == 0 {
            return Err(std::io::Error::other("its response is incomplete or too long"));
        }
    }
    let status = std::str::from_utf8(&head)
        .ok()
        .and_then(|head| head.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok());
    let status = status.ok_or_else(|| std::io::Error::other("its response is not HTTP"))?;
    Ok((stream.into_inner(), status))
}

impl fmt::Display for ConnectTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection in time")
    }
}

impl std::error::Error for ConnectTimeout {}

impl fmt::Display for ProxyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection through the proxy")
    }
}

impl std::error::Error for ProxyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}
