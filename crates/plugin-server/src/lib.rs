#![doc = include_str!("../README.md")]
// Layout:
//
// - src/server.rs, src/registry.rs: the registration.
// - src/log.rs: the log.
// - src/serve.rs, src/handshake.rs, src/listen.rs, src/tls.rs, src/transport.rs: start of the
//   process, handshake, connections.
// - src/lifecycle.rs, src/signals.rs, src/host_services.rs: cancellation, shutdown, signals.
// - src/provider_service/: the calls, with a file for each call or group of calls, named as in the
//   protocol.
// - src/resource/, src/ephemeral_resource.rs, src/action.rs: the traits in addition to tf-
//   provider's.
// - src/plan_modifier.rs, src/validator.rs, src/report.rs, src/schema/constructors.rs: helpers for
//   providers.
// - src/dynamic/: object-safe traits over msgpack bytes for the typed traits.
// - src/wire/, src/schema/, src/diagnostic.rs: values, schemas and diagnostics of the protocol.
// - src/pb/: generated from `proto/`; `tests/generated_code.rs` compares and regenerates it.
// - tests/suite/: tests with `tests/probe`, which misbehaves on command, and with
//   `examples/pantry`.

mod action;
mod context;
mod diagnostic;
mod dynamic;
mod ephemeral_resource;
mod handshake;
mod host_services;
mod lifecycle;
mod listen;
pub mod log;
mod pb;
pub mod plan_modifier;
mod provider_service;
mod registry;
mod report;
mod resource;
pub mod schema;
mod serve;
mod server;
mod signals;
#[cfg(feature = "testkit")]
pub mod testkit;
mod tls;
mod transport;
pub mod validator;
pub mod value;
mod wire;

pub use action::{Action, ActionProgress};
pub use context::{CallContext, ResourceAction, stop_token};
pub use ephemeral_resource::{EphemeralResource, OpenResponse, RenewResponse};
pub use listen::Network;
pub use registry::Registration;
pub use report::{OrReport, Report, ToAttributePath};
pub use resource::{
    ListResource, ListResult, ListResultsStream, MoveStateRequest, RawState,
    ResourceWithGenerateConfig, ResourceWithIdentity, ResourceWithMoveState,
    ResourceWithUpgradeState,
};
pub use schema::{IdentityAttribute, IdentitySchema};
pub use serve::serve;
pub use server::{Builder, Server};
pub use tf_provider;
pub use tokio_util::sync::CancellationToken;
