//! Contents of plans and errors: the repository, read-only attributes, a mode without reads, a
//! wrong key, imports by principal.

use access_fake::World;
use serde_json::{Value, json};

use super::{display_name, owner, role, start, workspace, writes};
use crate::support::{Feature, Workspace, host_version};

const REPOSITORY: &str = "https://github.com/acme/access";

/// Returns the planned change of a resource, from a saved plan.
fn planned_change(workspace: &Workspace, address: &str) -> Value {
    workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
    let shown = workspace.run(&["show", "-json", "saved.tfplan"]).succeeds();
    let plan: Value = serde_json::from_str(&shown.stdout).expect("a plan of JSON");
    let changes = plan["resource_changes"].as_array().expect("changes");
    let change = changes.iter().find(|change| change["address"] == address);
    change.expect("a change of the resource")["change"].clone()
}

#[test]
fn planned_repository_is_concrete_and_is_what_the_apply_records() {
    let service = start(World::default());
    let workspace = workspace(&service)
        .with("ACCESS_REPO_URI", REPOSITORY)
        .with("ACCESS_REPO_DIR", "live/github");
    workspace.configure(&role("viewer", "viewer", ""));
    let change = planned_change(&workspace, "access_listing_role.viewer");
    assert_eq!(change["after"]["repo_uri"], REPOSITORY);
    assert_eq!(change["after"]["repo_dir"], "live/github");

    workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]).succeeds();
    let role = service.service().role("github", "viewer").unwrap();
    assert_eq!(role["repoUri"], REPOSITORY);
    assert_eq!(role["repoDir"], "live/github");
}

#[test]
fn saved_plan_never_records_another_repository() {
    let service = start(World::default());
    let mut workspace = workspace(&service).with("ACCESS_REPO_URI", REPOSITORY);
    workspace.configure(&role("viewer", "viewer", ""));
    workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
    workspace.set("ACCESS_REPO_URI", "https://github.com/other/place");
    let outcome = workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]);
    let recorded = service.service().role("github", "viewer").unwrap_or_default();
    let (recorded, code) = (recorded["repoUri"].clone(), outcome.code);
    // Terraform before 1.16 plans again without what was planned, and refuses another value.
    assert!(recorded == REPOSITORY || (recorded.is_null() && code == 1), "{}", outcome.output());
}

#[test]
fn planned_repository_is_null_if_none_is_found() {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&role("viewer", "viewer", ""));
    let change = planned_change(&workspace, "access_listing_role.viewer");
    for attribute in ["repo_uri", "repo_dir"] {
        assert_eq!(change["after"][attribute], Value::Null, "{change}");
        assert_ne!(change["after_unknown"][attribute], true, "{change}");
    }
}

#[test]
fn edit_shows_only_what_it_changes() {
    let service = start(World::default());
    let workspace = workspace(&service).with("ACCESS_REPO_URI", REPOSITORY);
    workspace.configure(&role("viewer", "viewer", ""));
    workspace.apply().succeeds();
    workspace.configure(&role("viewer", "viewer", "  description = \"More\""));
    let change = planned_change(&workspace, "access_listing_role.viewer");
    let unknown = change["after_unknown"].as_object().unwrap();
    let unknown: Vec<&String> =
        unknown.iter().filter(|(_, value)| **value == true).map(|(name, _)| name).collect();
    assert_eq!(unknown, ["update_time"]);
    let (before, after) = (change["before"].as_object().unwrap(), &change["after"]);
    let changed: Vec<&String> = before
        .iter()
        .filter(|(name, value)| &after[*name] != *value)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(changed, ["description", "update_time"]);
}

#[test]
fn plan_without_reads_warns_once() {
    let service = start(World::default());
    let workspace = workspace(&service).with("ACCESS_DRIFT_DETECTION", "off");
    workspace.configure(
        &(role("viewer", "viewer", "")
            + &role("editor", "editor", "")
            + &owner("ada", "users/ada", "")),
    );
    workspace.apply().succeeds();
    let warnings = workspace.plan().exits(0).warnings();
    let off = |warning: &&String| warning.starts_with("Drift detection is off");
    assert_eq!(warnings.iter().filter(off).count(), 1, "{warnings:#?}");
}

#[test]
fn read_only_attribute_is_refused_at_validate() {
    let service = start(World::default());
    let workspace = workspace(&service);
    let set = "  create_time = \"2020-01-02T03:04:05Z\"";
    workspace.configure(&format!(
        "{}{}data \"access_listing_role\" \"one\" {{
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
}}
",
        role("viewer", "viewer", set),
        owner("ada", "users/ada", set)
    ));
    let outcome = workspace.run(&["validate", "-json"]).exits(1);
    let result: Value = serde_json::from_str(&outcome.stdout).expect("a result of JSON");
    let diagnostics = result["diagnostics"].as_array().expect("diagnostics");
    let mut errors: Vec<(&str, &str)> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic["severity"] == "error")
        .map(|error| {
            let line = error["snippet"]["code"].as_str().expect("the line of the attribute");
            (error["summary"].as_str().expect("a summary"), line.trim())
        })
        .collect();
    errors.sort_unstable();
    let refused = "Read-only attribute";
    let time = set.trim();
    assert_eq!(errors, [(refused, time), (refused, time), (refused, "display_name = \"Viewer\"")]);
    assert_eq!(service.service().requests().len(), 0);
}

