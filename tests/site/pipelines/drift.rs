//! `drift.sh`: drift, its absence, and checks that cannot detect it.

use access_fake::OddList;
use serde_json::json;

use super::super::walkthrough::paste::{path_from, tool};
use super::{ROLE, applied, command, runs};
use crate::support::fixtures::{Text, owners};
use crate::support::{Outcome, Service, has_parts};

#[test]
fn drift_check_prints_a_line_without_drift_and_names_the_role_with_it() {
    let (service, mut workspace) = applied();
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
    workspace.apply_of(format!("{ROLE}{check}{team}")).succeeds();
    workspace.set("ACCESS_API_KEY", "reader-key");
    service.clear_requests();
    let output = runs(&workspace, "drift.sh", 0);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("No drift.\n", ""));

    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let output = runs(&workspace, "drift.sh", 2);
    let text = workspace.read("access-drift/summary.md");
    assert_eq!(output.stdout, text);
    assert!(text.starts_with("# Drift\n\n"), "{text}");
    let plan = "\n## What the next apply changes\n\nPlan: 0 to add, 1 to change, 0 to destroy.\n";
    let roles = "\n## Roles, effective for new requests\n\n- `listings/github/roles/viewer`";
    has_parts(
        &text,
        &["\n## Changed outside Terraform\n\n- `listings/github/roles/viewer`", roles, plan],
    );

    service.remove_role("github", "viewer");
    let text = runs(&workspace, "drift.sh", 2).stdout;
    has_parts(
        &text,
        &["\n## Changed outside Terraform\n\n- `listings/github/roles/viewer`", "1 to add"],
    );
    assert_eq!(service.writes().len(), 0, "looking for drift changes nothing");
}

/// Drift that no apply corrects is in no planned change.
#[test]
fn drift_that_the_plan_leaves_alone_fails_the_check() {
    let ignoring = |attribute: &str| {
        let lifecycle =
            format!("lifecycle {{\n    ignore_changes = [{attribute}]\n  }}\n  priority");
        ROLE.replace("priority", &lifecycle)
    };
    for (configuration, change, shown) in [
        (ROLE.to_owned(), json!({"resources": ["repositories/website"]}), "repositories/website"),
        (ignoring("display_name"), json!({"displayName": "By hand"}), "By hand"),
    ] {
        let service = Service::full();
        let workspace = service.applied(&configuration);
        runs(&workspace, "drift.sh", 0);
        service.change_role("github", "viewer", change);
        workspace.plan().exits(0);
        let text = runs(&workspace, "drift.sh", 2).stdout;
        has_parts(&text, &["## Changed outside Terraform", shown, "0 to change"]);
    }
}

/// The list shows an owner who was added outside Terraform.
#[test]
fn owner_who_was_added_outside_is_drift_of_a_list() {
    let service = Service::full();
    let list = owners(&["users/founder", "users/ada"]).text("integration", "github");
    let workspace = service.applied(Text(list.to_string()));
    service.put_owner("github", "eve", "users/eve");
    let text = runs(&workspace, "drift.sh", 2).stdout;
    has_parts(&text, &["## Changed outside Terraform", "users/eve"]);
}

#[test]
fn drift_check_that_may_not_read_everything_is_refused() {
    let (service, mut workspace) = applied();
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
        ("", "TF_CLI_ARGS_plan", "-parallelism=2", ""),
    ] {
        let block = if provider.is_empty() { "" } else { &format!("{off}{provider}\n}}\n") };
        workspace.configure(format!("{block}{ROLE}"));
        workspace.set(name, value);
        let output = runs(&workspace, "drift.sh", if refused.is_empty() { 2 } else { 1 });
        assert!(output.stderr.contains(refused), "{provider} {name}={value}: {}", output.stderr);
        workspace.set(name, "");
    }
    service.respond_to_all("GET", 403, r#"{"message":"not for this key"}"#);
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("not for this key"), "{}", output.stderr);
    // Terraform keeps a plan that has failed, whose report is about nothing.
    assert!(output.stderr.starts_with("## The drift check failed\n"), "{}", output.stderr);
    assert!(!output.output().contains("No change of access"), "{}", output.output());
}

/// The address of the provider is unknown in every plan, because of the time.
const UNKNOWN_URL: &str = "variable \"url\" {}
provider \"access\" {
  base_url = \"${var.url}${replace(timestamp(), \"/.*/\", \"\")}\"
}
";

/// Adds an entry that is no owner to the list of owners.
fn add_odd_owner(service: &Service) {
    let collection = Some("integrations/okta/owners".to_owned());
    let odd = OddList { collection, insert: vec![json!(17)], ..OddList::default() };
    service.change_world(|world| world.lists.push(odd));
}

/// Nothing was compared, or not everything.
#[test]
fn plan_that_could_not_read_an_object_fails_the_check() {
    let nothing: fn(&Service) = |_| ();
    let all_owners = owners(&["users/founder"]);
    for (service, configuration, change) in [
        (Service::documented_only(405), ROLE.to_owned(), nothing),
        (Service::full(), all_owners.to_string(), add_odd_owner as fn(&Service)),
        (Service::full(), UNKNOWN_URL.to_owned() + ROLE, nothing),
    ] {
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
    let (_service, workspace) = applied();
    let host = workspace.command(&[]).get_program().to_string_lossy().into_owned();
    for (summary, code) in [
        ("Could not read every object", 1),
        ("Could not check whether the role exists", 0),
        ("The word: could not read", 0),
        ("Version constraints inside provider configuration blocks are deprecated", 0),
    ] {
        let diagnostic = json!({"type": "diagnostic", "diagnostic": {"severity": "warning", "summary": summary, "detail": "Because."}});
        // The host, with a warning more.
        let script = format!("[ \"$1\" != plan ] || echo '{diagnostic}'\nexec {host} \"$@\"");
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
    let (_service, workspace) = applied();
    let bin = workspace.path().join("home-bin");
    std::fs::create_dir_all(&bin).expect("a directory");
    tool(&bin, "jq", "exit 2");
    let mut command = command(&workspace, "drift.sh");
    Outcome::of(command.env("PATH", path_from(&bin))).exits(1);
}
