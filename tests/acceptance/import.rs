//! Imports by command, by block, by identity and with generated configurations, and identities in states.
//!
//! `protocol::identity` has every form of an ID, and what is not imported.

use serde_json::json;

use crate::support::fixtures::{Block, import, owner, owners, role};
use crate::support::{Feature, Service, host_version};

const ROLE: &str = "access_listing_role.admin";
const OWNER: &str = "access_integration_owner.ada";
const OWNERS: &str = "access_integration_owners.all";

fn admin() -> Block {
    let block = role("admin").text("display_name", "Admin").set("priority", 3);
    block.text("description", "All").set("resources", "[\"repo/a\", \"repo/b\"]")
}

/// Adds the objects to import: a role without a manager, and the owner `own-9`.
fn existing() -> Service {
    let service = Service::full();
    let fields = json!({"displayName": "Admin", "priority": "3", "description": "All",
                        "resources": ["repo/b", "repo/a"]});
    service.put_role("github", "admin", fields);
    service.put_owner("github", "own-9", "users/ada");
    service
}

#[test]
fn imported_role_is_updated_with_its_manager_and_repository_only() {
    let service = existing();
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/a/b");
    workspace.configure(admin());
    workspace.import(ROLE, "github/admin").succeeds();
    assert_eq!(service.writes().len(), 0);
    workspace.plan().plans(ROLE, "update");
    workspace.apply().succeeds();
    let writes = service.writes();
    assert_eq!(writes.len(), 1);
    assert_eq!(writes[0].query_value("updateMask").as_deref(), Some("repoUri,repoDir"), "a pair");
    let role = service.role("github", "admin").unwrap();
    assert_eq!((&role["manager"], &role["description"]), (&json!("TERRAFORM"), &json!("All")));
    workspace.plans_nothing().without_warnings();
}

#[test]
fn generated_configuration_plans_nothing_but_the_manager() {
    // Later hosts need `provider` in these blocks, which fails with `dev_overrides`.
    if !host_version().is_before(Feature::ModuleImports) {
        return;
    }
    let service = existing();
    service.put_role("github", "managed", json!({"displayName": "M", "manager": "TERRAFORM"}));
    let workspace = service.workspace();
    let managed = "access_listing_role.managed";
    let imports = import(ROLE, "listings/github/roles/admin") + import(managed, "github/managed");
    workspace.configure(imports + import(OWNER, "github/own-9") + import(OWNERS, "okta"));
    let plan = workspace.plan_with(&["-generate-config-out=generated.tf"]).exits(2);
    for address in [managed, OWNER, OWNERS] {
        assert_eq!(plan.action(address), "import", "{address}: {}", plan.output());
    }
    workspace.apply().succeeds();
    workspace.plans_nothing().without_warnings();
    assert_eq!(service.role("github", "admin").unwrap()["manager"], "TERRAFORM");
    assert_eq!(service.writes().len(), 1);
}

#[test]
fn objects_are_imported_by_identity_and_keep_it() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    let service = existing();
    service.change_role("github", "admin", json!({"manager": "TERRAFORM"}));
    let workspace = service.workspace();
    let by = |to: &str, identity: &str| {
        format!("import {{\n  to = {to}\n  identity = {{\n    {identity}\n  }}\n}}\n")
    };
    let all = admin() + owner("ada") + owners(&["users/founder"]);
    let blocks = by(ROLE, "listing = \"github\"\n    role = \"admin\"")
        + &by(OWNER, "integration = \"github\"\n    owner = \"own-9\"")
        + &by(OWNERS, "integration = \"okta\"");
    workspace.configure(all + blocks);
    let planned = workspace.plan().changes();
    for address in [ROLE, OWNER, OWNERS] {
        assert_eq!(planned.action(address), "import", "{}", planned.output());
    }
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
    let identity = |address| workspace.instance(address).unwrap()["identity"].clone();
    assert_eq!(identity(ROLE), json!({"listing": "github", "role": "admin"}));
    assert_eq!(identity(OWNER), json!({"integration": "github", "owner": "own-9"}));
    assert_eq!(identity(OWNERS), json!({"integration": "okta"}));
    workspace.plans_nothing();

    // Another name is another identity.
    let all = admin().text("role", "reader") + owner("ada") + owners(&["users/founder"]);
    workspace.configure(all);
    workspace.apply().succeeds();
    assert_eq!(identity(ROLE), json!({"listing": "github", "role": "reader"}));
    workspace.plans_nothing();
}
