//! A host for tests of providers.
//!
//! [`Plugin`] starts a provider as go-plugin does, with a certificate like those of go-plugin.
//! [`connect()`] serves one in the process of the test. Both return a [`Client`], which has a
//! method for each call of the protocol, with the messages of [`proto`]. [`encode`] and [`decode`]
//! convert values to and from JSON.
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
mod connect;
mod host_checks;
mod plugin;
pub mod proto;
mod value;

pub use certificate::HostCertificate;
pub use client::{CallError, Client, ListEvents, SilentStream};
pub use host_checks::HostChecks;
pub use plugin::{Handshake, Launch, Plugin};
pub use value::{decode, encode, null, unknown};

use crate::lifecycle::Lifecycle;
use crate::server::Server;

/// Serves `server` in this process and connects to it: messages are encoded as on a connection, and
/// passed without one.
///
/// Requires a tokio runtime.
pub async fn connect(server: Server) -> Client {
    Client::direct(server.services(&Lifecycle::new(), tokio::runtime::Handle::current()))
}
