//! The project's commands: see [`USAGE`].

mod bench;
mod chaos;
mod demo;
mod dist;
mod docs;
mod terraform;
mod test;
mod workspace;

use std::env;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask bench   what the provider costs, with a real terraform or (--driver) over gRPC alone
                    (--help: all options)
cargo xtask chaos   random edits of a configuration under faults and kills, --runs N times
                    (--seed S: from this seed on)
cargo xtask demo    builds the provider, starts the local service and shows a role's and an owner's
                    life with a real terraform: plan, apply, a change by hand, apply, destroy
cargo xtask dist    what the registries want of a release, in dist/: archive, manifest, sums
                    (--target TRIPLE: for another machine; --sums: only sums up what is there)
cargo xtask docs    writes docs/ from the provider's schema, examples/ and templates/
                    (--check: fails where they are not current)
cargo xtask test    every test: unit, protocol, acceptance with a real terraform

TERRAFORM_BINARY chooses another terraform or tofu than the first on PATH.";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bench", ..] => bench::run(arguments.get(1..).unwrap_or_default()),
        ["chaos", ref arguments @ ..] => chaos::run(arguments),
        ["demo"] => demo::run(),
        ["dist", ref arguments @ ..] => dist::run(arguments),
        ["docs"] => docs::run(false),
        ["docs", "--check"] => docs::run(true),
        ["test"] => test::run(),
        _ => Err(anyhow::anyhow!("{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes a line for the person at the terminal.
#[allow(clippy::print_stdout, reason = "xtask's output is for a terminal; it serves no protocol")]
fn tell(line: &str) {
    println!("{line}");
}
