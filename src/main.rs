//! The plugin's process: Terraform starts it and calls it over gRPC. All of it is in the library, which one
//! edit compiles once.

use std::process::ExitCode;

fn main() -> ExitCode {
    terraform_provider_access::run(std::env::args_os().collect())
}
