//! `cargo xtask test`: runs every test of the workspace but the long ones, including acceptance tests
//! with a real terraform. Repeated runs with other builds at the same time show tests that depend on
//! time.

mod load;

use std::{env, fs, thread};

use anyhow::{Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use crate::{terraform, workspace};
use load::Load;

/// The options of the command line.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    /// The number of runs.
    runs: usize,
    /// The number of builds that run at the same time.
    load: usize,
}

impl Options {
    fn parse(mut arguments: Parser) -> Result<Self> {
        let mut options = Self { runs: 1, load: 0 };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("runs") => options.runs = arguments.value()?.parse()?,
                Long("load") => options.load = arguments.value()?.parse()?,
                _ => return Err(argument.unexpected().into()),
            }
        }
        Ok(options)
    }
}

/// Runs every test but the long ones, `--runs N` times, with `--load N` builds at the same time.
///
/// # Errors
///
/// Fails if an argument is unknown, if no terraform is found, and if a test fails.
pub(crate) fn run(arguments: Parser) -> Result<()> {
    let options = Options::parse(arguments)?;
    // Before the build, which takes minutes.
    let terraform = terraform::find()?;
    print_line(&format!("Testing with {}", terraform.display()));
    make_own_binary_replaceable();
    let load = Load::start(options.load)?;
    for run in 1..=options.runs {
        if options.runs > 1 {
            print_line(&format!("\n== Run {run} of {}", options.runs));
        }
        let status = workspace::cargo_command()
            .args(["test", "--workspace", "--locked"])
            .env("TERRAFORM_BINARY", &terraform)
            .env("RUST_TEST_THREADS", test_threads()?.to_string())
            .status()?;
        ensure!(status.success(), "Tests failed.");
    }
    let builds = load.stop()?;
    if options.load > 0 {
        print_line(&format!("{builds} builds ended at the same time."));
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

/// Returns the number of tests that run at the same time: two for each processor, because a test waits
/// half of its time for processes and requests.
fn test_threads() -> Result<usize> {
    Ok(2 * thread::available_parallelism()?.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_set_runs_and_load() {
        let parse = |arguments: &[&str]| Options::parse(Parser::from_args(arguments));
        assert_eq!(parse(&[]).unwrap(), Options { runs: 1, load: 0 });
        let options = parse(&["--runs", "10", "--load", "2"]).unwrap();
        assert_eq!(options, Options { runs: 10, load: 2 });
        for refused in [&["--runs"][..], &["--load", "many"], &["--times", "2"]] {
            assert!(parse(refused).is_err(), "{refused:?}");
        }
    }
}
