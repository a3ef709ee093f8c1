//! Terraform provider for the access-management service: roles of listings, owners of
//! integrations.
//!
//! Data flows one way: a call of Terraform → a life-cycle method of an entity → `access-client` →
//! the service, and back through one conversion.
//!
//! - `provider`: the provider's schema, configuration and registration
//! - `config`: arguments and environment variables → settings; `environment`: the only reader of
//!   the process environment
//! - `repository`: `repoUri` and `repoDir`
//! - `service`: the configured service, shared by all resources, and what one run learns about it:
//!   lists, existence checks, conflicts
//! - `object`: what both entities share: reading, deleting, conflicts, errors of API calls
//! - `listing_role`, `integration_owner`: one folder per entity, a file per step, with the same
//!   file names in both
//! - `terraform`: what tf-provider's types lack

use std::ffi::OsString;
use std::process::ExitCode;

mod config;
mod environment;
mod integration_owner;
mod listing_role;
mod object;
mod provider;
mod repository;
mod service;
mod terraform;

/// Serves the provider to the Terraform process that started this one, until that ends the
/// connection. `arguments` are those of the process, its own name first.
pub async fn serve(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    provider::server().serve(arguments).await
}
