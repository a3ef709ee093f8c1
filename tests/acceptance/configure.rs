//! The provider block and its environment. What a wrong value causes is tested in `protocol::configure`.

use crate::support::fixtures::{Block, ROLE, data, later, owner, role, settings};
use crate::support::{Service, Workspace};

const VIEWER: &str = "access_listing_role.viewer";

fn configured(service: &Service, provider: Block) -> Workspace {
    let workspace = service.workspace();
    workspace.configure(provider + role("viewer"));
    workspace
}

#[test]
fn validate_schema_and_empty_plan_need_neither_key_nor_network() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_BASE_URL", "").with("ACCESS_API_KEY", "");
    workspace.configure(settings() + role("viewer"));
    workspace.run(&["validate", "-json"]).succeeds();
    workspace.run(&["providers", "schema", "-json"]).succeeds();
    workspace.configure(settings());
    workspace.plans_nothing();
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn missing_settings_are_named_and_a_wrong_one_is_blamed_on_its_line() {
    let service = Service::full();
    let workspace = configured(&service, settings()).with("ACCESS_BASE_URL", "");
    let plan = workspace.with("ACCESS_API_KEY", "").plan();
    plan.fails_with(["ACCESS_BASE_URL", "base_url"]).fails_with(["ACCESS_API_KEY", "api_key"]);
    let workspace = configured(&service, settings().text("drift_detection", "patch"));
    let outcome = workspace.plan().fails_with(["auto", "off"]);
    assert_eq!(outcome.blamed_lines(), ["drift_detection = \"patch\""]);
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn read_only_attribute_is_refused_at_validate() {
    let service = Service::full();
    let workspace = service.workspace();
    let time = "2020-01-02T03:04:05Z";
    let owner = owner("ada").text("create_time", time);
    let data = data(ROLE, "one").text("listing", "github");
    let data = data.text("role", "viewer").text("display_name", "Viewer");
    workspace.configure(role("viewer").text("create_time", time) + owner + data);
    let outcome = workspace.run(&["validate", "-json"]).exits(1);
    let result: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let diagnostics = result["diagnostics"].as_array().expect("diagnostics");
    let mut errors: Vec<_> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic["severity"] == "error")
        .map(|error| (&error["summary"], error["snippet"]["code"].as_str().unwrap_or("").trim()))
        .collect();
    errors.sort_unstable_by_key(|(_, line)| *line);
    let line = format!("create_time = \"{time}\"");
    let expected = [&line, &line, "display_name = \"Viewer\""];
    assert_eq!(errors.iter().map(|error| error.1).collect::<Vec<_>>(), expected);
    assert!(errors.iter().all(|error| error.0 == "Read-only attribute"), "{errors:?}");
}

#[test]
fn unknown_settings_plan_without_a_request() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_BASE_URL", "https://127.0.0.1:1");
    let region = later("region", format!("{:?}", service.base_url()));
    let provider = settings().set("base_url", "terraform_data.region.output");
    workspace.configure(region + provider + role("viewer"));
    workspace.plan().plans(VIEWER, "create");
    assert_eq!(service.requests().len(), 0);
    workspace.apply().succeeds();
    workspace.plans_nothing();
}

#[test]
fn requests_carry_key_and_user_agent_and_extra_headers() {
    let service = Service::full();
    let provider = settings().set("request_headers", "{ X-Gateway = \"blue\" }");
    let workspace = configured(&service, provider).with("TF_APPEND_USER_AGENT", "pipeline/7");
    workspace.apply().succeeds();
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
fn api_key_file_is_read_in_every_run_and_its_content_never_shown() {
    let service = Service::full();
    let workspace = service.workspace_with_key("");
    workspace.configure(settings().text("api_key_file", "secrets/key") + role("viewer"));
    workspace.run(&["validate", "-json"]).succeeds();
    workspace.plan().fails_with(["api_key_file", "secrets/key"]);

    workspace.write("secrets/key", "canary key\n");
    let outcome = workspace.plan().fails_with("secrets/key");
    assert!(!outcome.output().contains("canary"), "{}", outcome.output());
    assert_eq!(service.requests().len(), 0);

    workspace.write("secrets/key", "wrong-key\n");
    workspace.apply().fails_with("401");
    workspace.write("secrets/key", "admin-key\r\n");
    #[cfg(unix)]
    for (mode, is_open) in [(0o644, true), (0o600, false)] {
        use std::os::unix::fs::PermissionsExt as _;
        let file = workspace.path().join("secrets/key");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let plan = workspace.plan().changes();
        assert_eq!(plan.warnings_with("secrets/key") > 0, is_open, "{mode:o}: {}", plan.output());
    }
    workspace.apply().succeeds();
}
