//! Roles that exist before the configuration creates them: never taken over silently.

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
fn existing_role_is_refused_untouched_with_its_import_block() {
    let service = Service::full();
    service.put_role("github", "admin", existing());
    let workspace = service.workspace();
    workspace.configure(&admin(""));
    let outcome = workspace.apply().fails_with("the role exists already");
    let error = outcome.only_error();
    assert!(error.contains("import {"), "{error}");
    assert!(error.contains("id = \"listings/github/roles/admin\""), "{error}");
    assert_eq!(service.writes().len(), 0);
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn existing_role_is_refused_under_every_drift_detection() {
    for mode in ["patch", "off"] {
        let service = Service::full();
        service.put_role("github", "admin", existing());
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&admin(""));
        workspace.apply().fails_with("the role exists already");
        assert_eq!(service.writes().len(), 0, "{mode}");
    }
}

#[test]
fn adopt_existing_takes_the_role_over() {
    let service = Service::full();
    service.put_role("github", "admin", existing());
    let workspace = service.workspace();
    workspace.configure(&admin("  adopt_existing = true"));
    workspace.apply().succeeds().without_warnings();
    let role = service.role("github", "admin").unwrap();
    assert_eq!(role["displayName"], "Admin");
    assert_eq!(role["priority"], "9");
    assert_eq!(role["description"], "Everything");
    assert_eq!(role["resources"], json!(["repo/all"]), "not configured, not touched");
    assert_eq!(role["manager"], "TERRAFORM");
    workspace.plan().exits(0);

    // The switch itself is nothing that the service hears of.
    service.clear_requests();
    workspace.configure(&admin(""));
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn trace_of_an_apply_that_was_cut_off_is_taken_over_with_a_warning() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&admin("  resources = [\"repo/a\"]"));
    workspace.apply().succeeds();
    std::fs::remove_file(workspace.path().join("terraform.tfstate")).unwrap();

    workspace.apply().succeeds().warns("Took over a listing role that exists already");
    assert!(workspace.state_of(ROLE).is_some());
    workspace.plan().exits(0).without_warnings();
}

#[test]
fn equal_role_of_another_repository_is_refused() {
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
fn forbidden_look_does_not_stand_in_the_way() {
    let service = Service::full();
    service.answer_all("GET", 403, r#"{"error":{"message":"no reads for you"}}"#);
    let workspace = service.workspace();
    workspace.configure(&admin(""));
    workspace.apply().succeeds();
    assert!(service.role("github", "admin").is_some());
}

#[test]
fn failed_look_creates_nothing() {
    let service = Service::full();
    service.answer_all("GET", 401, r#"{"error":{"message":"who are you"}}"#);
    let workspace = service.workspace();
    workspace.configure(&admin(""));
    let outcome = workspace.apply().fails_with("Could not create listing role");
    let error = outcome.only_error();
    for part in ["GET /api/v1/listings/github/roles/admin", "401", "who are you", "api_key"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn allow_missing_false_takes_over_and_demands_the_role() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&admin("  allow_missing = false"));
    let outcome = workspace.apply().fails_with("With allow_missing = false the role must exist");
    assert_eq!(outcome.blamed_lines(), ["role         = \"admin\""]);
    assert_eq!(service.role("github", "admin"), None);

    service.put_role("github", "admin", existing());
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "admin").unwrap()["displayName"], "Admin");
    assert!(service.writes().iter().all(|write| write.query_value("allowMissing").is_none()));
    workspace.plan().exits(0);
}

#[test]
fn two_resources_for_one_object_are_refused_and_do_not_fight() {
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
    let outcome = workspace.apply().fails_with("another resource of this configuration");
    assert_eq!(outcome.errors().len(), 2);
    assert_eq!(workspace.state_size(), 2);
    assert_eq!(service.owners_named("github", "users/ada"), 1);
    assert_eq!(service.requests_of("PATCH"), 1);
}

#[test]
fn create_that_cannot_look_says_so_once() {
    for status in [404, 405, 501] {
        let service = Service::documented_only(status);
        service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "7"}));
        let workspace = service.workspace();
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
        let said = |text: &str| warnings.iter().filter(|it| it.contains(text)).count();
        assert_eq!(said("Existing listing roles cannot be seen"), 1, "{status}: {warnings:#?}");
    }
}
