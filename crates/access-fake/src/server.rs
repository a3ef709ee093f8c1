//! The server. It has its own accept loop, because faults reset and refuse connections.

use std::future::pending;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::routing::any;
use axum::{Extension, Router};
use hyper::server::conn::{http1, http2 as http2_builder};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use socket2::{Domain, SockRef, Socket, Type};
use tokio::io::duplex;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use crate::admin;
use crate::connection::Connection;
use crate::handler;
use crate::http2;
use crate::service::Service;
use crate::world::World;

/// The backlog of the standard library's listeners.
const BACKLOG: i32 = 128;
/// A free port of localhost.
const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Starts services on a free port. For another address, see [`Running::start`].
pub struct Fake;

impl Fake {
    /// Starts a service in the caller's runtime, on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Returns an error if a port is not available.
    pub async fn start(world: World) -> io::Result<Running> {
        Running::start(Service::new(world), ANY_PORT).await
    }

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
    stop: Stop,
}

enum Stop {
    Task(AbortHandle),
    /// Dropping the sender ends the thread.
    Thread(Option<(oneshot::Sender<()>, JoinHandle<()>)>),
}

impl Running {
    /// Serves in the caller's runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is not a loopback address or not available.
    pub async fn start(service: Service, address: SocketAddr) -> io::Result<Self> {
        check_loopback(address)?;
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(serve(listener, service.clone()));
        Ok(Self { service, address, stop: Stop::Task(task.abort_handle()) })
    }

    /// Serves on its own thread and runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is not a loopback address, or if it or a thread is not
    /// available.
    pub fn start_blocking(service: Service, address: SocketAddr) -> io::Result<Self> {
        check_loopback(address)?;
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
        Ok(Self { service, address, stop: Stop::Thread(Some((stop, thread))) })
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
        match &mut self.stop {
            Stop::Task(task) => task.abort(),
            Stop::Thread(thread) => {
                if let Some((stop, thread)) = thread.take() {
                    drop(stop);
                    // Afterwards its port and connections are closed.
                    let _ = thread.join();
                }
            }
        }
    }
}

/// Returns the service as a router: the API, and the admin pages under `/_fake`.
fn app(service: Service) -> Router {
    Router::new().nest("/_fake", admin::pages()).fallback(any(handler::serve)).with_state(service)
}

fn check_loopback(address: SocketAddr) -> io::Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    // The keys are public, and the admin pages do not require one.
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!(
            "{} is not a loopback address; the service listens on localhost only",
            address.ip()
        ),
    ))
}

async fn serve(mut listener: TcpListener, service: Service) {
    // All connections are closed when this future is dropped.
    let mut connections = JoinSet::new();
    let mut pauses = service.pauses();
    let app = app(service.clone());
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve_connection(stream, app.clone(), service.clone()));
                }
                // The usual cause is that all file descriptors are in use until other connections
                // close.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
            Ok(()) = pauses.changed() => {
                let until = *pauses.borrow_and_update();
                if let Some(until) = until.filter(|until| *until > Instant::now()) {
                    connections = JoinSet::new();
                    match refuse_until(listener, until).await {
                        Ok(again) => listener = again,
                        // Another program has taken the port.
                        Err(_) => return,
                    }
                }
            }
        }
    }
}

/// Stops listening for some time. A socket that is bound but does not listen keeps the port.
async fn refuse_until(listener: TcpListener, until: Instant) -> io::Result<TcpListener> {
    let address = listener.local_addr()?;
    drop(listener);
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // Otherwise the recently closed connections would block the port.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    tokio::time::sleep_until(until).await;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    TcpListener::from_std(socket.into())
}

async fn serve_connection(stream: TcpStream, app: Router, service: Service) {
    // Small responses must not wait for more data.
    let _ = stream.set_nodelay(true);
    let socket = SockRef::from(&stream).try_clone();
    let connection = Connection::new(service.number_connection());
    let app = TowerToHyperService::new(app.layer(Extension(connection.clone())));
    let mut http = if http2::is_http2(&stream).await {
        let builder = http2_builder::Builder::new(TokioExecutor::new());
        match service.goaway_after() {
            None => Http::Two(Box::pin(builder.serve_connection(TokioIo::new(stream), app))),
            Some(after) => {
                let (near, far) = duplex(http2::BUFFER);
                let library = builder.serve_connection(TokioIo::new(far), app);
                let frames = http2::refuse_streams(stream, near, after);
                Http::Draining(Box::pin(async move {
                    tokio::select! {
                        // The library may end before its last frames are written.
                        _ = async { let _ = library.await; pending::<()>().await } => {}
                        () = frames => {}
                    }
                }))
            }
        }
    } else {
        Http::One(Box::pin(http1::Builder::new().serve_connection(TokioIo::new(stream), app)))
    };
    let mut idle_end = None;
    loop {
        let idle = async {
            match idle_end {
                Some(end) => tokio::time::sleep_until(end).await,
                None => pending().await,
            }
        };
        tokio::select! {
            // HTTP is polled first, so that a response is written before its connection is closed.
            biased;
            () = http.run() => return,
            () = connection.reset_requested() => {
                if let Ok(socket) = socket {
                    // With a linger time of 0, closing the socket sends a reset.
                    let _ = socket.set_linger(Some(Duration::ZERO));
                }
                return;
            }
            () = connection.response_ended() => {
                idle_end = service.idle_time().map(|time| Instant::now() + time);
            }
            () = idle => {
                if connection.is_idle() {
                    http.close_after_writing();
                }
                idle_end = None;
            }
        }
    }
}

type App = TowerToHyperService<Router>;

/// A connection of either version of HTTP.
enum Http {
    One(Pin<Box<http1::Connection<TokioIo<TcpStream>, App>>>),
    Two(Pin<Box<http2_builder::Connection<TokioIo<TcpStream>, App, TokioExecutor>>>),
    Draining(Pin<Box<dyn Future<Output = ()> + Send>>),
}

impl Http {
    /// Serves until the connection ends, because of the client or of a fault.
    async fn run(&mut self) {
        match self {
            Self::One(http) => {
                let _ = http.await;
            }
            Self::Two(http) => {
                let _ = http.await;
            }
            Self::Draining(http) => http.await,
        }
    }

    /// Closes the connection after its last response is written. Over HTTP/1.1 the response does
    /// not announce it.
    fn close_after_writing(&mut self) {
        match self {
            Self::One(http) => http.as_mut().graceful_shutdown(),
            Self::Two(http) => http.as_mut().graceful_shutdown(),
            Self::Draining(_) => {}
        }
    }
}
