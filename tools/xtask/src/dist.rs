//! `cargo xtask dist`: builds the provider as it is released, and runs the package `dist`, which
//! packs it.
//!
//! Two builds of one commit are identical, in whatever folder: see [`build`].

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::workspace;

/// Builds the binary, packs it, and writes the checksums and the documents of a network mirror.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let mut triple = None;
    let mut binary = None;
    let mut version = None;
    let mut only_sums = false;
    let mut directory = workspace::directory().join("dist").into_os_string();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("sums") => only_sums = true,
            Long("target") => triple = Some(arguments.value()?.string()?),
            Long("version") => version = Some(arguments.value()?),
            Long("binary") => binary = Some(std::path::absolute(arguments.value()?)?),
            Long("directory") => directory = std::path::absolute(arguments.value()?)?.into(),
            _ => return Err(argument.unexpected().into()),
        }
    }
    let mut pack: Vec<OsString> = vec!["--directory".into(), directory];
    if let Some(version) = version {
        pack.extend(["--version".into(), version]);
    }
    if !only_sums {
        let triple = triple.map_or_else(host, Ok)?;
        let binary = binary.map_or_else(|| build(&triple), Ok)?;
        pack.extend(["--target".into(), triple.into(), "--binary".into(), binary.into()]);
    }
    let status = workspace::cargo_command()
        .args(["run", "--quiet", "--locked", "--package", "dist", "--"])
        .args(pack)
        .status()?;
    ensure!(status.success(), "The files of the release were not written.");
    Ok(())
}

/// Returns the target of this machine's compiler.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").current_dir(workspace::directory()).output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc did not print its host")?.to_owned())
}

/// The program that records the names and versions of a binary's crates in the binary, where
/// scanners find them. It is part of the bytes of a release, so its version is fixed.
const AUDITABLE: &str = "cargo-auditable";
const AUDITABLE_VERSION: &str = "0.7.7";

/// Installs [`AUDITABLE`], unless it is there, and returns the directory of the program.
fn install_auditable() -> Result<PathBuf> {
    let tools = workspace::directory().join("target/tools");
    let status = workspace::cargo_command()
        .args(["install", "--quiet", "--locked", AUDITABLE, "--version", AUDITABLE_VERSION])
        .arg("--root")
        .arg(&tools)
        .status()?;
    ensure!(status.success(), "{AUDITABLE} {AUDITABLE_VERSION} cannot be installed.");
    Ok(tools.join("bin"))
}

/// Builds the binary. Its bytes depend on the commit, on the compilers and on the target, and on
/// nothing else: release.yml builds in two folders and compares.
fn build(triple: &str) -> Result<PathBuf> {
    let is_linux = triple.contains("-linux-");
    let mut flags = vec![
        // Panic messages contain paths; they must not depend on the machine.
        format!("--remap-path-prefix={}=.", workspace::directory().display()),
        format!("--remap-path-prefix={}=cargo", cargo_home()?.display()),
    ];
    // Cargo reads flags from one source only, so those that the environment sets for this target,
    // such as a linker's, are added here.
    let variable = triple.replace('-', "_").to_uppercase();
    let more = env::var(format!("CARGO_TARGET_{variable}_RUSTFLAGS")).unwrap_or_default();
    flags.extend(more.split_whitespace().map(str::to_owned));
    if is_linux {
        // Alpine does not have glibc, so the binary links the C library statically.
        flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    // Below the workspace, whatever CARGO_TARGET_DIR is: sources that build scripts generate are in
    // it, and their paths in panic messages.
    let target = workspace::directory().join("target/dist");
    let mut path = vec![install_auditable()?];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let status = workspace::cargo_command()
        .args(["build", "--locked", "--release", "--package", "terraform-provider-access"])
        .args(["--target", triple])
        .arg("--target-dir")
        .arg(&target)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        // What `cargo auditable` does, but it names itself by its path, which Cargo adds to the
        // hashes in the names of symbols.
        .env("RUSTC_WORKSPACE_WRAPPER", AUDITABLE)
        .env(
            "CARGO_AUDITABLE_ORIG_ARGS",
            r#"{"offline":false,"locked":true,"frozen":false,"config":[]}"#,
        )
        .env("PATH", env::join_paths(path)?)
        .status()?;
    ensure!(status.success(), "The build for {triple} failed.");
    let suffix = if triple.contains("-windows-") { ".exe" } else { "" };
    Ok(target.join(triple).join("release").join(format!("terraform-provider-access{suffix}")))
}

/// Returns the directory of Cargo, where the sources of dependencies are.
fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    let home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE"));
    Ok(Path::new(&home.context("neither CARGO_HOME nor HOME is set")?).join(".cargo"))
}
