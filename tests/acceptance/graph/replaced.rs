//! Replacements write to the resource's own object only: not to another region's, not to one
//! that was created again, and not to one that the saved plan did not know.

use std::net::SocketAddr;

use access_fake::{Running, World};
use serde_json::json;

use super::{display_name, owner, owners_named, role, start, workspace, writes};
use crate::support::{Feature, Workspace, host_version};

const ADDRESSES: [&str; 3] =
    ["access_listing_role.viewer", "access_integration_owner.ada", "access_integration_owners.all"];

/// Returns a resource of each type. `more` is added to each body.
fn all(more: &str) -> String {
    role("viewer", "viewer", more)
        + &owner("ada", "users/ada", &format!("  integration_owner_id = \"ada\"\n{more}"))
        + &format!(
            "resource \"access_integration_owners\" \"all\" {{
  integration = \"okta\"
  owners      = [\"users/ada\"]
{more}
}}
"
        )
}

fn create_before_destroy(does: bool) -> String {
    format!("  lifecycle {{\n    create_before_destroy = {does}\n  }}")
}

/// Returns a service that has other objects of the same names.
fn other_region() -> Running {
    let service = start(World::default());
    add_okta(&service);
    let theirs = json!({"displayName": "Theirs", "priority": "7"});
    service.service().put_role("github", "viewer", &theirs).unwrap();
    service.service().put_owner("github", "ada", &json!({"owner": "users/ada"})).unwrap();
    service.service().put_owner("okta", "own-9", &json!({"owner": "users/ada"})).unwrap();
    service
}

/// Adds an integration without owners.
fn add_okta(service: &Running) {
    service.service().put_integration("okta");
    assert!(service.service().remove_owner("okta", "founder"));
}

fn applied(service: &Running, more: &str) -> Workspace {
    add_okta(service);
    let workspace = workspace(service);
    workspace.configure(&all(more));
    workspace.apply().succeeds();
    workspace
}

#[test]
fn replacement_at_another_address_is_refused() {
    let elsewhere = other_region();
    for (mode, refresh) in [("off", "-refresh=true"), ("auto", "-refresh=false")] {
        for policy in ["delete", "abandon"] {
            for first in [true, false] {
                let home = start(World::default());
                let mut workspace = applied(&home, &create_before_destroy(first));
                let state = workspace.state();
                workspace.set("ACCESS_BASE_URL", &elsewhere.base_url());
                workspace.set("ACCESS_DRIFT_DETECTION", mode);
                workspace.set("ACCESS_DELETION_POLICY", policy);
                let case = format!("{mode}, {policy}, create_before_destroy = {first}");
                for address in ADDRESSES {
                    let replace = format!("-replace={address}");
                    let outcome = workspace.apply_with(&[&replace, refresh]).exits(1);
                    let errors = outcome.errors().join("\n");
                    assert!(errors.contains(&home.base_url()), "{case}: {errors}");
                    assert!(errors.contains(&elsewhere.base_url()), "{case}: {errors}");
                }
                assert_eq!(workspace.state()["resources"], state["resources"], "{case}");
                assert_eq!(writes(&elsewhere), 0, "{case}");
            }
        }
    }
}

#[test]
fn tainted_objects_at_another_address_are_kept() {
    if !host_version().supports(Feature::SameNameReplacement) {
        return;
    }
    let elsewhere = other_region();
    let empty = start(World::default());
    for (mode, refresh) in [("off", "-refresh=true"), ("auto", "-refresh=false")] {
        for first in [true, false] {
            for region in [&elsewhere, &empty] {
                let home = start(World::default());
                let mut workspace = applied(&home, &create_before_destroy(first));
                for address in ADDRESSES {
                    workspace.run(&["taint", "-lock=false", address]).succeeds();
                }
                workspace.set("ACCESS_BASE_URL", &region.base_url());
                workspace.set("ACCESS_DRIFT_DETECTION", mode);
                let outcome = workspace.apply_with(&[refresh]);
                let case = format!("{mode}, create_before_destroy = {first}: {}", outcome.output());
                assert_eq!(outcome.code, 1, "{case}");
                let state = workspace.state().to_string();
                for kept in ["listings/github/roles/viewer", "integrations/github/owners/ada"] {
                    assert!(state.contains(kept), "{case}");
                }
                let deletes = region.service().requests();
                let deletes = deletes.iter().filter(|request| request.method == "DELETE").count();
                assert_eq!(deletes, 0, "{case}");
            }
        }
    }
    assert_eq!(display_name(&elsewhere, "viewer"), "Theirs");
}

