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
    let (_service, workspace) = Service::with_applied(role("a"));
    let run = |arguments: &[&str]| workspace.run(arguments).succeeds().stdout;
    let state = run(&["show", "-json"]);
    let file = workspace.state().to_string();
    let schemas = run(&["providers", "schema", "-json"]);
    workspace.configure(role("b"));
    let stream = workspace.save_plan(&[]).stdout;
    let text = run(&["show", "-no-color", "saved.tfplan"]);
    let plan = run(&["show", "-json", "saved.tfplan"]);
    let utf_16: Vec<u8> = plan.encode_utf16().flat_map(u16::to_le_bytes).collect();
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
        (&[b"\xff\xfe", &utf_16[..]].concat(), "is UTF-16"),
        (b"[]", "is not a plan in JSON"),
        (br#"{"format_version":"1.0","resource_changes":7}"#, "is not a plan"),
    ] {
        let arguments = ["--format", "json", "--detailed-exitcode"];
        report(&arguments, input).refuses(&[part, "terraform show -json plan.bin"]);
    }
    report(&["--key"], plan.as_bytes()).refuses(&["report --help"]);
    report(&["missing.json"], b"").refuses(&["Could not read missing.json"]);
    assert!(report(&["--help"], b"").stdout.starts_with("Usage: terraform-provider-access report"));

    let with_mark = [b"\xef\xbb\xbf", plan.as_bytes()].concat();
    let outcome = report(&[], &with_mark).succeeds();
    assert!(outcome.stdout.starts_with("2 roles change\n"), "{}", outcome.stdout);
    report(&["--detailed-exitcode", "-"], &with_mark).exits(2);
}

/// Returns the delete of an owner, by this provider.
fn delete(provider: &str, mode: &str) -> Value {
    json!({
        "address": "access_integration_owner.a", "mode": mode, "type": "access_integration_owner",
        "provider_name": provider,
        "change": {"actions": ["delete"], "before": {"integration": "i", "owner": "users/a"}},
    })
}

#[test]
fn resources_of_other_providers_are_passed_over() {
    for (provider, mode, expected) in [
        ("registry.terraform.io/access/access", "managed", 1),
        ("registry.opentofu.org/access/access", "managed", 1),
        ("example.com/corp/access", "managed", 1),
        ("example.com/access/other", "managed", 0),
        ("example.com/corp/openaccess", "managed", 0),
        ("registry.terraform.io/access/access", "data", 0),
    ] {
        let changes = [delete(provider, mode)];
        let plan = json!({"format_version": "1.2", "resource_changes": changes}).to_string();
        let outcome = report(&["--format=json"], plan.as_bytes()).succeeds();
        let json: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        assert_eq!(json["counts"]["lose"], expected, "{provider} {mode}");
    }
}

/// serde_json accepts 128 levels and numbers up to 1.8e308. Plans of others contain more.
#[test]
fn values_of_other_resources_may_be_deep_and_large() {
    let deep = format!("{}1e500{}", "[{\"a\":".repeat(400), "}]".repeat(400));
    let ours = delete("a/b/access", "managed");
    for (kind, more) in
        [("other", ""), ("access_integration_owner", "; 2 resources could not be read")]
    {
        // Values of our own types that cannot be ours are counted, and stop nothing.
        let lookalike = format!(
            "{{\"address\":\"x\",\"type\":\"{kind}\",\"provider_name\":\"x/y/access\",\"change\":\
             {{\"actions\":[\"update\"],\"before\":{{\"v\":{deep}}},\"after\":{{\"v\":{deep}}}}}}}"
        );
        let plan = format!(
            "{{\"format_version\":\"1.2\",\"variables\":{{\"v\":{deep}}},\
             \"resource_drift\":[{lookalike}],\"resource_changes\":[{lookalike},{ours}]}}"
        );
        let text = report(&["--detailed-exitcode"], plan.as_bytes()).exits(2).stdout;
        assert!(text.starts_with(&format!("0 gain control, 1 loses it{more}\n")), "{text}");
    }
}
