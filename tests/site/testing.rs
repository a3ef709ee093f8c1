//! `examples/tests`: a configuration whose tests are run by the host, with mocks and with the local
//! service.

use serde_json::json;

use super::team::copy;
use crate::support::fixtures::role;
use crate::support::{Feature, Service, Workspace, host_version, in_repository};

/// Runs the tests of the example, after adding a text to those that use the service.
fn pass(workspace: &Workspace, service: &Service, text: &str) {
    std::fs::remove_file(workspace.path().join("versions.tf")).expect("the versions");
    copy(&in_repository("examples/tests"), workspace, "");
    let file = "service.tftest.hcl";
    let tests = workspace.read(file);
    assert!(tests.contains("http://127.0.0.1:8484"), "{tests}");
    let tests = tests.replace("http://127.0.0.1:8484", &service.base_url());
    workspace.write(file, &format!("{tests}{text}"));
    let outcome = workspace.run(&["test", "-no-color"]).succeeds();
    assert!(outcome.stdout.contains("4 passed, 0 failed"), "{}", outcome.output());
    assert_eq!((service.requests_of("PATCH"), service.requests_of("DELETE")), (1, 1));
    assert_eq!(service.roles("github").len(), 0);
}

#[test]
fn tests_of_the_example_pass_and_leave_nothing_behind() {
    let service = Service::full();
    // Only the files contain the address.
    pass(&service.workspace().with("ACCESS_BASE_URL", ""), &service, "");
}

/// A plan and its apply are in one process then, in which each create is planned twice. Terraform
/// 1.15 does not tell the second plan from another resource.
#[test]
fn test_file_may_configure_the_provider() {
    if !host_version().supports(Feature::PlannedPrivateState) {
        return;
    }
    let service = Service::full();
    pass(&service.workspace(), &service, "\nprovider \"access\" {}\n");
}

/// `ignore_changes = [resources]`: the create sends the resources of the configuration, and nothing
/// does later.
#[test]
fn resources_that_the_service_adds_stay_and_are_no_drift() {
    let service = Service::full();
    let configuration = |display_name: &str| {
        let role = role("viewer").text("display_name", display_name).set("resources", "[\"one\"]");
        role.line("lifecycle {\n    ignore_changes = [resources]\n  }")
    };
    let workspace = service.applied(configuration("Viewer"));
    assert_eq!(service.role("github", "viewer").expect("a role")["resources"], json!(["one"]));
    let resources = json!(["one", "two"]);
    service.change_role("github", "viewer", json!({"resources": resources}));
    workspace.plans_nothing();
    let plan = workspace.plan_of(configuration("Reader"));
    plan.plans("access_listing_role.viewer", "update").does_not_warn("granted");
    workspace.apply().succeeds();
    let role = service.role("github", "viewer").expect("a role");
    assert_eq!((&role["displayName"], &role["resources"]), (&json!("Reader"), &resources));
    workspace.plans_nothing();
}
