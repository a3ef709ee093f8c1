//! The place where a test replaces the network: a request becomes a response without a connection.
//!
//! The feature `simulation` compiles this module. No release build has the feature. Everything
//! above the connection is the code that users run: retries, limits, redaction and the
//! classification of failures.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame};

use crate::transport_error::{BoxError, ConnectTimeout};

/// The future of a response.
pub type Exchange = Pin<Box<dyn Future<Output = Result<Reply, Broken>> + Send>>;

/// A simulated network.
pub trait Network: Send + Sync {
    /// Sends one request and returns its response.
    fn send(&self, request: http::Request<Bytes>) -> Exchange;
}

/// A response.
#[derive(Debug)]
pub struct Reply {
    /// Its status, headers and body.
    pub response: http::Response<Bytes>,
    /// Whether the connection ends before the body is complete.
    pub is_cut_off: bool,
}

/// The reason why there is no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// There was no connection: the service has not received the request.
    NotConnected,
    /// GOAWAY: the server closes the connection, and does not process the request.
    GoAway,
    /// The connection ended after the request was sent.
    Reset,
}

thread_local! {
    static NETWORK: RefCell<Option<Arc<dyn Network>>> = const { RefCell::new(None) };
}

/// Sets the network of the clients that this thread creates from now on; `None` for the real one.
pub fn install(network: Option<Arc<dyn Network>>) {
    NETWORK.set(network);
}

/// Returns the network of a new client.
pub(crate) fn installed() -> Option<Arc<dyn Network>> {
    NETWORK.with_borrow(Clone::clone)
}

/// Sends a request over a simulated network. Its failures are those of the real one, as far as they
/// are told apart.
pub(crate) async fn send(
    network: &dyn Network,
    request: http::Request<Bytes>,
) -> Result<http::Response<reqwest::Body>, BoxError> {
    match network.send(request).await {
        Ok(Reply { response, is_cut_off }) => {
            Ok(response
                .map(|bytes| reqwest::Body::wrap(ReplyBody { bytes: Some(bytes), is_cut_off })))
        }
        Err(Broken::GoAway) => Err(refused().await),
        Err(Broken::NotConnected) => Err(ConnectTimeout.into()),
        Err(Broken::Reset) => Err(io::Error::from(io::ErrorKind::ConnectionReset).into()),
    }
}

/// Returns h2's own error of a request that a server refuses by GOAWAY, from a connection in
/// memory: `h2::Error` has no constructor for it.
async fn refused() -> BoxError {
    let (client, server) = tokio::io::duplex(4096);
    let serve = async {
        let mut connection = h2::server::handshake(server).await?;
        connection.abrupt_shutdown(h2::Reason::NO_ERROR);
        std::future::poll_fn(|context| connection.poll_closed(context)).await
    };
    let call = async {
        let (mut requests, connection) = h2::client::handshake(client).await?;
        let mut request = http::Request::new(());
        *request.uri_mut() = http::Uri::from_static("http://localhost/");
        let (response, _) = requests.send_request(request, true)?;
        tokio::join!(connection, response).1
    };
    match tokio::join!(serve, call).1 {
        Ok(_) => "there is a response after GOAWAY".into(),
        Err(error) => error.into(),
    }
}

/// The body of a response.
struct ReplyBody {
    bytes: Option<Bytes>,
    is_cut_off: bool,
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        let cut = self.is_cut_off && self.bytes.is_none();
        Poll::Ready(match self.bytes.take() {
            Some(bytes) => Some(Ok(Frame::data(bytes))),
            None if cut => Some(Err(CutOff)),
            None => None,
        })
    }
}

/// The error of a body that is not complete.
#[derive(Debug)]
struct CutOff;

impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection was closed before the body was complete")
    }
}

impl std::error::Error for CutOff {}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn refused_request_has_the_error_of_a_real_goaway() {
        let error = refused().await;
        let error = error.downcast_ref::<h2::Error>().expect("h2's error");
        assert!(error.is_go_away() && error.is_remote(), "{error}");
    }
}
