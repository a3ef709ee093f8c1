//! Terraform provider for the access-management service: roles of listings, owners of
//! integrations.
//!
//! Where to find what:
//!
//! - `provider`: schema of the provider block, what is registered (the phone book)
//! - `config`: arguments and environment made into settings; the only reader of the environment
//! - `repository`: `repoUri` and `repoDir`
//! - `service`: the configured service, shared by the resources, and what a run learns of it
//! - `listing_role`, `integration_owner`: one folder per entity; state, mapping, life cycle, data
//!   sources, functions
//! - `reading`: what a failed read says about an object; `listed`: reads answered from lists
//! - `generic_rest`: objects of generic REST providers, for `moved` blocks
//! - `attribute`, `identifier`, `number`, `plan`, `private`, `duration`: what tf-provider's types lack
//! - `function`: what the functions share
//! - `diagnostic`: the only bridge from an API error to what users read

use std::ffi::OsString;
use std::process::ExitCode;

mod attribute;
mod config;
mod diagnostic;
mod duration;
mod function;
mod generic_rest;
mod identifier;
mod integration_owner;
mod listed;
mod listing_role;
mod number;
mod plan;
mod private;
mod provider;
mod reading;
mod repository;
mod service;

/// Serves the provider to the Terraform that started this process, until it says goodbye.
/// `arguments` are those of the process, its own name first.
pub async fn serve(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    provider::server().serve(arguments).await
}
