//! A service whose clock only the test advances.

use std::sync::mpsc;
use std::time::Duration;

use access_fake::{Fake, Running, World};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::Reply;

/// A connection to a service in the same runtime, whose clock only the test advances.
pub(crate) struct Paused {
    pub(crate) service: Running,
    pub(crate) stream: tokio::net::TcpStream,
    /// While a blocking task runs, tokio does not advance a paused clock by itself.
    _clock: mpsc::Sender<()>,
}

impl Paused {
    pub(crate) async fn open(world: World) -> Self {
        let (clock, held) = mpsc::channel();
        tokio::task::spawn_blocking(move || held.recv());
        let service = Fake::start(world).await.unwrap();
        let stream = tokio::net::TcpStream::connect(service.address()).await.unwrap();
        Self { service, stream, _clock: clock }
    }

    pub(crate) async fn send(&mut self, request: &str) {
        self.stream.write_all(request.as_bytes()).await.unwrap();
    }

    pub(crate) async fn reply(&mut self) -> Reply {
        let mut bytes = Vec::new();
        while !Reply::is_complete(&bytes) {
            assert_ne!(self.stream.read_buf(&mut bytes).await.unwrap(), 0, "it is cut off");
        }
        Reply::read(&bytes)
    }

    /// Advances the clock, and lets the service handle its timers.
    pub(crate) async fn advance(&self, seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
}
