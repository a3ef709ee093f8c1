//! Processes that tests start, interrupt and kill.
#![cfg(unix)]

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use nix::sys::signal::kill;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::Workspace;

fn id(process: u32) -> Pid {
    Pid::from_raw(i32::try_from(process).expect("a process id"))
}

fn log_path(workspace: &Workspace) -> PathBuf {
    workspace.path().join("provider.log")
}

/// Polls until the condition holds.
pub(crate) fn wait_until(what: &str, reached: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !reached() {
        assert!(Instant::now() < deadline, "{what} within 60 s");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Starts an apply that runs while the test continues. It has a process group of its own, as if a
/// shell had started it.
pub(crate) fn start_apply(workspace: &Workspace) -> Child {
    let log = log_path(workspace);
    _ = std::fs::remove_file(&log);
    workspace
        .command(&["apply", "-auto-approve", "-lock=false", "-no-color"])
        .env("TF_LOG_PROVIDER", "INFO")
        .env("TF_LOG_PATH", log)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("terraform starts")
}

/// Sends Ctrl-C to the whole group of a started apply, as the terminal does, and waits until the
/// provider is asked to stop.
pub(crate) fn interrupt(group: &Child, workspace: &Workspace) {
    killpg(id(group.id()), Signal::SIGINT).expect("a group to interrupt");
    wait_until("the provider is asked to stop", || {
        let log = std::fs::read_to_string(log_path(workspace)).unwrap_or_default();
        log.contains("the host has asked the running calls to stop")
    });
}

/// Returns the processes that this one started.
#[cfg(target_os = "linux")]
pub(crate) fn children_of(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            // The name in parentheses may hold anything; state and parent follow it.
            let parent_of =
                stat.rsplit(')').next().and_then(|fields| fields.split_whitespace().nth(1));
            parent_of == Some(parent.to_string().as_str())
        })
        .collect()
}

/// Kills one process, if it is still there.
#[cfg(target_os = "linux")]
pub(crate) fn kill_outright(process: u32) {
    _ = kill(id(process), Signal::SIGKILL);
}

/// Kills a host, but not while it writes its state: hosts overwrite the file in place, so that a kill
/// in the middle leaves a part of it, whatever the provider does. Returns its plugins.
#[cfg(target_os = "linux")]
pub(crate) fn kill_host(host: &mut Child, workspace: &Workspace) -> Vec<u32> {
    let state = workspace.path().join("terraform.tfstate");
    loop {
        _ = kill(id(host.id()), Signal::SIGSTOP);
        let is_complete = match std::fs::read(&state) {
            Ok(bytes) => serde_json::from_slice::<serde_json::Value>(&bytes).is_ok(),
            Err(_) => true,
        };
        let has_ended = matches!(host.try_wait(), Ok(Some(_)) | Err(_));
        if is_complete || has_ended {
            let plugins = children_of(host.id());
            host.kill().expect("the host is killed, or has ended");
            return plugins;
        }
        _ = kill(id(host.id()), Signal::SIGCONT);
        std::thread::sleep(Duration::from_millis(1));
    }
}
