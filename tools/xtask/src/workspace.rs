//! The workspace, its builds, and a directory in which terraform uses them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::terraform;

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

/// A directory in which terraform runs the provider that was built, with an environment of its own.
pub(crate) struct Terraform {
    binary: PathBuf,
    directory: PathBuf,
}

impl Terraform {
    /// Creates the directory below the target directory, in place of that of an earlier run.
    pub(crate) fn new() -> Result<Self> {
        let binary = terraform::find()?;
        let directory = target_directory()?.join("xtask/demo");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(directory.join("home"))?;
        fs::create_dir_all(directory.join("configuration"))?;
        let builds = target_directory()?.join("debug").display().to_string();
        fs::write(
            directory.join("cli.tfrc"),
            format!(
                "provider_installation {{\n  dev_overrides {{\n    \"access/access\" = {builds:?}\n  }}\n  direct {{}}\n}}\n"
            ),
        )?;
        fs::write(
            directory.join("configuration/versions.tf"),
            "terraform {\n  required_providers {\n    access = {\n      source = \"access/access\"\n    }\n  }\n}\n",
        )?;
        Ok(Self { binary, directory })
    }

    /// Returns the path of terraform or tofu.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Returns the name of the command: `terraform` or `tofu`.
    pub(crate) fn product(&self) -> Result<&'static str> {
        let output = self.command(&["version"]).output()?;
        Ok(if output.stdout.starts_with(b"OpenTofu") { "tofu" } else { "terraform" })
    }

    /// Returns the directory of the configuration.
    pub(crate) fn directory(&self) -> PathBuf {
        self.directory.join("configuration")
    }

    /// Returns a terraform command in that directory. It inherits only PATH and, on Windows,
    /// SystemRoot from the process environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(arguments)
            .current_dir(self.directory())
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            // Windows needs it to open sockets.
            .envs(env::var_os("SystemRoot").map(|root| ("SystemRoot", root)))
            .env("HOME", self.directory.join("home"))
            .env("TF_CLI_CONFIG_FILE", self.directory.join("cli.tfrc"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_IN_AUTOMATION", "1");
        command
    }

    /// Returns the provider's report of a saved plan.
    pub(crate) fn report(&self, plan: &str) -> Result<String> {
        let shown = self.command(&["show", "-json", plan]).output()?;
        ensure!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
        let file = self.directory.join("plan.json");
        fs::write(&file, shown.stdout)?;
        let mut provider = Command::new(built("terraform-provider-access")?);
        let output = provider.arg("report").arg(&file).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }
}
