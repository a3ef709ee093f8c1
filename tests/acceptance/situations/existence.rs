//! The existence check before a create.

use access_fake::{HiddenObject, OddList};
use serde_json::json;

use super::*;

const OVERWRITTEN: &str = "overwritten";

fn theirs() -> serde_json::Value {
    json!({"displayName": "Theirs", "priority": "7"})
}

/// The gateway has no GET for one of two existing roles.
#[test]
fn method_not_allowed_for_one_role_proves_nothing_about_another() {
    let service = Service::full();
    service.put_role("github", "first", theirs());
    service.put_role("github", "second", theirs());
    service.fault(access_fake::Fault::respond(405, "{}").on("GET").at("*/roles/first"));
    let workspace = service.workspace();
    workspace.configure(
        &(role("first", "") + &role("second", "  depends_on = [access_listing_role.first]")),
    );
    let plan = workspace.plan().fails_with("listings/github/roles/second");
    assert!(plan.only_error().contains("import {"), "{}", plan.output());
    workspace.apply().exits(1);
    assert_eq!(service.role("github", "second").unwrap()["displayName"], "Theirs");
}

#[test]
fn role_hidden_by_403_is_overwritten_with_a_warning() {
    let service = Service::full();
    service.put_role("github", "viewer", theirs());
    service.change_world(|world| {
        world.hidden.push(HiddenObject {
            get: Some(403),
            ..hidden_from_get("listings/github/roles/viewer")
        });
    });
    let workspace = service.workspace();
    workspace.configure(&role("viewer", ""));
    workspace.apply().succeeds().warns(OVERWRITTEN);
}

#[test]
fn role_hidden_by_404_is_overwritten_with_a_warning() {
    let service = Service::full();
    service.put_role("github", "viewer", theirs());
    service.change_world(|world| {
        world.hidden.push(HiddenObject {
            omit_from_list: true,
            ..hidden_from_get("listings/github/roles/viewer")
        });
    });
    let workspace = service.workspace();
    workspace.configure(&role("viewer", ""));
    workspace.apply().succeeds().warns(OVERWRITTEN);
}

#[test]
fn copied_resource_block_fails_and_deletes_nothing() {
    let (service, workspace) = applied(&role("viewer", ""));
    let copy = role("viewer", "")
        .replace("\"access_listing_role\" \"viewer\"", "\"access_listing_role\" \"copy\"");
    workspace.configure(&(role("viewer", "") + &copy));
    service.clear_requests();
    workspace.apply().exits(1);
    // The copy is removed again: the role stays.
    workspace.configure(&role("viewer", ""));
    workspace.apply().succeeds();
    assert!(service.role("github", "viewer").is_some());
    assert_eq!(service.writes().len(), 0);
    assert_eq!(workspace.state_size(), 1);
}

#[test]
fn malformed_list_entry_blocks_no_new_owner() {
    for (number, insert) in [
        json!({"no": "name"}),
        json!(17),
        json!(null),
        json!({"name": "integrations/github/owners/"}),
    ]
    .into_iter()
    .enumerate()
    {
        let service = Service::full();
        service.change_world(|world| {
            let insert = vec![insert.clone()];
            world.lists.push(OddList { insert, ..OddList::default() });
        });
        let workspace = service.workspace();
        workspace.configure(&(owner("ada", "") + &owner("bob", "")));
        let applied = workspace.apply().succeeds();
        assert_eq!(service.owners_named("github", "users/ada"), 1, "{insert}");
        let warnings = applied.warnings();
        assert!(
            warnings.iter().any(|warning| warning.contains("skipped")),
            "{number} {insert}: {warnings:#?}"
        );
        workspace.plan().exits(0);
    }
}
