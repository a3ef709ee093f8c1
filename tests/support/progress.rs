//! The progress of an apply that runs while the test continues.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::Workspace;

fn log_path(workspace: &Workspace) -> PathBuf {
    workspace.path().join("provider.log")
}

/// Returns the command of an apply whose provider writes a new log of this level.
pub(crate) fn apply_with_log(workspace: &Workspace, level: &str) -> Command {
    let log = log_path(workspace);
    _ = std::fs::remove_file(&log);
    let mut command = workspace.command(&["apply", "-auto-approve", "-lock=false", "-no-color"]);
    command.env("TF_LOG_PROVIDER", level).env("TF_LOG_PATH", log);
    command
}

/// Returns what the provider has logged during the apply.
pub(crate) fn provider_log(workspace: &Workspace) -> String {
    std::fs::read_to_string(log_path(workspace)).unwrap_or_default()
}

/// Polls until the condition holds.
pub(crate) fn wait_until(what: &str, reached: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !reached() {
        assert!(Instant::now() < deadline, "{what} within 60 s");
        std::thread::sleep(Duration::from_millis(5));
    }
}
