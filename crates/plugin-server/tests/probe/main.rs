//! A provider that does what its configuration says, wrong things above all: see `provider.rs`.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "panicking is one of the wrong things that it does"
)]

mod provider;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    provider::server().serve(std::env::args_os()).await
}
