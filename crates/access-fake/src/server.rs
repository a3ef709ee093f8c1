//! The server. It has its own accept loop, because faults reset connections.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures_util::stream;
use http::{HeaderValue, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;

use crate::admin;
use crate::handler::Announced;
use crate::response::{ApiError, ApiResponse};
use crate::service::Service;
use crate::world::World;

/// A free port of localhost.
const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// The largest request body, far larger than any reasonable one.
const MAX_BODY_BYTES: usize = 16 << 20;

/// Starts services on a free port. For another address, see [`Running::start_blocking`].
pub struct Fake;

impl Fake {
    /// Starts a service on its own thread and runtime, on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Returns an error if a port or a thread is not available.
    pub fn start_blocking(world: World) -> io::Result<Running> {
        Running::start_blocking(Service::new(world), ANY_PORT)
    }
}

/// A service that listens until this value is dropped.
pub struct Running {
    service: Service,
    address: SocketAddr,
    /// Dropping the sender ends the thread.
    thread: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Running {
    /// Serves on its own thread and runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is not a loopback address, or if it or a thread is not
    /// available.
    pub fn start_blocking(service: Service, address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            // The keys are public, and the admin pages do not require one.
            let problem = format!("{} is not a loopback address", address.ip());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let served = service.clone();
        let thread = thread::Builder::new().name("access-fake".to_owned()).spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    () = serve(listener, served) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { service, address, thread: Some((stop, thread)) })
    }

    /// Returns the base URL without a trailing slash: `http://127.0.0.1:40123`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the address on which the service listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the handle of the service.
    pub fn service(&self) -> &Service {
        &self.service
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            // Afterwards its port and connections are closed.
            let _ = thread.join();
        }
    }
}

/// Accepts connections until it is dropped, which closes them.
async fn serve(listener: TcpListener, service: Service) {
    // All connections are closed when this future is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve_connection(stream, service.clone()));
                }
                // The usual cause is that all file descriptors are in use until other connections
                // close.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves the requests of one connection, until it ends or a fault resets it.
async fn serve_connection(stream: TcpStream, service: Service) {
    // Small responses must not wait for more data.
    let _ = stream.set_nodelay(true);
    let socket = SockRef::from(&stream).try_clone();
    let reset = Arc::new(Notify::new());
    let resets = Arc::clone(&reset);
    let answer = service_fn(move |request| {
        let service = service.clone();
        let reset = Arc::clone(&resets);
        async move { Ok::<_, Infallible>(in_parts(respond(&service, request, &reset).await)) }
    });
    let http = auto::Builder::new(TokioExecutor::new());
    tokio::select! {
        _ = http.serve_connection(TokioIo::new(stream), answer) => {}
        () = reset.notified() => {
            if let Ok(socket) = socket {
                // With a linger time of 0, closing the socket sends a reset.
                let _ = socket.set_linger(Some(Duration::ZERO));
            }
        }
    }
}

/// Returns the response to a request to the API, or the admin page below `/_fake`.
async fn respond(service: &Service, request: Request<Incoming>, reset: &Notify) -> ApiResponse {
    let (parts, body) = request.into_parts();
    let body = match Limited::new(body, MAX_BODY_BYTES).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => {
            let problem = format!("the body cannot be read: {error}");
            return ApiError::bad_request(problem).response();
        }
    };
    match parts.uri.path().strip_prefix("/_fake") {
        Some(page) => admin::respond(service, &parts.method, page, &body),
        None => service.handle_on(Request::from_parts(parts, body), reset).await,
    }
}

/// Returns a response that is sent whole or, if it announces more than its body, fails after the
/// body, so that hyper closes the connection.
fn in_parts(response: ApiResponse) -> Response<UnsyncBoxBody<Bytes, io::Error>> {
    let Some(Announced(length)) = response.extensions().get().copied() else {
        return response.map(|body| Full::new(body).map_err(|never| match never {}).boxed_unsync());
    };
    let mut response = response.map(|body| {
        StreamBody::new(stream::unfold(Some(body), |part| async move {
            match part {
                Some(part) if !part.is_empty() => Some((Ok(Frame::data(part)), Some(Bytes::new()))),
                _ => {
                    // hyper flushes its buffer when the body is pending. Without this pause it
                    // would discard the part together with the connection.
                    tokio::task::yield_now().await;
                    Some((Err(io::Error::other("cut off on purpose")), None))
                }
            }
        }))
        .boxed_unsync()
    });
    response.headers_mut().insert("content-length", HeaderValue::from(length));
    response
}
