//! The tools of `cargo xtask cross`: found, or installed from rustup, PyPI and Debian.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result};

use super::platform::Toolchain;
use super::problem::Problem;
use crate::workspace;

/// The versions from PyPI. cargo-zigbuild translates the arguments of linkers to those of zig.
const CARGO_ZIGBUILD: &str = "cargo-zigbuild==0.24.0";
const ZIGLANG: &str = "ziglang==0.15.2";

/// Installs the standard library of a target.
pub(super) fn standard_library(target: &str) -> Result<(), Problem> {
    let rustup = |arguments: &[&str]| {
        Command::new("rustup")
            .args(arguments)
            .current_dir(workspace::directory())
            .output()
            .context("rustup cannot be started")
    };
    let installed = rustup(&["target", "list", "--installed"])?;
    if String::from_utf8_lossy(&installed.stdout).lines().any(|line| line == target) {
        return Ok(());
    }
    let added = rustup(&["target", "add", target])?;
    if added.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&added.stderr);
    let reason = message.lines().find(|line| line.starts_with("error")).unwrap_or_default();
    Err(Problem::not_installed(format!(
        "the standard library: rustup target add {target}: {reason}"
    )))
}

/// Returns the command that builds with this toolchain, or only checks types.
pub(super) fn cargo(toolchain: Toolchain, check: bool) -> Result<Command, Problem> {
    match toolchain {
        Toolchain::Mingw => {
            debian("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")?;
            let mut command = workspace::cargo_command();
            command.arg(if check { "check" } else { "build" });
            Ok(command)
        }
        Toolchain::Zig | Toolchain::ZigWithoutLinker(_) => {
            let programs = zig()?;
            let mut command = workspace::command(&programs.join("cargo-zigbuild"));
            let is_linked = toolchain == Toolchain::Zig && !check;
            command.arg(if is_linked { "zigbuild" } else { "check" });
            // It finds zig on PATH.
            let path = env::var_os("PATH").unwrap_or_default();
            let path = env::join_paths([programs].into_iter().chain(env::split_paths(&path)))
                .context("PATH")?;
            command.env("PATH", path);
            Ok(command)
        }
    }
}

/// Installs cargo-zigbuild and zig from PyPI, and returns the directory of their programs.
fn zig() -> Result<PathBuf, Problem> {
    let directory = workspace::target_directory()?.join("tools/cross");
    let stamp = directory.join("installed");
    let wanted = format!("{CARGO_ZIGBUILD} {ZIGLANG}");
    let programs = directory.join("bin");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(programs);
    }
    let create = ["-m", "venv", "--clear"];
    succeed(Command::new("python3").args(create).arg(&directory), "python3 -m venv")?;
    succeed(
        Command::new(programs.join("pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args([CARGO_ZIGBUILD, ZIGLANG]),
        "pip install",
    )?;
    fs::write(stamp, wanted).context("the stamp of the installation")?;
    Ok(programs)
}

fn succeed(command: &mut Command, name: &str) -> Result<(), Problem> {
    let output = command.output().with_context(|| format!("{name} cannot be started"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(Problem::not_installed(format!("zig: {name}: {}", message.trim())))
}

/// Finds a program, or installs its Debian package. Returns the program's path.
pub(super) fn debian(program: &str, package: &str) -> Result<PathBuf, Problem> {
    if let Some(found) = on_path(program) {
        return Ok(found);
    }
    // Fails without the rights of root, and on other systems.
    let arguments = ["install", "--yes", "--no-install-recommends", package];
    let installed = Command::new("apt-get").args(arguments).output();
    if installed.is_ok_and(|output| output.status.success())
        && let Some(found) = on_path(program)
    {
        return Ok(found);
    }
    Err(Problem::not_installed(format!("{program}: install the Debian package {package}")))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(program)).find(|path| path.is_file())
}

/// Returns the directory in which cargo leaves the binaries of a target.
pub(super) fn output_directory(target: &str, profile: &str) -> Result<PathBuf> {
    Ok(workspace::target_directory()?.join(target).join(profile))
}

/// Writes an executable file.
pub(super) fn write_script(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}
