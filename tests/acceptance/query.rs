//! `terraform query`, and the configuration that it generates.

use serde_json::json;

use crate::support::{Feature, Service, Workspace, host_version};

fn with_objects(service: &Service) -> Workspace {
    for (role, fields) in [
        ("admin", json!({"displayName": "Admin", "priority": "20", "resources": ["b", "a"]})),
        (
            "editor",
            json!({"displayName": "Editor", "priority": "10", "description": "Edits.",
                          "manager": "TERRAFORM"}),
        ),
        ("viewer", json!({"displayName": "Viewer", "priority": "0"})),
    ] {
        service.put_role("github", role, fields);
    }
    service.put_owner("okta", "own-9", "groups/platform");
    let workspace = service.workspace();
    workspace.write(
        "all.tfquery.hcl",
        "list \"access_listing_role\" \"all\" {
  provider = access
  config {
    listing = \"github\"
  }
}

list \"access_integration_owner\" \"all\" {
  provider = access
  config {
    integration = \"okta\"
  }
}

list \"access_integration_owners\" \"github\" {
  provider = access
  config {
    integration = \"github\"
  }
}
",
    );
    workspace
}

#[test]
fn generated_configuration_plans_nothing_but_the_manager() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let service = Service::full();
    let workspace = with_objects(&service);
    workspace.run(&["query", "-json", "-generate-config-out=generated.tf"]).succeeds();
    let planned = workspace.plan().changes();
    let action = |name: &str| planned.action(&format!("access_listing_role.all_{name}"));
    assert_eq!([action("0"), action("1"), action("2")], ["update", "import", "update"]);
    let changes = planned.stdout.lines().find(|line| line.contains("change_summary")).unwrap();
    assert!(changes.contains("6 to import, 0 to add, 2 to change, 0 to destroy"), "{changes}");
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
