//! Stands between terraform and a plugin and writes down what the plugin used.
//!
//! The kernel's account of a process is complete when its parent has waited for it. Looking at
//! `/proc` from outside would miss what happens between the last look and the end.

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
