//! The guides' configurations, applied to the local service.

use serde_json::json;

use super::VIEWER;
use super::blocks;
use crate::support::fixtures::role;
use crate::support::{Feature, Service, Workspace, host_version, text_of};

#[test]
fn roles_from_yaml_are_applied_and_are_those_of_the_example() {
    const PAGE: &str = "docs/guides/roles-from-yaml.md";
    let (service, workspace) = Service::with_workspace();
    workspace.write("listing/main.tf", &text_of("examples/team/region/listing/main.tf"));
    workspace.write("listings/github.yaml", &blocks::with(PAGE, "display_name: Viewer"));
    workspace
        .write("listings/production.yaml", "on-call:\n  display_name: On call\n  priority: 0\n");
    workspace.configure(blocks::with(PAGE, "source   = \"./listing\""));
    workspace.run(&["get"]).succeeds();
    workspace.apply().succeeds().without_warnings();
    workspace.plans_nothing();
    assert_eq!((service.roles("github").len(), service.roles("production").len()), (2, 1));
}

#[test]
fn role_is_handed_back_as_the_guide_describes() {
    let block = |text| blocks::with("docs/guides/handing-back.md", text);
    let each = |entries: &str| {
        role("viewer").at("github").set("for_each", entries).set("role", "each.value").to_string()
    };
    let handed_back = each("toset([\"admin\"])") + &block("handed_back\n}");
    for (before, after, in_state) in [
        (VIEWER.to_owned(), block("from = access_listing_role.viewer\n\n"), 0),
        (each("toset([\"admin\", \"viewer\"])"), handed_back, 1),
    ] {
        let (service, workspace) = Service::with_applied(&before);
        workspace.apply_of(&after).succeeds();
        assert_eq!((service.writes().len(), workspace.state_size()), (0, in_state), "{after}");
        assert!(service.role("github", "viewer").is_some(), "{after}");
        workspace.plans_nothing();
    }
}

#[test]
fn roles_stay_under_the_policy_of_the_guide() {
    let provider = blocks::with("docs/guides/handing-back.md", "deletion_policy = \"abandon\"");
    let (service, workspace) = Service::with_applied(VIEWER);
    let provider = provider.replace("https://eu.access.example.com", &service.base_url());
    workspace.configure(format!("{provider}{VIEWER}"));
    service.clear_requests();
    workspace.destroy().succeeds();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 0));
    assert!(service.role("github", "viewer").is_some());
}

/// In one apply, without a gap, with a key that may not set resources.
#[test]
fn role_is_renamed_as_the_guide_describes_and_starts_without_resources() {
    let renamed = blocks::with("docs/guides/renaming.md", "role         = \"reader\"");
    let (service, mut workspace) = Service::with_applied(VIEWER);
    service.change_role("github", "viewer", json!({"resources": ["repositories/website"]}));
    service.clear_requests();
    workspace.set("ACCESS_API_KEY", "member-key");
    workspace.apply_of(&renamed).succeeds();
    let methods: Vec<_> = service.writes().iter().map(|write| write.method.clone()).collect();
    assert_eq!(methods, ["PATCH", "DELETE"]);
    let role = service.role("github", "reader").expect("a role");
    assert_eq!((&role["displayName"], &role["resources"]), (&json!("Reader"), &json!([])));
    workspace.plans_nothing();
}

/// Two checkouts of one repository whose remotes have other hosts record one spelling.
#[test]
fn two_remotes_of_one_repository_have_one_spelling_as_the_guide_describes() {
    let block = blocks::with("docs/guides/authentication.md", "ACCESS_REPO_URI");
    let value = |name: &str| {
        let (_, rest) = block.split_once(&format!("{name}=\"")).expect("a variable");
        rest.split('"').next().expect("a value").to_owned()
    };
    let service = Service::full();
    let mut one = in_checkout(&service, "platform/access");
    let mut other = in_checkout(&service, "alias/access");
    for workspace in [&mut one, &mut other] {
        for name in ["ACCESS_REPO_URI", "ACCESS_REPO_DIR"] {
            workspace.set(name, &value(name));
        }
        workspace.configure(VIEWER);
    }
    one.apply().succeeds();
    other.write("terraform.tfstate", &one.read("terraform.tfstate"));
    other.plan().exits(0).without_warnings();
    other.apply_of(VIEWER.replace("\"Viewer\"", "\"Reader\"")).succeeds();
    let role = service.role("github", "viewer").expect("a role");
    assert_eq!(
        (&role["repoUri"], &role["repoDir"]),
        (&json!(value("ACCESS_REPO_URI")), &json!(value("ACCESS_REPO_DIR")))
    );
}

