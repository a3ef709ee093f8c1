//! The plugin's process: Terraform starts it and calls it over gRPC.

use std::process::ExitCode;

fn main() -> ExitCode {
    // access-client requires a single thread.
    plugin_server::block_on(terraform_provider_access::run(std::env::args_os()))
}
