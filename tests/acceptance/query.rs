//! `terraform query`, and the configuration that it generates.

use serde_json::json;

use crate::support::fixtures::{OWNER, ROLE};
use crate::support::{Feature, Service, has_parts, host_version};

#[test]
fn generated_configuration_plans_nothing_but_the_manager() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let service = Service::full();
    for (role, fields) in [
        ("admin", json!({"displayName": "Admin", "priority": "20", "resources": ["b", "a"]})),
        ("editor", json!({"displayName": "Editor", "priority": "10", "manager": "TERRAFORM"})),
        ("viewer", json!({"displayName": "Viewer", "description": "Views."})),
    ] {
        service.put_role("github", role, fields);
    }
    service.put_owner("okta", "own-9", "groups/platform");
    let workspace = service.workspace();
    workspace.remove_checkout();
    let lists = [(ROLE, "listing = \"github\""), (OWNER, "integration = \"okta\"")];
    let blocks = lists.map(|(kind, parent)| {
        let config = format!("  provider = access\n  config {{\n    {parent}\n  }}\n");
        format!("list \"{kind}\" \"all\" {{\n{config}}}\n")
    });
    workspace.write("all.tfquery.hcl", &blocks.concat());
    workspace.run(&["query", "-json", "-generate-config-out=generated.tf"]).succeeds();
    let planned = workspace.plan().exits(2);
    let action = |name: &str| planned.action(&format!("access_listing_role.all_{name}"));
    assert_eq!([action("0"), action("1"), action("2")], ["update", "import", "update"]);
    has_parts(&planned.stdout, &["5 to import, 0 to add, 2 to change, 0 to destroy"]);
    let before = service.roles("github");
    workspace.apply().succeeds();
    workspace.plan().exits(0);
    for (before, after) in before.into_iter().zip(service.roles("github")) {
        assert_eq!(after["manager"], "TERRAFORM");
        for unchanged in ["name", "displayName", "description", "priority", "resources"] {
            assert_eq!(before[unchanged], after[unchanged], "{unchanged}");
        }
    }
}
