//! What has cost objects and states: applies that meet another service than their plan, gateways,
//! and objects that somebody recreated.

use access_fake::Fault;
use serde_json::json;

use crate::support::Service;
use crate::support::fixtures::{
    ADA, Block, LIST, Text, VIEWER, import, owner, owners, role, settings,
};

/// A plan inside an apply that fails leaves the object deposed. So it never fails because of a
/// response, and Terraform restores what it has deposed when the create fails.
#[test]
fn saved_plan_of_create_before_destroy_that_meets_a_failing_service_keeps_the_objects() {
    let all = |state: &str| {
        let [role, owner, list] = [
            role("viewer").text("role", state),
            owner("ada").text("owner", &format!("users/{state}")),
            owners(&["users/ada"]).text("integration", if state == "a" { "okta" } else { "empty" }),
        ]
        .map(Block::create_before_destroy);
        settings().set("max_retries", 0) + role + owner + list
    };
    let service = Service::with_empty_okta();
    service.put_integration("empty");
    service.remove_principal("empty", "users/founder");
    let mut workspace = service.applied(all("a"));
    workspace.configure(all("b"));
    for failure in ["key", "503"] {
        workspace.save_plan(&[]);
        match failure {
            "key" => workspace.set("ACCESS_API_KEY", "wrong-key"),
            _ => service.add_fault(Fault::respond(503, "{}")),
        }
        let outcome = workspace.apply_saved().exits(1);
        assert_eq!(workspace.deposed(), 0, "{failure}: {}", outcome.output());
        assert_eq!(workspace.state_size(), 3, "{failure}");
        assert_eq!(workspace.state_of(VIEWER).unwrap()["role"], "a", "{failure}");
        assert!(service.role("github", "a").is_some(), "{failure}");
        workspace.set("ACCESS_API_KEY", "admin-key");
        service.clear_faults();
    }
    // And afterwards the same edit is applied.
    workspace.apply().succeeds();
    assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0));
}

/// A deposed object that the configuration wants, and nothing current: the way that the errors
/// name.
#[test]
fn deposed_object_that_the_configuration_wants_is_removed_from_the_state_and_imported() {
    let service = Service::with_empty_okta();
    let all = || role("viewer") + owner("ada") + owners(&["users/ada"]);
    let workspace = service.applied(all());
    workspace.edit_state(|resources| {
        for resource in resources {
            resource["instances"][0]["deposed"] = json!("12345678");
        }
    });
    let plan = workspace.plan().exits(1);
    assert_eq!(plan.errors().len(), 3, "{}", plan.output());
    plan.fails_with(["deposed", "terraform state rm", "import", "-refresh=false"]);
    workspace.run(&["state", "rm", "-lock=false", VIEWER, ADA, LIST]).succeeds();
    let imports =
        import(VIEWER, "github/viewer") + import(ADA, "github/users/ada") + import(LIST, "okta");
    workspace.apply_of(all() + imports).succeeds();
    assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0));
    assert_eq!(service.principals("okta"), ["users/ada"]);
    assert_eq!(service.display_name("viewer"), "Role");
    assert_eq!(service.owners_named("github", "users/ada"), 1);
}

/// A gateway without routes answers every path with its own JSON.
#[test]
fn gateway_with_json_404_for_everything_empties_no_state() {
    let service = Service::with_empty_okta();
    let all = || {
        role("viewer")
            + role("other").text("listing", "production")
            + owner("ada")
            + owners(&["users/ada"])
    };
    let mut workspace = service.applied(all());
    service.add_fault(Fault::respond(404, r#"{"message":"no Route matched with those values"}"#));
    // One warning about the run, whatever the number of objects.
    let warnings = workspace.refresh().succeeds().warnings();
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert!(warnings[0].starts_with("Could not read every object\n"), "{warnings:#?}");
    assert!(warnings[0].contains("terraform state rm"), "{warnings:#?}");
    assert_eq!(workspace.state_size(), 4);
    // The way out for a parent that is really gone.
    workspace.configure(Text(String::new()));
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply_with(&["-refresh=false"]).succeeds();
    assert_eq!(workspace.state_size(), 0);
}

/// Terraform discards the warnings of the refresh before a destroy. `advice` follows the errors.
#[test]
fn saved_destroy_and_one_without_a_refresh_delete_nothing_that_was_recreated() {
    let service = Service::full();
    let fixed = owner("ada").text("integration_owner_id", "fixed");
    let workspace = service.applied(role("viewer") + fixed);
    workspace.plan_with(&["-destroy", "-out=saved.tfplan"]).exits(2);
    service.remove_role("github", "viewer");
    service.remove_owner("github", "fixed");
    service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "7"}));
    service.put_owner("github", "fixed", "users/theirs");
    for outcome in [workspace.apply_saved(), workspace.destroy_with(&["-refresh=false"])] {
        outcome
            .fails_with(["roles/viewer", "terraform apply -refresh-only", "terraform state rm"])
            .fails_with(["owners/fixed"]);
    }
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
}
