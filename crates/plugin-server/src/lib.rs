#![doc = include_str!("../README.md")]

mod context;
mod diagnostic;
pub mod duration;
mod dynamic;
mod handshake;
pub mod hcl;
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

pub use context::{CallContext, stop_token};
pub use listen::Network;
pub use registry::Registration;
pub use report::Report;
pub use resource::{
    ListResource, ListResult, ListResultsStream, ResourceWithGenerateConfig, ResourceWithIdentity,
    ResourceWithStoredStates,
};
pub use schema::IdentitySchema;
pub use serve::{block_on, serve};
pub use server::{Builder, Server};
pub use tf_provider;
