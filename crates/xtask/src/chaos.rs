//! `cargo xtask chaos`: runs the chaos test many times.

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use crate::{harness, terraform, workspace};

/// The default number of runs, which take about five minutes and usually show a defect.
const RUNS: u64 = 100;

/// The test that makes the runs.
const TEST: &str = "chaos::chaos_ends_in_agreement_after_imports_and_two_applies";

/// Runs the chaos test with `--runs N` and `--seed S`.
///
/// # Errors
///
/// Fails if no terraform is found, if an argument is unknown, and if a run fails.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    // Seconds since 1970: a different seed for each call, and short enough to type.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let (mut runs, mut seed) = (RUNS, now.as_secs());
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("runs") => runs = arguments.value()?.parse()?,
            Long("seed") => seed = arguments.value()?.parse()?,
            _ => return Err(argument.unexpected().into()),
        }
    }
    let terraform = terraform::find()?;
    print_line(&format!("{runs} runs, first seed {seed}, with {}", terraform.display()));
    let passed = harness::run(
        workspace::cargo_command()
            .args(["test", "--locked", "--package", "terraform-provider-access", "--test", "main"])
            .args(["--", "--exact", TEST])
            .env("TERRAFORM_BINARY", &terraform)
            .env("CHAOS_RUNS", runs.to_string())
            .env("CHAOS_SEED", seed.to_string()),
    )
    .context("The seed of the run that failed is in the message above.")?;
    ensure!(passed.len() == 1, "The test {TEST} does not exist.");
    Ok(())
}
