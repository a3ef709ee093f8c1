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
    if has("--help") {
        return workspace::cargo(&[
            "run",
            "--locked",
            "--quiet",
            "-p",
            "access-bench",
            "--",
            "--help",
        ]);
    }
    // Before the build, which takes minutes.
    let terraform = if has("--driver") { None } else { Some(terraform::find()?) };
    let provider = workspace::build_provider("release")?;
    workspace::cargo(&["build", "--locked", "--package", "access-bench", "--release"])?;
    let mut command = Command::new(provider.with_file_name("access-bench"));
    command.arg("--provider").arg(&provider);
    command.args(arguments.iter().filter(|argument| *argument != "--write"));
    if has("--write") {
        command.arg("--write-to").arg(workspace::directory().join("benchmarks"));
    }
    if let Some(terraform) = terraform {
        command.env("TERRAFORM_BINARY", terraform);
    }
    ensure!(command.status()?.success(), "The benchmark failed.");
    Ok(())
}
