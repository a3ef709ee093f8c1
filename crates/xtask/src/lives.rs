//! `cargo xtask lives`: plays many simulated lives of the provider.

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use crate::{harness, terraform, workspace};

/// The minutes without `--count` and `--minutes`.
const MINUTES: u64 = 1;

/// The lives that `--hosts` plays on a real host.
const HOST_LIVES: u64 = 100;

/// Plays lives: `--count N` or `--minutes M`, from `--seed S` on. With `--hosts`, plays them on the real
/// terraform as well and compares.
///
/// # Errors
///
/// Fails if an argument is unknown, and if a life breaks a rule.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    // Seconds since 1970: other seeds for each call, and short enough to type.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let (mut count, mut minutes, mut seed, mut hosts) = (None, None, now.as_secs(), false);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("count") => count = Some(arguments.value()?.parse::<u64>()?),
            Long("minutes") => minutes = Some(arguments.value()?.parse::<u64>()?),
            Long("seed") => seed = arguments.value()?.parse()?,
            Long("hosts") => hosts = true,
            _ => return Err(argument.unexpected().into()),
        }
    }
    let mut command = workspace::cargo_command();
    command
        .args(["test", "--locked", "--package", "terraform-provider-access", "--test", "lives"])
        .args(["--profile", "lives", "--features", "simulation", "--", "--nocapture", "--exact"]);
    if hosts {
        let terraform = terraform::find()?;
        print_line(&format!("With {}, first seed {seed}", terraform.display()));
        command
            .arg("simulated_host_does_what_a_real_one_does")
            .env("TERRAFORM_BINARY", &terraform)
            .env("FIDELITY_SEED", seed.to_string())
            .env("FIDELITY_LIVES", count.unwrap_or(HOST_LIVES).to_string());
    } else {
        let threads = std::thread::available_parallelism()?.get();
        command
            .arg("lives_keep_every_rule")
            .env("LIVES_SEED", seed.to_string())
            .env("LIVES_THREADS", threads.to_string());
        match count {
            Some(count) => command.env("LIVES_COUNT", count.to_string()),
            None => command.env("LIVES_MINUTES", minutes.unwrap_or(MINUTES).to_string()),
        };
    }
    let passed = harness::run(&mut command)
        .context("The seed of the life that failed is in the message above.")?;
    ensure!(passed.len() == 1, "The test does not exist.");
    Ok(())
}
