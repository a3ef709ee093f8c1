//! The provider block and its environment. What a wrong value causes is tested in
//! `protocol::configure`.

use crate::support::Service;
use crate::support::fixtures::{role, settings};
use crate::support::secrets::unpacked;

#[test]
fn validate_schema_and_empty_plan_need_neither_key_nor_network() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_BASE_URL", "").with("ACCESS_API_KEY", "");
    workspace.configure(settings() + role("viewer"));
    workspace.run(&["validate", "-json"]).succeeds();
    workspace.run(&["providers", "schema", "-json"]).succeeds();
    workspace.plan_of(settings()).exits(0);
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn missing_settings_are_named_and_a_wrong_one_is_blamed_on_its_line() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_BASE_URL", "").with("ACCESS_API_KEY", "");
    let plan = workspace.plan_of(settings() + role("viewer"));
    plan.fails_with(["ACCESS_BASE_URL", "base_url"]).fails_with(["ACCESS_API_KEY", "api_key"]);
    let wrong = settings().text("drift_detection", "patch") + role("viewer");
    let outcome = service.workspace().plan_of(wrong).fails_with(["auto", "off"]);
    assert_eq!(outcome.blamed_lines(), ["drift_detection = \"patch\""]);
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn requests_carry_key_and_user_agent() {
    let service = Service::full();
    let workspace = service.workspace().with("TF_APPEND_USER_AGENT", "pipeline/7");
    workspace.apply_of(role("viewer")).succeeds();
    for request in service.requests() {
        let agent = request.user_agent.as_deref().expect("a user agent");
        let product = " (+https://www.terraform.io) terraform-provider-access/";
        assert!(agent.starts_with("Terraform/") && agent.contains(product), "{agent}");
        assert!(agent.ends_with(" pipeline/7"), "{agent}");
        assert_eq!(request.key.as_deref(), Some("admin"));
    }
}

/// No plan file contains a key that comes from a file, and the apply of a saved plan reads the file
/// again.
#[test]
fn api_key_comes_from_a_file_through_the_configuration() {
    let service = Service::full();
    let workspace = service.workspace_with_key("");
    workspace.configure(settings().set("api_key", "file(\"key\")") + role("viewer"));
    workspace.write("key", "wrong-key\n");
    let saved = ["plan", "-json", "-lock=false", "-out=saved.tfplan"];
    workspace.run(&saved).succeeds().warns(["401"]);
    let plan = unpacked(&workspace.path().join("saved.tfplan"));
    assert!(!String::from_utf8_lossy(&plan).contains("wrong-key"));
    workspace.write("key", "admin-key\n");
    workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]).succeeds();
}
