//! Jobs that are cancelled: GitHub signals the process of the step, and nothing else.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{command, runs};
use crate::support::fixtures::roles;
use crate::support::tools::has_tools;
use crate::support::{Service, Workspace, in_repository, text_of};

/// The time after which a run counts as one that does not end.
const LIMIT: Duration = Duration::from_secs(60);

/// The roles of the configuration: more than two applies write before they are interrupted.
const COUNT: usize = 60;

/// Returns the commands of the workflow's step that runs a script, as the runner writes them to a
/// file.
fn step_of(script: &str) -> String {
    let workflow: Value =
        serde_yaml_ng::from_str(&text_of("examples/pipelines/github/access.yml")).expect("YAML");
    let jobs = workflow["jobs"].as_object().expect("jobs").values();
    let mut steps = jobs.flat_map(|job| job["steps"].as_array().expect("steps"));
    let run = steps.find_map(|step| step["run"].as_str().filter(|run| run.contains(script)));
    let scripts = in_repository("examples/pipelines/scripts").display().to_string();
    run.expect("a step").replace("ci/", &format!("{scripts}/"))
}

/// Starts a step as the runner does.
fn start(workspace: &Workspace, script: &str) -> Child {
    workspace.write("step.sh", &step_of(script));
    // For the environment of the scripts.
    let template = command(workspace, script);
    let mut shell = workspace.command_of("bash");
    shell
        .args(["-e", "step.sh"])
        .envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.process_group(0).spawn().expect("a shell")
}

fn wait_until(is_true: impl Fn() -> bool, what: &str) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < LIMIT, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sends a signal to the process of a step alone, or to its group, and returns its exit code.
fn cancel(mut step: Child, signal: &str, to: &str) -> Option<i32> {
    let id = format!("{to}{}", step.id());
    let sent = Command::new("kill").args([signal, "--", &id]).status();
    assert!(sent.expect("kill").success());
    let start = Instant::now();
    loop {
        if let Some(status) = step.try_wait().expect("its status") {
            return status.code();
        }
        assert!(start.elapsed() < LIMIT, "{signal} does not end the step");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn cancelled_job_leaves_no_object_without_a_state_and_no_lock() {
    if !has_tools(&["bash", "jq"]) {
        return;
    }
    let service = Service::full();
    let workspace = service.configured(roles(COUNT));
    let lock = || workspace.path().join(".terraform.tfstate.lock.info").exists();
    // Other systems, and Ctrl-C, signal the group.
    for (signal, to) in [("-INT", ""), ("-TERM", "-")] {
        service.change_world(|world| world.latency_ms = 0);
        runs(&workspace, "plan.sh", 0);
        let before = service.roles("github").len();
        service.change_world(|world| world.latency_ms = 200);
        let step = start(&workspace, "apply.sh");
        wait_until(|| service.roles("github").len() > before, "the apply writes nothing");
        assert_eq!(cancel(step, signal, to), Some(1), "{signal} {to}");
        let written = service.roles("github").len();
        assert_eq!((written, lock()), (workspace.state_size(), false), "{signal} {to}");
        assert!(written < COUNT, "{signal} {to}: the apply was not interrupted");

        for script in ["plan.sh", "drift.sh"] {
            service.clear_requests();
            let step = start(&workspace, script);
            wait_until(|| !service.requests().is_empty(), "the plan reads nothing");
            assert!(lock(), "{script} locks the state");
            assert_eq!(cancel(step, signal, to), Some(1), "{script} {signal} {to}");
            assert!(!lock(), "{script} {signal} {to}");
        }
        assert!(!workspace.path().join("access-plan/plan").exists(), "{signal} {to}");
    }
}
