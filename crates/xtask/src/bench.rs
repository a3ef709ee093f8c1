//! `cargo xtask bench`: builds the release binary and measures it against the local service.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, ensure};
use lexopt::Parser;

use crate::{terraform, workspace};

/// Builds the provider and `access-bench` in release mode and runs `access-bench` with the arguments.
///
/// # Errors
///
/// Fails if no terraform is found and if a measurement fails.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let arguments: Vec<OsString> = arguments.raw_args()?.collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    // They need neither a terraform nor a release build.
    for flag in ["--help", "-h", "--picture"] {
        if has(flag) {
            return workspace::cargo(&[
                "run",
                "--quiet",
                "--locked",
                "-p",
                "access-bench",
                "--",
                flag,
            ]);
        }
    }
    // Before the build, which takes minutes.
    let terraform = if has("--driver") { None } else { Some(terraform::find()?) };
    // Each alone, because together the provider would have features that it is not released with.
    for package in ["terraform-provider-access", "access-bench"] {
        workspace::cargo(&["build", "--locked", "--release", "--package", package])?;
    }
    let release = workspace::target_directory()?.join("release");
    let mut command = Command::new(release.join("access-bench"));
    command.arg("--provider").arg(release.join("terraform-provider-access")).args(arguments);
    command.current_dir(workspace::directory());
    if let Some(terraform) = terraform {
        command.env("TERRAFORM_BINARY", terraform);
    }
    ensure!(command.status()?.success(), "The benchmark failed.");
    Ok(())
}
