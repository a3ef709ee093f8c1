//! States that earlier versions of the provider have written.

use serde_json::{Value, json};

use crate::support::{Feature, Service, Workspace, host_version};

/// Returns a service and a workspace as an apply of version 0 of the schemas has left them.
fn as_version_0_left_it(service: &Service) -> Workspace {
    let role = json!({"displayName": "Viewer", "priority": "0", "manager": "TERRAFORM",
                      "repoUri": "https://git.example.com/platform/access", "repoDir": "roles"});
    service.put_role("github", "viewer", role);
    service.put_owner("okta", "own-1", "users/ada");
    let workspace = service.workspace();
    workspace.configure(
        "resource \"access_listing_role\" \"least\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
}

resource \"access_integration_owner\" \"least\" {
  integration = \"okta\"
  owner       = \"users/ada\"
}
",
    );
    let resource = |kind: &str, instance: &str| {
        let instance: Value = serde_json::from_str(instance).expect("an instance");
        json!({"mode": "managed", "type": kind, "name": "least",
               "provider": "provider[\"registry.terraform.io/access/access\"]",
               "instances": [instance]})
    };
    let role = include_str!("../fixtures/version-0/listing_role-least.json");
    let owner = include_str!("../fixtures/version-0/integration_owner-least.json");
    let state = json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 1,
        "lineage": "7b52174b-3d3b-53c6-6d87-9c3102a38ecc", "outputs": {},
        "resources": [resource("access_integration_owner", owner),
                      resource("access_listing_role", role)],
        "check_results": null,
    });
    workspace.write("terraform.tfstate", &state.to_string());
    workspace
}

#[test]
fn state_of_version_0_plans_no_changes_and_is_written_anew() {
    let service = Service::full();
    let workspace = as_version_0_left_it(&service);
    workspace.plan_with(&["-refresh=false"]).exits(0).without_warnings();
    workspace.plan().exits(0).without_warnings();
    workspace.apply_with(&["-refresh-only"]).succeeds();
    assert_eq!(service.writes().len(), 0);
    for address in ["access_listing_role.least", "access_integration_owner.least"] {
        assert_eq!(workspace.instance(address).unwrap()["schema_version"], 1, "{address}");
    }
    if host_version().supports(Feature::Identity) {
        let identity = |address| workspace.instance(address).unwrap()["identity"].clone();
        let role = identity("access_listing_role.least");
        assert_eq!(role, json!({"listing": "github", "role": "viewer"}));
        let owner = identity("access_integration_owner.least");
        assert_eq!(owner, json!({"integration": "okta", "owner": "own-1"}));
    }
}
