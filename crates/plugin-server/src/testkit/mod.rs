//! A host for tests of providers.
//!
//! [`Plugin`] starts a provider as go-plugin does, with a certificate like those of go-plugin.
//! [`connect()`] serves one in the process of the test. Both return a [`Client`], which has a method for
//! each call of the protocol, with the messages of [`proto`]. [`encode`] and [`decode`] convert values
//! to and from JSON.
//!
//! Functions panic if the test cannot continue.
//!
//! ```
//! # use async_trait::async_trait;
//! # use plugin_server::Server;
//! # use plugin_server::schema::{computed, new_schema, required};
//! # use plugin_server::tf_provider::schema::{AttributeType, Schema};
//! # use plugin_server::tf_provider::value::{Value, ValueEmpty};
//! # use plugin_server::tf_provider::{DataSource, Diagnostics, Provider};
//! # use serde::{Deserialize, Serialize};
//! use plugin_server::testkit::proto::tfplugin6::read_data_source::Request;
//! use plugin_server::testkit::{connect, decode, encode, problems};
//! use serde_json::json;
//! # struct Pantry;
//! # #[async_trait]
//! # impl Provider for Pantry {
//! #     type Config<'a> = ValueEmpty;
//! #     type MetaState<'a> = ValueEmpty;
//! #     fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
//! #         Some(new_schema(0, "A pantry.", []))
//! #     }
//! #     async fn configure<'a>(&self, _: &mut Diagnostics, _: String, _: ValueEmpty) -> Option<()> {
//! #         Some(())
//! #     }
//! # }
//! # struct JarData;
//! # #[derive(Serialize, Deserialize)]
//! # struct JarState {
//! #     label: Value<String>,
//! #     content: Value<String>,
//! # }
//! # #[async_trait]
//! # impl DataSource for JarData {
//! #     type State<'a> = JarState;
//! #     type ProviderMetaState<'a> = ValueEmpty;
//! #     fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
//! #         let label = required(AttributeType::String, "The label.");
//! #         let content = computed(AttributeType::String, "The content.");
//! #         Some(new_schema(0, "A jar.", [("label", label), ("content", content)]))
//! #     }
//! #     async fn read<'a>(
//! #         &self, _: &mut Diagnostics, config: JarState, _: ValueEmpty,
//! #     ) -> Option<JarState> {
//! #         Some(JarState { content: Value::Value("jam".to_owned()), ..config })
//! #     }
//! # }
//! # fn server() -> Server {
//! #     Server::builder("pantry", Pantry).data_source("jar", JarData).build()
//! # }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! assert_eq!(problems(&server()), [""; 0]);
//!
//! let client = connect(server()).await;
//! let request = Request {
//!     type_name: "pantry_jar".into(),
//!     config: Some(encode(&json!({ "label": "plum", "content": null }))),
//!     ..Request::default()
//! };
//! let response = client.read_data_source(request).await.unwrap();
//! assert_eq!(response.diagnostics, []);
//! let state = decode(&response.state.unwrap());
//! assert_eq!(state, json!({ "label": "plum", "content": "jam" }));
//! # }
//! ```

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
mod host_checks;
mod misfits;
mod plugin;
mod problems;
pub mod proto;
mod value;

pub use certificate::HostCertificate;
pub use client::{ActionEvents, CallError, Client, ListEvents, SilentStream};
pub use connect::Intruder;
#[cfg(unix)]
pub use connect::intrude;
pub use host_checks::HostChecks;
pub use plugin::{Handshake, Launch, Plugin};
pub use problems::problems;
pub use value::{decode, dynamic, encode, null, unknown};

use crate::lifecycle::Lifecycle;
use crate::server::Server;

/// Serves `server` in this process and connects to it: messages are encoded as on a connection, and
/// passed without one.
///
/// Requires a tokio runtime.
pub async fn connect(server: Server) -> Client {
    Client::direct(server.services(&Lifecycle::new(), tokio::runtime::Handle::current()))
}
