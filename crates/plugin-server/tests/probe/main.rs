//! A provider that misbehaves on command: see `provider.rs`.

#![allow(clippy::panic, clippy::unwrap_used, reason = "the provider panics on command")]

mod provider;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    provider::server().serve(std::env::args_os()).await
}
