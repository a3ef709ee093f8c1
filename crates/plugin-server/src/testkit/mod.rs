//! A host for tests of providers.
//!
//! [`Plugin`] starts a provider as go-plugin does, with a certificate like those of go-plugin.
//! [`connect()`] serves one in the process of the test. Both return a [`Client`], which has a method for
//! each call of the protocol, with the messages of [`proto`]. [`encode`] and [`decode`] convert values
//! to and from JSON.
//!
//! Functions panic if the test cannot continue.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test kit fails loudly"
)]

mod certificate;
mod client;
#[doc(hidden)]
pub mod codec;
mod connect;
mod plugin;
pub mod proto;
mod value;

pub use certificate::HostCertificate;
pub use client::{ActionEvents, CallError, Client, ListEvents, SilentStream};
pub use connect::Intruder;
#[cfg(unix)]
pub use connect::intrude;
pub use plugin::{Handshake, Launch, Plugin};
pub use value::{decode, dynamic, encode, null, unknown};

use crate::lifecycle::Lifecycle;
use crate::server::Server;
use crate::transport;

/// Serves `server` in this process, over a pipe, and connects to it.
///
/// Requires a tokio runtime. The server ends with the last of the clients.
pub async fn connect(server: Server) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let lifecycle = Lifecycle::new();
    let services = server.services(&lifecycle, tokio::runtime::Handle::current());
    tokio::spawn(async move {
        transport::connection(Box::pin(theirs), services, &lifecycle).await;
    });
    Client::over(ours).await.expect("a connection in the process")
}
