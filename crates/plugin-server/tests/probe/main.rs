//! A provider that does what its configuration says, wrong things above all: see `provider.rs`.

mod provider;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    provider::server().serve(std::env::args_os()).await
}
