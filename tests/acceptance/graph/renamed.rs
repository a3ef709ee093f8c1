//! One object under a new address: with and without a `moved` block.

use std::collections::BTreeSet;

use access_fake::World;

use super::{display_name, owner, owners_named, requests_of, role, start, workspace, writes};
use crate::support::{Workspace, number};

/// Runs of the renamed roles in the normal test run. `RENAMED_RUNS` sets another number.
const RUNS: u64 = 2;
const ROLES: usize = 30;

fn both(address: &str, more: &str) -> String {
    format!("{}{}", role(address, "viewer", more), owner(address, "users/ada", more))
}

#[test]
fn renamed_address_fails_the_plan_with_the_moved_block() {
    let service = start(World::default());
    let workspace = workspace(&service);
    for more in
        ["", "  adopt_existing = true", "  lifecycle {\n    create_before_destroy = true\n  }"]
    {
        workspace.configure(&both("old", more));
        workspace.apply().succeeds();
        let state = workspace.state();
        service.service().clear_requests();

        workspace.configure(&both("new", more));
        let errors = workspace.plan().exits(1).errors();
        for (summary, resource_type) in [
            ("One listing role is destroyed and created", "access_listing_role"),
            ("One integration owner is destroyed and created", "access_integration_owner"),
        ] {
            let error = errors.iter().find(|error| error.starts_with(summary));
            let error = error.unwrap_or_else(|| panic!("{summary}: {errors:#?}"));
            let block = format!(
                "moved {{\n    from = {resource_type}.old_name\n    to   = {resource_type}.new_name"
            );
            assert!(error.contains(&block), "{error}");
        }
        workspace.apply().exits(1);
        assert_eq!(writes(&service), 0, "{more}");
        assert_eq!(workspace.state()["resources"], state["resources"], "{more}");
    }
    assert_eq!(display_name(&service, "viewer"), "Viewer");
    assert_eq!(owners_named(&service, "users/ada"), 1);
}

#[test]
fn renamed_address_with_a_moved_block_changes_nothing() {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&both("old", ""));
    workspace.apply().succeeds();
    service.service().clear_requests();
    let moved = |resource_type: &str| {
        format!("moved {{\n  from = {resource_type}.old\n  to   = {resource_type}.new\n}}\n")
    };
    let blocks = moved("access_listing_role") + &moved("access_integration_owner");
    workspace.configure(&(both("new", "") + &blocks));
    workspace.apply().succeeds().without_warnings();
    assert_eq!(writes(&service), 0);
    assert!(workspace.state_of("access_listing_role.new").is_some());
    assert!(workspace.state_of("access_integration_owner.new").is_some());
    assert_eq!(workspace.state_size(), 2);
    workspace.plan().exits(0);
}

fn roles(address: &str) -> String {
    format!(
        "resource \"access_listing_role\" \"{address}\" {{
  count        = {ROLES}
  listing      = \"github\"
  role         = \"role-${{count.index}}\"
  display_name = \"Role\"
  priority     = count.index
}}
"
    )
}

/// Returns the IDs of the roles that the state has.
fn ids_in_state(workspace: &Workspace) -> BTreeSet<String> {
    let state = workspace.state();
    let resources = state["resources"].as_array().cloned().unwrap_or_default();
    let instances = resources.iter().filter_map(|resource| resource["instances"].as_array());
    instances
        .flatten()
        .filter_map(|instance| instance["attributes"]["role"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn renamed_address_of_thirty_roles_loses_none() {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&roles("name_0"));
    workspace.apply().succeeds();
    for run in 0..number("RENAMED_RUNS").unwrap_or(RUNS) {
        workspace.configure(&roles("renamed"));
        let outcome = workspace.apply_with(&["-parallelism=10"]);
        assert_eq!(outcome.code, 1, "run {run}: {}", outcome.output());
        let error = "is destroyed and created under two addresses";
        let errors = outcome.errors();
        let reported = errors.iter().filter(|text| text.contains(error)).count();
        assert_eq!(reported, ROLES, "run {run}: {errors:#?}");
        assert_eq!(service.service().roles("github").len(), ROLES, "run {run}");
        assert_eq!(ids_in_state(&workspace).len(), ROLES, "run {run}");
    }
    assert_eq!(requests_of(&service, "DELETE"), 0);
    workspace.configure(&roles("name_0"));
    workspace.plan().exits(0);
}
