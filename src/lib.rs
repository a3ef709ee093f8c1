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
//! - `object`: what both entities share: reads, existence checks, read-backs, deletes, conflicts,
//!   errors of API calls
//! - `listing_role`, `integration_owner`: one folder per entity, a file per step, with the same
//!   file names in both
//! - `integration_owners`: all owners of an integration as one resource, with the same file names
//! - `export`: the program `terraform-provider-access export`, which prints blocks for existing
//!   objects
//! - `hcl`: string literals of HCL, in messages and exported blocks
//! - `private_state`: private state that survives damage

use std::ffi::OsString;
use std::process::ExitCode;

mod config;
mod environment;
mod export;
mod hcl;
mod integration_owner;
mod integration_owners;
mod listing_role;
mod object;
mod private_state;
mod provider;
mod repository;
mod service;

/// Runs the program: `export`, or otherwise the plugin, which serves until Terraform ends the connection.
/// `arguments` are those of the process, its own name first.
pub async fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Before the plugin server, which reserves standard output for the handshake.
    if arguments.get(1).is_some_and(|argument| argument == export::NAME) {
        return export::run(arguments.into_iter().skip(2)).await;
    }
    plugin_server::serve(provider::server, arguments).await
}
