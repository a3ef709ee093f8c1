//! `cargo xtask lives`, `cargo xtask chaos` and `cargo xtask reports`: run a random test of the
//! provider many times.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::{print_line, terraform, test};

/// The options of the commands; each accepts some of them.
#[derive(Default)]
struct Options {
    runs: Option<u64>,
    minutes: Option<u64>,
    seed: u64,
    /// The test of the lives, unless it is the one that draws them.
    other: Option<Other>,
}

/// The other tests of simulated lives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    /// Compares with a real terraform.
    Hosts,
    /// Plays all small lives.
    Small,
}

/// Parses `--seed S`, and those of `--runs N`, `--count N`, `--minutes M`, `--hosts` and
/// `--small` that are accepted.
fn parse(mut arguments: Parser, accepted: &[&str]) -> Result<Options> {
    // Seconds since 1970: another seed for each call, and short enough to type.
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let mut options = Options { seed: now.as_secs(), ..Options::default() };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("seed") => options.seed = arguments.value()?.parse()?,
            Long(name) if !accepted.contains(&name) => return Err(argument.unexpected().into()),
            Long("runs" | "count") => options.runs = Some(arguments.value()?.parse()?),
            Long("minutes") => options.minutes = Some(arguments.value()?.parse()?),
            Long("hosts") => options.other = Some(Other::Hosts),
            Long("small") => options.other = Some(Other::Small),
            _ => return Err(argument.unexpected().into()),
        }
    }
    Ok(options)
}

/// Runs the chaos test.
pub(crate) fn chaos(arguments: Parser) -> Result<()> {
    let Options { runs, seed, .. } = parse(arguments, &["runs"])?;
    // They take about five minutes and usually show a defect.
    let runs = runs.unwrap_or(100);
    let terraform = terraform::find()?;
    print_line(&format!("{runs} runs, first seed {seed}, with {}", terraform.display()));
    let mut command = test::command();
    command
        .args(["--test", "main", "--", "--exact"])
        .arg("chaos::chaos_ends_in_agreement_after_imports_and_two_applies")
        .env("TERRAFORM_BINARY", &terraform)
        .env("CHAOS_RUNS", runs.to_string())
        .env("CHAOS_SEED", seed.to_string());
    run(&mut command, 1)
}

/// Applies random plans, and compares what the services gain and lose with the access report.
pub(crate) fn reports(arguments: Parser) -> Result<()> {
    let Options { runs, seed, .. } = parse(arguments, &["runs"])?;
    let plans = runs.unwrap_or(300);
    let terraform = terraform::find()?;
    print_line(&format!("{plans} plans, first seed {seed}, with {}", terraform.display()));
    let mut command = test::command();
    command
        .args(["--test", "main", "--", "--exact"])
        .arg("acceptance::report::random::report_says_no_less_than_applies_change")
        .env("TERRAFORM_BINARY", &terraform)
        .env("REPORT_PLANS", plans.to_string())
        .env("REPORT_SEED", seed.to_string());
    run(&mut command, 1)
}

/// Plays simulated lives: those that were kept, and new ones. The options select another test
/// instead.
pub(crate) fn lives(arguments: Parser) -> Result<()> {
    let accepted = ["count", "minutes", "hosts", "small"];
    let Options { runs, minutes, seed, other } = parse(arguments, &accepted)?;
    let threads = std::thread::available_parallelism()?.get();
    let tests: &[_] = match other {
        // A run that finds nothing because it is broken does not find the planted defect either.
        None => &[
            "kept_lives_keep_every_rule",
            "drawn_lives_keep_every_rule",
            "planted_defect_is_found",
            "blocks_of_lives_set_every_argument",
            "life_repeats_from_its_seed",
        ],
        Some(Other::Hosts) => &["simulated_host_does_what_a_real_one_does"],
        Some(Other::Small) => &["small_lives_keep_every_rule"],
    };
    let mut command = test::command();
    command
        .args(["--test", "lives", "--profile", "lives", "--features", "simulation"])
        .args(["--", "--nocapture", "--include-ignored", "--exact"])
        .args(tests)
        .env("LIVES_SEED", seed.to_string())
        .env("SMALL_EVERY", "1")
        .env("LIVES_THREADS", threads.to_string());
    if other == Some(Other::Hosts) {
        let terraform = terraform::find()?;
        print_line(&format!("With {}, first seed {seed}", terraform.display()));
        command
            .env("TERRAFORM_BINARY", &terraform)
            .env("FIDELITY_SEED", seed.to_string())
            .env("FIDELITY_LIVES", runs.unwrap_or(100).to_string());
    }
    match (runs, minutes) {
        (Some(count), _) => _ = command.env("LIVES_COUNT", count.to_string()),
        (None, Some(minutes)) => _ = command.env("LIVES_MINUTES", minutes.to_string()),
        // The small lives end by themselves.
        (None, None) if other.is_none() => _ = command.env("LIVES_MINUTES", "1"),
        (None, None) => {}
    }
    run(&mut command, tests.len())
}

/// Runs the command of so many tests.
fn run(command: &mut Command, tests: usize) -> Result<()> {
    let passed = test::run_tests(command).context("The message above has the seed.")?;
    ensure!(passed == tests, "A test does not exist.");
    Ok(())
}
