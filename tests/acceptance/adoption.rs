//! Roles that exist before the configuration creates them: adopted only if the configuration allows it.

use serde_json::json;

use crate::support::Service;

const ROLE: &str = "access_listing_role.admin";

fn admin(more: &str) -> String {
    format!(
        "resource \"access_listing_role\" \"admin\" {{
  listing      = \"github\"
  role         = \"admin\"
  display_name = \"Admin\"
  priority     = 9
  description  = \"Everything\"
{more}
}}
"
    )
}

fn existing() -> serde_json::Value {
    json!({"displayName": "Administrators", "priority": "3", "resources": ["repo/all"]})
}

#[test]
fn existing_role_fails_plan_and_apply_with_its_import_block() {
    let service = Service::full();
    service.put_role("github", "admin", existing());
    let workspace = service.workspace();
    workspace.configure(&admin(""));
    for outcome in [workspace.plan(), workspace.apply()] {
        let outcome = outcome.fails_with("the role exists already");
        assert_eq!(outcome.blamed_lines(), ["role         = \"admin\""]);
        let error = outcome.only_error();
        assert!(error.contains("import {"), "{error}");
        assert!(error.contains("id = \"listings/github/roles/admin\""), "{error}");
    }
    assert_eq!(service.writes().len(), 0);
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn diagnostics_contain_the_base_address() {
    let service = Service::full();
    service.put_role("github", "admin", existing());
    let workspace = service.workspace();
    let address = format!("(at {})", service.base_url());
    workspace.configure(&admin(""));
    let error = workspace.plan().exits(1).only_error();
    assert!(error.contains(&format!("listings/github/roles/admin {address}: ")), "{error}");
    let adopted = admin("adopt_existing = true");
    workspace.configure(&adopted);
    let warning = workspace.plan().exits(2).warnings().concat();
    assert!(warning.contains(&format!("listings/github/roles/admin {address}: ")), "{warning}");

    let twice = format!("{adopted}{}", adopted.replace("\" {", "2\" {"));
    workspace.configure(&twice);
    let error = workspace.plan().fails_with("Two resources create").errors().concat();
    assert!(error.contains(&format!("listings/github/roles/admin {address}: ")), "{error}");

    service.respond_to_all("GET", 401, "{}");
    let each = "role         = each.key\n  for_each = toset([\"a\", \"b\"])";
    workspace.configure(&adopted.replace("role         = \"admin\"", each));
    let outcome = workspace.plan();
    let lines = [outcome.errors(), outcome.warnings()].concat();
    let short: Vec<_> = lines.iter().filter(|line| line.contains("The first error")).collect();
    assert!(!short.is_empty() && short.iter().all(|line| line.contains(&address)), "{lines:?}");
}

#[test]
fn existing_role_is_refused_under_every_drift_detection() {
    for mode in ["patch", "off"] {
        let service = Service::full();
        service.put_role("github", "admin", existing());
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&admin(""));
        workspace.plan().exits(2);
        workspace.apply().fails_with("the role exists already");
        assert_eq!(service.writes().len(), 0, "{mode}");
    }
}

#[test]
fn adopt_existing_warns_what_it_overwrites_and_adopts_the_role() {
    let service = Service::full();
    service.put_role("github", "admin", existing());
    let workspace = service.workspace();
    workspace.configure(&admin("  adopt_existing = true"));
    let warnings = workspace.plan().exits(2).warnings();
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    for part in ["will be adopted", "`display_name`, now \"Administrators\"", "`priority`, now 3"] {
        assert!(warnings[0].contains(part), "{part}: {warnings:#?}");
    }
    assert_eq!(service.writes().len(), 0);
    workspace.apply().succeeds();
    let role = service.role("github", "admin").unwrap();
    assert_eq!(role["displayName"], "Admin");
    assert_eq!(role["priority"], "9");
    assert_eq!(role["description"], "Everything");
    assert_eq!(role["resources"], json!(["repo/all"]), "not configured and therefore not touched");
    assert_eq!(role["manager"], "TERRAFORM");
    workspace.plan().exits(0);

    // The argument itself is not sent to the service.
    service.clear_requests();
    workspace.configure(&admin(""));
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn role_that_equals_the_configuration_is_not_adopted() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&admin("  resources = [\"repo/a\"]"));
    workspace.apply().succeeds();
    service.clear_requests();
    // As after an apply that was killed, or as in another workspace.
    std::fs::remove_file(workspace.path().join("terraform.tfstate")).unwrap();

    workspace.apply().fails_with("import {");
    assert_eq!(service.writes().len(), 0);
    workspace.run(&["import", "-lock=false", ROLE, "github/admin"]).succeeds();
    workspace.plan().exits(0).without_warnings();
}

