//! Ctrl-C, which reaches terraform and the provider at once, and two applies at the same time.
#![cfg(unix)]

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use access_fake::{Action, Fault};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::support::fixtures::{owner, role, roles};
use crate::support::{Service, Workspace};

const ROLES: usize = 8;

/// Starts an apply in a process group of its own, as a shell does.
fn start_apply(workspace: &Workspace) -> Child {
    workspace
        .command(&["apply", "-auto-approve", "-no-color", "-lock=false"])
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("terraform starts")
}

/// Waits for an event, and fails the test if it does not happen in a minute.
#[track_caller]
fn wait_until(event: &str, mut has_happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !has_happened() {
        assert!(Instant::now() < deadline, "{event} did not happen");
        sleep(Duration::from_millis(20));
    }
}

fn interrupt(apply: &Child) {
    let group = Pid::from_raw(i32::try_from(apply.id()).expect("a process id"));
    killpg(group, Signal::SIGINT).expect("the processes run");
}

fn text(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    // Terraform wraps lines in a box.
    format!("{stdout}\n{stderr}").replace("│ ", "").replace('\n', " ")
}

#[test]
fn interrupt_ends_a_wait_for_the_next_attempt_at_once() {
    let service = Service::full();
    let throttled = Action::Respond {
        status: 429,
        headers: [("retry-after".to_owned(), "60".to_owned())].into(),
        body: "{}".to_owned(),
        processed: false,
    };
    service.add_fault(Fault::new(throttled).on("PATCH"));
    let workspace = service.configured(roles(ROLES)).encrypted();
    let apply = start_apply(&workspace);
    wait_until("a refused write", || {
        service.writes().iter().any(|write| write.status == Some(429))
    });
    let interrupted = Instant::now();
    interrupt(&apply);
    let output = apply.wait_with_output().expect("terraform ends");
    // The wait is 60 s.
    assert!(interrupted.elapsed() < Duration::from_secs(30), "{:?}", interrupted.elapsed());
    let output = text(&output);
    assert!(output.contains("Terraform was interrupted"), "{output}");
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn interrupt_lets_requests_in_flight_finish_and_keeps_what_they_wrote() {
    let service = Service::full();
    let workspace = service.configured(roles(ROLES)).encrypted();
    service.add_fault(Fault::new(Action::Hold { processed: true }).on("PATCH"));
    let apply = start_apply(&workspace);
    wait_until("three writes", || service.roles("github").len() >= 3);
    interrupt(&apply);
    service.clear_faults();
    apply.wait_with_output().expect("terraform ends");
    let written = service.roles("github").len();
    assert!(written >= 3);
    assert_eq!(workspace.state_size(), written, "each written role is in the state");
    workspace.apply().succeeds().without_warnings();
    assert_eq!((workspace.state_size(), service.roles("github").len()), (ROLES, ROLES));
}

/// Two pipelines apply one configuration to one service with a state each: one creates, and the
/// other is refused or finds what exists. Nothing is doubled.
#[test]
fn two_applies_at_once_double_nothing() {
    let service = Service::full();
    service.change_world(|world| world.latency_ms = 50);
    let [one, other] =
        [(), ()].map(|()| service.configured(role("viewer") + owner("ada")).encrypted());
    let applies = [start_apply(&one), start_apply(&other)];
    for apply in applies {
        apply.wait_with_output().expect("terraform ends");
    }
    assert_eq!(service.owners_named("github", "users/ada"), 1);
    assert!(service.role("github", "viewer").is_some());
    assert_eq!(service.requests_of("DELETE"), 0);
    assert!(one.state_size() + other.state_size() >= 2, "what was made is in a state");
}
