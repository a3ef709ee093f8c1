//! What acceptance tests share: a working directory with a terraform in it.

mod host;
pub(crate) mod network;
mod outcome;
pub(crate) mod process;
mod service;
mod workspace;

pub(crate) use host::{Feature, host_version};
pub(crate) use outcome::Outcome;
pub(crate) use service::Service;
pub(crate) use workspace::Workspace;