#[test]
fn wrong_key_for_many_roles_is_one_error_and_a_line_for_each_other_role() {
    let service = start(World::default());
    let mut workspace = workspace(&service);
    workspace.configure(
        "resource \"access_listing_role\" \"many\" {
  count        = 40
  listing      = \"github\"
  role         = \"role-${count.index}\"
  display_name = \"Role\"
  priority     = count.index
}
",
    );
    workspace.set("ACCESS_API_KEY", "wrong-key");
    let output = workspace.run(&["plan", "-no-color", "-lock=false"]).exits(1);
    let errors = &output.stderr;
    assert!(errors.lines().count() < 250, "{errors}");
    let advice = "The API key is missing or not valid there";
    assert_eq!(errors.matches(advice).count(), 1, "the advice is given once: {errors}");
    assert!(!output.output().contains("wrong-key"));
    let outcome = workspace.plan();
    let mut reported = [outcome.errors(), outcome.warnings()].concat();
    reported.retain(|text| text.contains("401"));
    for role in 0..40 {
        let named = |text: &&String| text.contains(&format!("roles/role-{role}:"));
        assert_eq!(reported.iter().filter(named).count(), 1, "role-{role}: {reported:#?}");
    }
    assert_eq!(writes(&service), 0);
}

#[test]
fn wrong_key_for_many_refreshed_roles_is_one_error_and_a_line_for_each_other_role() {
    let service = start(World::default());
    let mut workspace = workspace(&service);
    workspace.configure(
        "resource \"access_listing_role\" \"many\" {
  count        = 40
  listing      = \"github\"
  role         = \"role-${count.index}\"
  display_name = \"Role\"
  priority     = count.index
}
",
    );
    workspace.apply().succeeds();
    workspace.set("ACCESS_API_KEY", "wrong-key");
    for arguments in [
        &["plan", "-no-color", "-lock=false"][..],
        &["apply", "-no-color", "-lock=false", "-auto-approve"],
    ] {
        let output = workspace.run(arguments).exits(1);
        let lines = output.stdout.lines().count() + output.stderr.lines().count();
        assert!(lines < 250, "{}", output.output());
    }
    // Terraform prints the objects to destroy before it calls the provider.
    let destroy = ["destroy", "-no-color", "-lock=false", "-auto-approve", "-refresh=false"];
    let output = workspace.run(&destroy).exits(1);
    assert!(output.stderr.lines().count() < 250, "{}", output.stderr);
    assert_eq!(workspace.state_size(), 40);
    assert_eq!(display_name(&service, "role-7"), "Role");
}

/// Imports by an ID, and returns the workspace and its outcome.
fn import(service: &access_fake::Running, import: &str) -> (Workspace, crate::support::Outcome) {
    let workspace = workspace(service);
    workspace.configure(&format!(
        "{}import {{\n  to = access_integration_owner.ada\n  {import}\n}}\n",
        owner("ada", "users/ada", "")
    ));
    let outcome = workspace.apply();
    (workspace, outcome)
}

#[test]
fn import_by_principal_finds_the_one_owner() {
    let service = start(World { duplicate_owners: true, ..World::default() });
    let by_principal = "id = \"github/users/ada\"";
    let put = |id: &str, principal: &str| {
        service.service().put_owner("github", id, &json!({"owner": principal})).unwrap();
    };
    put("own-7", "users/grace");
    let (_, absent) = import(&service, by_principal);
    let error = absent.exits(1).only_error();
    assert!(error.contains("integrations/github/owners/own-7 users/grace"), "{error}");

    put("own-8", "users/ada");
    let (workspace, found) = import(&service, by_principal);
    found.succeeds();
    let state = workspace.state_of("access_integration_owner.ada").unwrap();
    assert_eq!(state["id"], "integrations/github/owners/own-8");

    put("own-9", "users/ada");
    let (_, ambiguous) = import(&service, by_principal);
    let error = ambiguous.exits(1).only_error();
    for id in ["own-8", "own-9"] {
        assert!(error.contains(&format!("integrations/github/owners/{id}")), "{error}");
    }
    assert!(!error.contains("own-7"), "{error}");
    assert_eq!(writes(&service), 0);
}

#[test]
fn identity_with_a_principal_is_an_error_that_names_the_import_id() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    let service = start(World::default());
    let identity = "identity = {\n    integration = \"github\"\n    owner = \"users/ada\"\n  }";
    let (_, refused) = import(&service, identity);
    let error = refused.exits(1).errors().join("\n");
    assert!(error.contains("github/users/ada"), "the import ID that works: {error}");
}
