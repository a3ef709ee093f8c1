//! `cargo xtask test`: runs every test of the workspace, including acceptance tests with a real
//! terraform.

use anyhow::{Result, ensure};

use crate::output::print_line;
use crate::{terraform, workspace};

/// Runs every test.
///
/// # Errors
///
/// Fails if no terraform is found and if a test fails.
pub(crate) fn run() -> Result<()> {
    // Before the build, which takes minutes.
    let terraform = terraform::find()?;
    print_line(&format!("Testing with {}", terraform.display()));
    let status = workspace::cargo_command()
        .args(["test", "--workspace", "--locked"])
        .env("TERRAFORM_BINARY", &terraform)
        .status()?;
    ensure!(status.success(), "Tests failed.");
    Ok(())
}
