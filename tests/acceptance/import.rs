//! Imports, with a service that offers all operations.

use serde_json::json;

use crate::support::Service;

const ROLE: &str = "access_listing_role.admin";

fn existing(service: &Service) {
    service.put_role(
        "github",
        "admin",
        json!({"displayName": "Administrators", "priority": "3", "description": "All",
               "resources": ["repo/b", "repo/a"]}),
    );
}

const CONFIGURATION: &str = "resource \"access_listing_role\" \"admin\" {
  listing      = \"github\"
  role         = \"admin\"
  display_name = \"Administrators\"
  priority     = 3
  description  = \"All\"
  resources    = [\"repo/a\", \"repo/b\"]
}
";

#[test]
fn role_is_imported_whole_by_either_id_and_import_writes_nothing() {
    let service = Service::full();
    existing(&service);
    let workspace = service.workspace_with_key("reader-key");
    workspace.configure(CONFIGURATION);
    for id in ["github/admin", "listings/github/roles/admin"] {
        workspace.run(&["import", "-lock=false", ROLE, id]).succeeds();
        let state = workspace.state_of(ROLE).unwrap();
        assert_eq!(state["display_name"], "Administrators");
        assert_eq!(state["priority"], 3);
        assert_eq!(state["resources"], json!(["repo/a", "repo/b"]));
        assert_eq!(state["id"], "listings/github/roles/admin");
        assert_eq!(state["manager"], json!(null));
        workspace.run(&["state", "rm", "-lock=false", ROLE]).succeeds();
    }
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn imported_role_is_updated_with_its_manager_and_repository_only() {
    let service = Service::full();
    existing(&service);
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/a/b");
    workspace.configure(CONFIGURATION);
    workspace.run(&["import", "-lock=false", ROLE, "github/admin"]).succeeds();
    assert_eq!(workspace.plan().exits(2).action(ROLE), "update");
    workspace.apply().succeeds();
    let writes = service.writes();
    assert_eq!(writes.len(), 1);
    assert_eq!(writes[0].query_value("updateMask").as_deref(), Some("repoUri,repoDir"), "a pair");
    let role = service.role("github", "admin").unwrap();
    assert_eq!(role["manager"], "TERRAFORM");
    assert_eq!(role["repoUri"], "https://git.example.com/a/b");
    workspace.plan().exits(0);
}

#[test]
fn generated_configuration_plans_nothing_but_the_manager() {
    let service = Service::full();
    existing(&service);
    service.put_owner("okta", "o-1", "groups/platform");
    let workspace = service.workspace();
    workspace.configure(
        "import {
  to = access_listing_role.admin
  id = \"listings/github/roles/admin\"
}
import {
  to = access_integration_owner.platform
  id = \"okta/o-1\"
}
",
    );
    let plan = workspace.plan_with(&["-generate-config-out=generated.tf"]).exits(2);
    assert_eq!(plan.action("access_integration_owner.platform"), "import", "{}", plan.output());
    workspace.apply().succeeds();
    workspace.plan().exits(0).without_warnings();
    assert_eq!(service.role("github", "admin").unwrap()["manager"], "TERRAFORM");
    assert_eq!(service.requests_of("POST"), 0);
}

#[test]
fn generated_configuration_of_a_managed_role_plans_no_changes() {
    let service = Service::full();
    existing(&service);
    service.change_role("github", "admin", json!({"manager": "TERRAFORM"}));
    let workspace = service.workspace();
    workspace.configure("import {\n  to = access_listing_role.admin\n  id = \"github/admin\"\n}\n");
    workspace.plan_with(&["-generate-config-out=generated.tf"]).exits(2);
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
    workspace.plan().exits(0);
}

#[test]
fn missing_role_and_wrong_ids_are_errors() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(CONFIGURATION);
    for (id, message) in [
        ("github/absent", "404"),
        ("github", "neither the form"),
        ("a/b/c", "neither the form"),
        ("listings/github/roles/", "neither the form"),
        ("listings/../roles/x", "neither the form"),
    ] {
        let outcome = workspace.run(&["import", "-lock=false", "-no-color", ROLE, id]);
        assert_eq!(outcome.code, 1, "{id}");
        assert!(outcome.stderr.contains(message), "{id}: {}", outcome.output());
    }
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn owner_is_imported_by_either_id() {
    let service = Service::full();
    service.put_owner("okta", "o-1", "groups/platform");
    let workspace = service.workspace_with_key("reader-key");
    workspace.configure(
        "resource \"access_integration_owner\" \"platform\" {
  integration = \"okta\"
  owner       = \"groups/platform\"
}
",
    );
    for id in ["okta/o-1", "integrations/okta/owners/o-1"] {
        let address = "access_integration_owner.platform";
        workspace.run(&["import", "-lock=false", address, id]).succeeds();
        let state = workspace.state_of(address).unwrap();
        assert_eq!(state["owner"], "groups/platform");
        assert_eq!(state["integration_owner_id"], "o-1");
        workspace.plan().exits(0);
        workspace.run(&["state", "rm", "-lock=false", address]).succeeds();
    }
}

/// Identifiers may contain what HCL treats as the end of a string or as a template.
#[test]
fn printed_import_block_is_valid_for_every_identifier() {
    let service = Service::full();
    let id = r#"a"b\c${d}$${e}"#;
    service.put_role("github", id, json!({"displayName": "Odd", "priority": "1"}));
    let workspace = service.workspace();
    let resource = r#"resource "access_listing_role" "example" {
  listing      = "github"
  role         = "a\"b\\c$${d}\u0024$${e}"
  display_name = "Odd"
  priority     = 1
}
"#;
    workspace.configure(resource);
    let error = workspace.plan().exits(1).only_error();
    let block = error.find("import {").map(|start| &error[start..]).expect("an import block");
    let block = &block[..block.find("\n  }").expect("its end") + 4];
    workspace.configure(&format!("{resource}{block}\n"));
    let plan = workspace.plan().exits(2);
    assert!(plan.stdout.contains("1 to import, 0 to add"), "{block}: {}", plan.output());
}

#[test]
fn malformed_principal_of_the_service_is_an_error_that_names_the_owner() {
    for principal in ["robots/r 2%/x\u{1b}[31m", "users/", "ada", "users/a/b", "users/%2e"] {
        let service = Service::full();
        service.put_owner("okta", "o-1", "groups/platform");
        let body = json!({"name": "integrations/okta/owners/o-1", "owner": principal});
        service.respond_to_objects(200, &body.to_string());
        let workspace = service.workspace();
        workspace.configure(
            "import {\n  to = access_integration_owner.platform\n  id = \"okta/o-1\"\n}\n",
        );
        let outcome = workspace.plan_with(&["-generate-config-out=generated.tf"]).exits(1);
        let error = outcome.only_error();
        for part in ["integrations/okta/owners/o-1", "200 OK", "has an invalid principal"] {
            assert!(error.contains(part), "{principal:?}: {part}: {error}");
        }
        assert!(!error.contains('\u{1b}'), "{error}");
    }
}
