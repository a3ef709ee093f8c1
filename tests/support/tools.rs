//! The programs that some tests need in addition to Rust, Git and a terraform.

use std::env;
use std::io::Write as _;
use std::panic::Location;

/// Returns whether these programs are on PATH. If one is missing, prints the place of the caller to the
/// standard error of the process, which the test runner does not capture, and fails the test in CI.
#[must_use]
#[track_caller]
pub(crate) fn has_tools(names: &[&str]) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_missing = |name: &&str| !env::split_paths(&path).any(|it| it.join(name).is_file());
    let missing: Vec<_> = names.iter().copied().filter(is_missing).collect();
    if missing.is_empty() {
        return true;
    }
    let line = format!("NOT TESTED without {}: {}\n", missing.join(", "), Location::caller());
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
    assert!(env::var_os("CI").is_none(), "{line}CI needs every tool of the tests: CONTRIBUTING.md");
    false
}
