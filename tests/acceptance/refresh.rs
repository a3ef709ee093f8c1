//! Refreshes: changes made outside Terraform, services without reads, and other base addresses. None
//! loses a state or hides a change.
//!
//! `protocol::reads` has the tables of responses.

use serde_json::json;

use crate::support::fixtures::{many_owners, owner, role, roles};
use crate::support::{Feature, Service, Workspace, host_version};

const ROLE: &str = "access_listing_role.viewer";

/// Of many objects, which the run finds by a list. Plan and refresh write nothing.
#[test]
fn drift_is_planned_with_a_key_that_reads_and_corrected_by_apply() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::full();
    let all = || roles(12).set("resources", "[\"repo/a\"]") + many_owners(6) + role("viewer");
    let mut workspace = service.applied(all());
    let change = |role: &str, fields| service.change_role("github", role, fields);
    change("role-4", json!({"displayName": "By hand", "priority": "7", "resources": []}));
    change("viewer", json!({"manager": null}));
    service.soft_delete_role("github", "role-5");
    service.remove_principal("github", "users/user-3");
    workspace.set("ACCESS_API_KEY", "reader-key");
    let plan = workspace.plan().plans("access_listing_role.many[4]", "update");
    let plan = plan.plans("access_listing_role.many[5]", "create").plans(ROLE, "update");
    let plan = plan.plans("access_integration_owner.many[3]", "create");
    let plan = plan.warns("github/roles/role-5").warns("integrations/github/owners/");
    plan.warns(["roles/viewer", "manager"]);
    workspace.plan_with(&["-refresh-only"]).exits(2);
    workspace.apply().fails_with(["403", "PATCH"]);
    assert!(service.writes().iter().all(|write| write.status == Some(403)));

    workspace.set("ACCESS_API_KEY", "admin-key");
    workspace.apply().succeeds();
    let stored = service.role("github", "role-4").unwrap();
    assert_eq!((&stored["displayName"], &stored["priority"]), (&json!("Role"), &json!("4")));
    assert_eq!(stored["resources"], json!(["repo/a"]));
    assert_eq!(service.role("github", "viewer").unwrap()["manager"], "TERRAFORM");
    assert_eq!(service.owners_named("github", "users/user-3"), 1);
    workspace.plans_nothing().without_warnings();
}

/// A service with the two documented operations only.
#[test]
fn objects_are_kept_and_updated_without_reads() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let service = Service::documented_only(405);
    let all = |viewer| viewer + role("editor") + owner("ada");
    let workspace = service.applied(all(role("viewer")));
    let plan = workspace.plans_nothing();
    assert!((1..=2).contains(&plan.warnings().len()), "once per run: {:#?}", plan.warnings());
    workspace.configure(all(role("viewer").text("display_name", "Reader")));
    workspace.apply().succeeds();
    assert_eq!(service.display_name("viewer"), "Reader");
    assert_eq!(service.owners_named("github", "users/ada"), 1);

    // A 404 to an update is an error, and the next plan creates the role.
    service.remove_role("github", "viewer");
    workspace.configure(all(role("viewer").text("display_name", "Other")));
    workspace.apply().fails_with(["404", "roles/viewer"]);
    assert_eq!(workspace.state_of(ROLE).unwrap()["display_name"], "Reader");
    workspace.plan().plans(ROLE, "create");
    workspace.apply().succeeds();
    workspace.plans_nothing();
}

/// Fails the test unless plan, refresh and destroys fail and name both addresses.
#[track_caller]
fn loses_nothing(workspace: &Workspace, there: &str, here: &str) {
    let size = workspace.state_size();
    for outcome in [
        workspace.plan(),
        workspace.refresh(),
        workspace.destroy_with(&["-refresh=false"]),
        workspace.apply_with(&[&format!("-replace={ROLE}"), "-refresh=false"]),
    ] {
        let errors = outcome.exits(1).errors();
        assert!((1..=size).contains(&errors.len()), "{errors:#?}");
        for error in errors {
            assert!(error.contains(there) && error.contains(here), "{error}");
        }
    }
    assert_eq!(workspace.state_size(), size);
}

/// Another region has other objects of the same names.
#[test]
fn other_region_fails_and_keeps_the_state_and_a_new_address_is_remembered() {
    if !host_version().supports(Feature::Drift) {
        return;
    }
    let home = Service::full();
    let both = |name: &str| role("viewer").text("display_name", name) + owner("ada");
    let mut workspace = home.applied(both("One"));
    let ids = home.owner_ids("github", "users/ada");
    let elsewhere = Service::full();
    elsewhere.change_world(|world| world.clock_offset_ms = -600_000);
    elsewhere.put_role("github", "viewer", json!({"displayName": "One", "priority": "1"}));
    elsewhere.put_owner("github", &ids[0], "users/ada");
    workspace.set("ACCESS_BASE_URL", &elsewhere.base_url());
    loses_nothing(&workspace, &home.base_url(), &elsewhere.base_url());
    // Without a refresh, the plan of a replacement finds it.
    workspace.configure(role("reader").at("viewer") + owner("ben").at("ada"));
    let refused = workspace.plan_with(&["-refresh=false"]).exits(1);
    assert_eq!(refused.errors().len(), 2, "{}", refused.output());
    workspace.configure(both("One"));
    assert_eq!((home.writes().len(), elsewhere.writes().len()), (0, 0));

    // The same service.
    let new = home.elsewhere();
    workspace.set("ACCESS_BASE_URL", &new.base_url());
    workspace.plans_nothing().without_warnings();
    workspace.configure(both("Two"));
    workspace.apply().succeeds().without_warnings();
    // Without a refresh, the destroy finds the owner there.
    workspace.destroy_with(&["-refresh=false"]).succeeds();
    assert_eq!((new.role("github", "viewer"), workspace.state_size()), (None, 0));
    assert_eq!(new.principals("github"), ["users/founder"]);
}
