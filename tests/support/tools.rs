//! The programs that some tests need in addition to Rust, Git and a terraform.

use std::env;

use super::announce_untested;

/// Returns whether these programs are on PATH. If one is missing, announces a test that does not
/// run, and fails it in CI.
#[must_use]
#[track_caller]
pub(crate) fn has_tools(names: &[&str]) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_missing = |name: &&str| !env::split_paths(&path).any(|it| it.join(name).is_file());
    let missing: Vec<_> = names.iter().copied().filter(is_missing).collect();
    if missing.is_empty() {
        return true;
    }
    let missing = missing.join(", ");
    announce_untested(&format!("without {missing}"));
    assert!(env::var_os("CI").is_none(), "CI needs {missing}, as CONTRIBUTING.md says");
    false
}
