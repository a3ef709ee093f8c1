//! `cargo xtask test`: runs every test of the workspace but the long ones, including acceptance tests
//! with a real terraform.

use std::{env, fs};

use anyhow::Result;
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use crate::{harness, terraform, workspace};

/// The number of slow tests that are listed.
const SLOWEST: usize = 10;

/// Runs every test but the long ones, `--runs N` times.
///
/// # Errors
///
/// Fails if an argument is unknown, if no terraform is found, and if a test fails.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let mut runs = 1;
    while let Some(argument) = arguments.next()? {
        match argument {
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
        let mut tests = harness::run(
            workspace::cargo_command()
                // Its tests and benchmarks need a framework that nothing else needs.
                .args(["test", "--workspace", "--exclude", "access-bench", "--locked"])
                // The simulated lives.
                .args(["--features", "terraform-provider-access/simulation"])
                .env("TERRAFORM_BINARY", &terraform),
        )?;
        tests.sort_by_key(|test| std::cmp::Reverse(test.time));
        print_line("\nThe slowest tests:");
        for test in tests.iter().take(SLOWEST) {
            print_line(&format!("{:6.1} s  {}", test.time.as_secs_f64(), test.name));
        }
    }
    Ok(())
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
