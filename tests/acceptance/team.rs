//! The stack of `examples/team`, applied to two regions.

use std::fs;
use std::path::Path;

use crate::support::{Service, Workspace};

pub(super) fn copy(from: &Path, workspace: &Workspace, into: &str) {
    for entry in fs::read_dir(from).expect("the example").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            copy(&entry.path(), workspace, &format!("{into}{name}/"));
        } else {
            let text = fs::read_to_string(entry.path()).expect("a text");
            workspace.write(&format!("{into}{name}"), &text);
        }
    }
}

#[test]
fn team_has_its_roles_in_both_regions_and_changes_them_by_file() {
    let (eu, us) = (Service::full(), Service::full());
    let workspace = eu
        .workspace()
        .with("TF_VAR_eu_base_url", &eu.base_url())
        .with("TF_VAR_us_base_url", &us.base_url());
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/team");
    copy(&example, &workspace, "");
    // The provider under test is not installed, so there is nothing to `init` but the modules.
    workspace.run(&["get"]).succeeds();
    workspace.apply().succeeds().without_warnings();
    workspace.plan().exits(0);
    assert_eq!((eu.roles("github").len(), us.roles("github").len()), (2, 1));
    assert_eq!(us.role("production", "breakglass").expect("a role")["priority"], "20");
    assert_eq!(eu.owners_named("github", "teams/platform"), 1);
    assert_eq!(us.owners_named("github", "teams/platform"), 0);

    let file = fs::read_to_string(example.join("us.yaml")).expect("a text");
    workspace.write("us.yaml", &file.replace("Break glass", "Emergency"));
    let role = "module.us.access_listing_role.this[\"production/breakglass\"]";
    assert_eq!(workspace.plan().exits(2).action(role), "update");
    workspace.apply().succeeds();
    assert_eq!(us.role("production", "breakglass").expect("a role")["displayName"], "Emergency");

    workspace.write("us.yaml", &file.replace("priority", "prioriti"));
    workspace.plan().exits(1);
    workspace.write("us.yaml", &file);
    workspace.destroy().succeeds();
    assert_eq!((eu.roles("github").len(), us.roles("production").len()), (0, 0));
}
