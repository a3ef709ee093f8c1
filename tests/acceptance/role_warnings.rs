//! Warnings about roles in plans and creates: the effect on access, existing roles that are adopted,
//! and managers that other clients took away.

use serde_json::json;

use crate::support::{Feature, Outcome, Service, Workspace, host_version};

const ROLE: &str = "access_listing_role.viewer";
const NOT_CARRIED_OVER: &str = "The replacement will not have the role's resources";
const MAY_BE_LOST: &str = "The replacement may not have the role's resources";
const LOST: &str = "The replacement does not have the role's resources";
const REVOKES_NOTHING: &str = "Replacing a role does not revoke access";
const ENTITLEMENTS: &str = "Changing resources does not change granted access";

fn viewer(more: &str) -> String {
    format!(
        "resource \"access_listing_role\" \"viewer\" {{
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 1
{more}
}}
"
    )
}

/// Returns the configuration with a value that is known only after apply.
fn with_unknown(value: &str, more: &str) -> String {
    format!("resource \"terraform_data\" \"unknown\" {{\n  input = {value}\n}}\n{}", viewer(more))
}

fn existing() -> serde_json::Value {
    json!({"displayName": "Theirs", "priority": "7", "resources": ["repo/old"],
           "createTime": "2020-01-02T03:04:05Z"})
}

/// Imports the role of the service under this configuration.
fn import(service: &Service, configuration: &str) -> Workspace {
    let workspace = service.workspace();
    workspace.configure(configuration);
    workspace.run(&["import", "-lock=false", ROLE, "github/viewer"]).succeeds();
    workspace
}

/// Returns how many warnings of a run begin with this summary.
fn count(outcome: &Outcome, summary: &str) -> usize {
    outcome.warnings().iter().filter(|warning| warning.starts_with(summary)).count()
}

#[test]
fn same_name_replacement_warns_about_access_and_about_unmanaged_resources() {
    if !host_version().supports(Feature::SameNameReplacement) {
        return;
    }
    let in_place = "  lifecycle {\n    create_before_destroy = true\n  }";
    let managed = "  resources = [\"repo/old\"]";
    let (none, old) = (json!([]), json!(["repo/old"]));
    for (more, left) in [("", &none), (in_place, &old), (managed, &old)] {
        for trigger in ["replace", "taint", "saved plan"] {
            let case = format!("{more:?}, {trigger}");
            let service = Service::full();
            service.put_role("github", "viewer", existing());
            let workspace = import(&service, &viewer(more));
            let replaces = format!("-replace={ROLE}");
            let apply = match trigger {
                "replace" => workspace.apply_with(&[&replaces]),
                "taint" => {
                    workspace.run(&["taint", "-lock=false", ROLE]).succeeds();
                    let plan = workspace.plan().exits(2);
                    assert_eq!(count(&plan, REVOKES_NOTHING), 1, "{case}");
                    assert_eq!(count(&plan, MAY_BE_LOST), usize::from(more != managed), "{case}");
                    workspace.apply()
                }
                _ => {
                    workspace.plan_with(&[&replaces, "-out=saved.tfplan"]).exits(2);
                    workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"])
                }
            };
            let apply = apply.succeeds();
            assert_eq!(count(&apply, REVOKES_NOTHING), 1, "{case}: {:#?}", apply.warnings());
            // The plan of a tainted role has warned already.
            let lost = usize::from(more.is_empty() && trigger != "taint");
            assert_eq!(count(&apply, LOST), lost, "{case}: {:#?}", apply.warnings());
            assert_eq!(service.role("github", "viewer").unwrap()["resources"], *left, "{case}");
            workspace.plan().exits(0).without_warnings();
        }
    }
}

#[test]
fn replacement_that_abandons_the_role_keeps_its_resources() {
    let service = Service::full();
    service.put_role("github", "viewer", existing());
    let workspace = import(&service, &viewer("")).with("ACCESS_DELETION_POLICY", "abandon");
    let apply = workspace.apply_with(&[&format!("-replace={ROLE}")]).succeeds();
    assert_eq!(count(&apply, REVOKES_NOTHING), 1, "{:#?}", apply.warnings());
    assert_eq!(count(&apply, LOST), 0, "{:#?}", apply.warnings());
    assert_eq!(service.role("github", "viewer").unwrap()["resources"], json!(["repo/old"]));
}

