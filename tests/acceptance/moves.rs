//! `moved` blocks from generic REST providers, with state files that those providers have written.
#![cfg(unix)]

use serde_json::json;

use crate::support::{Service, Workspace};

/// Returns a workspace whose state file another provider has written.
fn workspace_of(service: &Service, provider: &str, state: &str) -> Workspace {
    let workspace = service.workspace();
    workspace.stand_in_for(&[provider]);
    workspace.write("terraform.tfstate", state);
    workspace
}

fn configure(workspace: &Workspace, from: &str, role: &str, owner: &str) {
    workspace.configure(&format!(
        "resource \"access_listing_role\" \"this\" {{
  listing = \"production\"
{role}
}}

resource \"access_integration_owner\" \"this\" {{
  integration = \"github\"
  owner       = \"{owner}\"
}}

moved {{
  from = {from}.role
  to   = access_listing_role.this
}}

moved {{
  from = {from}.owner
  to   = access_integration_owner.this
}}
"
    ));
}

/// Plans and applies a move. The only change is one update that records the manager.
fn moves(service: &Service, workspace: &Workspace, role: &str, owner: (&str, &str)) {
    service.clear_requests();
    let planned = workspace.plan().exits(2).without_warnings();
    assert_eq!(planned.action("access_listing_role.this"), "update", "{}", planned.output());
    let changes = planned.stdout.lines().find(|line| line.contains("change_summary")).unwrap();
    assert!(changes.contains("0 to add, 1 to change, 0 to destroy"), "{changes}");
    assert_eq!(service.writes().len(), 0);

    workspace.apply().succeeds();
    let writes = service.writes();
    assert_eq!(writes.len(), 1, "{writes:?}");
    assert_eq!(writes[0].query_value("updateMask").as_deref(), Some("displayName"));
    assert_eq!(service.role("production", role).unwrap()["manager"], "TERRAFORM");
    let state = workspace.state_of("access_integration_owner.this").unwrap();
    assert_eq!(state["name"], format!("integrations/github/owners/{}", owner.0));
    assert_eq!(service.owners_named("github", owner.1), 1);
    assert_eq!(workspace.state_size(), 2);
    workspace.plan().exits(0);
}

#[test]
fn objects_of_restapi_are_moved_and_recorded() {
    let service = Service::full();
    service.put_role(
        "production",
        "operator",
        json!({"displayName": "Operator", "priority": "2", "description": "May restart.",
               "resources": ["host/b", "host/a"]}),
    );
    service.put_owner("github", "own-1", "groups/platform");
    let state = include_str!("../fixtures/moved/restapi.tfstate");
    let workspace = workspace_of(&service, "mastercard/restapi", state);
    let role = "  role = \"operator\"\n  display_name = \"Operator\"\n  priority = 2\n  description = \"May restart.\"";
    configure(&workspace, "restapi_object", role, "groups/platform");
    moves(&service, &workspace, "operator", ("own-1", "groups/platform"));
}

#[test]
fn objects_of_restful_are_moved_and_recorded() {
    let service = Service::full();
    service.put_role("production", "auditor", json!({"displayName": "Auditor", "priority": "1"}));
    service.put_owner("github", "own-3", "teams/inspection");
    let state = include_str!("../fixtures/moved/restful.tfstate");
    let workspace = workspace_of(&service, "magodo/restful", state);
    let role = "  role = \"auditor\"\n  display_name = \"Auditor\"\n  priority = 1";
    configure(&workspace, "restful_resource", role, "teams/inspection");
    moves(&service, &workspace, "auditor", ("own-3", "teams/inspection"));
}

#[test]
fn object_with_a_foreign_path_is_refused_and_its_state_is_kept() {
    let service = Service::full();
    let state = include_str!("../fixtures/moved/restapi.tfstate")
        .replace("/api/v1/listings/production/roles\"", "/api/v1/users\"");
    let workspace = workspace_of(&service, "mastercard/restapi", &state);
    let role = "  role = \"operator\"\n  display_name = \"Operator\"\n  priority = 2";
    configure(&workspace, "restapi_object", role, "groups/platform");
    workspace.apply().fails_with("does not have the form …/listings/{listing}/roles/{role}");
    assert_eq!(service.writes().len(), 0);
    assert!(workspace.state_of("restapi_object.role").is_some());
}

#[test]
fn role_is_moved_where_the_service_has_no_reads() {
    let service = Service::documented_only(405);
    service.put_role("production", "auditor", json!({"displayName": "Auditor", "priority": "1"}));
    service.put_owner("github", "own-3", "teams/inspection");
    let state = include_str!("../fixtures/moved/restful.tfstate");
    let workspace = workspace_of(&service, "magodo/restful", state);
    let role = "  role = \"auditor\"\n  display_name = \"Auditor\"\n  priority = 1";
    configure(&workspace, "restful_resource", role, "teams/inspection");
    workspace.apply().succeeds();
    assert_eq!(service.requests_of("PATCH"), 1);
    assert_eq!(service.requests_of("POST") + service.requests_of("DELETE"), 0);
    assert_eq!(service.role("production", "auditor").unwrap()["manager"], "TERRAFORM");
    workspace.plan().exits(0);
}
