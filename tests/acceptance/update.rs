//! Updates of roles: what a plan shows, and what is sent.

use serde_json::json;

use crate::support::Service;
use crate::support::fixtures::{VIEWER, role};

#[test]
fn update_shows_only_what_it_changes_and_sends_the_smallest_mask() {
    let service = Service::full();
    let viewer = role("viewer").text("listing", "iac").set("resources", "[\"repo/a\"]");
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://github.com/acme/access");
    workspace.apply_of(viewer.clone().text("description", "one")).succeeds();
    service.clear_requests();
    workspace.configure(viewer.text("description", "two"));
    workspace.save_plan(&[]);
    let change = workspace.saved_change(VIEWER);
    let unknown = change["after_unknown"].as_object().unwrap().iter();
    let unknown: Vec<_> = unknown.filter(|entry| *entry.1 == true).map(|entry| entry.0).collect();
    assert_eq!(unknown, ["update_time"]);
    let before = change["before"].as_object().unwrap().iter();
    let changed = before.filter(|(name, value)| &change["after"][name.as_str()] != *value);
    let changed: Vec<_> = changed.map(|(name, _)| name).collect();
    assert_eq!(changed, ["description", "update_time"]);

    workspace.apply_saved().succeeds();
    let writes = service.writes();
    assert_eq!(writes.len(), 1, "{writes:#?}");
    assert_eq!(writes[0].method, "PATCH");
    assert_eq!(writes[0].query_value("updateMask").as_deref(), Some("description"));
    assert_eq!(writes[0].query_value("allowMissing"), None);
    let body = json!({"displayName": "Role", "priority": "1", "description": "two"});
    assert_eq!(writes[0].body, body);
}

#[test]
fn omitted_resources_are_not_sent_and_an_omitted_description_is_cleared() {
    let (service, workspace) = Service::with_applied(role("viewer"));
    service.change_role("github", "viewer", json!({"resources": ["repo/by-hand"]}));
    // The role still names Terraform, so another configuration may have changed it.
    let apply = workspace.apply_of(role("viewer").text("description", "new")).succeeds();
    apply.warns(["roles/viewer", "`resources`", "repo/by-hand"]);
    assert!(service.writes().iter().all(|write| write.body.get("resources").is_none()));
    assert_eq!(service.role("github", "viewer").unwrap()["resources"], json!(["repo/by-hand"]));

    let apply = workspace.apply_of(role("viewer").set("resources", "[]")).succeeds();
    apply.warns(["roles/viewer", "granted"]);
    let stored = service.role("github", "viewer").unwrap();
    assert_eq!((&stored["resources"], &stored["description"]), (&json!([]), &json!("")));
    workspace.apply_of(role("viewer").text("description", "").set("resources", "[]")).succeeds();
    assert_eq!(workspace.state_of(VIEWER).unwrap()["description"], "");
}
