//! The project's commands: see [`USAGE`].

mod bench;
mod chaos;
mod cross;
mod demo;
mod dist;
mod docs;
mod harness;
mod output;
mod properties;
mod sources;
mod terraform;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::{Arg, Parser};

use output::print_line;

const USAGE: &str = "\
Usage: cargo xtask COMMAND [options]

  bench       Measure the provider with a real terraform, or (--driver) over gRPC alone.
              --help lists all options.
  chaos       Edit a configuration at random while requests fail and processes are killed.
              --runs N: number of runs; --seed S: seed of the first run.
  cross       Build the provider for every platform that is released, as far as this machine can,
              and run what it can run. --target TRIPLE: one platform; --check: only check types;
              --release: build as for a release.
  demo        Build the provider, start the local service, and run terraform against it:
              plan, apply, a change outside Terraform, apply, destroy.
  dist        Build the files of a release into dist/: archive, manifest, checksums.
              --target TRIPLE: build for another platform; --binary FILE: pack this binary;
              --directory DIRECTORY: write there; --sums: only write the checksums.
  docs        Write docs/ from the provider's schema, examples/ and templates/.
              --check: change nothing, and fail if a page is out of date.
  properties  Run every property test with many cases. --cases N: number of cases.
  test        Run every test but the long ones: unit, protocol, and acceptance with a real
              terraform.
              --runs N: several times; --load N: with N builds at the same time.

TERRAFORM_BINARY selects another terraform or tofu than the first one on PATH.";

fn main() -> ExitCode {
    match run(Parser::from_env()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_line(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs the command that the first argument names, with the other arguments as its options.
fn run(mut arguments: Parser) -> Result<()> {
    let command = match arguments.next()? {
        Some(Arg::Value(command)) => command,
        Some(Arg::Long("help") | Arg::Short('h')) => "help".into(),
        _ => bail!("{USAGE}"),
    };
    match command.to_str() {
        Some("bench") => bench::run(arguments),
        Some("chaos") => chaos::run(arguments),
        Some("cross") => cross::run(arguments),
        Some("demo") => demo::run(arguments),
        Some("dist") => dist::run(arguments),
        Some("docs") => docs::run(arguments),
        Some("help") => {
            print_line(USAGE);
            Ok(())
        }
        Some("properties") => properties::run(arguments),
        Some("test") => test::run(arguments),
        _ => bail!("{USAGE}"),
    }
}
