//! The guides' configurations, applied to the local service.

use serde_json::json;

use super::VIEWER;
use super::blocks;
use crate::support::fixtures::role;
use crate::support::{Service, text_of};

#[test]
fn roles_from_yaml_are_applied_and_are_those_of_the_example() {
    const PAGE: &str = "docs/guides/roles-from-yaml.md";
    let (service, workspace) = Service::with_workspace();
    let module = blocks::with(PAGE, "check \"reviews\"");
    assert_eq!(module, text_of("examples/team/region/listing/main.tf"));
    workspace.write("listing/main.tf", &module);
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
fn checks_warn_about_what_no_configuration_manages() {
    const PAGE: &str = "docs/guides/checks.md";
    let service = Service::full();
    // The founder owns both integrations, outside the configuration.
    let workspace = service.applied(blocks::with(PAGE, "check \"github_owners\""));
    let text = "Owners of github that are not in the configuration: users/founder.";
    workspace.plan().exits(0).warns([text]);
    service.remove_owner("github", "founder");
    workspace.plan().exits(0).without_warnings();

    service.put_viewer();
    let workspace = service.configured(blocks::with(PAGE, "check \"github_roles_are_managed\""));
    let text = "Roles of github that are not managed as code: listings/github/roles/viewer.";
    workspace.plan().exits(0).warns([text]);
    service.change_role("github", "viewer", json!({"manager": "TERRAFORM"}));
    workspace.plan().exits(0).without_warnings();
}
