//! `cargo xtask test`: every test of the workspace, acceptance with a real terraform included.

use std::env;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::{tell, terraform};

/// Runs every test.
///
/// # Errors
///
/// Fails where there is no terraform, and where a test fails.
pub(crate) fn run() -> Result<()> {
    // Before the build: somebody without one should not wait minutes to hear of it.
    let terraform = terraform::find()?;
    tell(&format!("Testing with {}", terraform.display()));
    let status = Command::new(env!("CARGO"))
        .args(["test", "--workspace", "--locked"])
        .env("TERRAFORM_BINARY", &terraform)
        // xtask runs in the directory that cargo was called in, which may be below the workspace.
        .current_dir(workspace_directory())
        .status()?;
    ensure!(status.success(), "Tests failed.");
    Ok(())
}

/// The top of the workspace.
pub(crate) fn workspace_directory() -> std::path::PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    std::path::PathBuf::from(manifest).join("../..")
}