#[test]
fn role_that_was_deleted_outside_terraform_is_created_and_not_replaced() {
    let service = Service::full();
    let workspace = service
        .workspace()
        .with("ACCESS_REPO_URI", "https://git.example.com/a/b")
        .with("ACCESS_REPO_DIR", "roles");
    workspace.configure(&viewer(""));
    workspace.apply().succeeds();
    service.remove_role("github", "viewer");
    let plan = workspace.plan_with(&["-out=saved.tfplan"]).exits(2).without_warnings();
    assert_eq!(plan.action(ROLE), "create");
    let shown = workspace.run(&["show", "-json", "saved.tfplan"]).succeeds();
    assert!(shown.stdout.contains("\"repo_dir\":\"roles\""), "{}", shown.stdout);
    // Another role that appears before the apply is not this resource's own.
    service.put_role("github", "viewer", existing());
    let saved = ["apply", "-json", "-lock=false", "saved.tfplan"];
    workspace.run(&saved).exits(1);
    assert_eq!(service.role("github", "viewer").unwrap()["displayName"], "Theirs");
}

#[test]
fn replacement_by_another_role_warns_about_unmanaged_resources() {
    let service = Service::full();
    service.put_role("github", "viewer", existing());
    let workspace = import(&service, &viewer(""));
    workspace.configure(&viewer("").replace("\"viewer\"\n", "\"reader\"\n"));
    let plan = workspace.plan().exits(2);
    assert_eq!(count(&plan, REVOKES_NOTHING), 1);
    assert_eq!(count(&plan, NOT_CARRIED_OVER), 1, "{:#?}", plan.warnings());
}

#[test]
fn adoption_that_is_known_after_apply_is_decided_by_the_create() {
    let adopts = "  adopt_existing = terraform_data.unknown.output";
    let requires = "  allow_missing = terraform_data.unknown.output";
    for (value, more, is_adopted) in [
        ("true", adopts, true),
        ("false", adopts, false),
        ("false", requires, true),
        ("true", requires, false),
    ] {
        let case = format!("{more} with {value}");
        let service = Service::full();
        service.put_role("github", "viewer", existing());
        let workspace = service.workspace();
        workspace.configure(&with_unknown(value, more));
        let plan = workspace.plan().exits(2);
        let attribute = more.split_whitespace().next().unwrap();
        let warnings = plan.warnings();
        let found =
            warnings.iter().find(|text| text.starts_with("An existing listing role may be"));
        let warning = found.unwrap_or_else(|| panic!("{case}: {warnings:#?}"));
        for part in [&format!("`{attribute}`"), "depends", "`display_name`, now \"Theirs\""] {
            assert!(warning.contains(part), "{case}, {part}: {warning}");
        }
        assert_eq!(count(&plan, "An existing listing role will be adopted"), 0, "{case}");

        let apply = workspace.apply();
        let role = service.role("github", "viewer").unwrap();
        if is_adopted {
            let apply = apply.succeeds();
            assert_eq!(count(&apply, "An existing listing role will be adopted"), 1, "{case}");
            assert_eq!(role["displayName"], "Viewer", "{case}");
        } else {
            apply.fails_with("the role exists already");
            assert_eq!(role["displayName"], "Theirs", "{case}");
            assert_eq!(service.writes().len(), 0, "{case}");
        }
    }
}

#[test]
fn adoption_without_a_check_warns_that_the_role_was_or_may_have_been_overwritten() {
    let adopts = "  adopt_existing = true";
    let requires = "  allow_missing = false";
    for (create_time, summary) in [
        ("2020-01-02T03:04:05Z", "An existing role was overwritten"),
        // Not older than the run: only the missing check is known.
        ("2100-01-02T03:04:05Z", "An existing role may have been overwritten"),
    ] {
        for (status, mode) in [(404, "auto"), (405, "auto"), (501, "patch"), (404, "off")] {
            for more in [adopts, requires] {
                let case = format!("{status}, {mode}, {more}");
                let service = Service::documented_only(status);
                let mut role = existing();
                role["createTime"] = json!(create_time);
                service.put_role("github", "viewer", role);
                let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
                workspace.configure(&viewer(more));
                let apply = workspace.apply().succeeds();
                let warnings = apply.warnings();
                assert_eq!(count(&apply, summary), 1, "{case}: {warnings:#?}");
                let overwritten = warnings.iter().filter(|text| text.contains("overwritten with"));
                assert_eq!(overwritten.count(), 1, "{case}: {warnings:#?}");
                let advice = warnings.iter().any(|text| text.contains("Set `adopt_existing"));
                assert!(!advice, "the configuration adopts already: {case}: {warnings:#?}");
            }
        }
    }
}

