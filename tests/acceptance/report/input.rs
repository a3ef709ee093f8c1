//! Inputs that are no plan, and plans that are stranger than those of a host.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::fixtures::role;
use crate::support::{Outcome, Service, provider};

/// Runs `report` with this standard input, and nothing in its environment.
fn report(arguments: &[&str], input: &[u8]) -> Outcome {
    let mut command = Command::new(provider());
    Outcome::with_input(command.arg("report").args(arguments).env_clear(), input)
}

#[test]
fn input_that_is_no_plan_is_an_error_that_names_the_command() {
    let (_service, workspace) = Service::with_workspace();
    let run = |arguments: &[&str]| workspace.run(arguments).succeeds().stdout;
    // As `terraform show -json`, the state file, and `terraform providers schema -json` begin.
    let state =
        r#"{"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{}}}"#;
    let file = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"resources":[]}"#;
    let schemas = r#"{"format_version":"1.0","provider_schemas":{}}"#;
    workspace.configure(role("b"));
    let stream = workspace.save_plan(&[]).stdout;
    let text = run(&["show", "-no-color", "saved.tfplan"]);
    let plan = run(&["show", "-json", "saved.tfplan"]);
    let utf_16: Vec<u8> =
        format!("\u{feff}{plan}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let binary = std::fs::read(workspace.path().join("saved.tfplan")).expect("a plan file");
    for (input, part) in [
        (&b""[..], "is not complete, or empty"),
        (text.as_bytes(), "is not a plan in JSON"),
        (state.as_bytes(), "perhaps a state"),
        (file.as_bytes(), "no format_version"),
        (schemas.as_bytes(), "is not a plan"),
        (stream.as_bytes(), "is not a plan in JSON"),
        (&binary, "is not UTF-8"),
        (&plan.as_bytes()[..plan.len() / 2], "is not complete"),
        (plan.replacen("\"1.", "\"2.", 1).as_bytes(), "format_version \"2."),
        (&utf_16, "is in UTF-16, in which PowerShell"),
        (b"[]", "is not a plan in JSON"),
        (br#"{"format_version":"1.0","resource_changes":7}"#, "is not a list"),
    ] {
        let arguments = ["--format", "json", "--detailed-exitcode"];
        report(&arguments, input).refuses(&[part, "terraform show -json plan.bin"]);
    }
    report(&["--key"], plan.as_bytes()).refuses(&["report --help"]);
    report(&["missing.json"], b"").refuses(&["missing.json could not be read: "]);
    assert!(report(&["--help"], b"").stdout.starts_with("Usage: terraform-provider-access report"));

    let with_mark = [b"\xef\xbb\xbf", plan.as_bytes()].concat();
    let outcome = report(&[], &with_mark).succeeds();
    assert!(outcome.stdout.starts_with("1 role is created"), "{}", outcome.stdout);
    report(&["--detailed-exitcode", "-"], &with_mark).exits(2);
}

/// Returns the delete of an owner.
fn delete() -> Value {
    json!({
        "address": "access_integration_owner.a", "mode": "managed", "type": "access_integration_owner",
        "change": {"actions": ["delete"], "before": {"integration": "i", "owner": "users/a"}},
    })
}

/// serde_json accepts 128 levels and numbers up to 1.8e308. Plans of others contain more.
#[test]
fn values_of_other_resources_may_be_deep_and_large() {
    let deep = format!("{}1e500{}", "[{\"a\":".repeat(400), "}]".repeat(400));
    for (kind, more) in [
        ("other", "; 1 change of other providers is not read"),
        ("access_integration_owner", "; 2 changes that could not be read"),
    ] {
        // Values of our own types that cannot be ours are counted, and stop nothing.
        let lookalike = format!(
            "{{\"address\":\"x\",\"mode\":\"managed\",\"type\":\"{kind}\",\"change\":{{\"actions\":\
             [\"update\"],\"before\":{{\"v\":{deep}}},\"after\":{{\"v\":{deep}}}}}}}"
        );
        let plan = format!(
            "{{\"format_version\":\"1.2\",\"variables\":{{\"v\":{deep}}},\
             \"resource_drift\":[{lookalike}],\"resource_changes\":[{lookalike},{}]}}",
            delete()
        );
        let text = report(&["--detailed-exitcode"], plan.as_bytes()).exits(2).stdout;
        assert!(text.starts_with(&format!("1 loses control{more}\n")), "{text}");
    }
}
