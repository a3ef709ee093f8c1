//! The benchmark. `cargo xtask bench` builds everything that it needs and runs it.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    access_bench::main()
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::print_stderr, reason = "a program of its own, whose output is for a terminal")]
fn main() -> ExitCode {
    eprintln!("The benchmark needs Linux.");
    ExitCode::FAILURE
}