/// Returns a workspace in the directory `configuration` of a checkout of this repository.
fn in_checkout(service: &Service, repository: &str) -> Workspace {
    let workspace = service.workspace();
    workspace.write("../.git/HEAD", "ref: refs/heads/main\n");
    let url = format!("https://git.example.com/{repository}");
    workspace.write("../.git/config", &format!("[remote \"origin\"]\n\turl = {url}\n"));
    workspace
}

/// Two repositories with a state each: afterwards both plan nothing, and the role records who has
/// it.
#[test]
fn role_is_handed_over_to_another_repository_as_the_guide_describes() {
    const PAGE: &str = "docs/guides/handing-back.md";
    let service = Service::full();
    let old = in_checkout(&service, "platform/access");
    let new = in_checkout(&service, "payments/access");
    old.apply_of(VIEWER).succeeds();
    let recorded = || service.role("github", "viewer").expect("a role")["repoUri"].clone();
    assert_eq!(recorded(), "https://git.example.com/platform/access");

    // 1. The import block of the page, with the resource.
    let import = blocks::with(PAGE, "import {");
    new.plan_of(format!("{import}{VIEWER}")).warns(["records another repository"]);
    // 2.
    service.clear_requests();
    old.apply_of(blocks::with(PAGE, "from = access_listing_role.viewer\n\n")).succeeds();
    assert_eq!(service.writes().len(), 0);
    // 3.
    new.apply().succeeds();
    assert_eq!(recorded(), "https://git.example.com/payments/access");

    for (workspace, configuration) in [(&old, ""), (&new, VIEWER)] {
        workspace.configure(configuration);
        workspace.plans_nothing().without_warnings();
    }
    assert_eq!(service.display_name("viewer"), "Viewer");
}

/// `lifecycle { destroy = false }`: the table of the guide, on hosts that have it.
#[test]
fn hosts_keep_objects_under_destroy_false_as_the_guide_says() {
    const PAGE: &str = "docs/guides/handing-back.md";
    let keeping =
        VIEWER.replace("  priority", "  lifecycle {\n    destroy = false\n  }\n  priority");
    let host = host_version();
    if !host.has(Feature::DestroyFalse) {
        let workspace = Service::full().configured(&keeping);
        let output = workspace.run(&["validate", "-no-color"]).exits(1).stderr;
        assert!(output.contains("An argument named \"destroy\" is not expected here"), "{output}");
        return;
    }
    let exists = |service: &Service| service.role("github", "viewer").is_some();

    let (service, workspace) = Service::with_applied(&keeping);
    workspace.apply_of("").succeeds();
    assert_eq!((exists(&service), workspace.state_size()), (host.is_tofu, 0));

    let (service, workspace) = Service::with_applied(&keeping);
    workspace.destroy().exits(i32::from(host.is_tofu));
    assert_eq!((exists(&service), workspace.state_size()), (true, 0));

    let (service, workspace) = Service::with_applied(&keeping);
    workspace
        .apply_of(keeping.replace("role         = \"viewer\"", "role         = \"reader\""))
        .succeeds();
    assert!(exists(&service) && service.role("github", "reader").is_some());

    let (service, workspace) = Service::with_applied(&keeping);
    workspace.taint(&["access_listing_role.viewer"]);
    let error = workspace.apply().exits(1).only_error();
    assert!(error.contains("exists already"), "{error}");
    assert_eq!((exists(&service), workspace.state_size()), (true, 0));
    workspace.apply_of(keeping + &blocks::with(PAGE, "import {")).succeeds();
    assert_eq!(workspace.state_size(), 1);
    workspace.plans_nothing();
}

/// Every write of another client shows, because the manager is not the configuration's.
#[test]
fn ignore_changes_of_everything_still_plans_the_manager() {
    let ignoring =
        VIEWER.replace("  priority", "  lifecycle {\n    ignore_changes = all\n  }\n  priority");
    let (service, workspace) = Service::with_applied(ignoring);
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    workspace.plans_nothing();
    service.change_role("github", "viewer", json!({"manager": null}));
    workspace.plan().exits(2).warns(["is not managed by Terraform, and will be"]);
}
