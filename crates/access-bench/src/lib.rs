//! What the provider costs: time, processor, memory and requests.
//!
//! - `options`: the command line
//! - `comparison`: whole runs of a real terraform, for this provider and others
//!   - `contender`: who is compared, and with which configuration
//!   - `workspace`: one terraform with one contender; runs a step and measures it
//!   - `meter`: what the program `plugin-meter` between terraform and a plugin writes down
//! - `driver`: gRPC straight to the plugin, so that Terraform's own time is out of the picture
//! - `machine`: what the figures were measured on
//! - `statistics`, `table`, `plot`: figures made readable
//!
//! Needs Linux: processor time and memory of other processes come from its kernel.

#![cfg(target_os = "linux")]

mod comparison;
mod contender;
mod driver;
mod machine;
pub mod meter;
mod options;
mod plot;
mod statistics;
mod table;
mod workspace;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

use options::Command;

/// Does what the command line says; its errors go to standard error.
pub fn main() -> ExitCode {
    let done = options::read(std::env::args_os().skip(1)).and_then(|command| match command {
        Command::Help => {
            tell(options::HELP);
            Ok(())
        }
        Command::Terraform(options) => comparison::run(&options),
        Command::Driver(options) => driver::run(&options),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes a line for the person at the terminal.
#[allow(clippy::print_stdout, reason = "a program of its own, whose output is its purpose")]
fn tell(line: &str) {
    println!("{}", line.trim_end());
}

/// Says what is going on, apart from the results.
#[allow(clippy::print_stderr, reason = "a program of its own, whose output is for a terminal")]
fn complain(line: &str) {
    eprintln!("{line}");
}

/// Writes a file of results.
fn write(directory: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory)?;
    let path = directory.join(name);
    std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    complain(&format!("wrote {}", path.display()));
    Ok(())
}
