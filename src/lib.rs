//! Terraform provider for the access-management service: roles of listings, owners of
//! integrations.
//!
//! The map of the modules is in `DESIGN.md`.

use std::ffi::OsString;
use std::process::ExitCode;

mod command;
mod config;
mod environment;
mod export;
mod integration_owner;
mod integration_owners;
mod listing_role;
mod provider;
mod repository;
mod resource;
mod run;
mod say;

/// Returns the provider, which a test serves in its own process.
#[cfg(feature = "simulation")]
#[must_use]
pub fn simulated_server() -> plugin_server::Server {
    provider::server()
}

/// Runs the program: `export` or `report`, or otherwise the plugin, which serves until Terraform
/// ends the connection. `arguments` are those of the process, its own name first.
#[must_use]
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    // access-client requires a single thread.
    plugin_server::block_on(run_command(arguments))
}

async fn run_command(arguments: Vec<OsString>) -> ExitCode {
    // Before the plugin server, which reserves standard output for the handshake.
    match arguments.get(1).and_then(|name| name.to_str()) {
        Some(export::NAME) => export::run(arguments.into_iter().skip(2)).await,
        Some(access_report::NAME) => {
            command::exit_code(access_report::run(arguments.into_iter().skip(2), command::print))
        }
        _ => plugin_server::serve(provider::server, arguments).await,
    }
}
