//! The socket. Only the host's user can access it, and it is removed when the process exits.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;

use crate::handshake::Request;

/// The network over which the host connects to the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Network {
    /// A unix socket, or TCP on the loopback interface if no unix socket can be created.
    #[default]
    Auto,
    /// TCP on the loopback interface.
    Tcp,
}

/// The longest path of a unix socket: macOS allows 104 bytes and Linux 108, with a final zero byte.
#[cfg(unix)]
const MAX_SOCKET_PATH: usize = 103;

/// A connection over either network.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A bound socket.
pub(crate) struct Listener {
    socket: Socket,
    cleanup: Cleanup,
}

enum Socket {
    #[cfg(unix)]
    Unix(UnixListener, PathBuf),
    Tcp(TcpListener, SocketAddr),
}

/// The removal of the socket and its directory. It runs once: when the listener is dropped, or
/// before the process exits in another way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cleanup(Arc<Mutex<Vec<PathBuf>>>);

impl Cleanup {
    #[cfg(unix)]
    fn add(&self, path: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
    }

    /// Removes the paths. A path that does not exist any more is ignored.
    pub(crate) fn run(&self) {
        let mut paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(path) = paths.pop() {
            // A path that cannot be removed remains. It cannot be reported, because the process is
            // exiting and the host has closed the log.
            let _ =
                if path.is_dir() { std::fs::remove_dir(path) } else { std::fs::remove_file(path) };
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.cleanup.run();
    }
}

impl Listener {
    /// Binds to a unix socket in a directory of its own, or to TCP.
    pub(crate) async fn bind(request: &Request, network: Network) -> io::Result<Self> {
        #[cfg(unix)]
        if network == Network::Auto {
            match unix::bind() {
                Ok(listener) => return Ok(listener),
                Err(error) => tracing::warn!(%error, "a unix socket cannot be created, using TCP"),
            }
        }
        let _ = network;
        Self::bind_tcp(request.ports.clone()).await
    }

    /// Binds the first free port of the range on the loopback address.
    async fn bind_tcp(ports: std::ops::RangeInclusive<u16>) -> io::Result<Self> {
        let mut last =
            io::Error::new(io::ErrorKind::AddrNotAvailable, "the range of ports is empty");
        for port in ports {
            match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
                Ok(listener) => {
                    let address = listener.local_addr()?;
                    return Ok(Self {
                        socket: Socket::Tcp(listener, address),
                        cleanup: Cleanup::default(),
                    });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Returns the name of the network in the handshake.
    pub(crate) fn network(&self) -> &'static str {
        match &self.socket {
            #[cfg(unix)]
            Socket::Unix(..) => "unix",
            Socket::Tcp(..) => "tcp",
        }
    }

    pub(crate) fn address(&self) -> String {
        match &self.socket {
            #[cfg(unix)]
            Socket::Unix(_, path) => path.display().to_string(),
            Socket::Tcp(_, address) => address.to_string(),
        }
    }

    pub(crate) fn cleanup(&self) -> Cleanup {
        self.cleanup.clone()
    }

    /// Accepts the next connection. Returns `None` for a peer of another user, in case the file
    /// mode admits one.
    pub(crate) async fn accept(&self) -> io::Result<Option<Pin<Box<dyn Stream>>>> {
        match &self.socket {
            #[cfg(unix)]
            Socket::Unix(listener, _) => {
                let (stream, _) = listener.accept().await?;
                if !unix::is_allowed(&stream) {
                    return Ok(None);
                }
                Ok(Some(Box::pin(stream)))
            }
            Socket::Tcp(listener, _) => {
                let (stream, _) = listener.accept().await?;
                // Headers, data and trailers are sent separately: with Nagle's algorithm and
                // delayed acknowledgements every response would take 40 ms.
                stream.set_nodelay(true)?;
                Ok(Some(Box::pin(stream)))
            }
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};

    use super::*;

    /// Returns whether a peer may connect: the same user, or root.
    pub(super) fn is_allowed(stream: &tokio::net::UnixStream) -> bool {
        let own = nix::unistd::geteuid().as_raw();
        match stream.peer_cred() {
            Ok(peer) if peer.uid() == own || peer.uid() == 0 => true,
            Ok(peer) => {
                tracing::warn!(uid = peer.uid(), "a connection of another user was refused");
                false
            }
            Err(_) => false,
        }
    }

    pub(super) fn bind() -> io::Result<Listener> {
        let cleanup = Cleanup::default();
        let socket = bind_at(own_directory(&cleanup)?.join("s"), &cleanup);
        if socket.is_err() {
            cleanup.run();
        }
        Ok(Listener { socket: socket?, cleanup })
    }

    fn bind_at(path: PathBuf, cleanup: &Cleanup) -> io::Result<Socket> {
        let listener = UnixListener::bind(&path)?;
        cleanup.add(&path);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Socket::Unix(listener, path))
    }

    /// Creates a directory that no other user can enter, with a path short enough for a socket in
    /// it.
    fn own_directory(cleanup: &Cleanup) -> io::Result<PathBuf> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "no directory for temporary files");
        for parent in [std::env::temp_dir(), PathBuf::from("/tmp")] {
            let path = parent.join(format!("plugin-{}", random_name()));
            if path.as_os_str().len() + "/s".len() > MAX_SOCKET_PATH {
                continue;
            }
            // Created with its final mode, and never over an existing path.
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    cleanup.add(&path);
                    return Ok(path);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Returns a random name, so that another user cannot create it first. The file mode protects
    /// the socket.
    fn random_name() -> String {
        let mut bytes = [0; 6];
        let random = rustls::crypto::ring::default_provider().secure_random;
        if random.fill(&mut bytes).is_err() {
            bytes[..4].copy_from_slice(&std::process::id().to_be_bytes());
        }
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
