//! The provider block and its environment. What a wrong value causes is tested in
//! `protocol::configure`.

use crate::support::Service;
use crate::support::fixtures::{role, settings};

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
fn requests_carry_key_and_user_agent_and_extra_headers() {
    let service = Service::full();
    let provider = settings().set("request_headers", "{ X-Gateway = \"blue\" }");
    let workspace = service.workspace().with("TF_APPEND_USER_AGENT", "pipeline/7");
    workspace.apply_of(provider + role("viewer")).succeeds();
    for request in service.requests() {
        let agent = request.user_agent.as_deref().expect("a user agent");
        let product = " (+https://www.terraform.io) terraform-provider-access/";
        assert!(agent.starts_with("Terraform/") && agent.contains(product), "{agent}");
        assert!(agent.ends_with(" pipeline/7"), "{agent}");
        assert_eq!(request.key.as_deref(), Some("admin"));
        assert_eq!(request.headers["x-gateway"], "blue");
    }
}

#[test]
fn api_key_file_is_read_in_every_run() {
    let service = Service::full();
    let workspace = service.workspace_with_key("");
    workspace.configure(settings().text("api_key_file", "secrets/key") + role("viewer"));
    workspace.run(&["validate", "-json"]).succeeds();
    workspace.plan().fails_with(["api_key_file", "secrets/key"]);

    assert_eq!(service.requests().len(), 0);

    workspace.write("secrets/key", "wrong-key\n");
    workspace.apply().fails_with(["401"]);
    workspace.write("secrets/key", "admin-key\r\n");
    #[cfg(unix)]
    for (mode, is_open) in [(0o644, true), (0o600, false)] {
        use std::os::unix::fs::PermissionsExt as _;
        let file = workspace.path().join("secrets/key");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let plan = workspace.plan().exits(2);
        if is_open {
            plan.warns(["secrets/key"])
        } else {
            plan.does_not_warn("secrets/key")
        };
    }
    workspace.apply().succeeds();
}
