//! Logs, and secrets: the key is in no output, log, state or plan. A canary stands in for it.
//!
//! `protocol::secrets` has the forms in which a service may echo it.

use std::path::Path;

use crate::support::fixtures::{Text, owner, role, settings};
use crate::support::secrets::unpacked;
use crate::support::{Service, Workspace, has_parts};

/// Contains no part that occurs by chance, and characters that URLs encode.
const CANARY: &str = "cnry+9f/Quokka==x1";

fn both(name: &str) -> Text {
    role("viewer").text("display_name", name).text("description", "a body") + owner("ada")
}

#[track_caller]
fn holds_no_canary(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // The part that no encoding of an address changes.
    let lines: Vec<_> = text.lines().filter(|line| line.contains("Quokka")).collect();
    assert!(lines.is_empty(), "the key in {what}: {lines:#?}");
}

/// Checks every file that terraform and the provider have written, with plans unpacked.
fn files_hold_no_canary(directory: &Path) {
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_hold_no_canary(&path);
            continue;
        }
        let what = path.display().to_string();
        holds_no_canary(&what, &std::fs::read(&path).expect("a file"));
        if what.ends_with(".tfplan") {
            holds_no_canary(&what, &unpacked(&path));
        }
    }
}

fn run(workspace: &Workspace, arguments: &[&str]) -> i32 {
    let outcome = workspace.run(arguments);
    holds_no_canary(&arguments.join(" "), outcome.output().as_bytes());
    files_hold_no_canary(&workspace.path());
    outcome.code
}

#[test]
fn successful_life_cycle_shows_no_key() {
    let service = Service::full();
    service.add_admin_key(CANARY);
    let workspace = service.workspace_with_key(CANARY).with("TF_LOG", "TRACE");
    workspace.configure(both("One"));
    let apply = ["apply", "-json", "-auto-approve", "-lock=false"];
    let outcome = workspace.run(&apply).succeeds();
    holds_no_canary("apply", outcome.output().as_bytes());
    holds_no_canary("state", workspace.state().to_string().as_bytes());
    assert!(outcome.stderr.contains("a body"), "bodies are logged at TRACE");

    workspace.configure(both("Other"));
    assert_eq!(run(&workspace, &["plan", "-json", "-lock=false", "-out=saved.tfplan"]), 0);
    assert_eq!(run(&workspace, &["apply", "-json", "-lock=false", "saved.tfplan"]), 0);
    assert_eq!(run(&workspace, &["destroy", "-json", "-auto-approve", "-lock=false"]), 0);
}

/// Hosts print the line of the attribute that an error blames, so an error about the key blames none.
#[test]
fn key_in_another_argument_or_variable_is_an_error_that_does_not_show_it() {
    const KEY: &str = "902176543218";
    let arguments = "base_url ca_file deletion_policy drift_detection max_retries max_retry_wait \
        repo_detection repo_dir repo_uri request_timeout";
    let service = Service::full();
    service.add_admin_key(KEY);
    let mut workspace = service.workspace_with_key(KEY).with("TF_VAR_v", KEY);
    // Variables are not known to `validate`.
    for (value, command) in [("var.v", "plan"), ("\"902176543218\"", "validate")] {
        let arguments = arguments.split_whitespace();
        let block = arguments.clone().fold(settings(), |block, name| block.set(name, value));
        workspace.configure(block + role("viewer") + "variable \"v\" {}\n");
        let outcome = workspace.run(&[command]).exits(1);
        let output = outcome.output();
        let named = arguments.filter(|name| output.contains(&format!("Invalid {name}"))).count();
        assert_eq!(named, 10, "{output}");
        assert!(!output.contains(KEY), "{output}");
    }
    workspace.configure(settings() + role("viewer"));
    workspace.set("ACCESS_REPO_DIR", KEY);
    workspace.set("ACCESS_CA_FILE", KEY);
    let export = ["export", "--base-url", KEY, "listings/github"];
    for outcome in [workspace.run(&["plan"]), workspace.run_provider(&export)] {
        let output = outcome.exits(1).output();
        assert!(output.contains("ACCESS_CA_FILE") && !output.contains(KEY), "{output}");
    }
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn log_has_a_line_for_each_request_and_is_empty_without_tf_log() {
    let service = Service::full();
    let mut workspace = service.workspace().encrypted().with("TF_LOG_PROVIDER", "DEBUG");
    let outcome = workspace.apply_of(both("One")).succeeds();
    let is_request = |line: &&str| line.contains("[DEBUG]") && line.contains("path=/api/v1/");
    let lines: Vec<_> = outcome.stderr.lines().filter(is_request).collect();
    assert_eq!(lines.len(), service.requests().len(), "{}", outcome.stderr);
    let patch = lines.iter().find(|line| line.contains("PATCH")).expect("the write");
    has_parts(patch, &["path=/api/v1/listings/github/roles/viewer", "status=200"]);
    assert!(!outcome.stderr.contains("a body"), "{}", outcome.stderr);
    assert!(!outcome.output().contains("admin-key"));
    workspace.set("TF_LOG_PROVIDER", "");
    assert_eq!(workspace.plans_nothing().stderr, "");
}
