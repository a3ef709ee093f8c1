//! Interrupts and kills of the host.

use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{Workspace, text, thing};
use crate::suite::support::{has_exited, signal};

/// Polls until the condition holds.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "not in 60 s: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn interrupt_of_the_terminal_stores_the_state_of_the_call() {
    let workspace = Workspace::new("");
    let directory = workspace.path("").display().to_string();
    workspace.write(&thing(&format!("wait:create={directory}"), "value = \"v\""));
    let mut command = workspace.command(&["apply", "-auto-approve", "-no-color"]);
    // A process group of its own, to which the signal is sent like from a terminal.
    let child =
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let group = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    let waiting = workspace.path("waiting");
    wait_until("the call has begun", || waiting.exists());
    nix::sys::signal::killpg(group, Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = text(&output);
    assert!(!output.status.success() && !text.contains("Plugin did not respond"), "{text}");
    assert!(text.contains("Interrupted"), "{text}");
    assert_eq!(workspace.instance().unwrap()["attributes"]["value"], "v");
}

#[test]
fn create_of_a_host_that_was_killed_is_finished() {
    let workspace = Workspace::new("");
    let directory = workspace.path("").display().to_string();
    workspace.write(&thing(&format!("outlast:create={directory}"), "value = \"v\""));
    let mut command = workspace.command(&["apply", "-auto-approve", "-no-color"]);
    let mut host = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let [begun, finished] = ["begun", "finished"].map(|name| workspace.path(name));
    let begun = || std::fs::read_to_string(&begun).ok()?.parse().ok();
    wait_until("the create has begun", || begun().is_some());
    let provider = begun().unwrap();
    let killed = Instant::now();
    signal(host.id(), Signal::SIGKILL);
    host.wait().unwrap();
    assert!(!finished.exists());
    wait_until("the provider has exited", || has_exited(provider));
    // It would wait 10 s for a host that might connect again.
    assert!(killed.elapsed() < Duration::from_secs(9), "{:?}", killed.elapsed());
    assert!(finished.exists(), "the provider exited before its create had ended");
}
