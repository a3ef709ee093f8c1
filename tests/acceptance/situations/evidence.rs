//! Evidence is per object: a 404 counts only for an object that has been read before.

use access_fake::{HiddenObject, LagRule, Read};
use serde_json::json;

use super::*;

/// A key that may not read one role of a listing, and may read all others.
#[test]
fn role_that_was_never_read_is_not_deleted_because_another_was_read() {
    let service = Service::full();
    service.change_world(|world| {
        world.hidden.push(hidden_from_get("listings/github/roles/secret"));
        world.hidden.push(HiddenObject {
            object: "listings/github/roles/secret".to_owned(),
            omit_from_list: true,
            ..HiddenObject::default()
        });
    });
    let workspace = service.workspace();
    workspace.configure(&role("viewer", ""));
    workspace.apply().succeeds();
    // In a run of its own the hidden role is its listing's one read-back, which fails.
    workspace.configure(&(role("viewer", "") + &role("secret", "")));
    workspace.apply().succeeds();
    keeps_the_state(&workspace);
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn key_that_may_no_longer_read_a_listing_drops_no_role_of_it() {
    for (get, list) in [(404, Some(403)), (403, Some(403)), (404, None)] {
        let (service, workspace) = applied(&(role("viewer", "") + &role("editor", "")));
        workspace.plan().exits(0);
        service.change_world(|world| {
            world.hidden.push(HiddenObject {
                object: "listings/github/roles*".to_owned(),
                get: Some(get),
                list,
                ..HiddenObject::default()
            });
        });
        workspace.plan().fails_with("listings/github/roles");
        workspace.apply_with(&["-refresh-only"]).exits(1);
        assert_eq!(workspace.state_size(), 2, "{get} {list:?}");
    }
}

/// The service takes the update of a role that the key may not read.
#[test]
fn update_is_no_evidence_of_reads() {
    let service = Service::full();
    service.change_world(|world| {
        world.hidden.push(HiddenObject {
            omit_from_list: true,
            ..hidden_from_get("listings/github/roles/secret")
        });
    });
    let workspace = service.workspace();
    workspace.configure(&role("secret", ""));
    workspace.apply().succeeds();
    workspace.configure(&role("secret", "  description = \"Changed\""));
    workspace.apply().succeeds();
    keeps_the_state(&workspace);
}

#[test]
fn object_that_the_list_names_is_not_deleted_by_a_404() {
    let (service, workspace) = applied(&(role("viewer", "") + &owner("ada", "")));
    service.change_world(|world| {
        world.hidden.push(hidden_from_get("listings/github/roles/viewer"));
        world.hidden.push(hidden_from_get("integrations/github/owners/*"));
    });
    let plan = workspace.plan().fails_with("listings/github/roles/viewer");
    plan.fails_with("integrations/github/owners/");
    workspace.apply_with(&["-refresh-only"]).exits(1);
    assert_eq!(workspace.state_size(), 2);
}

/// One role is adopted and therefore read. The other is created, and its reads lag.
#[test]
fn lagging_create_next_to_an_adopted_role_is_kept() {
    let service = Service::full();
    service.put_role("github", "old", json!({"displayName": "Old", "priority": "1"}));
    service.change_world(|world| {
        let object = Some("listings/github/roles/new".to_owned());
        world.lags.push(LagRule { object, reads: 3, ..LagRule::default() });
    });
    let workspace = service.workspace();
    workspace.configure(&(role("old", "  adopt_existing = true") + &role("new", "")));
    workspace.apply().succeeds();
    keeps_the_state(&workspace);
}

/// The existence check returns the adopted role. The one read-back of the listing is the new role's, and
/// lags.
#[test]
fn deletion_of_an_adopted_role_is_detected_after_its_existence_check() {
    let service = Service::full();
    service.without_lists();
    service.put_role("github", "old", json!({"displayName": "Old", "priority": "1"}));
    service.change_world(|world| {
        let object = Some("listings/github/roles/new".to_owned());
        world.lags.push(LagRule { object, reads: 3, ..LagRule::default() });
    });
    let workspace = service.workspace();
    let adopts = "  adopt_existing = true\n  depends_on     = [access_listing_role.new]";
    workspace.configure(&(role("new", "") + &role("old", adopts)));
    workspace.apply().succeeds();
    service.remove_role("github", "old");
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action("access_listing_role.old"), "create");
    assert_eq!(plan.action("access_listing_role.new"), "no-op");
}

#[test]
fn deletion_after_a_lagging_create_is_detected_under_list() {
    let service = Service::full();
    service.change_world(|world| {
        let read = Some(Read::Get);
        world.lags.push(LagRule { reads: 2, read, ..LagRule::default() });
        // The create is ten minutes old at the end: in the first five, a list may lag as well.
        world.clock_offset_ms = -600_000;
    });
    let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "list");
    workspace.configure(&(role("viewer", "") + &owner("ada", "")));
    workspace.apply().succeeds();
    keeps_the_state(&workspace);
    service.change_world(|world| world.clock_offset_ms = 0);
    service.remove_role("github", "viewer");
    remove_owner(&service, "users/ada");
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action("access_listing_role.viewer"), "create");
    assert_eq!(plan.action("access_integration_owner.ada"), "create");
}
