//! Creates of objects that exist, or that may exist: the check at plan, creates without a check,
//! applies that were interrupted or killed.

use access_fake::{Absence, Action, Fault, HiddenObject, World};
use serde_json::json;

use super::{display_name, owner, owners_named, role, start, workspace, writes};
#[cfg(target_os = "linux")]
use crate::support::process::{children_of, kill_outright};
#[cfg(unix)]
use crate::support::process::{interrupt, start_apply, wait_until};

fn both(more: &str) -> String {
    role("viewer", "viewer", more) + &owner("ada", "users/ada", more)
}

fn theirs() -> serde_json::Value {
    json!({"displayName": "Theirs", "priority": "7", "description": "Of another team"})
}

#[test]
fn plan_refuses_an_existing_object_with_its_import_block() {
    for mode in ["auto", "list"] {
        let service = start(World::default());
        service.service().put_role("github", "viewer", &theirs()).unwrap();
        service.service().put_owner("github", "own-7", &json!({"owner": "users/ada"})).unwrap();
        let workspace = workspace(&service).with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&both(""));
        let errors = workspace.plan().exits(1).errors();
        assert_eq!(errors.len(), 2, "{mode}: {errors:#?}");
        for id in ["listings/github/roles/viewer", "integrations/github/owners/own-7"] {
            let block = format!("id = \"{id}\"");
            assert!(errors.iter().any(|error| error.contains(&block)), "{mode}: {errors:#?}");
        }
        assert_eq!(writes(&service), 0, "{mode}");
    }
}

#[test]
fn plan_that_adopts_names_the_present_values() {
    let service = start(World::default());
    service.service().put_role("github", "viewer", &theirs()).unwrap();
    service.service().put_owner("github", "own-7", &json!({"owner": "users/ada"})).unwrap();
    let workspace = workspace(&service);
    workspace.configure(&both("  adopt_existing = true"));
    let warnings = workspace.plan().exits(2).warnings();
    let warning = |summary: &str| {
        let found = warnings.iter().find(|warning| warning.starts_with(summary));
        found.unwrap_or_else(|| panic!("{summary}: {warnings:#?}"))
    };
    let of_role = warning("An existing listing role will be adopted");
    for part in
        ["`display_name`, now \"Theirs\"", "`priority`, now 7", "`description`, now \"Of another"]
    {
        assert!(of_role.contains(part), "{of_role}");
    }
    assert!(!of_role.contains("`resources`"), "not configured, not overwritten: {of_role}");
    warning("An existing integration owner will be adopted");
    workspace.apply().succeeds();
    assert_eq!(display_name(&service, "viewer"), "Viewer");
    assert_eq!(owners_named(&service, "users/ada"), 1);
}

#[test]
fn create_that_could_not_check_warns_under_every_drift_detection() {
    for status in [404, 405, 501, 403] {
        for mode in ["auto", "list", "patch", "off"] {
            let case = format!("{status}, {mode}");
            let world = match Absence::of_status(status) {
                Some(absence) => World::documented_only(absence),
                None => World {
                    hidden: vec![HiddenObject {
                        object: "listings/*".to_owned(),
                        get: Some(status),
                        list: Some(status),
                        ..HiddenObject::default()
                    }],
                    ..World::default()
                },
            };
            let service = start(world);
            // The times show which of the two roles is older than the run, even if the run is slow.
            let mut new = theirs();
            new["createTime"] = json!("2100-01-02T03:04:05Z");
            service.service().put_role("github", "viewer", &new).unwrap();
            let mut old = theirs();
            old["createTime"] = json!("2020-01-02T03:04:05Z");
            service.service().put_role("github", "editor", &old).unwrap();
            let workspace = workspace(&service).with("ACCESS_DRIFT_DETECTION", mode);
            workspace.configure(&(role("viewer", "viewer", "") + &role("editor", "editor", "")));
            let warnings = workspace.apply().succeeds().warnings();
            for (summary, name) in [
                ("An existing role may have been overwritten", "listings/github/roles/viewer"),
                ("An existing role was overwritten", "listings/github/roles/editor"),
            ] {
                let found =
                    |warning: &&String| warning.starts_with(summary) && warning.contains(name);
                assert_eq!(warnings.iter().filter(found).count(), 1, "{case}: {warnings:#?}");
            }
        }
    }
}

#[test]
fn create_whose_response_was_lost_is_no_conflict() {
    for world in [World::default(), World::documented_only(Absence::MethodNotAllowed)] {
        let service = start(world);
        let lost = Fault::new(Action::ResetAfterProcessing).on("PATCH").times(1);
        service.service().add_fault(lost);
        let workspace = workspace(&service);
        workspace.configure(&role("viewer", "viewer", ""));
        workspace.apply().succeeds();
        assert_eq!(writes(&service), 2);
        workspace.plan().exits(0);
    }
}

#[test]
#[cfg(unix)]
fn interrupted_create_keeps_its_role_and_does_not_warn_about_reads() {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&both(""));
    let held = Fault::new(Action::Hold { processed: true });
    service.service().add_fault(held.clone().on("PATCH"));
    service.service().add_fault(held.on("POST"));
    let apply = start_apply(&workspace);
    wait_until("both objects are written", || {
        owners_named(&service, "users/ada") == 1 && display_name(&service, "viewer") == "Viewer"
    });
    interrupt(&apply, &workspace);
    service.service().clear_faults();
    let output = apply.wait_with_output().expect("terraform ends");
    let output =
        [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)].concat();
    for text in ["overwritten", "Drift detection unavailable", "could not check"] {
        assert!(!output.contains(text), "{output}");
    }
    assert_eq!(workspace.state_size(), 2, "{output}");
    workspace.plan().exits(0).without_warnings();
}

#[test]
#[cfg(target_os = "linux")]
fn killed_apply_is_an_error_with_the_import_block_that_then_works() {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&both(""));
    let lost = Fault::new(Action::HangAfterProcessing);
    service.service().add_fault(lost.clone().on("PATCH"));
    service.service().add_fault(lost.on("POST"));
    let mut apply = start_apply(&workspace);
    wait_until("both objects are written", || {
        owners_named(&service, "users/ada") == 1 && display_name(&service, "viewer") == "Viewer"
    });
    let plugins = children_of(apply.id());
    apply.kill().expect("terraform is killed");
    plugins.into_iter().for_each(kill_outright);
    apply.wait().expect("terraform ends");
    service.service().clear_faults();
    service.service().clear_requests();

    let errors = workspace.apply().exits(1).errors();
    assert_eq!(errors.len(), 2, "{errors:#?}");
    let mut imports = String::new();
    for error in &errors {
        assert!(error.contains("an earlier apply was interrupted"), "{error}");
        let start = error.find("import {").expect("an import block");
        let end = error[start..].find('}').expect("its end");
        let block = &error[start..=start + end];
        imports += &block
            .replace("access_listing_role.example", "access_listing_role.viewer")
            .replace("access_integration_owner.example", "access_integration_owner.ada");
        imports.push('\n');
    }
    assert_eq!(writes(&service), 0);
    workspace.configure(&(both("") + &imports));
    workspace.apply().succeeds();
    assert_eq!(workspace.state_size(), 2);
    workspace.configure(&both(""));
    workspace.plan().exits(0);
    assert_eq!(owners_named(&service, "users/ada"), 1);
}