#[test]
fn adoption_that_the_plan_did_not_check_names_what_it_overwrote() {
    for (mode, by_plan, by_create) in [("auto", 1, 0), ("patch", 0, 1), ("off", 0, 1)] {
        let service = Service::full();
        service.put_role("github", "viewer", existing());
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&viewer("  adopt_existing = true"));
        let plan = workspace.plan().exits(2);
        assert_eq!(count(&plan, "An existing listing role will be adopted"), by_plan, "{mode}");
        let apply = workspace.apply().succeeds();
        let warnings = apply.warnings();
        let of_create = count(&apply, "An existing listing role was adopted");
        assert_eq!(of_create, by_create, "{mode}: {warnings:#?}");
        let before = "`display_name`, before \"Theirs\"";
        assert_eq!(warnings.iter().any(|text| text.contains(before)), by_create == 1, "{mode}");
    }
}

#[test]
fn imported_role_that_loses_its_manager_warns_until_it_is_claimed() {
    let lost = "The role was changed outside Terraform and lost its manager";
    for manager in [json!(null), json!("CONSOLE")] {
        let service = Service::full();
        let mut role = existing();
        role["displayName"] = json!("Viewer");
        role["priority"] = json!("1");
        role["manager"] = json!("TERRAFORM");
        service.put_role("github", "viewer", role);
        let workspace = import(&service, &viewer(""));
        workspace.plan().exits(0).without_warnings();

        service.change_role("github", "viewer", json!({ "manager": manager }));
        for _ in 0..2 {
            let plan = workspace.plan().exits(2);
            assert_eq!(count(&plan, lost), 1, "{manager}: {:#?}", plan.warnings());
            // The next plan begins with a state that shows the other manager already.
            workspace.apply_with(&["-refresh-only"]).succeeds();
        }
        workspace.apply().succeeds();
        workspace.plan().exits(0).without_warnings();
    }
}

#[test]
fn imported_role_that_never_had_the_manager_does_not_warn() {
    let service = Service::full();
    service.put_role("github", "viewer", existing());
    let workspace = import(&service, &viewer(""));
    workspace.plan().exits(2).without_warnings();
    workspace.apply_with(&["-refresh-only"]).succeeds();
    workspace.plan().exits(2).without_warnings();
}

#[test]
fn adoption_that_changes_resources_warns_about_entitlements() {
    for (more, warned) in [
        ("  resources = [\"repo/new\"]", 1),
        ("  resources = [terraform_data.unknown.output]", 1),
        ("  resources = toset(split(\",\", terraform_data.unknown.output))", 1),
        ("  resources = [\"repo/old\"]", 0),
        ("", 0),
    ] {
        let service = Service::full();
        service.put_role("github", "viewer", existing());
        let workspace = service.workspace();
        let configuration = with_unknown("\"repo/new\"", more);
        workspace.configure(
            &configuration.replace("  display_name", "  adopt_existing = true\n  display_name"),
        );
        let plan = workspace.plan().exits(2);
        let warnings = plan.warnings();
        assert_eq!(count(&plan, ENTITLEMENTS), warned, "{more}: {warnings:#?}");
        let named = warnings.iter().any(|text| text.contains("`resources`, now [\"repo/old\"]"));
        assert_eq!(named, warned == 1, "{more}: {warnings:#?}");
    }
}

#[test]
fn abandoned_role_warns_that_nothing_is_revoked() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer("  deletion_policy = \"abandon\""));
    workspace.apply().succeeds();
    let plan = workspace.plan_with(&["-destroy"]).exits(2);
    assert_eq!(count(&plan, "The listing role will stay at the service"), 1);
    let warnings = plan.warnings();
    assert_eq!(count(&plan, "Destroying a role does not revoke access"), 1, "{warnings:#?}");
}
