//! A service with the two documented operations only. The other operations return 404, 405 or 501.

use serde_json::json;

use crate::support::Service;

const ROLE: &str = "access_listing_role.viewer";
const OWNER: &str = "access_integration_owner.platform";
const ABSENCES: [u16; 3] = [404, 405, 501];

fn configuration(display_name: &str) -> String {
    format!(
        "resource \"access_listing_role\" \"viewer\" {{
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"{display_name}\"
  priority     = 5
}}
"
    )
}

const OWNER_CONFIGURATION: &str = "resource \"access_integration_owner\" \"platform\" {
  integration = \"github\"
  owner       = \"teams/platform\"
}
";

#[test]
fn role_is_created_kept_and_updated() {
    for absence in ABSENCES {
        let service = Service::documented_only(absence);
        let workspace = service.workspace();
        workspace.configure(&configuration("Viewer"));
        workspace.apply().succeeds();
        let reason = match absence {
            404 => "No read of this listing role has succeeded so far",
            _ => "The service does not offer this read.",
        };
        let plan = workspace.plan().exits(0);
        plan.warns("Drift detection unavailable for listing roles").warns(reason);
        workspace.configure(&configuration("Reader"));
        assert_eq!(workspace.plan().exits(2).action(ROLE), "update");
        workspace.apply().succeeds();
        assert_eq!(service.role("github", "viewer").unwrap()["displayName"], "Reader");
        workspace.plan().exits(0);
    }
}

#[test]
fn deleted_role_is_an_error_of_the_update_and_then_created() {
    for absence in ABSENCES {
        let service = Service::documented_only(absence);
        let workspace = service.workspace();
        workspace.configure(&configuration("Viewer"));
        workspace.apply().succeeds();
        service.remove_role("github", "viewer");

        workspace.configure(&configuration("Reader"));
        workspace.apply().fails_with("deleted outside Terraform after the plan");
        assert_eq!(workspace.state_of(ROLE).unwrap()["display_name"], "Viewer");

        assert_eq!(workspace.plan().exits(2).action(ROLE), "create", "{absence}");
        workspace.apply().succeeds();
        assert_eq!(service.role("github", "viewer").unwrap()["displayName"], "Reader");
        workspace.plan().exits(0);
    }
}

#[test]
fn deleted_role_is_created_by_the_next_plan_with_drift_detection_off() {
    let service = Service::documented_only(405);
    let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "off");
    workspace.configure(&configuration("Viewer"));
    workspace.apply().succeeds();
    service.remove_role("github", "viewer");
    workspace.configure(&configuration("Reader"));
    workspace.apply().fails_with("deleted outside Terraform after the plan");
    assert_eq!(workspace.plan().exits(2).action(ROLE), "create");
}

#[test]
fn gateway_404_to_an_update_does_not_count_as_deleted() {
    let service = Service::documented_only(405);
    let workspace = service.workspace();
    workspace.configure(&configuration("Viewer"));
    workspace.apply().succeeds();
    service.respond_to_all("PATCH", 404, "404 page not found");
    workspace.configure(&configuration("Reader"));
    workspace.apply().fails_with("base_url");
    assert_eq!(workspace.plan().exits(2).action(ROLE), "update");
}

#[test]
fn role_that_cannot_be_deleted_keeps_its_state() {
    for absence in ABSENCES {
        let service = Service::documented_only(absence);
        let workspace = service.workspace();
        workspace.configure(&configuration("Viewer"));
        workspace.apply().succeeds();
        let outcome = workspace.destroy().fails_with("Could not delete listing role");
        let error = outcome.only_error();
        for part in ["removed {", "destroy = false", "terraform state rm"] {
            assert!(error.contains(part), "{absence}: {part}: {error}");
        }
        assert!(workspace.state_of(ROLE).is_some());
        assert!(service.role("github", "viewer").is_some());
    }
}

