//! The stack of `examples/team`, applied to two regions.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::support::{Feature, Service, Workspace, host_version};

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

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/team")
}

/// Returns a workspace with the stack, and `ACCESS_API_KEY` of an admin.
fn stack(eu: &Service, us: &Service) -> Workspace {
    let workspace = eu
        .workspace()
        .with("TF_VAR_eu_base_url", &eu.base_url())
        .with("TF_VAR_us_base_url", &us.base_url());
    copy(&example(), &workspace, "");
    // The provider under test is not installed, so there is nothing to `init` but the modules.
    workspace.run(&["get"]).succeeds();
    workspace
}

#[test]
fn team_has_its_roles_in_both_regions_and_changes_them_by_file() {
    if !host_version().supports(Feature::EphemeralVariables) {
        return;
    }
    let (eu, us) = (Service::full(), Service::full());
    let workspace = stack(&eu, &us);
    workspace.apply().succeeds().without_warnings();
    workspace.plan().exits(0);
    assert_eq!((eu.roles("github").len(), us.roles("github").len()), (2, 1));
    assert_eq!(us.role("production", "breakglass").expect("a role")["priority"], "20");
    assert_eq!(eu.owners_named("github", "teams/platform"), 1);
    assert_eq!(us.owners_named("github", "teams/platform"), 0);

    let file = fs::read_to_string(example().join("us.yaml")).expect("a text");
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

#[test]
fn team_keys_are_in_no_saved_plan_and_its_apply_takes_others() {
    if !host_version().supports(Feature::EphemeralVariables) {
        return;
    }
    let (eu, us) = (Service::full(), Service::full());
    let mut workspace = stack(&eu, &us);
    let set_keys = |workspace: &mut Workspace, key| {
        workspace.set("ACCESS_API_KEY", "");
        workspace.set("TF_VAR_eu_api_key", key);
        workspace.set("TF_VAR_us_api_key", key);
    };
    set_keys(&mut workspace, "reader-key");
    workspace.run(&["plan", "-json", "-lock=false", "-out=saved.tfplan"]).succeeds();
    let file = fs::File::open(workspace.path().join("saved.tfplan")).expect("a plan");
    let mut archive = zip::ZipArchive::new(file).expect("a plan is an archive");
    let mut has_plan = false;
    for index in 0..archive.len() {
        let mut bytes = Vec::new();
        archive.by_index(index).expect("a member").read_to_end(&mut bytes).expect("its bytes");
        let text = String::from_utf8_lossy(&bytes);
        has_plan |= text.contains(&eu.base_url());
        assert!(!text.contains("reader-key"), "{text}");
    }
    assert!(has_plan, "the values of other variables are in it");

    set_keys(&mut workspace, "admin-key");
    workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]).succeeds();
    for service in [&eu, &us] {
        let keys: Vec<_> = service.writes().into_iter().map(|request| request.key).collect();
        assert!(
            !keys.is_empty() && keys.iter().all(|key| key.as_deref() == Some("admin")),
            "{keys:?}"
        );
    }
}
