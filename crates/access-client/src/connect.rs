//! Connections through a proxy.
//!
//! The tunnels of reqwest and hyper-util do not return the status with which a proxy refuses, so
//! this module sends CONNECT itself, once.

use std::fmt;
use std::pin::Pin;
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

use crate::proxy::Proxy;

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The largest head of a proxy's response.
const MAX_HEAD_BYTES: usize = 8 * 1024;

/// A connection to a proxy.
type ProxyStream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// The error of a proxy that does not connect.
#[derive(Debug)]
pub(crate) struct ProxyError {
    /// The status of the proxy's response, if it sent one.
    pub(crate) status: Option<u16>,
    source: Option<BoxError>,
}

/// Connects to a host through the proxy.
#[derive(Clone)]
pub(crate) struct Tunnel {
    connector: HttpsConnector<HttpConnector>,
    proxy: Proxy,
}

impl Tunnel {
    /// `timeout` is divided among the addresses of the proxy.
    pub(crate) fn new(proxy: Proxy, mut tls: ClientConfig, timeout: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(timeout));
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Self { connector: HttpsConnector::from((tcp, tls)), proxy }
    }
}

impl Service<Uri> for Tunnel {
    type Response = ProxyStream;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<ProxyStream, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let connecting = self.connector.call(self.proxy.uri());
        let request = self.proxy.connect_request(&target);
        Box::pin(async move {
            let stream = connecting.await.map_err(ProxyError::new)?;
            let (stream, status) = send_connect(stream, &request).await.map_err(ProxyError::new)?;
            if !(200..300).contains(&status) {
                return Err(ProxyError { status: Some(status), source: None }.into());
            }
            Ok(stream)
        })
    }
}

/// Sends a CONNECT request and returns the status of the response.
async fn send_connect(stream: ProxyStream, request: &str) -> std::io::Result<(ProxyStream, u16)> {
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

impl ProxyError {
    pub(crate) fn new(source: impl Into<BoxError>) -> Self {
        Self { status: None, source: Some(source.into()) }
    }
}

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

/// The error of a connection that is not established in time.
#[derive(Debug)]
pub(crate) struct ConnectTimeout;

impl fmt::Display for ConnectTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection in time")
    }
}

impl std::error::Error for ConnectTimeout {}
