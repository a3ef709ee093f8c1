//! `cargo xtask cross`: builds the provider for other platforms with compilers of Debian, and runs it here
//! in wine and qemu. `.github/workflows/release.yml` builds every platform that is released.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use crate::{harness, terraform, workspace};

/// A platform: its target, the compiler for C, the linker, the file's name, the program that runs it, and
/// the Debian packages of these programs.
struct Platform {
    target: &'static str,
    compiler: &'static str,
    linker: &'static str,
    file: &'static str,
    runner: &'static str,
    packages: &'static str,
}

const PLATFORMS: [Platform; 2] = [
    // Windows is released as built by Microsoft's linker, which only Windows has.
    Platform {
        target: "x86_64-pc-windows-gnu",
        compiler: "x86_64-w64-mingw32-gcc",
        linker: "x86_64-w64-mingw32-gcc",
        file: "terraform-provider-access.exe",
        // wine 10 crashes if TMPDIR is set, as tests set it; Windows programs use TEMP.
        runner: "env -u TMPDIR WINEDEBUG=-all wine",
        packages: "gcc-mingw-w64-x86-64 wine wine64",
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        compiler: "aarch64-linux-gnu-gcc",
        // It links with the C library that is part of Rust's target.
        linker: "rust-lld",
        file: "terraform-provider-access",
        runner: "qemu-aarch64-static",
        packages: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static",
    },
];

/// The tests. The first makes the handshake and calls the provider as a host does.
const TESTS: [&str; 3] = [
    "protocol::private_state_that_is_unreadable_counts_as_empty",
    "acceptance::create::role_is_created_planned_without_changes_and_destroyed",
    "acceptance::network::ca_file_is_trusted_in_addition_to_the_system_roots",
];

/// Builds and runs the provider for each platform, or for that of `--target`.
///
/// # Errors
///
/// Fails if an argument is unknown, if a compiler, a runner or a standard library is not installed, and if
/// a build or a test fails.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let mut platforms: Vec<_> = PLATFORMS.iter().collect();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("target") => {
                let target = arguments.value()?.string()?;
                platforms.retain(|platform| platform.target == target);
                ensure!(!platforms.is_empty(), "{target} is built by the workflows only.");
            }
            _ => return Err(argument.unexpected().into()),
        }
    }
    for platform in platforms {
        print_line(&format!("\n== {}", platform.target));
        let binary = build(platform)?;
        try_out(&launcher(platform, &binary)?)?;
    }
    Ok(())
}

fn build(platform: &Platform) -> Result<PathBuf> {
    let Platform { target, compiler, linker, file, packages, .. } = platform;
    ensure!(is_on_path(compiler), "{compiler} is missing: apt-get install {packages}");
    let name = target.replace('-', "_");
    let status = workspace::cargo_command()
        .args(["build", "--locked", "--package", "terraform-provider-access", "--target", target])
        .env(format!("CC_{name}"), compiler)
        .env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), linker)
        .status()?;
    ensure!(status.success(), "The build failed. Is this installed? rustup target add {target}");
    Ok(workspace::target_directory()?.join(target).join("debug").join(file))
}

/// Writes a script that runs the binary, under the name that hosts look for.
fn launcher(platform: &Platform, binary: &Path) -> Result<PathBuf> {
    let program = platform.runner.rsplit(' ').next().unwrap_or_default();
    ensure!(is_on_path(program), "{program} is missing: apt-get install {}", platform.packages);
    let directory = binary.parent().context("the binary's directory")?.join("launcher");
    fs::create_dir_all(&directory)?;
    let script = directory.join("terraform-provider-access");
    // Tests set HOME, in which wine would begin with an installation.
    let wine = directory.join("wine");
    let text = format!(
        "#!/bin/sh\nWINEPREFIX='{}' exec {} '{}' \"$@\"\n",
        wine.display(),
        platform.runner,
        binary.display()
    );
    fs::write(&script, text)?;
    #[cfg(unix)]
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(script)
}

/// Runs the binary, and tests with a real terraform on this machine that start it.
fn try_out(launcher: &Path) -> Result<()> {
    let output = Command::new(launcher).arg("--version").output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if printed.trim() != format!("terraform-provider-access {}", env!("CARGO_PKG_VERSION")) {
        bail!("--version: {printed}{}", String::from_utf8_lossy(&output.stderr));
    }
    let passed = harness::run(
        workspace::cargo_command()
            .args(["test", "--locked", "--package", "terraform-provider-access", "--test", "main"])
            .args(["--", "--exact"])
            .args(TESTS)
            .env("ACCESS_PROVIDER", launcher)
            .env("TERRAFORM_BINARY", terraform::find()?),
    )?;
    ensure!(passed.len() == TESTS.len(), "One of these tests does not exist: {TESTS:?}");
    Ok(())
}

fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|directory| directory.join(program).is_file())
}
