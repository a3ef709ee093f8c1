//! Updates of roles: what is sent, what a plan shows, and responses that fail.

use serde_json::{Value, json};

use crate::support::Service;
use crate::support::fixtures::role;

const ROLE: &str = "access_listing_role.viewer";

#[test]
fn update_sends_the_smallest_mask_and_what_the_schema_requires() {
    let service = Service::full();
    let viewer = role("viewer").set("resources", "[\"repo/a\"]");
    let workspace = service.applied(viewer.clone().text("description", "one"));
    workspace.configure(viewer.text("description", "two"));
    workspace.plan().plans(ROLE, "update");
    workspace.apply().succeeds();
    let writes = service.writes();
    assert_eq!(writes.len(), 1, "{writes:#?}");
    assert_eq!(writes[0].method, "PATCH");
    assert_eq!(writes[0].query_value("updateMask").as_deref(), Some("description"));
    assert_eq!(writes[0].query_value("allowMissing"), None);
    let body = json!({"displayName": "Role", "priority": "1", "description": "two"});
    assert_eq!(writes[0].body, body);
}

#[test]
fn omitted_description_is_cleared_and_an_empty_one_makes_no_diff() {
    let service = Service::full();
    let workspace = service.applied(role("viewer").text("description", "one"));
    workspace.configure(role("viewer"));
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["description"], "");
    workspace.plans_nothing();
    workspace.configure(role("viewer").text("description", ""));
    workspace.apply().succeeds();
    assert_eq!(workspace.state_of(ROLE).unwrap()["description"], "");
    workspace.plans_nothing();
}

#[test]
fn omitted_resources_are_neither_sent_nor_compared_and_empty_ones_clear_them() {
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    service.change_role("github", "viewer", json!({"resources": ["repo/by-hand"]}));
    workspace.plans_nothing();
    workspace.configure(role("viewer").text("description", "new"));
    workspace.apply().succeeds().without_warnings();
    assert!(service.writes().iter().all(|write| write.body.get("resources").is_none()));
    assert_eq!(service.role("github", "viewer").unwrap()["resources"], json!(["repo/by-hand"]));

    workspace.configure(role("viewer").text("description", "new").set("resources", "[]"));
    workspace.plan().changes().warns(["roles/viewer", "granted"]);
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["resources"], json!([]));
    workspace.plans_nothing().without_warnings();
}

#[test]
fn edit_shows_only_what_it_changes() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://github.com/acme/access");
    workspace.configure(role("viewer"));
    workspace.apply().succeeds();
    workspace.configure(role("viewer").text("description", "More"));
    workspace.save_plan(&[]);
    let change = workspace.saved_change(ROLE);
    let unknown = change["after_unknown"].as_object().unwrap().iter();
    let unknown: Vec<_> = unknown.filter(|entry| *entry.1 == true).map(|entry| entry.0).collect();
    assert_eq!(unknown, ["update_time"]);
    let before = change["before"].as_object().unwrap().iter();
    let changed = before.filter(|(name, value)| &change["after"][name.as_str()] != *value);
    let changed: Vec<_> = changed.map(|(name, _)| name).collect();
    assert_eq!(changed, ["description", "update_time"]);
}

/// An explicit repository is shown; a detected one is not known before the apply, so that a saved plan
/// can be applied in another checkout.
#[test]
fn planned_repository_is_explicit_or_known_after_apply() {
    let git = "[core]\n[remote \"origin\"]\n\turl = git@github.com:acme/access.git\n";
    for (explicit, detected) in [(true, false), (false, true), (false, false)] {
        let service = Service::full();
        let workspace = service.workspace();
        let workspace = if explicit {
            let workspace = workspace.with("ACCESS_REPO_URI", "https://github.com/acme/access");
            workspace.with("ACCESS_REPO_DIR", "live/github")
        } else {
            workspace
        };
        if detected {
            workspace.write(".git/config", git);
            workspace.write(".git/HEAD", "ref: refs/heads/main\n");
        }
        workspace.configure(role("viewer"));
        workspace.save_plan(&[]);
        let change = workspace.saved_change(ROLE);
        let after = &change["after"];
        let expected = if explicit { json!("https://github.com/acme/access") } else { Value::Null };
        assert_eq!(after["repo_uri"], expected, "{explicit} {detected}");
        let unknown = change["after_unknown"]["repo_uri"] == true;
        assert!(!(explicit && unknown) && (!detected || unknown), "{explicit} {detected}");
        if detected {
            // Another checkout.
            workspace.write(".git/config", &git.replace("acme", "other"));
        }
        workspace.apply_saved().succeeds();
        let stored = service.role("github", "viewer").unwrap();
        if explicit {
            assert_eq!(stored["repoUri"], "https://github.com/acme/access");
            assert_eq!(stored["repoDir"], "live/github");
        } else if detected {
            assert_eq!(stored["repoUri"], "https://github.com/other/access");
            // An edit that leaves the pair alone shows no change of it, and is applied elsewhere as well.
            workspace.configure(role("viewer").text("display_name", "Edited"));
            workspace.save_plan(&[]);
            let change = workspace.saved_change(ROLE);
            assert_eq!(change["after"]["repo_uri"], change["before"]["repo_uri"]);
            workspace.write(".git/config", &git.replace("acme", "third"));
            workspace.apply_saved().succeeds();
            let stored = service.role("github", "viewer").unwrap();
            assert_eq!(stored["displayName"], "Edited");
            assert_eq!(stored["repoUri"], "https://github.com/other/access");
        } else {
            assert_eq!(stored["repoUri"].as_str().unwrap_or_default(), "");
        }
        workspace.plans_nothing();
    }
}

#[test]
fn role_deleted_between_plan_and_apply_is_created_by_the_next_plan() {
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    workspace.configure(role("viewer").text("display_name", "Other"));
    workspace.save_plan(&[]);
    service.remove_role("github", "viewer");
    workspace.apply_saved().fails_with(["404", "roles/viewer", "PATCH"]);
    assert_eq!(service.role("github", "viewer"), None);
    workspace.plan().plans(ROLE, "create");
    workspace.apply().succeeds();
    workspace.plans_nothing();
}

#[test]
fn gateway_404_to_an_update_does_not_count_as_deleted() {
    let service = Service::documented_only(405);
    let workspace = service.applied(role("viewer"));
    service.respond_to_all("PATCH", 404, "404 page not found");
    workspace.configure(role("viewer").text("display_name", "Other"));
    workspace.apply().fails_with(["404", "base_url"]);
    assert_eq!(workspace.state_of(ROLE).unwrap()["display_name"], "Role");
    workspace.plan().plans(ROLE, "update");
}

/// Only admins may set `resources`; a gateway may refuse as well.
#[test]
fn refusal_without_a_json_body_contains_the_advice_and_the_attribute() {
    for body in ["no entry", "", "<html></html>"] {
        let service = Service::full();
        let workspace = service.applied(role("viewer"));
        service.respond_to_all("PATCH", 403, body);
        workspace.configure(role("viewer").set("resources", "[\"repo/a\"]"));
        let outcome = workspace.apply().fails_with(["403", "admin", "`resources`"]);
        assert_eq!(outcome.blamed_lines(), ["resources = [\"repo/a\"]"], "{body}");
    }
}

#[test]
fn roles_of_a_managed_listing_are_created_and_changed() {
    let service = Service::full();
    let workspace = service.applied(role("viewer").text("listing", "iac"));
    workspace.configure(role("viewer").text("listing", "iac").text("description", "x"));
    workspace.apply().succeeds();
    workspace.plans_nothing();
}
