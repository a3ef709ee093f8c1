#![doc = include_str!("../README.md")]

mod context;
mod diagnostic;
mod dynamic;
mod handshake;
mod host_services;
mod lifecycle;
mod listen;
pub mod log;
mod pb;
mod provider_service;
mod registry;
mod resource;
mod schema;
mod serve;
mod server;
#[cfg(feature = "testkit")]
pub mod testkit;
mod tls;
mod transport;
pub mod value;
mod wire;

pub use context::{CallContext, ResourceAction, stop_token};
pub use listen::Network;
pub use registry::Registration;
pub use resource::{
    ListResource, ListResult, ListResultsStream, MoveStateRequest, RawState,
    ResourceWithGenerateConfig, ResourceWithIdentity, ResourceWithMoveState,
    ResourceWithUpgradeState,
};
pub use schema::{IdentityAttribute, IdentitySchema};
pub use server::{Builder, Server};
pub use tokio_util::sync::CancellationToken;
