//! The life cycle of a listing role, with a service that offers all operations.

use serde_json::json;

use crate::support::{Service, Workspace};

const ROLE: &str = "access_listing_role.viewer";

fn viewer(more: &str) -> String {
    format!(
        "resource \"access_listing_role\" \"viewer\" {{
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
{more}
}}
"
    )
}

#[test]
fn role_is_created_planned_without_changes_and_destroyed() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer(
        "  description = \"Reads everything\"\n  resources = [\"repo/b\", \"repo/a\"]",
    ));

    assert_eq!(workspace.plan().exits(2).action(ROLE), "create");
    workspace.apply().succeeds().without_warnings();

    let role = service.role("github", "viewer").expect("the role exists");
    assert_eq!(role["displayName"], "Viewer");
    assert_eq!(role["description"], "Reads everything");
    assert_eq!(role["resources"], json!(["repo/a", "repo/b"]));
    assert_eq!(role["manager"], "TERRAFORM");
    let state = workspace.state_of(ROLE).unwrap();
    assert_eq!(state["id"], "listings/github/roles/viewer");
    assert_eq!(state["name"], "listings/github/roles/viewer");
    assert_eq!(state["manager"], "TERRAFORM");
    assert_eq!(state["management"], json!(null));
    assert!(state["create_time"].is_string() && state["update_time"].is_string(), "{state}");

    workspace.plan_with(&["-refresh=false"]).exits(0);
    workspace.plan().exits(0).without_warnings();

    workspace.configure(&viewer(
        "  description = \"Reads everything\"\n  resources = [\"repo/a\", \"repo/b\"]",
    ));
    workspace.plan().exits(0);

    let warnings = workspace.destroy().succeeds().warnings();
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert!(warnings[0].contains("Destroying a role does not revoke access"), "{warnings:#?}");
    assert_eq!(service.role("github", "viewer"), None);
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn update_sends_the_smallest_mask_and_what_the_schema_requires() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer("  description = \"one\"\n  resources = [\"repo/a\"]"));
    workspace.apply().succeeds();
    service.clear_requests();

    workspace.configure(&viewer("  description = \"two\"\n  resources = [\"repo/a\"]"));
    assert_eq!(workspace.plan().exits(2).action(ROLE), "update");
    workspace.apply().succeeds();

    let writes = service.writes();
    assert_eq!(writes.len(), 1, "{writes:#?}");
    assert_eq!(writes[0].method, "PATCH");
    assert_eq!(writes[0].query_value("updateMask").as_deref(), Some("description"));
    assert_eq!(writes[0].query_value("allowMissing"), None);
    assert_eq!(
        writes[0].body,
        json!({"displayName": "Viewer", "priority": "0", "description": "two"})
    );
}

#[test]
fn create_sends_no_read_only_field() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer(""));
    workspace.apply().succeeds();

    let writes = service.writes();
    assert_eq!(writes.len(), 1, "{writes:#?}");
    assert_eq!(writes[0].query_value("allowMissing").as_deref(), Some("true"));
    assert_eq!(
        writes[0].query_value("updateMask").as_deref(),
        Some("displayName,description,priority")
    );
    assert_eq!(
        writes[0].body,
        json!({"displayName": "Viewer", "priority": "0", "description": ""})
    );
}

#[test]
fn omitted_description_is_cleared_and_an_empty_one_makes_no_diff() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer("  description = \"one\""));
    workspace.apply().succeeds();

    workspace.configure(&viewer(""));
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["description"], "");
    workspace.plan().exits(0);

    workspace.configure(&viewer("  description = \"\""));
    workspace.apply().succeeds();
    assert_eq!(workspace.state_of(ROLE).unwrap()["description"], "");
    workspace.plan().exits(0);
}

#[test]
fn omitted_resources_are_neither_sent_nor_compared() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer(""));
    workspace.apply().succeeds();
    service.change_role("github", "viewer", json!({"resources": ["repo/by-hand"]}));

    workspace.plan().exits(0);
    workspace.configure(&viewer("  description = \"new\""));
    workspace.apply().succeeds();

    assert!(service.writes().iter().all(|write| write.body.get("resources").is_none()));
    assert_eq!(service.role("github", "viewer").unwrap()["resources"], json!(["repo/by-hand"]));
}

#[test]
fn empty_resources_clear_them_and_a_change_warns() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer("  resources = [\"repo/a\", \"repo/b\"]"));
    workspace.apply().succeeds().without_warnings();

    workspace.configure(&viewer("  resources = []"));
    workspace.plan().exits(2).warns("does not change granted access");
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["resources"], json!([]));
    workspace.plan().exits(0).without_warnings();
}

#[test]
fn member_key_manages_a_role_whose_resources_are_not_configured() {
    let service = Service::full();
    let workspace = service.workspace_with_key("member-key");
    workspace.configure(&viewer(""));
    workspace.apply().succeeds().without_warnings();
    workspace.plan().exits(0);
    workspace.configure(&viewer("  description = \"more\""));
    workspace.apply().succeeds();
    workspace.destroy().succeeds();
}

