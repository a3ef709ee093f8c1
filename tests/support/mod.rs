//! Support for acceptance tests: configurations, a working directory that `terraform` runs in, and a
//! local service.

pub(crate) mod fixtures;
mod host;
pub(crate) mod network;
mod outcome;
pub(crate) mod schemas;
pub(crate) mod secrets;
mod service;
#[cfg(unix)]
pub(crate) mod tools;
mod workspace;

pub(crate) use host::{Feature, host_version};
pub(crate) use outcome::Outcome;
pub(crate) use service::Service;
pub(crate) use workspace::{VERSIONS, Workspace, provider};

/// Returns the number in an environment variable, if it is set.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only chaos and lives use it"))]
pub(crate) fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect(variable))
}
