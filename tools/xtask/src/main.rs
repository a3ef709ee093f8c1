//! The project's commands: see [`USAGE`].

mod bench;
mod demo;
mod dist;
mod random;
mod terraform;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::{Arg, Parser};

const USAGE: &str = "\
Usage: cargo xtask COMMAND [options]

  bench       Measure the provider with a real terraform.
              bench --help lists all options.
  chaos       Edit a configuration at random while processes are killed.
              --runs N: number of runs; --seed S: seed of the first run.
  demo        Build the provider, start the local service, and run terraform against it:
              plan, apply, a change outside Terraform, the access report, apply, destroy.
  dist        Build the files of a release into dist/: archive, manifest, checksums, and the
              documents of a network mirror for every archive in dist/.
              --target TRIPLE: build for another platform; --directory DIRECTORY: write there;
              --binary FILE: pack this binary, such as target/debug/terraform-provider-access,
              instead of building one for minutes; --sums: build and pack nothing.
  lives       Play simulated lives: the provider with a simulated host, service and clock.
              --count N or --minutes M: how many; --seed S: seed of the first;
              --hosts: play them on a real terraform as well, and compare;
              --small: play all small lives.
  reports     Apply random plans, and compare the services with the access report.
              --runs N: number of plans; --seed S: seed of the first plan.
  test        Run every test but the long ones: unit, protocol, and acceptance with a real
              terraform. --provider: only what an edit of src can break; --runs N: several times.

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
        Some(Arg::Value(command)) => command.to_string_lossy().into_owned(),
        Some(Arg::Long("help") | Arg::Short('h')) => "help".to_owned(),
        _ => bail!("{USAGE}"),
    };
    // `bench` has more options than this help describes.
    let asks_for_help = ["--help", "-h"].iter().any(|help| {
        arguments.try_raw_args().is_some_and(|all| all.as_slice().iter().any(|one| one == help))
    });
    if asks_for_help && command != "bench" {
        print_line(USAGE);
        return Ok(());
    }
    match command.as_str() {
        "bench" => bench::run(arguments),
        "chaos" => random::chaos(arguments),
        "demo" => demo::run(arguments),
        "dist" => dist::run(arguments),
        "lives" => random::lives(arguments),
        "reports" => random::reports(arguments),
        "help" => {
            print_line(USAGE);
            Ok(())
        }
        "test" => test::run(arguments),
        _ => bail!("{USAGE}"),
    }
}

/// Writes a line to the terminal.
#[allow(clippy::print_stdout, reason = "xtask's output is for a terminal; it serves no protocol")]
fn print_line(line: &str) {
    println!("{line}");
}
