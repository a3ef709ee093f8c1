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

use std::env;
use std::process::ExitCode;

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
              --target TRIPLE: build for another platform; --sums: only write the checksums.
  docs        Write docs/ from the provider's schema, examples/ and templates/.
              --check: change nothing, and fail if a page is out of date.
  properties  Run every property test with many cases. --cases N: number of cases.
  test        Run every test: unit, protocol, and acceptance with a real terraform.
              --runs N: several times; --load N: with N builds at the same time.

TERRAFORM_BINARY selects another terraform or tofu than the first one on PATH.";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--help" | "-h" | "help"] => {
            print_line(USAGE);
            Ok(())
        }
        ["bench", ..] => bench::run(arguments.get(1..).unwrap_or_default()),
        ["chaos", ref arguments @ ..] => chaos::run(arguments),
        ["cross", ref arguments @ ..] => cross::run(arguments),
        ["demo"] => demo::run(),
        ["dist", ref arguments @ ..] => dist::run(arguments),
        ["docs"] => docs::run(docs::Mode::Write),
        ["docs", "--check"] => docs::run(docs::Mode::Check),
        ["properties", ref arguments @ ..] => properties::run(arguments),
        ["test", ref arguments @ ..] => test::run(arguments),
        _ => Err(anyhow::anyhow!("{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_line(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
