//! The project's commands: `cargo xtask bench`, `demo`, `docs` and `test`.

mod bench;
mod demo;
mod docs;
mod terraform;
mod test;
mod workspace;

use std::env;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask bench   what the provider costs, with a real terraform or (--driver) over gRPC alone
                    (--help: all options)
cargo xtask demo    builds the provider, starts the local service and shows a role's and an owner's
                    life with a real terraform: plan, apply, a change by hand, apply, destroy
cargo xtask docs    writes docs/ from the provider's schema, examples/ and templates/
                    (--check: fails where they are not current)
cargo xtask test    every test: unit, protocol, acceptance with a real terraform

TERRAFORM_BINARY chooses another terraform or tofu than the first on PATH.";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bench", ..] => bench::run(arguments.get(1..).unwrap_or_default()),
        ["demo"] => demo::run(),
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
