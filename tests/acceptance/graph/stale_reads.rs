//! Reads that return an older version than the provider's last write.

use access_fake::{LagRule, Running, World, Write};
use serde_json::json;

use super::{display_name, role, start, workspace};
use crate::support::Workspace;

/// More reads than a run makes.
const ENDLESS: u32 = 10_000;

fn roles(display_name: &str) -> String {
    (role("viewer", "viewer", "") + &role("editor", "editor", "")).replace("Viewer", display_name)
}

/// Returns a workspace whose last update is lagging for a number of reads.
fn updated(reads: u32) -> (Running, Workspace) {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&roles("One"));
    workspace.apply().succeeds();
    service.service().change_world(|world| {
        world.lags.push(LagRule { after: Some(Write::Update), reads, ..LagRule::default() });
    });
    workspace.configure(&roles("Two"));
    workspace.apply().succeeds();
    (service, workspace)
}

#[test]
fn read_that_catches_up_within_seconds_is_no_difference() {
    let (_service, workspace) = updated(3);
    workspace.plan().exits(0).without_warnings();
}

#[test]
fn read_that_lags_is_no_difference_and_warns_once() {
    let (service, workspace) = updated(ENDLESS);
    let plan = workspace.plan().exits(0);
    assert_eq!(plan.warnings().len(), 1, "{:#?}", plan.warnings());
    let plan = plan.warns("The service returned an older version");
    assert_eq!(plan.action("access_listing_role.viewer"), "no-op");

    workspace.apply_with(&["-refresh-only"]).succeeds();
    for address in ["access_listing_role.viewer", "access_listing_role.editor"] {
        assert_eq!(workspace.state_of(address).unwrap()["display_name"], "Two");
    }
    assert_eq!(display_name(&service, "viewer"), "Two");
}

#[test]
fn restored_backup_counts() {
    for mode in ["auto", "list"] {
        // The update is ten minutes old when the backup is restored.
        let service = start(World { clock_offset_ms: -600_000, ..World::default() });
        let workspace = workspace(&service).with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&roles("Two"));
        workspace.apply().succeeds();
        service.service().change_world(|world| world.clock_offset_ms = 0);
        let backup = json!({"displayName": "One", "updateTime": "2020-01-02T03:04:05Z"});
        service.service().change_role("github", "viewer", &backup).unwrap();
        let plan = workspace.plan().exits(2).without_warnings();
        assert_eq!(plan.action("access_listing_role.viewer"), "update", "{mode}");
        assert_eq!(plan.action("access_listing_role.editor"), "no-op", "{mode}");
        workspace.apply().succeeds();
        assert_eq!(display_name(&service, "viewer"), "Two", "{mode}");
    }
}
