//! The scripts of `examples/pipelines`, run as a pipeline runs them.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::{Service, Workspace};

const ROLE: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
}
";

/// What a script said.
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs a script in the workspace, with its environment and the terraform under test.
fn run(workspace: &Workspace, script: &str) -> Said {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pipelines/scripts");
    let terraform = workspace.command(&[]);
    let environment = terraform.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let output = Command::new("sh")
        .arg(scripts.join(script))
        .current_dir(workspace.path())
        .env_clear()
        .envs(environment)
        .env("TERRAFORM", terraform.get_program())
        .output()
        .expect("a shell");
    Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs a script and fails the test unless it ends with this exit code.
#[track_caller]
fn runs(workspace: &Workspace, script: &str, code: i32) -> Said {
    let said = run(workspace, script);
    assert_eq!(said.code, Some(code), "{script}:\n{}\n{}", said.stdout, said.stderr);
    said
}

fn summary(workspace: &Workspace, directory: &str) -> String {
    let path = workspace.path().join(directory).join("summary.md");
    fs::read_to_string(path).expect("a summary")
}

/// A service, and a workspace whose role the scripts have planned and applied.
fn applied() -> (Service, Workspace) {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(ROLE);
    runs(&workspace, "plan.sh", 0);
    runs(&workspace, "apply.sh", 0);
    (service, workspace)
}

#[test]
fn plan_is_summed_up_and_writes_nothing() {
    let service = Service::full();
    let mut workspace = service.workspace_with_key("reader-key");
    workspace.configure(ROLE);
    runs(&workspace, "plan.sh", 0);
    let text = summary(&workspace, "access-plan");
    assert!(text.starts_with("## Plan\n\n1 to add, 0 to change, 0 to destroy.\n"), "{text}");
    assert!(text.contains("\n- `access_listing_role.viewer will be created`\n"), "{text}");
    assert_eq!(service.writes().len(), 0);

    workspace.set("ACCESS_API_KEY", "admin-key");
    runs(&workspace, "apply.sh", 0);
    assert!(service.role("github", "viewer").is_some());
    runs(&workspace, "plan.sh", 0);
    assert!(summary(&workspace, "access-plan").starts_with("## Plan\n\nNo changes.\n"));
}

#[test]
fn apply_takes_the_plan_that_was_kept_and_no_other() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(ROLE);
    let said = runs(&workspace, "apply.sh", 1);
    assert!(said.stderr.contains("run plan.sh first"), "{}", said.stderr);
    assert_eq!(service.requests().len(), 0);

    runs(&workspace, "plan.sh", 0);
    workspace.configure(&ROLE.replace("\"Viewer\"", "\"Changed after the plan\""));
    runs(&workspace, "apply.sh", 0);
    assert_eq!(service.role("github", "viewer").unwrap()["displayName"], "Viewer");

    // The state has changed since: the same plan is not applied twice.
    let said = runs(&workspace, "apply.sh", 1);
    assert!(said.stderr.contains("stale"), "{}", said.stderr);
}

#[test]
fn plan_that_fails_leaves_no_earlier_plan_to_apply() {
    let (_service, workspace) = applied();
    workspace.configure("resource \"access_listing_role\" \"viewer\" {}\n");
    runs(&workspace, "plan.sh", 1);
    let said = runs(&workspace, "apply.sh", 1);
    assert!(said.stderr.contains("run plan.sh first"), "{}", said.stderr);
}

#[test]
fn drift_check_is_quiet_without_drift_and_names_the_role_with_it() {
    let (service, mut workspace) = applied();
    workspace.set("ACCESS_API_KEY", "reader-key");
    service.clear_requests();
    let said = runs(&workspace, "drift.sh", 0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""));

    // Markup in what somebody wrote by hand stays text.
    service.change_role("github", "viewer", json!({"displayName": "@everyone </details>"}));
    let said = runs(&workspace, "drift.sh", 2);
    let text = summary(&workspace, "access-drift");
    assert_eq!(said.stdout, text);
    assert!(text.contains("\n0 to add, 1 to change, 0 to destroy.\n"), "{text}");
    assert!(text.contains("\n- `access_listing_role.viewer will be updated in-place`\n"), "{text}");
    let plan = text.split_once("</summary>\n\n").expect("the plan").1;
    let (plan, end) = plan.rsplit_once("\n\n").expect("its end");
    assert!(plan.contains("@everyone </details>"), "{text}");
    assert!(plan.lines().all(|line| line.starts_with("    ")), "{text}");
    assert_eq!(end, "</details>\n");

    service.remove_role("github", "viewer");
    runs(&workspace, "drift.sh", 2);
    let text = summary(&workspace, "access-drift");
    assert!(text.contains("\n- `access_listing_role.viewer will be created`\n"), "{text}");
    assert_eq!(service.writes().len(), 0, "looking for drift changes nothing");
}

#[test]
fn drift_check_that_fails_or_sees_nothing_is_no_clean_bill() {
    let (service, workspace) = applied();
    service.answer_all("GET", 403, r#"{"message":"not for this key"}"#);
    let said = runs(&workspace, "drift.sh", 1);
    assert!(said.stderr.contains("not for this key"), "{}", said.stderr);

    let service = Service::documented_only(405);
    let workspace = service.workspace();
    workspace.configure(ROLE);
    runs(&workspace, "plan.sh", 0);
    runs(&workspace, "apply.sh", 0);
    let said = runs(&workspace, "drift.sh", 1);
    assert!(said.stderr.contains("sees no drift of roles"), "{}", said.stderr);
}

#[test]
fn drift_check_that_is_turned_off_does_not_look_clean() {
    let (service, mut workspace) = applied();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    workspace
        .configure(&format!("provider \"access\" {{\n  drift_detection = \"off\"\n}}\n{ROLE}"));
    let said = runs(&workspace, "drift.sh", 1);
    assert!(said.stderr.contains("drift_detection is \"off\""), "{}", said.stderr);
    workspace.configure(ROLE);
    workspace.set("ACCESS_DRIFT_DETECTION", "off");
    let said = runs(&workspace, "drift.sh", 1);
    assert!(said.stderr.contains("drift_detection is \"off\""), "{}", said.stderr);
    workspace.set("ACCESS_DRIFT_DETECTION", "");
    runs(&workspace, "drift.sh", 2);
}

#[test]
fn key_is_in_no_saved_plan() {
    let (service, workspace) = applied();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    runs(&workspace, "plan.sh", 0);
    let plan = workspace.run(&["show", "-json", "access-plan/plan"]).succeeds();
    assert!(plan.stdout.contains("By hand"), "the state and the change are in it: {}", plan.stdout);
    assert!(!plan.stdout.contains("admin-key"), "{}", plan.stdout);
}
