//! The programs that some tests need in addition to Rust, Git and a terraform.

use std::env;
use std::io::Write as _;
use std::panic::Location;

/// Returns whether these programs are on PATH. If one is missing, prints the place of the caller to the
/// standard error of the process, which the test runner does not capture, and fails the test in CI.
#[must_use]
#[track_caller]
pub(crate) fn has_tools(names: &[&str]) -> bool {
    let missing: Vec<_> = names.iter().copied().filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return true;
    }
    let line = format!("NOT TESTED without {}: {}\n", missing.join(", "), Location::caller());
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
    assert!(env::var_os("CI").is_none(), "{line}CI needs every tool of the tests: CONTRIBUTING.md");
    false
}

/// Returns whether PATH contains a program.
fn is_installed(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|directory| directory.join(name).is_file())
}
