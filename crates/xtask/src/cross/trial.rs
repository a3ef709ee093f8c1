//! The trial of a binary: start, handshake, TLS, and the whole life of a role with a real terraform.
//!
//! The tests of the provider run on this machine, and start the binary of the other platform through a
//! script: `ACCESS_PROVIDER` names it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::platform::Runner;
use super::problem::Problem;
use super::tools::{debian, write_script};
use crate::{harness, terraform, workspace};

/// The tests. The first makes the handshake and calls the provider as a host does.
const TESTS: [&str; 5] = [
    "protocol::private_state_that_is_unreadable_counts_as_empty",
    "acceptance::listing_role::role_is_created_planned_without_changes_and_destroyed",
    "acceptance::network::ca_file_is_trusted_in_addition_to_the_system_roots",
    "acceptance::network::ca_file_is_trusted_where_the_system_verifies",
    "acceptance::network::invalid_certificates_are_refused_without_a_request",
];

/// The oldest wine with the random numbers (`ProcessPrng`) that Rust's standard library needs.
const WINE: u32 = 9;

/// Runs a binary and the tests. Returns what was run.
pub(super) fn run(binary: &Path, runner: Runner) -> Result<String, Problem> {
    let launcher = launcher(binary, runner)?;
    let expected = format!("terraform-provider-access {}", env!("CARGO_PKG_VERSION"));
    let output = Command::new(&launcher).arg("--version").output().context("the binary")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if printed.trim() != expected {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(anyhow::anyhow!("--version: {printed}{message}").into());
    }
    let passed = harness::run(
        workspace::cargo_command()
            .args(["test", "--locked", "--package", "terraform-provider-access", "--test", "main"])
            .args(["--", "--exact", "--test-threads=1"])
            .args(TESTS)
            .env("ACCESS_PROVIDER", &launcher)
            .env("TERRAFORM_BINARY", terraform::find()?),
    )?;
    ensure_all(&passed)?;
    Ok(format!("run: --version, and {} tests {}", TESTS.len(), runner_name(runner)))
}

fn ensure_all(passed: &[String]) -> anyhow::Result<()> {
    for test in TESTS {
        ensure!(passed.iter().any(|passed| passed == test), "The test {test} does not exist.");
    }
    Ok(())
}

fn runner_name(runner: Runner) -> String {
    match runner {
        Runner::Native => "on this machine".to_owned(),
        Runner::Qemu(program) => format!("in {program}"),
        Runner::Wine => "in wine".to_owned(),
        Runner::Nothing(_) => String::new(),
    }
}

/// Fails if wine is older than [`WINE`].
fn check_wine(program: &Path) -> Result<(), Problem> {
    let output = Command::new(program).arg("--version").output().context("wine")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let version = wine_version(&printed).with_context(|| format!("wine --version: {printed}"))?;
    if version < WINE {
        let reason = format!("{} is older than wine {WINE}", printed.trim());
        return Err(Problem::not_installed(reason));
    }
    Ok(())
}

/// Reads the major version from `wine-10.0 (Debian 10.0~repack-6)`.
fn wine_version(printed: &str) -> Option<u32> {
    printed.strip_prefix("wine-")?.split('.').next()?.parse().ok()
}

/// Returns a program that starts the binary, under the name that hosts look for.
fn launcher(binary: &Path, runner: Runner) -> Result<PathBuf, Problem> {
    let (program, environment) = match runner {
        Runner::Native => return Ok(binary.to_owned()),
        Runner::Nothing(reason) => return Err(Problem::missing(reason.to_owned())),
        Runner::Qemu(program) => (debian(program, "qemu-user-static")?, String::new()),
        Runner::Wine => {
            let program = debian("wine", "wine64").or_else(|_| debian("wine64", "wine64"))?;
            check_wine(&program)?;
            // Terraform passes its own environment, in which HOME is that of the test.
            let home = workspace::target_directory()?.join("tools/wine");
            fs::create_dir_all(&home).context("a directory for wine")?;
            // wine 10 crashes if TMPDIR is set, as tests set it; Windows programs use TEMP.
            let environment = "env -u TMPDIR WINEDEBUG=-all WINEPREFIX";
            (program, format!("{environment}='{}' ", home.display()))
        }
    };
    let directory = binary.parent().context("the binary's directory")?.join("launcher");
    fs::create_dir_all(&directory).context("a directory for the script")?;
    let script = directory.join("terraform-provider-access");
    let text = format!(
        "#!/bin/sh\nexec {environment}'{}' '{}' \"$@\"\n",
        program.display(),
        binary.display()
    );
    write_script(&script, &text)?;
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wine_version_is_the_major_one() {
        assert_eq!(wine_version("wine-10.0 (Debian 10.0~repack-6)\n"), Some(10));
        assert_eq!(wine_version("wine-8.0.2"), Some(8));
        assert_eq!(wine_version("it looks like wine32 is missing"), None);
    }
}
