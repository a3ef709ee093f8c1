//! The plugin's process: Terraform starts it and calls it over gRPC.

use std::process::ExitCode;

// access-client requires a single thread. plugin-server serves on a thread of its own.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    terraform_provider_access::run(std::env::args_os()).await
}
