//! The guides' configurations, applied to the local service.

use serde_json::json;

use super::VIEWER;
use super::blocks;
use crate::support::{Service, Workspace};

/// Returns a service with a role of these fields, and a workspace with this configuration.
fn existing(display_name: &str, priority: &str, configuration: &str) -> (Service, Workspace) {
    let service = Service::full();
    let fields = json!({"displayName": display_name, "priority": priority});
    service.put_role("github", "viewer", fields);
    let workspace = service.workspace();
    workspace.configure(configuration);
    (service, workspace)
}

/// Returns a service, and a workspace with this configuration applied.
fn applied(configuration: &str) -> (Service, Workspace) {
    let service = Service::full();
    let workspace = service.applied(configuration);
    (service, workspace)
}

#[test]
fn roles_from_yaml_are_applied_and_their_keys_checked() {
    const PAGE: &str = "docs/guides/roles-from-yaml.md";
    let service = Service::full();
    let workspace = service.workspace();
    let data = blocks::with(PAGE, "display_name: Viewer");
    let first = blocks::with(PAGE, "locals {");
    workspace.write("roles.yaml", &data);
    workspace.configure(&first);
    workspace.apply().succeeds();
    workspace.plan().exits(0);
    assert_eq!((service.roles("github").len(), service.roles("production").len()), (2, 1));

    // Other keys for the same roles, with the `moved` block of the page and one for each other entry.
    let moved = blocks::with(PAGE, "moved {");
    let others = ["github/maintainer", "production/on-call"];
    let others = others.map(|key| {
        moved.replace("github/viewer", key).replace("github.viewer", &key.replace('/', "."))
    });
    let keyed = first.replace("\"${listing}/${role}\"", "\"${listing}.${role}\"");
    workspace.configure(format!("{keyed}{moved}{}", others.concat()));
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0, "only addresses change");

    let checked = blocks::with(PAGE, "precondition {").replace("\"checked\"", "\"this\"");
    let locals = first.split("\n}\n").next().expect("the locals");
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(format!("{locals}\n}}\n{checked}"));
    workspace.write("roles.yaml", &data.replace("description:", "descripton:"));
    let error = workspace.plan().exits(1).only_error();
    assert!(error.contains("github/maintainer has a key that roles do not have."), "{error}");
}

#[test]
fn existing_role_is_imported_or_adopted_as_the_guide_describes() {
    const PAGE: &str = "docs/guides/existing-roles.md";
    let imported = blocks::with(PAGE, "to = access_listing_role.viewer\n");
    let (service, workspace) = existing("Viewer", "0", &imported);
    assert_eq!(workspace.plan().exits(2).action("access_listing_role.viewer"), "update");
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["manager"], "TERRAFORM");
    workspace.plan().exits(0);

    let (service, workspace) = existing("Viewer", "0", &blocks::with(PAGE, "yamldecode"));
    workspace.write("roles.yaml", "viewer: {display_name: Viewer, priority: 0}\n");
    workspace.apply().succeeds();
    assert_eq!(service.roles("github").len(), 1);
    workspace.plan().exits(0);

    let (service, workspace) =
        existing("Old", "5", &blocks::with(PAGE, "adopt_existing = true\n}"));
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["displayName"], "Viewer");
}

#[test]
fn role_is_handed_back_and_moved_as_the_guide_describes() {
    const PAGE: &str = "docs/guides/handing-back.md";
    let each = |entries: &str| {
        format!(
            "resource \"access_listing_role\" \"github\" {{\n  for_each     = toset([{entries}])\n  listing      = \"github\"\n  role         = each.value\n  display_name = each.value\n  priority     = 0\n}}\n"
        )
    };
    let block = |text| blocks::with(PAGE, text);
    for (case, before, after, in_state) in [
        ("a role", VIEWER.to_owned(), block("from = access_listing_role.viewer\n\n"), 0),
        (
            "an entry of a `for_each`",
            each("\"admin\", \"viewer\""),
            each("\"admin\"") + &block("handed_back\n}"),
            1,
        ),
        (
            "to another address",
            VIEWER.to_owned(),
            VIEWER.replace("\"viewer\" {", "\"reader\" {")
                + &blocks::with("docs/guides/renaming.md", "to   = access_listing_role.reader"),
            1,
        ),
    ] {
        let (service, workspace) = applied(&before);
        workspace.configure(&after);
        workspace.apply().succeeds();
        assert_eq!((service.writes().len(), workspace.state_size()), (0, in_state), "{case}");
        assert!(service.role("github", "viewer").is_some(), "{case}");
        workspace.plan().exits(0);
    }
}

#[test]
fn checks_warn_about_what_no_configuration_manages() {
    const PAGE: &str = "docs/guides/checks.md";
    // The founder owns both integrations, outside the configuration.
    let (service, workspace) = applied(&blocks::with(PAGE, "check \"github_owners\""));
    let text = "Owners of github that are not in the configuration: users/founder.";
    workspace.plan().exits(0).warns(text);
    service.remove_owner("github", "founder");
    workspace.plan().exits(0).without_warnings();

    let check = blocks::with(PAGE, "check \"github_roles_are_managed\"");
    let (service, workspace) = existing("Viewer", "0", &check);
    let text = "Roles of github that are not managed as code: listings/github/roles/viewer.";
    workspace.plan().exits(0).warns(text);
    service.change_role("github", "viewer", json!({"manager": "TERRAFORM"}));
    workspace.plan().exits(0).without_warnings();
}

#[test]
fn count_becomes_for_each_without_a_request() {
    let keyed = blocks::with("docs/guides/renaming.md", "for_each");
    let resource = keyed.find("resource ").expect("the resource");
    let counted = keyed[resource..]
        .replace("for_each = { viewer = 0, admin = 10 }", "count = 2")
        .replace("each.key", "[\"viewer\", \"admin\"][count.index]")
        .replace("each.value", "10 * count.index");
    let (service, workspace) = applied(&counted);
    workspace.configure(&keyed);
    workspace.apply().succeeds();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
    workspace.plans_nothing();
}
