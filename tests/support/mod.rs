//! Support for acceptance tests: configurations, a working directory that `terraform` runs in, and
//! a local service.

use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(crate) mod claims;
pub(crate) mod fixtures;
mod host;
pub(crate) mod network;
mod outcome;
pub(crate) mod schemas;
pub(crate) mod secrets;
mod service;
#[cfg(unix)]
pub(crate) mod tools;
#[cfg(target_os = "linux")]
pub(crate) mod web;
mod workspace;

pub(crate) use host::{Feature, host_version};
pub(crate) use outcome::{Outcome, has_parts};
pub(crate) use service::Service;
pub(crate) use workspace::{VERSIONS, Workspace, provider};

/// Prints the place of the caller and a reason to the standard error of the process, which the test
/// runner does not capture: a test that does not run must not look like one that passed.
#[track_caller]
pub(crate) fn announce_untested(reason: &str) {
    let line = format!("NOT TESTED {reason}: {}\n", std::panic::Location::caller());
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
}

/// Returns the path of a file or a folder of the repository.
pub(crate) fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the text of a file of the repository.
pub(crate) fn text_of(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).expect(path)
}

/// Returns the number in an environment variable, if it is set.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only chaos and lives use it"))]
pub(crate) fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect(variable))
}
