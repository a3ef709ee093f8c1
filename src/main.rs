//! The plugin's process: Terraform starts it and calls it over gRPC.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    terraform_provider_access::run(std::env::args_os()).await
}
