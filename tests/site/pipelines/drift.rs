//! `drift.sh`: drift, its absence, and checks that cannot detect it.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::super::guides::blocks;
use super::super::guides::paste::{path_from, tool};
use super::{ROLE, command, runs};
use crate::support::fixtures::owners;
use crate::support::{Outcome, Service, VERSIONS, has_parts, provider};

#[test]
fn drift_check_prints_a_line_without_drift_and_names_what_was_changed_with_it() {
    let service = Service::full();
    // `null` is the default. A data source of a `check` is read again by every apply, and is no change.
    let settings = "provider \"access\" {\n  drift_detection = null\n}\n";
    let check = "check \"owners\" {
  data \"access_integration_owners\" \"okta\" {
    integration = \"okta\"
  }
  assert {
    condition     = length(data.access_integration_owners.okta.owners) > 0
    error_message = \"No owners.\"
  }
}
";
    service.remove_owner("okta", "founder");
    let team = "resource \"access_integration_owner\" \"team\" {\n  integration = \"okta\"\n  owner = \"teams/identity\"\n}\n";
    let lifecycle = "lifecycle {\n    ignore_changes = [display_name]\n  }\n  priority";
    let editor = ROLE.replace("viewer", "editor").replace("priority", lifecycle);
    let list = owners(&["users/founder", "users/ada"]).text("integration", "github");
    let applied = format!("{VERSIONS}{settings}{ROLE}{editor}{check}{team}{list}");
    let mut workspace = service.workspace().with("TF_ROOT", "root");
    // With a folder of that name in CDPATH, `cd` enters another configuration.
    workspace.write("elsewhere/root/main.tf", VERSIONS);
    let elsewhere = workspace.path().join("elsewhere").display().to_string();
    workspace.set("CDPATH", &elsewhere);
    workspace.write("root/main.tf", &applied);
    runs(&workspace, "plan.sh", 0);
    runs(&workspace, "apply.sh", 0);
    workspace.set("ACCESS_API_KEY", "reader-key");
    // It leaves no object unread.
    workspace.set("TF_CLI_ARGS_plan", "-parallelism=2");
    service.clear_requests();
    let output = runs(&workspace, "drift.sh", 0);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("No drift.\n", ""));

    // A merged commit that waits for its apply.
    workspace.write("root/more.tf", "output \"text\" {\n  value = \"text\"\n}\n");
    let output = runs(&workspace, "drift.sh", 2);
    let text = workspace.read("access-drift/summary.md");
    assert_eq!(output.stdout, text);
    assert!(text.starts_with("# Drift\n\n"), "{text}");
    assert!(!text.contains("## Changed outside Terraform"), "{text}");

    // No apply corrects this drift, so it is in no planned change.
    workspace.write("root/more.tf", "");
    service.change_role("github", "viewer", json!({"resources": ["repositories/website"]}));
    service.change_role("github", "editor", json!({"displayName": "By hand"}));
    let text = runs(&workspace, "drift.sh", 2).stdout;
    let plan = "\n## Plan\n\nPlan: 0 to add, 0 to change, 0 to destroy.\n";
    has_parts(
        &text,
        &["\n## Changed outside Terraform\n", "repositories/website", "By hand", plan],
    );
    assert_eq!(service.writes().len(), 0, "looking for drift changes nothing");
}

