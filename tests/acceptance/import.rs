//! Imports by command, by block, by identity and with generated configurations, and identities in
//! states.
//!
//! `protocol::identity` has every form of an ID, and what is not imported.

use serde_json::json;

use crate::support::fixtures::{ADA, Block, LIST, REPOSITORY, import, owner, role};
use crate::support::{Feature, Service, host_version};

const ROLE: &str = "access_listing_role.admin";

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
fn generated_configuration_plans_nothing_but_the_manager() {
    // Later hosts need `provider` in these blocks, which fails with `dev_overrides`.
    if !host_version().is_before(Feature::ModuleImports) {
        return;
    }
    let service = existing();
    let fields = json!({"displayName": "M", "manager": "TERRAFORM",
                        "repoUri": REPOSITORY, "repoDir": "configuration"});
    service.put_role("github", "managed", fields);
    let workspace = service.workspace();
    let managed = "access_listing_role.managed";
    let imports = import(ROLE, "listings/github/roles/admin") + import(managed, "github/managed");
    workspace.configure(imports + import(ADA, "github/own-9") + import(LIST, "okta"));
    let plan = workspace.plan_with(&["-generate-config-out=generated.tf"]).exits(2);
    for address in [managed, ADA, LIST] {
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
    workspace.remove_checkout();
    let by = |to: &str, identity: &str| {
        format!("import {{\n  to = {to}\n  identity = {{\n    {identity}\n  }}\n}}\n")
    };
    let all = admin() + owner("ada");
    let blocks = by(ROLE, "listing = \"github\"\n    role = \"admin\"")
        + &by(ADA, "integration = \"github\"\n    integration_owner_id = \"own-9\"");
    let planned = workspace.plan_of(all + blocks).exits(2);
    for address in [ROLE, ADA] {
        assert_eq!(planned.action(address), "import", "{}", planned.output());
    }
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
    let identity = |address| workspace.instance(address).unwrap()["identity"].clone();
    assert_eq!(identity(ROLE), json!({"listing": "github", "role": "admin"}));
    assert_eq!(identity(ADA), json!({"integration": "github", "integration_owner_id": "own-9"}));
    workspace.plans_nothing();

    // Another name is another identity.
    let all = admin().text("role", "reader") + owner("ada");
    workspace.apply_of(all).succeeds();
    assert_eq!(identity(ROLE), json!({"listing": "github", "role": "reader"}));
    workspace.plans_nothing();
}
