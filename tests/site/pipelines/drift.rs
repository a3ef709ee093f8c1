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
    // A data source of a `check` is read again by every apply, and is no change.
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
    let editor = ROLE.replace("viewer", "editor");
    let list = owners(&["users/founder", "users/ada"]).text("integration", "github");
    let mut workspace = service.applied(format!("{ROLE}{editor}{check}{team}{list}"));
    workspace.set("ACCESS_API_KEY", "reader-key");
    // It leaves no object unread.
    workspace.set("TF_CLI_ARGS_plan", "-parallelism=2");
    service.clear_requests();
    let output = runs(&workspace, "drift.sh", 0);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("No drift.\n", ""));

    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    service.remove_role("github", "editor");
    service.put_owner("github", "eve", "users/eve");
    let output = runs(&workspace, "drift.sh", 2);
    let text = workspace.read("access-drift/summary.md");
    assert_eq!(output.stdout, text);
    assert!(text.starts_with("# Drift\n\n"), "{text}");
    has_parts(&text, &["\n## Plan\n\nPlan: 1 to add, 2 to change, 0 to destroy.\n"]);
    let section = |title: &str| {
        let (_, rest) = text.split_once(&format!("\n## {title}\n\n")).expect(title);
        rest.split("\n## ").next().unwrap_or(rest)
    };
    let outside = section("Changed outside Terraform");
    has_parts(
        outside,
        &["- `listings/github/roles/viewer`", "- `listings/github/roles/editor`", "users/eve"],
    );
    has_parts(section("Roles, effective for new requests"), &["- `listings/github/roles/viewer`"]);
    assert_eq!(service.writes().len(), 0, "looking for drift changes nothing");
}

/// Drift that no apply corrects is in no planned change.
#[test]
fn drift_that_the_plan_leaves_alone_fails_the_check() {
    let lifecycle = "lifecycle {\n    ignore_changes = [display_name]\n  }\n  priority";
    let editor = ROLE.replace("viewer", "editor").replace("priority", lifecycle);
    let (service, workspace) = Service::with_applied(format!("{ROLE}{editor}"));
    service.change_role("github", "viewer", json!({"resources": ["repositories/website"]}));
    service.change_role("github", "editor", json!({"displayName": "By hand"}));
    let text = runs(&workspace, "drift.sh", 2).stdout;
    let plan = "Plan: 0 to add, 0 to change, 0 to destroy.";
    has_parts(&text, &["## Changed outside Terraform", "repositories/website", "By hand", plan]);
}

#[test]
fn drift_check_that_may_not_read_everything_is_refused() {
    let (service, mut workspace) = Service::with_applied(ROLE);
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let off = "variable \"detection\" {\n  default = \"off\"\n}\nprovider \"access\" {\n  drift_detection = ";
    for (provider, name, value, refused) in [
        ("\"off\"", "", "", "the plan reads nothing"),
        ("var.detection", "", "", "the plan reads nothing"),
        ("", "ACCESS_DRIFT_DETECTION", "off", "the plan reads nothing"),
        ("", "TF_CLI_ARGS_plan", "-parallelism=2 --minimal-refresh=true", "must read every object"),
        ("", "TF_CLI_ARGS", "-minimal-refresh", "must read every object"),
        ("", "TF_CLI_ARGS_plan", "-refresh=false", "must read every object"),
        ("", "TF_CLI_ARGS_plan", "-target=access_listing_role.x", "must read every object"),
    ] {
        let block = if provider.is_empty() { "" } else { &format!("{off}{provider}\n}}\n") };
        workspace.configure(format!("{block}{ROLE}"));
        workspace.set(name, value);
        let output = runs(&workspace, "drift.sh", 1);
        assert!(output.stderr.contains(refused), "{provider} {name}={value}: {}", output.stderr);
        workspace.set(name, "");
    }
    // `null` is the default.
    workspace.configure(format!("provider \"access\" {{\n  drift_detection = null\n}}\n{ROLE}"));
    runs(&workspace, "drift.sh", 2);
    service.respond_to_all("GET", 403, r#"{"message":"not for this key"}"#);
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("not for this key"), "{}", output.stderr);
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
    let workspace = service.workspace();
    workspace.override_providers(&[(source, directory.path())]);
    workspace.write("versions.tf", &VERSIONS.replace("access/access", source));
    workspace.apply_of(ROLE).succeeds();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    workspace.configure(format!("provider \"access\" {{\n  drift_detection = \"off\"\n}}\n{ROLE}"));
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
    let output = runs(&workspace, "drift.sh", 0);
    assert_eq!(output.stdout, "No drift.\n");
    workspace.plan().exits(0).without_warnings();

    for role in ["by-hand", "admin"] {
        service.put_role("github", role, json!({"displayName": role, "priority": "9"}));
    }
    // The service need not show who manages a role.
    service.change_role("github", "viewer", json!({"manager": null}));
    let named = "No configuration has these roles of github: admin, by-hand.";
    let text = runs(&workspace, "drift.sh", 2).stdout;
    has_parts(&text, &["# Drift\n", named]);
    service.change_role("github", "viewer", json!({"manager": "TERRAFORM"}));
    let warnings = workspace.plan().exits(0).warnings();
    assert!(warnings.len() == 1 && warnings[0].contains(named), "{warnings:#?}");
    let text = runs(&workspace, "drift.sh", 2).stdout;
    has_parts(&text, &["Plan: 0 to add, 0 to change, 0 to destroy.", named]);
}

