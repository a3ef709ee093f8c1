//! `examples/tests`: a configuration whose tests are run by the host, with mocks and with the local service.

use std::path::Path;

use serde_json::json;

use super::team::copy;
use crate::support::{Outcome, Service, Workspace};

const ROLE: &str = "access_listing_role.github[\"viewer\"]";

/// Returns a workspace with the example, whose tests use this service.
fn example(service: &Service) -> Workspace {
    // Only the files contain the address.
    let workspace = service.workspace().with("ACCESS_BASE_URL", "");
    std::fs::remove_file(workspace.path().join("versions.tf")).expect("the versions");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tests"), &workspace, "");
    edit(&workspace, "service.tftest.hcl", "http://127.0.0.1:8484", &service.base_url());
    workspace
}

/// Replaces a text in a file of the example.
#[track_caller]
fn edit(workspace: &Workspace, file: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(workspace.path().join(file)).expect("a file");
    assert!(text.contains(from), "{file}: {from}");
    workspace.write(file, &text.replace(from, to));
}

fn test(workspace: &Workspace) -> Outcome {
    workspace.run(&["test", "-no-color"])
}

#[test]
fn tests_of_the_example_pass_and_leave_nothing_behind() {
    let service = Service::full();
    let workspace = example(&service);
    let outcome = test(&workspace).succeeds();
    assert!(outcome.stdout.contains("4 passed, 0 failed"), "{}", outcome.output());
    assert_eq!((service.requests_of("PATCH"), service.requests_of("DELETE")), (1, 1));
    assert_eq!(service.roles("github").len(), 0);
}

#[test]
fn tests_of_the_example_fail_if_the_configuration_is_wrong() {
    for (from, to, failed) in [
        ("priority     = each.value.priority", "priority     = 0", "plan_contains_every_role"),
        ("role         = each.key", "role         = each.value.display_name", "in_place"),
        ("== length(var.roles)", "<= length(var.roles)", "equal_priorities"),
    ] {
        let service = Service::full();
        let workspace = example(&service);
        edit(&workspace, "main.tf", from, to);
        let outcome = test(&workspace).exits(1);
        let failed = |line: &str| line.contains(failed) && line.ends_with("... fail");
        assert!(outcome.stdout.lines().any(failed), "{to}: {}", outcome.output());
        assert_eq!(service.roles("github").len(), 0, "{to}");
    }
}

/// `ignore_changes = [resources]`: the create sends the resources of the configuration, and nothing does later.
#[test]
fn resources_that_the_service_adds_stay_and_are_no_drift() {
    let service = Service::full();
    let workspace = example(&service);
    let roles = |display_name: &str| {
        let role = json!({"display_name": display_name, "priority": 0, "resources": ["website"]});
        json!({"base_url": service.base_url(), "roles": {"viewer": role}}).to_string()
    };
    workspace.write("terraform.tfvars.json", &roles("Viewer"));
    workspace.apply().succeeds();
    let resources = || service.role("github", "viewer").expect("a role")["resources"].clone();
    assert_eq!(resources(), json!(["website"]));

    service.change_role("github", "viewer", json!({"resources": ["website", "added"]}));
    workspace.plans_nothing();
    workspace.write("terraform.tfvars.json", &roles("Reader"));
    workspace.plan().plans(ROLE, "update").does_not_warn("granted");
    workspace.apply().succeeds();
    assert_eq!(service.display_name("viewer"), "Reader");
    assert_eq!(resources(), json!(["website", "added"]));
    workspace.plans_nothing();
}
