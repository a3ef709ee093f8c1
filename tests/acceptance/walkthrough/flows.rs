//! The guides' configurations, applied to the local service.

use serde_json::json;

use super::blocks;
use crate::support::{Service, Workspace};

fn with_viewer(fields: serde_json::Value) -> (Service, Workspace) {
    let service = Service::full();
    service.put_role("github", "viewer", fields);
    let workspace = service.workspace();
    (service, workspace)
}

#[test]
fn roles_from_yaml_are_applied_and_their_keys_checked() {
    const PAGE: &str = "templates/guides/roles-from-yaml.md";
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
    workspace.configure(&format!("{keyed}{moved}{}", others.concat()));
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0, "only addresses change");

    let checked = blocks::with(PAGE, "precondition {");
    let locals = first.split("\n}\n").next().expect("the locals");
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&format!("{locals}\n}}\n{}", checked.replace("\"checked\"", "\"this\"")));
    workspace.write("roles.yaml", &data.replace("description:", "descripton:"));
    let error = workspace.plan().exits(1).only_error();
    assert!(error.contains("github/maintainer has a key that roles do not have."), "{error}");
}

#[test]
fn existing_role_is_imported_as_the_guide_describes() {
    const PAGE: &str = "templates/guides/existing-roles.md";
    let (service, workspace) = with_viewer(json!({"displayName": "Viewer", "priority": "0"}));
    let import = blocks::with(PAGE, "to = access_listing_role.viewer\n");
    workspace.configure(&import);
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action("access_listing_role.viewer"), "update");
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["manager"], "TERRAFORM");
    workspace.plan().exits(0);

    let (service, workspace) = with_viewer(json!({"displayName": "Viewer", "priority": "0"}));
    workspace.write("roles.yaml", "viewer: {display_name: Viewer, priority: 0}\n");
    workspace.configure(&blocks::with(PAGE, "yamldecode"));
    workspace.apply().succeeds();
    assert_eq!(service.roles("github").len(), 1);
    workspace.plan().exits(0);

    let (service, workspace) = with_viewer(json!({"displayName": "Old", "priority": "5"}));
    workspace.configure(&blocks::with(PAGE, "adopt_existing = true\n}"));
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["displayName"], "Viewer");
}

#[test]
fn role_is_handed_back_as_the_guide_describes() {
    const PAGE: &str = "templates/guides/handing-back.md";
    let role = "resource \"access_listing_role\" \"viewer\" {\n  listing      = \"github\"\n  role         = \"viewer\"\n  display_name = \"Viewer\"\n  priority     = 0\n}\n";
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role);
    workspace.apply().succeeds();
    workspace.configure(&blocks::with(PAGE, "from = access_listing_role.viewer\n\n"));
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 0));
    assert!(service.role("github", "viewer").is_some());

    let each = |entries: &str| {
        format!(
            "resource \"access_listing_role\" \"github\" {{\n  for_each     = toset([{entries}])\n  listing      = \"github\"\n  role         = each.value\n  display_name = each.value\n  priority     = 0\n}}\n"
        )
    };
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&each("\"admin\", \"viewer\""));
    workspace.apply().succeeds();
    let handed_back = blocks::with(PAGE, "handed_back\n}");
    workspace.configure(&format!("{}{handed_back}", each("\"admin\"")));
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 1));
    assert_eq!(service.roles("github").len(), 2);
    workspace.plan().exits(0);

    // Between two addresses.
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(role);
    workspace.apply().succeeds();
    let moved = blocks::with(PAGE, "to   = access_listing_role.reader");
    workspace.configure(&format!("{}{moved}", role.replace("\"viewer\" {", "\"reader\" {")));
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn checks_warn_about_what_no_configuration_manages() {
    const PAGE: &str = "templates/guides/checks.md";
    // The founder owns both integrations, outside the configuration.
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&blocks::with(PAGE, "check \"github_owners\""));
    let text = "Owners of github that are not in the configuration: users/founder.";
    workspace.apply().succeeds().warns(text);
    workspace.plan().exits(0).warns(text);
    service.remove_owner("github", "founder");
    workspace.plan().exits(0).without_warnings();

    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&blocks::with(PAGE, "check \"okta_has_two_owners\""));
    workspace.apply().succeeds().without_warnings();
    service.remove_owner("okta", "founder");
    workspace.plan().exits(0).warns("okta has fewer than two owners.");

    let service = Service::full();
    service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "0"}));
    let workspace = service.workspace();
    workspace.configure(&blocks::with(PAGE, "check \"github_roles_are_managed\""));
    let text = "Roles of github that are not managed as code: listings/github/roles/viewer.";
    workspace.plan().exits(0).warns(text);
    service.change_role("github", "viewer", json!({"manager": "TERRAFORM"}));
    workspace.plan().exits(0).without_warnings();
}

#[test]
fn address_in_the_environment_applies_to_every_alias_without_one() {
    let (eu, us) = (Service::full(), Service::full());
    let workspace = eu.workspace();
    let text = blocks::with("templates/guides/authentication.md", "alias    = \"eu\"");
    let text = text.replace("  base_url = \"https://eu.access.example.com\"\n", "");
    assert!(!text.contains("eu.access"), "{text}");
    workspace.configure(&text.replace("https://us.access.example.com", &us.base_url()));
    workspace.apply().succeeds();
    assert_eq!((eu.roles("github").len(), us.roles("github").len()), (0, 1));
    workspace.configure(&text.replace("  base_url = \"https://us.access.example.com\"\n", ""));
    let outcome = workspace.run(&["validate", "-json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    let workspace = eu.workspace();
    workspace.configure(&text.replace("  base_url = \"https://us.access.example.com\"\n", ""));
    workspace.apply().succeeds();
    assert_eq!(eu.roles("github").len(), 1);
}