#[test]
fn role_that_was_created_again_by_another_is_not_overwritten_by_its_replacement() {
    if !host_version().supports(Feature::SameNameReplacement) {
        return;
    }
    for (mode, refresh) in [("off", "-refresh=true"), ("auto", "-refresh=false")] {
        let service = start(World::default());
        let workspace =
            applied(&service, &create_before_destroy(true)).with("ACCESS_DRIFT_DETECTION", mode);
        service.service().remove_role("github", "viewer");
        service.service().remove_owner("github", "ada");
        let theirs = json!({"displayName": "Theirs", "priority": "7"});
        service.service().put_role("github", "viewer", &theirs).unwrap();
        service.service().put_owner("github", "ada", &json!({"owner": "users/ada"})).unwrap();
        service.service().clear_requests();
        for address in &ADDRESSES[..2] {
            let replace = format!("-replace={address}");
            let outcome = workspace.apply_with(&[&replace, refresh]);
            assert_eq!(outcome.code, 1, "{mode}: {}", outcome.output());
            assert!(outcome.output().contains("import {"), "{mode}: {}", outcome.output());
        }
        assert_eq!(display_name(&service, "viewer"), "Theirs", "{mode}");
        assert_eq!(writes(&service), 0, "{mode}");
        assert_eq!(workspace.state_size(), 3, "{mode}");
    }
}

#[test]
fn saved_replacement_keeps_the_object_under_every_drift_detection_and_policy() {
    if !host_version().supports(Feature::SavedSameNameReplacement) {
        return;
    }
    for mode in ["auto", "list", "patch", "off"] {
        for (policy, first) in [("delete", true), ("abandon", true), ("abandon", false)] {
            let service = start(World::default());
            let workspace = applied(&service, &create_before_destroy(first))
                .with("ACCESS_DRIFT_DETECTION", mode)
                .with("ACCESS_DELETION_POLICY", policy);
            let case = format!("{mode}, {policy}, create_before_destroy = {first}");
            let replaces = ADDRESSES[..2].iter().map(|address| format!("-replace={address}"));
            let mut arguments: Vec<String> = replaces.collect();
            arguments.push("-out=saved.tfplan".to_owned());
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            workspace.plan_with(&arguments).exits(2);
            let apply = workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]);
            assert_eq!(apply.code, 0, "{case}: {}", apply.output());
            assert_eq!(workspace.state_size(), 3, "{case}");
            assert_eq!(display_name(&service, "viewer"), "Viewer", "{case}");
            assert_eq!(owners_named(&service, "users/ada"), 1, "{case}");
            workspace.plan().exits(0);
        }
    }
}

#[test]
fn saved_plan_with_unknown_settings_overwrites_no_object() {
    let provider = "resource \"terraform_data\" \"repository\" {
  input = \"https://example.com/a/b\"
}
provider \"access\" {
  repo_uri = terraform_data.repository.output
}
";
    for mode in ["auto", "off"] {
        let service = other_region();
        let workspace = workspace(&service).with("ACCESS_DRIFT_DETECTION", mode);
        let objects = role("viewer", "viewer", "  resources = []") + &owner("ada", "users/ada", "");
        workspace.configure(&(provider.to_owned() + &objects));
        workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
        let apply = workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]).exits(1);
        assert!(apply.output().contains("import {"), "{mode}: {}", apply.output());
        assert_eq!(display_name(&service, "viewer"), "Theirs", "{mode}");
        assert_eq!(writes(&service), 0, "{mode}");
        assert_eq!(workspace.state_size(), 1, "{mode}");
    }
}

