//! `cargo xtask test`: runs every test of the workspace but the long ones, including acceptance
//! tests with a real terraform.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::{env, fs, thread};

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::{print_line, terraform, workspace};

/// Selects every test.
const ALL: [&str; 1] = ["--workspace"];

/// Selects the tests that an edit of `src` can break: those of the provider's own package, without
/// those about documents, examples and releases.
const PROVIDER: [&str; 7] =
    ["--package", "terraform-provider-access", "--lib", "--test", "main", "--test", "lives"];

/// Runs every test but the long ones, or those of the provider only, `--runs N` times.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let mut runs = 1;
    let mut packages = &ALL[..];
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("provider") => packages = &PROVIDER[..],
            Long("runs") => runs = arguments.value()?.parse()?,
            _ => return Err(argument.unexpected().into()),
        }
    }
    // Before the build, which takes minutes.
    let terraform = terraform::find()?;
    print_line(&format!("Testing with {}", terraform.display()));
    make_own_binary_replaceable();
    for run in 1..=runs {
        if runs > 1 {
            print_line(&format!("\n== Run {run} of {runs}"));
        }
        run_tests(
            workspace::cargo_command()
                .args(["test", "--locked"])
                .args(packages)
                // The simulated lives.
                .args(["--features", "terraform-provider-access/simulation"])
                .env("TERRAFORM_BINARY", &terraform),
        )?;
    }
    Ok(())
}

/// Returns a command that tests the provider.
pub(crate) fn command() -> Command {
    let mut command = workspace::cargo_command();
    command.args(["test", "--locked", "--package", "terraform-provider-access"]);
    command
}

/// Runs a `cargo test` command, shows its output, and returns the number of tests that passed.
pub(crate) fn run_tests(command: &mut Command) -> Result<usize> {
    // A test waits most of its time, for processes, requests and lists of two seconds later.
    let threads = 4 * thread::available_parallelism()?.get();
    command.env("RUST_TEST_THREADS", threads.to_string());
    let mut cargo = command.stdout(Stdio::piped()).spawn()?;
    let mut passed = 0;
    for line in BufReader::new(cargo.stdout.take().context("standard output of cargo")?).lines() {
        let line = line?;
        passed += usize::from(line.starts_with("test ") && line.ends_with(" ... ok"));
        // Each binary without a matching test reports that as well.
        if !line.is_empty() && !line.starts_with("running 0 tests") && !line.contains(" 0 passed;")
        {
            print_line(&line);
        }
    }
    ensure!(cargo.wait()?.success(), "Tests failed.");
    Ok(passed)
}

/// Renames this program's file on Windows, where the file of a running program cannot be replaced:
/// `cargo test` builds xtask again, with the features that all packages need together.
fn make_own_binary_replaceable() {
    if !cfg!(windows) {
        return;
    }
    if let Ok(own) = env::current_exe() {
        // If either fails, cargo's error names the file.
        let renamed = own.with_extension("old.exe");
        let _ = fs::remove_file(&renamed);
        let _ = fs::rename(&own, &renamed);
    }
}
