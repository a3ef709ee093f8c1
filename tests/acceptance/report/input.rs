//! Inputs that are no plan, and plans that are larger and stranger than most.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::support::fixtures::role;
use crate::support::{Service, provider};

/// Runs `report` with this standard input, and nothing in its environment.
fn report(arguments: &[&str], input: &[u8]) -> Output {
    let mut process = Command::new(provider())
        .arg("report")
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the provider's binary");
    let mut stdin = process.stdin.take().expect("standard input");
    // Wrong arguments end the process before it reads.
    let _ = stdin.write_all(input);
    drop(stdin);
    process.wait_with_output().expect("an end")
}

#[track_caller]
fn fails(arguments: &[&str], input: &[u8], part: &str) {
    let output = report(arguments, input);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
    assert!(error.contains(part), "{part}: {error}");
    assert_eq!(output.stdout, b"", "{error}");
}

#[test]
fn input_that_is_no_plan_is_an_error_that_names_the_command() {
    let service = Service::full();
    let workspace = service.applied(role("a"));
    let state = workspace.run(&["show", "-json"]).succeeds().stdout;
    let file = workspace.state().to_string();
    let schemas = workspace.run(&["providers", "schema", "-json"]).succeeds().stdout;
    workspace.configure(role("b"));
    let stream = workspace.save_plan(&[]).stdout;
    let text = workspace.run(&["show", "-no-color", "saved.tfplan"]).succeeds().stdout;
    let plan = workspace.run(&["show", "-json", "saved.tfplan"]).succeeds().stdout;
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
        for arguments in [&[][..], &["--format", "json"], &["--detailed-exitcode"]] {
            fails(arguments, input, part);
            fails(arguments, input, "terraform show -json plan.bin");
        }
    }
    for arguments in [&["--format", "xml"][..], &["--limit", "x"], &["a", "b"], &["--key"]] {
        fails(arguments, plan.as_bytes(), "report --help");
    }
    fails(&["missing.json"], b"", "Could not read missing.json");
    let help = report(&["--help"], b"");
    assert!(help.stdout.starts_with(b"Usage: terraform-provider-access report"));

    let with_mark = [b"\xef\xbb\xbf", plan.as_bytes()].concat();
    for input in [plan.as_bytes(), &with_mark] {
        let output = report(&[], input);
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout.starts_with(b"2 roles change\n"), "{output:?}");
        assert_eq!(report(&["--detailed-exitcode", "-"], input).status.code(), Some(2));
    }
}

/// serde_json accepts 128 levels and numbers up to 1.8e308. Plans of others contain more.
#[test]
fn values_of_other_resources_may_be_deep_and_large() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("a"));
    workspace.save_plan(&[]);
    let plan = workspace.run(&["show", "-json", "saved.tfplan"]).succeeds().stdout;
    let deep = format!("{}1e500{}", "[{\"a\":".repeat(400), "}]".repeat(400));
    let other = format!(
        "{{\"address\":\"other.x\",\"mode\":\"managed\",\"type\":\"other\",\"name\":\"x\",\"provider_name\":\"x/y/z\",\
         \"change\":{{\"actions\":[\"update\"],\"before\":{{\"v\":{deep}}},\"after\":{{\"v\":{deep}}},\
         \"after_unknown\":{{\"v\":{deep}}}}}}}"
    );
    let list = "\"resource_changes\":[";
    let members = format!(
        "\"variables\":{{\"v\":{{\"value\":{deep}}}}},\"resource_drift\":[{other}],{list}{other},"
    );
    let input = plan.replacen(list, &members, 1);
    assert_ne!(input, plan);
    let output = report(&["--detailed-exitcode"], input.as_bytes());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.starts_with("1 role changes\n"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(2));

    // Values of our own types that cannot be ours are counted, and stop nothing.
    let lookalike =
        other.replace("\"other\"", "\"access_listing_role\"").replace("x/y/z", "x/y/access");
    let input = plan.replacen(list, &format!("{list}{lookalike},"), 1);
    let output = report(&[], input.as_bytes());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\n\nResources that could not be read: 1.\n\n"), "{text}");
}

/// Modules may be nested more deeply than serde_json follows.
#[test]
fn modules_may_be_nested_deeply() {
    let mut module = json!({"resources": [{
        "address": "access_listing_role.a", "mode": "managed", "type": "access_listing_role",
        "provider_config_key": "access", "expressions": {"role": {"references": ["each.key"]}},
    }]});
    let mut address = String::new();
    for level in 0..60 {
        module = json!({"module_calls": {format!("m{}", 59 - level): {"module": module}}});
        address += &format!("module.m{level}[\"a.b\"].");
    }
    let after = json!({"listing": "l", "role": "r", "display_name": "R", "priority": 1});
    let unknown = json!({"resources": true});
    let text = json!({
        "format_version": "1.2",
        "configuration": {"root_module": 0},
        "resource_changes": [{
            "address": format!("{address}access_listing_role.a[0]"), "mode": "managed",
            "type": "access_listing_role", "provider_name": "a/b/access",
            "change": {"actions": ["create"], "before": null, "after": after, "after_unknown": unknown},
        }],
    });
    // json! and to_string follow any depth.
    let text =
        text.to_string().replacen("\"root_module\":0", &format!("\"root_module\":{module}"), 1);
    let output = report(&[], text.as_bytes());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("`listings/l/roles/r` is created: resources are not managed;"), "{text}");
}
