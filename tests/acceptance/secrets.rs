//! The key is in no output, log, state or plan. A canary stands in for it.

use std::io::Read as _;
use std::path::Path;

use access_fake::{Action, Fault};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::support::{Service, Workspace};

/// Contains no part that occurs by chance, and characters that URLs encode.
const CANARY: &str = "cnry+9f/Quokka==x1";

const CONFIGURATION: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 1
}

resource \"access_integration_owner\" \"ada\" {
  integration = \"github\"
  owner       = \"users/ada\"
}
";

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
    workspace.configure(CONFIGURATION);
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
fn key_that_the_service_echoes_is_not_shown() {
    let base64 = STANDARD_NO_PAD.encode(CANARY);
    let encoded: String = url::form_urlencoded::byte_serialize(CANARY.as_bytes()).collect();
    let json = format!("{{\"message\":\"no {CANARY} and {base64} and {encoded}\"}}");
    let html = format!("<html><title>{CANARY}</title>{CANARY}</html>");
    let text = format!("Authorization: Bearer {CANARY}\r\n");
    // The key is at the positions where texts are cut.
    let long = format!("{}{CANARY}", "x".repeat(64 * 1024 - 5));
    let hidden = format!("{}{CANARY}", "\u{200b}".repeat(600));
    for status in [200, 400, 401, 403, 404, 409, 410, 429, 500, 503] {
        for body in [&json, &html, &text, &long, &hidden] {
            let (service, workspace) = canaries();
            workspace.configure(&format!(
                "provider \"access\" {{\n  max_retries = 0\n  max_retry_wait = \"1s\"\n}}\n{CONFIGURATION}"
            ));
            let headers = [
                ("retry-after".to_owned(), "100".to_owned()),
                ("x-request-id".to_owned(), format!("id-{CANARY}")),
                ("location".to_owned(), format!("https://elsewhere.example/?key={encoded}")),
            ];
            service.fault(Fault::new(Action::Respond {
                status,
                headers: headers.into(),
                body: body.clone(),
                processed: false,
            }));
            assert_eq!(run(&workspace, &APPLY), 1, "{status}");
        }
    }
}

#[test]
fn failed_calls_show_no_key() {
    for action in [
        Action::Reset,
        Action::CutBody { bytes: 5 },
        Action::Garbage,
        Action::WrongName,
        Action::Redirect { status: 307, location: format!("http://127.0.0.1:1/{CANARY}") },
    ] {
        let (service, workspace) = canaries();
        workspace
            .configure(&format!("provider \"access\" {{\n  max_retries = 0\n}}\n{CONFIGURATION}"));
        service.fault(Fault::new(action.clone()));
        assert_eq!(run(&workspace, &APPLY), 1, "{action:?}");
    }
    // No service listens on this port.
    let workspace = Workspace::new("http://127.0.0.1:1", CANARY).with("TF_LOG", "TRACE");
    workspace.configure(&format!("provider \"access\" {{\n  max_retries = 1\n}}\n{CONFIGURATION}"));
    assert_eq!(run(&workspace, &APPLY), 1);
}

#[test]
fn keys_that_no_header_carries_are_refused_and_not_shown() {
    for middle in ["\n", "\r\nX-Evil: 1", " ", "\u{7f}", "ä", "\u{1b}[31m"] {
        let service = Service::full();
        let workspace = service
            .workspace_with_key(&format!("{CANARY}{middle}{CANARY}"))
            .with("TF_LOG", "TRACE");
        workspace.configure(CONFIGURATION);
        assert_eq!(run(&workspace, &APPLY), 1, "{middle:?}");
        assert_eq!(service.requests().len(), 0, "{middle:?}");
    }
}

#[test]
fn secret_headers_show_in_no_output() {
    let service = Service::full();
    let workspace = service.workspace().with("TF_LOG", "TRACE");
    workspace.configure(&format!(
        "variable \"gateway_key\" {{\n  sensitive = true\n}}
provider \"access\" {{\n  request_headers = {{ X-Gateway-Key = var.gateway_key }}\n}}\n{CONFIGURATION}"
    ));
    let workspace = workspace.with("TF_VAR_gateway_key", CANARY);
    let outcome = workspace.run(&APPLY).succeeds();
    holds_no_canary("output", outcome.output().as_bytes());
    holds_no_canary("state", workspace.state().to_string().as_bytes());
    assert!(service.requests().iter().all(|request| request.headers["x-gateway-key"] == CANARY));
}
