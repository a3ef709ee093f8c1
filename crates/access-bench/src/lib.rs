//! Measures the costs of the provider: time, processor time, memory and requests.
//!
//! - `options`: the command line
//! - `scenario`, `step`: numbers of roles and listings, latency and rate of the service; terraform's commands
//! - `comparison`: whole runs of a real terraform, for this provider and others
//!   - `contender`: the providers, and a configuration for each
//!   - `workspace`: one terraform with one contender; runs a step and measures it
//!   - `meter`: the record of `plugin-meter`, which terraform starts in place of a plugin
//!   - `report`: tables and plot of the results
//! - `driver`: gRPC to the plugin without Terraform
//! - `machine`: processor, kernel and versions
//! - `statistics`, `table`, `plot`, `output`: presentation of figures
//!
//! Linux only: its kernel counts processor time and memory of other processes.

#![cfg(target_os = "linux")]

mod comparison;
mod contender;
mod driver;
mod machine;
pub mod meter;
mod options;
mod output;
mod plot;
mod report;
mod scenario;
mod statistics;
mod step;
mod table;
mod workspace;

use std::process::ExitCode;

use options::Command;
use output::{print_line, report_progress};

/// Runs the command of the command line and writes errors to standard error.
pub fn main() -> ExitCode {
    let result = options::read(std::env::args_os().skip(1)).and_then(|command| match command {
        Command::Help => {
            print_line(options::HELP);
            Ok(())
        }
        Command::Terraform(options) => comparison::run(&options),
        Command::Driver(options) => driver::run(&options),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report_progress(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
