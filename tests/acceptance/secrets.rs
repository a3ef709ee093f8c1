//! Logs, and secrets: the key is in no output, log, state or plan. A canary stands in for it.
//!
//! `protocol::secrets` has the forms in which a service may echo it.

use std::io::Read as _;
use std::path::Path;

use access_fake::{Action, Fault};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::support::fixtures::{Text, impatient, owner, role, settings};
use crate::support::{Service, Workspace};

/// Contains no part that occurs by chance, and characters that URLs encode.
const CANARY: &str = "cnry+9f/Quokka==x1";

fn both() -> Text {
    role("viewer").text("description", "a body") + owner("ada")
}

/// Returns the forms in which the canary could appear: as it is, in a URL, in JSON, and the middle
/// of its base64 encoding at each of the three alignments.
fn forms() -> Vec<String> {
    let mut forms = vec![
        CANARY.to_owned(),
        url::form_urlencoded::byte_serialize(CANARY.as_bytes()).collect(),
        "cnry%2B9f/Quokka==x1".to_owned(),
        CANARY.replace('/', "\\/"),
        "Quokka".to_owned(),
    ];
    for shift in 0..3 {
        let shifted = format!("{}{CANARY}", "\0".repeat(shift));
        let encoded = STANDARD_NO_PAD.encode(shifted);
        forms.push(encoded[4..encoded.len() - 4].to_owned());
    }
    forms
}

#[track_caller]
fn holds_no_canary(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for form in forms() {
        let found = text.find(&form);
        assert_eq!(found, None, "{form} in {what}: …{}", around(&text, found.unwrap_or_default()));
    }
}

fn around(text: &str, place: usize) -> String {
    let start = (0..=place.saturating_sub(200)).rev().find(|index| text.is_char_boundary(*index));
    text[start.unwrap_or_default()..].chars().take(400).collect()
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
            let file = std::fs::File::open(&path).expect("a plan");
            let mut archive = zip::ZipArchive::new(file).expect("a plan is an archive");
            assert!(!archive.is_empty());
            for index in 0..archive.len() {
                let mut member = archive.by_index(index).expect("a member");
                let mut bytes = Vec::new();
                member.read_to_end(&mut bytes).expect("its bytes");
                holds_no_canary(&format!("{what}: {}", member.name()), &bytes);
            }
        }
    }
}

fn run(workspace: &Workspace, arguments: &[&str]) -> i32 {
    let outcome = workspace.run(arguments);
    holds_no_canary(&arguments.join(" "), outcome.output().as_bytes());
    files_hold_no_canary(&workspace.path());
    outcome.code
}

fn canaries() -> (Service, Workspace) {
    let service = Service::full();
    service.add_admin_key(CANARY);
    let workspace = service.workspace_with_key(CANARY).with("TF_LOG", "TRACE");
    workspace.configure(both());
    (service, workspace)
}

const APPLY: [&str; 4] = ["apply", "-json", "-auto-approve", "-lock=false"];

#[test]
fn successful_life_cycle_shows_no_key() {
    let (_service, workspace) = canaries();
    assert_eq!(run(&workspace, &["plan", "-json", "-lock=false", "-out=saved.tfplan"]), 0);
    assert_eq!(run(&workspace, &["apply", "-json", "-lock=false", "saved.tfplan"]), 0);
    assert_eq!(run(&workspace, &["show", "-json"]), 0);
    assert_eq!(run(&workspace, &["destroy", "-json", "-auto-approve", "-lock=false"]), 0);
}

#[test]
fn failed_calls_show_no_key() {
    let location = format!("http://127.0.0.1:1/{CANARY}");
    let redirect = Fault::respond(307, "").header("location", &location);
    for fault in [Fault::new(Action::Reset), Fault::new(Action::Garbage), redirect] {
        let (service, workspace) = canaries();
        workspace.configure(impatient() + both());
        service.fault(fault.clone());
        assert_eq!(run(&workspace, &APPLY), 1, "{fault:?}");
    }
}

#[test]
fn key_that_no_header_carries_is_refused_and_not_shown() {
    let service = Service::full();
    let key = format!("{CANARY}\r\nX-Evil: 1{CANARY}");
    let workspace = service.workspace_with_key(&key).with("TF_LOG", "TRACE");
    workspace.configure(both());
    assert_eq!(run(&workspace, &APPLY), 1);
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn secret_headers_show_in_no_output() {
    let service = Service::full();
    let workspace = service.workspace().with("TF_LOG", "TRACE").with("TF_VAR_gateway_key", CANARY);
    let variable = "variable \"gateway_key\" {\n  sensitive = true\n}\n";
    let provider = settings().set("request_headers", "{ X-Gateway-Key = var.gateway_key }");
    workspace.configure(provider + variable + both());
    let outcome = workspace.run(&APPLY).succeeds();
    holds_no_canary("output", outcome.output().as_bytes());
    holds_no_canary("state", workspace.state().to_string().as_bytes());
    assert!(service.requests().iter().all(|request| request.headers["x-gateway-key"] == CANARY));
}

#[test]
fn log_has_a_line_for_each_request_and_bodies_only_at_trace() {
    for (level, bodies) in [("DEBUG", false), ("TRACE", true)] {
        let service = Service::full();
        let workspace = service.workspace().with("TF_LOG_PROVIDER", level);
        workspace.configure(both());
        let outcome = workspace.apply().succeeds();
        let is_request = |line: &&str| line.contains("[DEBUG]") && line.contains("path=/api/v1/");
        let lines: Vec<_> = outcome.stderr.lines().filter(is_request).collect();
        assert_eq!(lines.len(), service.requests().len(), "{}", outcome.stderr);
        let patch = lines.iter().find(|line| line.contains("PATCH")).expect("the write");
        for part in ["path=/api/v1/listings/github/roles/viewer", "status=200"] {
            assert!(patch.contains(part), "{part}: {patch}");
        }
        assert_eq!(outcome.stderr.contains("a body"), bodies, "{level}: {}", outcome.stderr);
        assert!(!outcome.output().contains("admin-key"), "{level}");
    }
}

#[test]
fn nothing_is_logged_without_tf_log() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(both());
    assert_eq!(workspace.apply().succeeds().stderr, "");
}
