//! Measures a plugin. Terraform starts this program in place of the plugin. It runs the plugin and
//! records its costs.
//!
//! The kernel's figures for a process are complete once its parent has waited for it. Polling
//! `/proc` would miss the time between the last poll and the exit.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[allow(clippy::print_stderr, reason = "terraform shows it in its log")]
fn main() -> ExitCode {
    match access_bench::meter::run_plugin() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("plugin-meter: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