#[test]
fn role_of_another_repository_is_adopted_with_a_warning() {
    let service = Service::full();
    service.put_role(
        "github",
        "admin",
        json!({"displayName": "Admin", "priority": "9", "description": "Everything",
               "manager": "TERRAFORM", "repoUri": "https://github.com/other/repo"}),
    );
    let workspace = service.workspace();
    workspace.configure(&admin(""));
    let outcome = workspace.apply().fails_with("the role exists already");
    assert!(outcome.only_error().contains("https://github.com/other/repo"));
    assert_eq!(service.writes().len(), 0);

    workspace.configure(&admin("  adopt_existing = true"));
    workspace.apply().succeeds().warns("https://github.com/other/repo");
}

#[test]
fn forbidden_existence_check_warns_and_does_not_block_the_create() {
    let service = Service::full();
    service.respond_to_all("GET", 403, r#"{"error":{"message":"no reads for you"}}"#);
    let workspace = service.workspace();
    workspace.configure(&admin(""));
    workspace.apply().succeeds().warns("An existing role may have been overwritten");
    assert!(service.role("github", "admin").is_some());
}

#[test]
fn failed_existence_check_creates_nothing() {
    let service = Service::full();
    service.respond_to_all("GET", 401, r#"{"error":{"message":"unknown key"}}"#);
    let workspace = service.workspace();
    workspace.configure(&admin(""));
    let outcome = workspace.apply().fails_with("Could not create listing role");
    let error = outcome.only_error();
    for part in ["GET /api/v1/listings/github/roles/admin", "401", "unknown key", "api_key"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn allow_missing_false_adopts_the_role_and_requires_it() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&admin("  allow_missing = false"));
    let outcome = workspace.apply().fails_with("With `allow_missing = false` the role must exist");
    assert_eq!(outcome.blamed_lines(), ["role         = \"admin\""]);
    assert_eq!(service.role("github", "admin"), None);

    service.put_role("github", "admin", existing());
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "admin").unwrap()["displayName"], "Admin");
    assert!(service.writes().iter().all(|write| write.query_value("allowMissing").is_none()));
    workspace.plan().exits(0);
}

#[test]
fn two_resources_that_create_one_object_fail_the_plan() {
    let service = Service::full();
    service.latency(std::time::Duration::from_millis(50));
    let workspace = service.workspace();
    let role = |address: &str, display_name: &str| {
        format!(
            "resource \"access_listing_role\" \"{address}\" {{
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"{display_name}\"
  priority     = 1
}}
resource \"access_integration_owner\" \"{address}\" {{
  integration = \"github\"
  owner       = \"users/ada\"
}}
"
        )
    };
    workspace.configure(&format!("{}{}", role("one", "One"), role("other", "Other")));
    let outcome = workspace.plan().fails_with("Two resources create one listing role");
    let outcome = outcome.fails_with("Two resources create one integration owner");
    assert_eq!(outcome.errors().len(), 2, "{}", outcome.output());
    workspace.apply().exits(1);
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn unchecked_create_warns_under_every_drift_detection() {
    for (status, mode) in
        [(404, "auto"), (405, "auto"), (501, "list"), (405, "patch"), (404, "off")]
    {
        let service = Service::documented_only(status);
        let old = json!({"displayName": "Theirs", "priority": "7",
                         "createTime": "2026-01-01T00:00:00Z"});
        service.put_role("github", "viewer", old);
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(
            "resource \"access_listing_role\" \"many\" {
  for_each     = toset([\"viewer\", \"editor\"])
  listing      = \"github\"
  role         = each.key
  display_name = \"Ours\"
  priority     = 1
}
",
        );
        let warnings = workspace.apply().succeeds().warnings();
        // The response shows that one role is older than the run. The other one may have been.
        for (role, text) in [
            ("viewer", "An existing role was overwritten"),
            ("editor", "An existing role may have been overwritten"),
        ] {
            let about = |warning: &&String| warning.contains(role) && warning.contains(text);
            let count = warnings.iter().filter(about).count();
            assert_eq!(count, 1, "{status} {mode} {role}: {warnings:#?}");
        }
    }
}
