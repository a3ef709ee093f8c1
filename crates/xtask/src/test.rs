//! `cargo xtask test`: every test of the workspace, acceptance with a real terraform included.

use anyhow::{Result, ensure};

use crate::{tell, terraform, workspace};

/// Runs every test.
///
/// # Errors
///
/// Fails where there is no terraform, and where a test fails.
pub(crate) fn run() -> Result<()> {
    // Before the build: somebody without one should not wait minutes to hear of it.
    let terraform = terraform::find()?;
    tell(&format!("Testing with {}", terraform.display()));
    let status = workspace::cargo_command()
        .args(["test", "--workspace", "--locked"])
        .env("TERRAFORM_BINARY", &terraform)
        .status()?;
    ensure!(status.success(), "Tests failed.");
    Ok(())
}