#[test]
fn drift_check_that_did_not_read_everything_fails() {
    let (service, mut workspace) = Service::with_applied(ROLE);
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    service.clear_requests();
    for (name, value) in [
        ("ACCESS_DRIFT_DETECTION", "off"),
        ("TF_CLI_ARGS_plan", "-parallelism=2 --minimal-refresh=true"),
        ("TF_CLI_ARGS", "-minimal-refresh"),
        ("TF_CLI_ARGS_plan", "-refresh=false"),
        ("TF_CLI_ARGS_plan", "-target=access_listing_role.x"),
        ("TF_CLI_ARGS_plan", "-exclude=access_listing_role.x"),
    ] {
        workspace.set(name, value);
        let output = runs(&workspace, "drift.sh", 1).stderr;
        assert!(
            output.contains(&format!("{name} ")) || output.contains(" in this job"),
            "{output}"
        );
        workspace.set(name, "");
    }
    assert_eq!(service.requests().len(), 0);
    workspace.configure(format!("provider \"access\" {{\n  drift_detection = \"off\"\n}}\n{ROLE}"));
    has_parts(&runs(&workspace, "drift.sh", 1).stderr, &["the plan reads nothing"]);

    workspace.configure(ROLE);
    service.respond_to_all("GET", 405, "{}");
    let output = runs(&workspace, "drift.sh", 1);
    has_parts(&output.stderr, &["Could not read every object, so drift"]);
    assert_eq!(output.stdout, "");

    service.respond_to_all("GET", 403, r#"{"message":"not for this key"}"#);
    let output = runs(&workspace, "drift.sh", 1);
    has_parts(&output.stderr, &["not for this key"]);
    // Terraform keeps a plan that has failed, whose report is about nothing.
    assert!(output.stderr.starts_with("## Plan failed\n"), "{}", output.stderr);
    assert!(!output.output().contains("No change of access"), "{}", output.output());
}

/// A team can build the provider under another name.
#[test]
fn provider_under_another_name_that_may_not_read_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let binary = directory.path().join("terraform-provider-entitlements");
    symlink(provider(), binary).expect("the provider");
    let source = "example.com/platform/entitlements";
    let service = Service::full();
    service.put_viewer();
    let workspace = service.workspace();
    workspace.override_providers(&[(source, directory.path())]);
    workspace.write("versions.tf", &VERSIONS.replace("access/access", source));
    let detection = "variable \"detection\" {\n  default = \"off\"\n}\n";
    let settings = "provider \"access\" {\n  drift_detection = var.detection\n}\n";
    workspace.configure(format!("{detection}{settings}{ROLE}"));
    let output = runs(&workspace, "drift.sh", 1);
    has_parts(&output.stderr, &["the plan reads nothing"]);
}

/// A check of the page *Pipelines*, whose plans are empty.
#[test]
fn roles_that_no_configuration_has_are_named_and_fail_the_check() {
    let service = Service::full();
    let check = blocks::with("docs/guides/pipelines.md", "check \"strangers\"");
    let roles = blocks::with("docs/guides/existing-roles.md", "\"on.call\" = \"On call\"");
    let workspace = service.applied(format!("{roles}{check}"));
    let other = json!({"displayName": "Theirs", "priority": "1", "manager": "TERRAFORM"});
    service.put_role("github", "theirs", other);
    workspace.plan().exits(0).without_warnings();

    for role in ["by-hand", "admin"] {
        service.put_role("github", role, json!({"displayName": role, "priority": "9"}));
    }
    let named = "No configuration has these roles of github: admin, by-hand.";
    let warnings = workspace.plan().exits(0).warnings();
    assert!(warnings.len() == 1 && warnings[0].contains(named), "{warnings:#?}");
    let text = runs(&workspace, "drift.sh", 2).stdout;
    has_parts(&text, &["# Drift\n", "Plan: 0 to add, 0 to change, 0 to destroy.", named]);
    // The service need not show who manages a role.
    service.change_role("github", "viewer", json!({"manager": null}));
    workspace.plan().warns([named]);
}

/// The summary that the provider gives to each plan that could not read everything, for whatever
/// reason.
#[test]
fn warning_that_something_was_not_read_fails_the_check_and_others_do_not() {
    let (_service, workspace) = Service::with_workspace();
    let others = [
        "Could not check whether the role exists",
        "The word: could not read",
        "Version constraints inside provider configuration blocks are deprecated",
    ];
    let bin = workspace.path().join("bin");
    std::fs::create_dir_all(&bin).expect("a directory");
    let host = |summaries: &[&str]| {
        let lines = summaries.iter().map(|summary| {
            let diagnostic =
                json!({"severity": "warning", "summary": summary, "detail": "Because."});
            format!("echo '{}'\n", json!({"type": "diagnostic", "diagnostic": diagnostic}))
        });
        let lines: String = lines.collect();
        // An empty plan, with these warnings.
        let script = format!(
            "case $* in
*' plan '*) {lines} for it; do case $it in -out=*) echo plan >\"${{it#-out=}}\" ;; esac; done ;;
*' show -json '*) echo '{{\"format_version\":\"1.2\",\"resource_changes\":[]}}' ;;
*' show '*) echo 'No changes.' ;;
*) exit 9 ;;
esac"
        );
        tool(&bin, "host", &script);
        bin.join("host")
    };
    for (summaries, code) in [(&["Could not read every object"][..], 1), (&others, 0)] {
        let mut command = command(&workspace, "drift.sh");
        let outcome = Outcome::of(command.env("TERRAFORM", host(summaries))).exits(code);
        assert_eq!(outcome.stderr.contains("Because."), code == 1, "{}", outcome.output());
    }
    // Exit code 2 is drift, and nothing else.
    tool(&bin, "jq", "exit 2");
    let mut command = command(&workspace, "drift.sh");
    Outcome::of(command.env("TERRAFORM", host(&[])).env("PATH", path_from(&bin))).exits(1);
}
