//! `cargo xtask bench`: builds the release binary and measures it against the local service.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, ensure};
use lexopt::Parser;

use crate::{terraform, workspace};

/// Builds the provider and `bench` in release mode and runs `bench` with the arguments.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let arguments: Vec<OsString> = arguments.raw_args()?.collect();
    // It needs neither a terraform nor a release build.
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return workspace::cargo(&["run", "--quiet", "--locked", "-p", "bench", "--", "--help"]);
    }
    // Before the build, which takes minutes.
    let terraform = terraform::find()?;
    // Each alone, because together the provider would have features that it is not released with.
    for package in ["terraform-provider-access", "bench"] {
        workspace::cargo(&["build", "--locked", "--release", "--package", package])?;
    }
    let release = workspace::target_directory()?.join("release");
    let status = Command::new(release.join("bench"))
        .arg("--provider")
        .arg(release.join("terraform-provider-access"))
        .args(arguments)
        .current_dir(workspace::directory())
        .env("TERRAFORM_BINARY", terraform)
        .status()?;
    ensure!(status.success(), "The benchmark failed.");
    Ok(())
}
