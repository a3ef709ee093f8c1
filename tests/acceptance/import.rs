//! Imports by name, by principal, by identity and with generated configurations.

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
fn objects_are_imported_whole_by_every_id_and_import_writes_nothing() {
    let service = existing();
    let workspace = service.workspace_with_key("reader-key");
    workspace.configure(admin() + owner("ada") + owners(&["users/founder"]));
    for (address, ids, id) in [
        (ROLE, &["github/admin", "listings/github/roles/admin"][..], "listings/github/roles/admin"),
        (
            OWNER,
            &["github/own-9", "integrations/github/owners/own-9", "github/users/ada"],
            "integrations/github/owners/own-9",
        ),
        (OWNERS, &["okta", "integrations/okta"], "integrations/okta"),
    ] {
        for imported in ids {
            workspace.import(address, imported).succeeds();
            let state = workspace.state_of(address).unwrap();
            assert_eq!(state["id"], id, "{imported}");
            match address {
                ROLE => assert_eq!(state["resources"], json!(["repo/a", "repo/b"])),
                OWNER => assert_eq!(state["owner"], "users/ada"),
                _ => assert_eq!(state["owners"], json!(["users/founder"])),
            }
            if address != ROLE {
                workspace.plan_with(&[&format!("-target={address}")]).exits(0);
            }
            workspace.run(&["state", "rm", "-lock=false", address]).succeeds();
        }
    }
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn imported_role_is_updated_with_its_manager_and_repository_only() {
    let service = existing();
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/a/b");
    workspace.configure(admin());
    workspace.import(ROLE, "github/admin").succeeds();
    workspace.plan().plans(ROLE, "update");
    workspace.apply().succeeds();
    let writes = service.writes();
    assert_eq!(writes.len(), 1);
    assert_eq!(writes[0].query_value("updateMask").as_deref(), Some("repoUri,repoDir"), "a pair");
    let role = service.role("github", "admin").unwrap();
    assert_eq!((&role["manager"], &role["description"]), (&json!("TERRAFORM"), &json!("All")));
    workspace.plans_nothing();
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
fn missing_objects_and_wrong_ids_are_errors() {
    let service = existing();
    service.change_world(|world| world.duplicate_owners = true);
    let workspace = service.workspace();
    workspace.configure(admin() + owner("ada") + owners(&["users/founder"]));
    for (address, id, parts) in [
        (ROLE, "github/absent", &["404", "adopt_existing = true"][..]),
        (ROLE, "github", &["listings/{listing}/roles/{role}"]),
        (ROLE, "listings/../roles/x", &["listings/{listing}/roles/{role}"]),
        (OWNER, "github/users/nobody", &["users/nobody", "own-9", "founder"]),
        (OWNERS, "nowhere", &["404"]),
        (OWNERS, "a/b", &["a/b"]),
    ] {
        let outcome = workspace.import(address, id).exits(1);
        for part in parts {
            assert!(outcome.stderr.contains(part), "{id}: {part}: {}", outcome.output());
        }
    }
    service.put_owner("github", "own-8", "users/ada");
    let outcome = workspace.import(OWNER, "github/users/ada").exits(1);
    for part in ["own-8", "own-9"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.output());
    }
    assert!(!outcome.stderr.contains("founder"), "{}", outcome.output());
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 0));
}

/// No read, no import: the next apply does the same with `adopt_existing`.
#[test]
fn object_that_cannot_be_read_is_not_imported() {
    for status in [403, 404, 405, 501] {
        let service = existing();
        service.respond_to_objects(status, r#"{"message":"no read for you"}"#);
        let workspace = service.workspace();
        workspace.configure(admin() + import(ROLE, "github/admin"));
        workspace.plan().fails_with(["no read for you", "adopt_existing = true", "roles/admin"]);
        assert_eq!((service.writes().len(), workspace.state_size()), (0, 0), "{status}");
    }
}

/// Identifiers may contain what HCL treats as the end of a string or as a template.
#[test]
fn printed_import_block_is_valid_for_every_identifier() {
    let service = Service::full();
    let id = r#"a"b\c${d}$${e}"#;
    service.put_role("github", id, json!({"displayName": "Odd", "priority": "1"}));
    let workspace = service.workspace();
    let odd = role("example").set("role", r#""a\"b\\c$${d}\u0024$${e}""#);
    workspace.configure(odd.clone().text("display_name", "Odd"));
    let error = workspace.apply().fails_with("import {").only_error();
    let block = error.find("import {").map(|start| &error[start..]).expect("an import block");
    let block = &block[..block.find("\n  }").expect("its end") + 4];
    workspace.configure(&format!("{}{block}\n", odd.text("display_name", "Odd")));
    let plan = workspace.plan().changes();
    assert!(plan.stdout.contains("1 to import, 0 to add"), "{block}: {}", plan.output());
}

#[test]
fn malformed_principal_of_the_service_is_an_error_that_names_the_owner() {
    for principal in ["robots/r 2%/x\u{1b}[31m", "users/", "users/a/b", "users/%2e"] {
        let service = existing();
        let body = json!({"name": "integrations/github/owners/own-9", "owner": principal});
        service.respond_to_objects(200, &body.to_string());
        let workspace = service.workspace();
        workspace.configure(owner("ada") + import(OWNER, "github/own-9"));
        let outcome = workspace.plan().fails_with("integrations/github/owners/own-9");
        assert!(!outcome.errors().concat().contains('\u{1b}'), "{}", outcome.output());
    }
}

#[test]
fn objects_are_imported_by_identity() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    let service = existing();
    service.change_role("github", "admin", json!({"manager": "TERRAFORM"}));
    let workspace = service.workspace();
    let identity = |to: &str, pairs: [(&str, &str); 2]| {
        let pairs = pairs.iter().filter(|(name, _)| !name.is_empty());
        let pairs: String = pairs.map(|(name, id)| format!("    {name} = \"{id}\"\n")).collect();
        format!("import {{\n  to = {to}\n  identity = {{\n{pairs}  }}\n}}\n")
    };
    let all = admin() + owner("ada") + owners(&["users/founder"]);
    let by_identity = |role: &str, owner: &str| {
        all.clone()
            + identity(ROLE, [("listing", "github"), ("role", role)])
            + identity(OWNER, [("integration", "github"), ("owner", owner)])
            + identity(OWNERS, [("integration", "okta"), ("", "")])
    };
    workspace.configure(by_identity("absent", "own-9"));
    workspace.plan().fails_with(["404", "roles/absent"]);
    workspace.configure(by_identity("admin", "users/ada"));
    workspace.plan().fails_with("github/users/ada");
    workspace.configure(by_identity("admin", "own-9"));
    let planned = workspace.plan().changes();
    for address in [ROLE, OWNER, OWNERS] {
        assert_eq!(planned.action(address), "import", "{}", planned.output());
    }
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
    assert_eq!(workspace.state_of(OWNER).unwrap()["integration_owner_id"], "own-9");
    let identity = workspace.instance(OWNERS).unwrap()["identity"].clone();
    assert_eq!(identity, json!({"integration": "okta"}));
    workspace.plans_nothing();
}