#[test]
fn member_key_that_sets_resources_is_an_error_that_names_the_admin_rule() {
    let service = Service::full();
    let workspace = service.workspace_with_key("member-key");
    workspace.configure(&viewer("  resources = [\"repo/a\"]"));
    let outcome = workspace.apply().fails_with("Only admins may set `resources`");
    assert_eq!(outcome.blamed_lines(), ["resources = [\"repo/a\"]"]);
    assert!(outcome.only_error().contains("PATCH /api/v1/listings/github/roles/viewer"));
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn priority_keeps_all_64_bits() {
    let service = Service::full();
    let workspace = service.workspace();
    for priority in [i64::MAX, i64::MIN] {
        workspace
            .configure(&viewer("").replace("priority     = 0", &format!("priority = {priority}")));
        workspace.apply().succeeds();
        assert_eq!(service.role("github", "viewer").unwrap()["priority"], priority.to_string());
        assert_eq!(workspace.state_of(ROLE).unwrap()["priority"].as_i64(), Some(priority));
        workspace.plan().exits(0);
    }
}

#[test]
fn changing_the_role_id_replaces_the_role() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer(""));
    workspace.apply().succeeds();
    workspace.configure(&viewer("").replace("\"viewer\"\n", "\"reader\"\n"));
    assert_eq!(workspace.plan().exits(2).action(ROLE), "replace");
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer"), None);
    assert!(service.role("github", "reader").is_some());
    workspace.plan().exits(0);
}

#[test]
fn response_with_omitted_and_unknown_fields_is_read() {
    let service = Service::full();
    service.omit_defaults();
    service.return_unknown_fields();
    service.return_priority_as_number();
    service.manage_listing("github", json!({"kind": "DELEGATED", "since": 2026}));
    let workspace = service.workspace();
    workspace.configure(&viewer("  description = \"\"\n  resources = []"));
    workspace.apply().succeeds().without_warnings();
    workspace.plan().exits(0).without_warnings();
    let state = workspace.state_of(ROLE).unwrap();
    assert_eq!(state["priority"], 0);
    assert_eq!(state["resources"], json!([]));
    assert_eq!(state["management"], "{\"kind\":\"DELEGATED\",\"since\":2026}");
}

#[test]
fn roles_of_a_managed_listing_are_created_and_changed() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer("").replace("\"github\"", "\"iac\""));
    workspace.apply().succeeds().without_warnings();
    workspace.configure(&viewer("  description = \"x\"").replace("\"github\"", "\"iac\""));
    workspace.apply().succeeds();
    workspace.plan().exits(0);
}

#[test]
fn unrecorded_manager_is_one_warning_and_no_permanent_diff() {
    let service = Service::full();
    service.stop_recognising_callers();
    let workspace = service.workspace();
    let second = viewer("").replace("\"viewer\"", "\"editor\"");
    workspace.configure(&format!("{}{second}", viewer("")));
    let outcome = workspace.apply().succeeds();
    assert_eq!(outcome.warnings().len(), 1, "{}", outcome.output());
    let outcome = outcome.warns("did not record Terraform as the manager");
    drop(outcome);
    workspace.plan().exits(0).without_warnings();
    workspace.plan_with(&["-refresh=false"]).exits(0);
}

#[test]
fn missing_listing_is_an_error_at_its_line() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer("").replace("\"github\"", "\"nowhere\""));
    let outcome = workspace.apply().fails_with("The listing does not exist");
    assert_eq!(outcome.blamed_lines(), ["listing      = \"nowhere\""]);
}

#[test]
fn invalid_values_are_errors_at_their_lines() {
    let service = Service::full();
    let workspace = service.workspace();
    let cases = [
        ("priority     = 0", "priority     = 1.5", "not 1.5"),
        ("priority     = 0", "priority     = 9223372036854775808", "9223372036854775808"),
        ("display_name = \"Viewer\"", "display_name = \"\"", "must not be blank"),
        ("role         = \"viewer\"", "role         = \"a/b\"", "a/b"),
        ("listing      = \"github\"", "listing      = \"..\"", ".."),
        ("listing      = \"github\"", "listing      = \"\"", "empty"),
    ];
    for (good, bad, message) in cases {
        workspace.configure(&viewer("").replace(good, bad));
        let outcome = workspace.plan().fails_with(message);
        assert_eq!(outcome.blamed_lines(), [bad], "{}", outcome.output());
        assert!(!outcome.stdout.contains("stack backtrace"), "{}", outcome.stdout);
    }
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn response_with_another_role_is_an_error_that_keeps_the_state() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&viewer(""));
    workspace.apply().succeeds();
    let before = workspace.state_of(ROLE);
    service.respond_to_all(
        "GET",
        200,
        r#"{"name":"listings/github/roles/other","displayName":"x"}"#,
    );
    workspace.plan().fails_with("Could not read listing role");
    service.respond_to_all("GET", 200, "[]");
    workspace.apply().fails_with("Could not read listing role");
    assert_eq!(workspace.state_of(ROLE), before);
}

#[test]
fn names_known_at_plan_can_be_used_elsewhere() {
    let service = Service::full();
    let workspace: Workspace = service.workspace();
    workspace.configure(&format!(
        "{}\noutput \"name\" {{\n  value = access_listing_role.viewer.name\n}}\n",
        viewer("")
    ));
    let outcome = workspace.run(&["plan", "-no-color", "-lock=false"]).succeeds();
    assert!(
        outcome.stdout.contains("name = \"listings/github/roles/viewer\""),
        "{}",
        outcome.stdout
    );
}