/// The attributes that mark a plan are unknown here because of the configuration.
#[test]
fn adoption_that_turns_out_to_be_unset_is_refused_by_a_saved_plan() {
    let unknown = "resource \"terraform_data\" \"flag\" {\n  input = \"no\"\n}\n";
    let expression = "terraform_data.flag.output == \"yes\" ? true : null";
    let adopts = format!("  adopt_existing = {expression}");
    let missing = format!("  allow_missing  = {}", expression.replace("true", "false"));
    let policy = "  deletion_policy = \"delete\"";
    for more in [adopts.clone(), format!("{adopts}\n{policy}")] {
        let service = other_region();
        let workspace = workspace(&service);
        let of_role = if more == adopts { format!("{adopts}\n{missing}") } else { more.clone() };
        let objects = role("viewer", "viewer", &of_role) + &owner("ada", "users/ada", &more);
        workspace.configure(&(unknown.to_owned() + &objects));
        workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
        let apply = workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]).exits(1);
        assert!(apply.output().contains("import {"), "{}", apply.output());
        assert_eq!(display_name(&service, "viewer"), "Theirs");
        assert_eq!(writes(&service), 0);
        assert_eq!(workspace.state_size(), 1);
    }
}

#[test]
fn tainted_objects_with_other_names_are_kept_at_another_address() {
    let elsewhere = other_region();
    elsewhere.service().put_integration("slack");
    assert!(elsewhere.service().remove_owner("slack", "founder"));
    for (mode, refresh) in [("off", "-refresh=true"), ("auto", "-refresh=false")] {
        let home = start(World::default());
        let mut workspace = applied(&home, "");
        for address in ADDRESSES {
            workspace.run(&["taint", "-lock=false", address]).succeeds();
        }
        let renamed = all("")
            .replace("role         = \"viewer\"", "role         = \"editor\"")
            .replace("owner       = \"users/ada\"", "owner       = \"users/ben\"")
            .replace("id = \"ada\"", "id = \"ben\"")
            .replace("okta", "slack");
        workspace.configure(&renamed);
        workspace.set("ACCESS_BASE_URL", &elsewhere.base_url());
        workspace.set("ACCESS_DRIFT_DETECTION", mode);
        let outcome = workspace.apply_with(&[refresh]).exits(1);
        for kind in ["listing role", "integration owner", "list of owners"] {
            let part = format!("the {kind} is tainted");
            assert!(outcome.output().contains(&part), "{mode}: {}", outcome.output());
        }
        let requests = elsewhere.service().requests();
        assert!(requests.iter().all(|request| request.method != "DELETE"), "{mode}");
        assert_eq!(workspace.state_size(), 3, "{mode}");
    }
    assert_eq!(display_name(&elsewhere, "viewer"), "Theirs");
}

#[test]
fn tainted_objects_are_replaced_after_the_service_has_moved() {
    let old = start(World::default());
    let mut workspace = applied(&old, "");
    for address in ADDRESSES {
        workspace.run(&["taint", "-lock=false", address]).succeeds();
    }
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let new = Running::start_blocking(old.service().clone(), any_port).expect("a second address");
    workspace.set("ACCESS_BASE_URL", &new.base_url());
    workspace.apply().succeeds();
    assert_eq!(workspace.state_size(), 3);
    assert_eq!(owners_named(&new, "users/ada"), 1);
    workspace.plan().exits(0);
}

/// The destroy reads the old object at the new address.
#[test]
fn objects_get_other_names_after_the_service_has_moved() {
    let old = start(World::default());
    let mut workspace = workspace(&old).with("ACCESS_DRIFT_DETECTION", "off");
    workspace.configure(&(role("viewer", "viewer", "") + &owner("ada", "users/ada", "")));
    workspace.apply().succeeds();
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let new = Running::start_blocking(old.service().clone(), any_port).expect("a second address");
    workspace.set("ACCESS_BASE_URL", &new.base_url());
    workspace.configure(&(role("viewer", "editor", "") + &owner("ada", "users/ben", "")));
    workspace.apply().succeeds();
    assert_eq!(display_name(&new, "viewer"), json!(null));
    assert_eq!(display_name(&new, "editor"), "Viewer");
    assert_eq!((owners_named(&new, "users/ada"), owners_named(&new, "users/ben")), (0, 1));
}
