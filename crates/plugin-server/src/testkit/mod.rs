//! A host for tests of providers.
//!
//! [`Plugin`] starts a provider as go-plugin does, with a certificate like those of go-plugin.
//! [`connect()`] serves one in the process of the test. Both return a [`Client`], which has a
//! method for each call of the protocol, with the messages of [`proto`]. [`encode`] and [`decode`]
//! convert values to and from JSON.
//!
//! Functions panic if the test cannot continue.
//!
//! ```no_run
//! # mod larder {
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/documentation/provider.rs"));
//! use plugin_server::testkit::proto::tfplugin6::import_resource_state::Request;
//! use plugin_server::testkit::{connect, decode};
//! use serde_json::json;
//!
//! # async fn example() {
//! let client = connect(server()).await;
//! let request = Request {
//!     type_name: "larder_jar".to_owned(),
//!     id: "plum".to_owned(),
//!     ..Request::default()
//! };
//! let response = client.import_resource_state(request).await.unwrap();
//! assert_eq!(response.diagnostics, []);
//! let state = decode(response.imported_resources[0].state.as_ref().unwrap());
//! assert_eq!(state, json!({ "label": "plum", "content": null, "weight": null }));
//! # }
//! # }
//! # fn main() {}
//! ```

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
mod misfits;
mod plugin;
mod problems;
pub mod proto;
mod value;

pub use certificate::HostCertificate;
pub use client::{CallError, Client, ListEvents, SilentStream};
pub use connect::Intruder;
#[cfg(unix)]
pub use connect::intrude;
pub use host_checks::HostChecks;
pub use plugin::{Handshake, Launch, Plugin};
pub use problems::problems;
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
