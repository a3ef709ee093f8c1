//! Refreshes: changes made outside Terraform, and other base addresses. None loses a state or hides
//! a change.
//!
//! `protocol::reads` has the tables of responses.

use serde_json::json;

use crate::support::fixtures::{VIEWER, import, many_owners, owner, owners, role, roles};
use crate::support::{Service, Workspace};

/// Of many objects, which the run finds by a list. Plan and refresh write nothing.
#[test]
fn drift_is_planned_with_a_key_that_reads_and_corrected_by_apply() {
    let service = Service::full();
    let all = || roles(12).set("resources", "[\"repo/a\"]") + many_owners(6) + role("viewer");
    let mut workspace = service.applied(all());
    let changes = [
        ("role-1", json!({"displayName": "By hand"})),
        ("role-2", json!({"priority": "7"})),
        ("role-3", json!({"description": "By hand"})),
        ("role-4", json!({"resources": []})),
        ("role-6", json!({"resources": ["repo/a", "repo/b"]})),
        ("role-7", json!({"manager": "CONSOLE"})),
        ("viewer", json!({"manager": null})),
    ];
    let stored = |role: &str| {
        let role = service.role("github", role).expect("a role");
        ["displayName", "priority", "description", "resources", "manager"]
            .map(|field| role[field].clone())
    };
    let before = changes.each_ref().map(|(role, _)| stored(role));
    for (role, fields) in &changes {
        service.change_role("github", role, fields.clone());
    }
    service.soft_delete_role("github", "role-5");
    service.remove_principal("github", "users/user-3");
    workspace.set("ACCESS_API_KEY", "reader-key");
    let mut plan = workspace.save_plan(&[]).plans("access_listing_role.many[5]", "create");
    for (role, _) in &changes {
        let number = role.strip_prefix("role-");
        let many = number.map(|number| format!("access_listing_role.many[{number}]"));
        plan = plan.plans(many.as_deref().unwrap_or(VIEWER), "update");
    }
    let plan = plan.plans("access_integration_owner.many[3]", "create");
    let plan = plan.warns(["github/roles/role-5"]).warns(["integrations/github/owners/"]);
    plan.warns(["roles/viewer", "manager"]);
    assert_eq!(service.writes(), []);

    workspace.set("ACCESS_API_KEY", "admin-key");
    workspace.apply_saved().succeeds();
    assert_eq!(changes.map(|(role, _)| stored(role)), before);
    assert_eq!(service.owners_named("github", "users/user-3"), 1);
    workspace.plans_nothing().without_warnings();
}

/// The drift job after a merge: what the apply wrote is what the first refresh would write.
#[test]
fn refresh_after_an_apply_changes_nothing() {
    let service = Service::with_empty_okta();
    let all = || {
        roles(5).set("resources", "[\"repo/a\"]")
            + many_owners(5)
            + role("viewer")
            + owners(&["users/ada", "users/ben"])
    };
    service.put_role("github", "imported", json!({"displayName": "Role", "priority": "1"}));
    service.put_owner("github", "own-7", "users/imported");
    let imports = import("access_listing_role.imported", "github/imported")
        + import("access_integration_owner.imported", "github/own-7");
    let imported = || role("imported") + owner("imported");
    let workspace = service.applied(all() + imported() + imports);
    let check = |workspace: &Workspace, case: &str| {
        let before = workspace.state();
        workspace.refresh().succeeds();
        assert_eq!(workspace.state()["resources"], before["resources"], "{case}");
    };
    check(&workspace, "after a create and an import");
    let edited = roles(5).text("description", "Edited")
        + many_owners(5)
        + role("viewer").set("priority", 7)
        + owners(&["users/ada", "users/cai"]);
    workspace.apply_of(edited + imported()).succeeds();
    check(&workspace, "after an update");
    workspace.plan_with(&["-refresh-only"]).exits(0);
}

/// A service with the two documented operations only.
#[test]
fn objects_are_kept_and_updated_without_reads() {
    let service = Service::documented_only(405);
    let all = |viewer| viewer + role("editor") + owner("ada");
    let workspace = service.applied(all(role("viewer")));
    let plan = workspace.plans_nothing();
    assert!((1..=2).contains(&plan.warnings().len()), "once per run: {:#?}", plan.warnings());
    workspace.apply_of(all(role("viewer").text("display_name", "Reader"))).succeeds();
    assert_eq!(service.display_name("viewer"), "Reader");
    assert_eq!(service.owners_named("github", "users/ada"), 1);
}

/// Another region has other objects of the same names. A service that has moved has the objects, and its new
/// address is remembered. `protocol` has the tables of reads, updates, replacements and destroys at another
/// address.
#[test]
fn other_region_fails_and_keeps_the_state() {
    let home = Service::full();
    let mut workspace = home.applied(role("viewer") + owner("ada"));
    let ids = home.owner_ids("github", "users/ada");
    let elsewhere = Service::full();
    elsewhere.change_world(|world| world.clock_offset_ms = -600_000);
    elsewhere.put_role("github", "viewer", json!({"displayName": "Role", "priority": "1"}));
    elsewhere.put_owner("github", &ids[0], "users/ada");
    let new = home.elsewhere();
    workspace.set("ACCESS_BASE_URL", &new.base_url());
    workspace.refresh().succeeds().without_warnings();
    workspace.set("ACCESS_BASE_URL", &elsewhere.base_url());
    for outcome in [workspace.plan(), workspace.destroy_with(&["-refresh=false"])] {
        let errors = outcome.exits(1).errors();
        assert!((1..=2).contains(&errors.len()), "{errors:#?}");
        for address in [new.base_url(), elsewhere.base_url()] {
            assert!(errors.iter().all(|error| error.contains(&address)), "{errors:#?}");
        }
    }
    assert_eq!(workspace.state_size(), 2);
    assert_eq!((home.writes().len(), elsewhere.writes().len()), (0, 0));
}
