//! `cargo xtask chaos`: as many runs of the chaos test as asked for.

use anyhow::{Context as _, Result, bail, ensure};

use crate::{tell, terraform, workspace};

/// Runs of which a faulty one would show soon, and that take about five minutes.
const RUNS: u64 = 100;

/// Runs the chaos test with `--runs N` and `--seed S`.
///
/// # Errors
///
/// Fails where there is no terraform, where an argument is none of these, and where a run ends in
/// disagreement.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let mut runs = RUNS;
    let mut seed = None;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{argument} needs a value."))?;
        let value = value.parse().with_context(|| format!("{argument}: {value} is no number."))?;
        match *argument {
            "--runs" => runs = value,
            "--seed" => seed = Some(value),
            _ => bail!("{argument} is neither --runs nor --seed."),
        }
    }
    let terraform = terraform::find()?;
    let seed = seed.unwrap_or_else(seed_of_now);
    tell(&format!("{runs} runs from seed {seed} on, with {}", terraform.display()));
    let status = workspace::cargo_command()
        .args(["test", "--locked", "--package", "terraform-provider-access", "--test", "main"])
        .args(["--", "--exact", "chaos::two_applies_after_any_chaos_agree"])
        .env("TERRAFORM_BINARY", &terraform)
        .env("CHAOS_RUNS", runs.to_string())
        .env("CHAOS_SEED", seed.to_string())
        .status()?;
    ensure!(status.success(), "Chaos won. The seed of the run is in the message above.");
    Ok(())
}

/// Another one at every call, and short enough to be typed.
fn seed_of_now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}