#[test]
fn role_not_found_by_the_documented_call_is_destroyed() {
    let service = Service::documented_only(404);
    // The documented call has to set something: the repository to its known value.
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/a/b");
    workspace.configure(&configuration("Viewer"));
    workspace.apply().succeeds();
    service.remove_role("github", "viewer");
    workspace.destroy().succeeds();
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn unrecognised_manager_stays_unclaimed_without_reads() {
    let service = Service::documented_only(501);
    service.stop_recognising_callers();
    let workspace = service.workspace();
    workspace.configure(&configuration("Viewer"));
    workspace.apply().succeeds().warns("did not record Terraform");
    assert_eq!(workspace.state_of(ROLE).unwrap()["manager"], json!(null));
    workspace.plan().exits(0);
}

#[test]
fn owner_is_created_once_and_kept() {
    for absence in ABSENCES {
        let service = Service::documented_only(absence);
        let workspace = service.workspace();
        workspace.configure(OWNER_CONFIGURATION);
        workspace.apply().succeeds();
        workspace.plan().exits(0).warns("Drift detection unavailable for integration owners");
        workspace.apply().succeeds();
        assert_eq!(service.owners_named("github", "teams/platform"), 1);

        workspace.destroy().fails_with("removed {");
        assert!(workspace.state_of(OWNER).is_some());
    }
}

#[test]
fn lost_response_to_a_new_owner_is_an_error_and_not_sent_again() {
    for absence in ABSENCES {
        let service = Service::documented_only(absence);
        let workspace = service.workspace();
        workspace.configure(OWNER_CONFIGURATION);
        service.lose_responses("POST");
        let outcome = workspace.apply().fails_with("The owner may exist");
        assert!(outcome.only_error().contains("import {"), "{}", outcome.output());
        assert_eq!(service.requests_of("POST"), 1);
        assert_eq!(service.owners_named("github", "teams/platform"), 1);
    }
}

#[test]
fn role_is_imported_by_name_alone_and_then_written() {
    for absence in [405, 501] {
        let service = Service::documented_only(absence);
        service.put_role(
            "github",
            "viewer",
            json!({"displayName": "Old", "priority": "1", "description": "old"}),
        );
        let workspace = service.workspace();
        workspace.configure(&configuration("Viewer"));
        workspace.run(&["import", "-lock=false", ROLE, "github/viewer"]).succeeds();
        assert_eq!(service.writes().len(), 0);
        assert_eq!(workspace.plan().exits(2).action(ROLE), "update");
        workspace.apply().succeeds();
        let role = service.role("github", "viewer").unwrap();
        assert_eq!(role["displayName"], "Viewer");
        assert_eq!(role["description"], "", "leaving it out clears it");
        assert_eq!(workspace.state_of(ROLE).unwrap()["manager"], "TERRAFORM");
        workspace.plan().exits(0);
    }
}

#[test]
fn role_is_imported_by_the_documented_call_under_patch() {
    for absence in ABSENCES {
        let service = Service::documented_only(absence);
        service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "5"}));
        let workspace = service
            .workspace()
            .with("ACCESS_DRIFT_DETECTION", "patch")
            .with("ACCESS_REPO_URI", "https://git.example.com/a/b");
        workspace.configure(&configuration("Viewer"));
        workspace.run(&["import", "-lock=false", ROLE, "github/viewer"]).succeeds();
        assert_eq!(workspace.state_of(ROLE).unwrap()["display_name"], "Viewer");
        workspace.plan().exits(0);
        workspace.run(&["state", "rm", ROLE]).succeeds();
        let outcome = workspace.run(&["import", "-lock=false", "-no-color", ROLE, "github/absent"]);
        assert!(!outcome.exits(1).stdout.contains("Import successful"));
    }
}

/// Without a repository there is nothing that the documented call could write.
#[test]
fn role_that_cannot_be_read_is_not_imported_under_patch_without_a_repository() {
    for status in [404, 403, 405, 501] {
        let service = Service::full();
        service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "5"}));
        service.respond_to_objects(status, r#"{"message":"no read for you"}"#);
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "patch");
        workspace.configure(&format!(
            "{}import {{\n  to = {ROLE}\n  id = \"github/viewer\"\n}}\n",
            configuration("Viewer")
        ));
        if matches!(status, 405 | 501) {
            workspace.plan().exits(2).warns("Imported by name alone");
        } else {
            let error = workspace.plan().exits(1).only_error();
            for part in ["Could not import listing role", "no read for you", "set `repo_uri`"] {
                assert!(error.contains(part), "{status}: {part}: {error}");
            }
        }
        assert_eq!(service.writes().len(), 0, "{status}");
    }
}