/// With a folder of that name in CDPATH, `cd` enters another configuration.
#[test]
fn configuration_of_the_working_directory_is_checked_whatever_cdpath_contains() {
    let service = Service::full();
    let mut workspace = service.workspace().with("TF_ROOT", "root");
    workspace.write("root/main.tf", &format!("{VERSIONS}{ROLE}"));
    workspace.write("elsewhere/root/main.tf", VERSIONS);
    runs(&workspace, "plan.sh", 0);
    runs(&workspace, "apply.sh", 0);
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let other = workspace.path().join("elsewhere").display().to_string();
    workspace.set("CDPATH", &other);
    has_parts(&runs(&workspace, "drift.sh", 2).stdout, &["By hand"]);
}

/// The address of the provider is unknown in every plan, because of the time.
const UNKNOWN_URL: &str = "variable \"url\" {}
provider \"access\" {
  base_url = \"${var.url}${replace(timestamp(), \"/.*/\", \"\")}\"
}
";

/// Nothing was compared, or not everything.
#[test]
fn plan_that_could_not_read_an_object_fails_the_check() {
    let nothing: fn(&Service) = |_| ();
    let refuse_reads = |service: &Service| service.respond_to_all("GET", 405, "{}");
    for (configuration, change) in
        [(ROLE.to_owned(), refuse_reads as fn(&Service)), (UNKNOWN_URL.to_owned() + ROLE, nothing)]
    {
        let service = Service::full();
        let workspace = service.workspace().with("TF_VAR_url", &service.base_url());
        workspace.apply_of(&configuration).succeeds();
        change(&service);
        let output = runs(&workspace, "drift.sh", 1);
        has_parts(&output.stderr, &["Could not read every object, so drift"]);
        assert_eq!(output.stdout, "", "{configuration}");
    }
}

/// The summary that the provider gives to each plan that could not read everything, for whatever
/// reason.
#[test]
fn warning_that_something_was_not_read_fails_the_check_and_others_do_not() {
    let (_service, workspace) = Service::with_applied(ROLE);
    let host = workspace.command(&[]).get_program().to_string_lossy().into_owned();
    let others = [
        "Could not check whether the role exists",
        "The word: could not read",
        "Version constraints inside provider configuration blocks are deprecated",
    ];
    for (summaries, code) in [(&["Could not read every object"][..], 1), (&others, 0)] {
        let lines = summaries.iter().map(|summary| {
            let diagnostic =
                json!({"severity": "warning", "summary": summary, "detail": "Because."});
            format!("echo '{}'\n", json!({"type": "diagnostic", "diagnostic": diagnostic}))
        });
        // The host, with more warnings.
        let lines: String = lines.collect();
        let script = format!("case $* in *' plan '*)\n{lines};; esac\nexec {host} \"$@\"");
        let bin = workspace.path().join("home-bin");
        std::fs::create_dir_all(&bin).expect("a directory");
        tool(&bin, "warning-host", &script);
        let mut command = command(&workspace, "drift.sh");
        let outcome = Outcome::of(command.env("TERRAFORM", bin.join("warning-host"))).exits(code);
        assert_eq!(outcome.stderr.contains("Because."), code == 1, "{}", outcome.output());
    }
}

/// Exit code 2 is drift, and nothing else.
#[test]
fn command_that_fails_with_2_is_no_drift() {
    let (_service, workspace) = Service::with_applied(ROLE);
    let bin = workspace.path().join("home-bin");
    std::fs::create_dir_all(&bin).expect("a directory");
    tool(&bin, "jq", "exit 2");
    let mut command = command(&workspace, "drift.sh");
    Outcome::of(command.env("PATH", path_from(&bin))).exits(1);
}
