//! `deletion_policy`, and the alternatives if the service does not delete.

use access_fake::{Absence, Running, World};

use super::{deposed, display_name, owner, owners_named, requests_of, role, start, workspace};
use crate::support::Workspace;

fn both(more: &str) -> String {
    role("viewer", "viewer", more) + &owner("ada", "users/ada", more)
}

fn applied(configuration: &str) -> (Running, Workspace) {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(configuration);
    workspace.apply().succeeds();
    service.service().clear_requests();
    (service, workspace)
}

/// Fails the test unless a destroy leaves both objects at the service and warns.
#[track_caller]
fn is_abandoned(service: &Running, workspace: &Workspace) {
    let plan = workspace.plan_with(&["-destroy"]).exits(2);
    plan.warns("The listing role will stay at the service")
        .warns("The integration owner will stay at the service");
    workspace
        .destroy()
        .succeeds()
        .warns("The listing role stays at the service")
        .warns("The integration owner stays at the service");
    assert_eq!(requests_of(service, "DELETE"), 0);
    assert_eq!(workspace.state_size(), 0);
    assert_eq!(display_name(service, "viewer"), "Viewer");
    assert_eq!(owners_named(service, "users/ada"), 1);
}

#[test]
fn deletion_policy_of_the_resources_counts() {
    let (service, workspace) = applied(&both(""));
    workspace.configure(&both("  deletion_policy = \"abandon\""));
    workspace.apply().succeeds();
    assert_eq!(super::writes(&service), 0, "the policy is not sent");
    is_abandoned(&service, &workspace);
}

#[test]
fn deletion_policy_of_the_provider_counts_for_objects_applied_before() {
    let (service, workspace) = applied(&both(""));
    let provider = "provider \"access\" {\n  deletion_policy = \"abandon\"\n}\n";
    workspace.configure(&(provider.to_owned() + &both("")));
    is_abandoned(&service, &workspace);
}

#[test]
fn deletion_policy_of_the_environment_counts_for_objects_applied_before() {
    let (service, workspace) = applied(&both(""));
    is_abandoned(&service, &workspace.with("ACCESS_DELETION_POLICY", "abandon"));
}

#[test]
fn deletion_policy_of_a_resource_wins_over_the_default() {
    let (service, workspace) = applied(&both("  deletion_policy = \"delete\""));
    let workspace = workspace.with("ACCESS_DELETION_POLICY", "abandon");
    workspace.destroy().succeeds();
    assert_eq!(display_name(&service, "viewer"), serde_json::Value::Null);
    assert_eq!(owners_named(&service, "users/ada"), 0);
}

#[test]
fn deletion_policy_that_does_not_exist_is_an_error() {
    let (_service, workspace) = applied(&both(""));
    workspace.configure(&both("  deletion_policy = \"retain\""));
    assert_eq!(workspace.plan().exits(1).errors().len(), 2);
    workspace.configure(&both(""));
    let workspace = workspace.with("ACCESS_DELETION_POLICY", "retain");
    // Terraform adds an error of its own, because there is no provider block.
    let errors = workspace.plan().exits(1).errors();
    let named =
        |error: &String| error.contains("ACCESS_DELETION_POLICY") && error.contains("\"retain\"");
    assert!(errors.iter().any(named), "{errors:#?}");
}

#[test]
fn destroy_can_be_finished_without_a_delete() {
    for absence in [Absence::NotFound, Absence::MethodNotAllowed, Absence::NotImplemented] {
        let service = start(World::documented_only(absence));
        let mut workspace = workspace(&service);
        workspace.configure(&both(""));
        workspace.apply().succeeds();

        let errors = workspace.destroy().exits(1).errors();
        assert_eq!(errors.len(), 2, "{absence:?}: {errors:#?}");
        for advice in ["deletion_policy", "removed {", "terraform state rm"] {
            assert!(errors.iter().all(|error| error.contains(advice)), "{absence:?}: {errors:#?}");
        }
        assert_eq!(workspace.state_size(), 2, "{absence:?}");

        // The role by its `removed` block, the owner by the policy.
        let removed = "removed {\n  from = access_listing_role.viewer\n  lifecycle {\n    destroy = \
                       false\n  }\n}\n";
        workspace.configure(&(removed.to_owned() + &owner("ada", "users/ada", "")));
        workspace.apply().succeeds();
        assert_eq!(workspace.state_size(), 1, "{absence:?}");
        workspace.set("ACCESS_DELETION_POLICY", "abandon");
        workspace.destroy().succeeds();
        assert_eq!(workspace.state_size(), 0, "{absence:?}");
        assert_eq!(display_name(&service, "viewer"), "Viewer", "{absence:?}");
        assert_eq!(owners_named(&service, "users/ada"), 1, "{absence:?}");
    }
}

#[test]
fn new_name_can_be_finished_without_a_delete_and_keeps_the_new_role() {
    for absence in [Absence::NotFound, Absence::MethodNotAllowed, Absence::NotImplemented] {
        for create_before_destroy in [true, false] {
            let case = format!("{absence:?}, create_before_destroy = {create_before_destroy}");
            let service = start(World::documented_only(absence));
            let mut workspace = workspace(&service);
            let more = format!(
                "  lifecycle {{\n    create_before_destroy = {create_before_destroy}\n  }}"
            );
            workspace.configure(&role("viewer", "viewer", &more));
            workspace.apply().succeeds();
            workspace.configure(&role("viewer", "reader", &more));
            let error = workspace.apply().exits(1).only_error();
            assert!(error.contains("ACCESS_DELETION_POLICY=abandon"), "{case}: {error}");
            assert_eq!(deposed(&workspace), usize::from(create_before_destroy), "{case}");

            workspace.set("ACCESS_DELETION_POLICY", "abandon");
            workspace.apply().succeeds();
            workspace.set("ACCESS_DELETION_POLICY", "");
            let state = workspace.state_of("access_listing_role.viewer").unwrap();
            assert_eq!(state["role"], "reader", "{case}");
            assert_eq!((workspace.state_size(), deposed(&workspace)), (1, 0), "{case}");
            assert_eq!(display_name(&service, "reader"), "Viewer", "{case}");
            workspace.plan().exits(0);
        }
    }
}

#[test]
fn renamed_address_without_a_delete_loses_nothing() {
    for absence in [Absence::NotFound, Absence::MethodNotAllowed] {
        let service = start(World::documented_only(absence));
        let workspace = workspace(&service);
        workspace.configure(&role("old", "viewer", ""));
        workspace.apply().succeeds();
        service.service().clear_requests();
        workspace.configure(&role("new", "viewer", ""));
        workspace.apply().fails_with("moved {");
        let moved =
            "moved {\n  from = access_listing_role.old\n  to   = access_listing_role.new\n}\n";
        workspace.configure(&(moved.to_owned() + &role("new", "viewer", "")));
        workspace.apply().succeeds();
        assert!(workspace.state_of("access_listing_role.new").is_some(), "{absence:?}");
        assert_eq!(super::writes(&service), 0, "{absence:?}");
    }
}
