//! The workspace and its builds.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Returns the top directory of the workspace.
pub(crate) fn directory() -> PathBuf {
    let manifest =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    // Not canonicalized: on Windows that results in a path `\\?\C:\…`, below which rustc cannot
    // include the files that build scripts generate.
    let mut top = PathBuf::from(manifest);
    top.pop();
    top.pop();
    top
}

/// Runs cargo in the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Result<()> {
    let status = cargo_command().args(arguments).status()?;
    ensure!(status.success(), "`cargo {}` failed.", arguments.join(" "));
    Ok(())
}

/// Returns a cargo command in the workspace, with the environment that it has in a shell.
///
/// The variables that `cargo run` sets for xtask's own package are removed. Build scripts that
/// depend on them (ring's does) would otherwise run again, and half of the tree would be rebuilt,
/// each time a developer changes between `cargo xtask` and `cargo`.
pub(crate) fn cargo_command() -> Command {
    // The cargo that runs xtask, which may be another than the one that has built it.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let mut command = Command::new(cargo);
    command.current_dir(directory());
    for (name, _) in env::vars_os() {
        let is_from_cargo_run = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"]
            .iter()
            .any(|prefix| name.to_string_lossy().starts_with(prefix));
        if is_from_cargo_run {
            command.env_remove(name);
        }
    }
    command
}

/// Builds the provider and the local service for debugging.
pub(crate) fn build_with_service() -> Result<()> {
    // One build, because two would compile what both need twice, with different features.
    let packages = ["-p", "terraform-provider-access", "-p", "access-fake"];
    cargo(&[&["build", "--locked"], &packages[..]].concat())
}

/// Returns the path of a binary that was built for debugging.
pub(crate) fn built(name: &str) -> Result<PathBuf> {
    Ok(target_directory()?.join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// Returns cargo's target directory, derived from the path of xtask itself, because
/// `CARGO_TARGET_DIR` may point anywhere.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let own = env::current_exe()?;
    let target = own.parent().and_then(Path::parent);
    Ok(target.context("xtask runs from a target directory")?.to_owned())
}
