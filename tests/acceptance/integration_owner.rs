//! The life cycle of an integration owner, with a service that offers all operations.

use serde_json::json;

use access_fake::{Action, Fault, OmittedFields, ResponseTo};

use crate::support::Service;

const OWNER: &str = "access_integration_owner.platform";

fn platform(more: &str) -> String {
    format!(
        "resource \"access_integration_owner\" \"platform\" {{
  integration = \"github\"
  owner       = \"teams/platform\"
{more}
}}
"
    )
}

#[test]
fn post_that_returns_an_existing_owner_warns() {
    let service = Service::full();
    service.without_owner_reads();
    service.without_lists();
    let existing = json!({
        "name": "integrations/github/owners/own-7",
        "owner": "teams/platform",
        "createTime": "2020-01-01T00:00:00Z",
    });
    service.fault(Fault::respond(200, existing.to_string()).on("POST"));
    let workspace = service.workspace();
    workspace.configure(&platform(""));
    workspace.apply().succeeds().warns("An existing integration owner was adopted");
}

#[test]
fn owner_in_the_service_s_own_spelling_is_kept_without_creation_times() {
    for mode in ["auto", "list"] {
        for responses in [Vec::new(), vec![ResponseTo::Get, ResponseTo::List]] {
            let service = Service::full();
            service.change_world(|world| {
                world
                    .canonical_owners
                    .insert("teams/platform".to_owned(), "teams/id-17".to_owned());
                world.omitted_fields.push(OmittedFields {
                    responses: responses.clone(),
                    fields: vec!["createTime".to_owned()],
                    ..OmittedFields::default()
                });
            });
            let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
            workspace.configure(&platform(""));
            workspace.apply().succeeds();
            for _ in 0..2 {
                let plan = workspace.plan();
                assert_eq!(plan.code, 0, "{mode} {responses:?}: {}", plan.output());
            }
            assert_eq!(service.owners_named("github", "teams/id-17"), 1);
        }
    }
}

#[test]
fn owner_is_created_planned_without_changes_and_destroyed() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&platform(""));
    assert_eq!(workspace.plan().exits(2).action(OWNER), "create");
    workspace.apply().succeeds().without_warnings();
    let state = workspace.state_of(OWNER).unwrap();
    let id = state["integration_owner_id"].as_str().unwrap();
    assert_eq!(state["name"], format!("integrations/github/owners/{id}"));
    assert_eq!(state["id"], state["name"]);
    assert!(state["create_time"].is_string());
    workspace.plan_with(&["-refresh=false"]).exits(0);
    workspace.plan().exits(0).without_warnings();
    workspace.destroy().succeeds();
    assert_eq!(service.owners_named("github", "teams/platform"), 0);
    assert_eq!(service.owners_named("github", "users/founder"), 1, "others are left alone");
}

#[test]
fn owner_gets_the_id_that_the_configuration_gives() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&platform("  integration_owner_id = \"platform\""));
    workspace.apply().succeeds();
    assert_eq!(workspace.state_of(OWNER).unwrap()["id"], "integrations/github/owners/platform");
    workspace.plan().exits(0);

    workspace.configure(&platform("  integration_owner_id = \"platform-2\""));
    assert_eq!(workspace.plan().exits(2).action(OWNER), "replace");
    workspace.configure(&platform(""));
    workspace.plan().exits(0);
}

#[test]
fn another_owner_replaces_it() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&platform(""));
    workspace.apply().succeeds();
    workspace.configure(&platform("").replace("teams/platform", "groups/ops"));
    assert_eq!(workspace.plan().exits(2).action(OWNER), "replace");
    workspace.apply().succeeds();
    assert_eq!(service.owners_named("github", "teams/platform"), 0);
    assert_eq!(service.owners_named("github", "groups/ops"), 1);
    workspace.plan().exits(0);
}

#[test]
fn existing_owner_is_refused_with_its_import_block_or_adopted() {
    let service = Service::full();
    let workspace = service.workspace();
    let founder = |more: &str| platform(more).replace("teams/platform", "users/founder");
    workspace.configure(&founder(""));
    let outcome = workspace.apply().fails_with("is an owner of integrations/github already");
    assert!(
        outcome.only_error().contains("id = \"integrations/github/owners/founder\""),
        "{}",
        outcome.output()
    );
    assert_eq!(service.writes().len(), 0);

    workspace.configure(&founder("  adopt_existing = true"));
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
    assert_eq!(workspace.state_of(OWNER).unwrap()["integration_owner_id"], "founder");
    workspace.plan().exits(0);
}

#[test]
fn taken_id_is_an_error_at_its_line() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&platform("  integration_owner_id = \"founder\""));
    let outcome = workspace.apply().fails_with("this ID belongs to users/founder");
    assert_eq!(outcome.blamed_lines(), ["integration_owner_id = \"founder\""]);
}

#[test]
fn conflict_is_an_error_that_shows_how_to_import() {
    let service = Service::full();
    service.without_lists();
    let workspace = service.workspace();
    workspace.configure(&platform("").replace("teams/platform", "users/founder"));
    let outcome = workspace.apply().fails_with("409");
    assert!(outcome.only_error().contains("import {"), "{}", outcome.output());
    assert_eq!(service.owners_named("github", "users/founder"), 1);
}

#[test]
fn create_whose_response_is_lost_is_confirmed_by_reading_and_never_sent_again() {
    for more in ["", "  integration_owner_id = \"platform\""] {
        let service = Service::full();
        let workspace = service.workspace();
        workspace.configure(&platform(more));
        service.lose_responses("POST");
        workspace.apply().succeeds();
        assert_eq!(service.requests_of("POST"), 1);
        assert_eq!(service.owners_named("github", "teams/platform"), 1);
        service.respond_normally();
        workspace.plan().exits(0);
    }
}

#[test]
fn owner_removed_by_hand_is_planned_for_creation() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&platform("  integration_owner_id = \"platform\""));
    workspace.apply().succeeds();
    service.remove_owner("github", "platform");
    assert_eq!(workspace.plan().exits(2).action(OWNER), "create");
    workspace.apply().succeeds();
    workspace.plan().exits(0);
}

#[test]
fn owner_that_was_removed_is_destroyed_without_an_error() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&platform("  integration_owner_id = \"platform\""));
    workspace.apply().succeeds();
    service.remove_owner("github", "platform");
    workspace
        .run(&["destroy", "-json", "-auto-approve", "-lock=false", "-refresh=false"])
        .succeeds();
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn failed_reads_keep_the_state() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&platform(""));
    workspace.apply().succeeds();
    for (status, body) in [
        (403, "{}"),
        (404, "404 page not found"),
        (200, "{\"name\":\"integrations/okta/owners/x\"}"),
    ] {
        service.respond_to_all("GET", status, body);
        workspace.plan().fails_with("Could not read integration owner");
    }
    assert!(workspace.state_of(OWNER).is_some());
}

#[test]
fn invalid_values_are_errors_at_their_lines() {
    let service = Service::full();
    let workspace = service.workspace();
    let cases = [
        ("owner       = \"teams/platform\"", "owner       = \"robots/x\"", "teams/{id}"),
        ("owner       = \"teams/platform\"", "owner       = \"teams/\"", "teams/"),
        ("owner       = \"teams/platform\"", "owner       = \"platform\"", "platform"),
        ("integration = \"github\"", "integration = \"a/b\"", "a/b"),
    ];
    for (good, bad, message) in cases {
        workspace.configure(&platform("").replace(good, bad));
        let outcome = workspace.plan().fails_with(message);
        assert_eq!(outcome.blamed_lines(), [bad], "{}", outcome.output());
    }
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn missing_integration_is_an_error_at_its_line() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&platform("").replace("\"github\"", "\"nowhere\""));
    let outcome = workspace.apply().fails_with("The integration does not exist");
    assert_eq!(outcome.blamed_lines(), ["integration = \"nowhere\""]);
    let writes = service.writes();
    assert_eq!(writes[0].body, json!({"owner": "teams/platform"}));
}

#[test]
fn owner_under_another_id_is_not_counted_as_deleted() {
    let service = Service::full();
    service.fault(Fault::new(Action::WrongName).on("POST"));
    let workspace = service.workspace();
    workspace.configure(&platform(""));
    workspace.apply().succeeds();
    service.respond_normally();
    let error = workspace.destroy().exits(1).only_error();
    for part in
        ["teams/platform ", "is still an owner under another ID", "integrations/github/owners/own-"]
    {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(workspace.state_size(), 1);
}

#[test]
fn adopted_owner_is_kept_if_only_lists_work() {
    let service = Service::full();
    service.put_owner("github", "own-7", "teams/platform");
    service.without_owner_reads();
    let workspace = service.workspace();
    workspace.configure(&platform("  adopt_existing = true\n"));
    workspace.apply().succeeds();
    workspace.plan().exits(0);
    assert_eq!(workspace.state_size(), 1);
}

#[test]
fn import_by_principal_finds_the_owner_or_lists_the_candidates() {
    let service = Service::full();
    let workspace = service.workspace_with_key("reader-key");
    workspace.configure(&platform(""));
    let import = ["import", "-no-color", "-lock=false", OWNER, "github/teams/platform"];
    let outcome = workspace.run(&import).exits(1);
    for part in ["is not among the owners", "integrations/github/owners/founder users/founder"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.output());
    }

    service.put_owner("github", "own-7", "teams/platform");
    workspace.run(&import).succeeds();
    assert_eq!(workspace.state_of(OWNER).unwrap()["integration_owner_id"], "own-7");
    workspace.plan().exits(0);
    workspace.run(&["state", "rm", "-lock=false", OWNER]).succeeds();

    service.put_owner("github", "own-8", "teams/platform");
    let outcome = workspace.run(&import).exits(1);
    for part in ["more than once", "owners/own-7", "owners/own-8"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.output());
    }
    assert_eq!(service.writes().len(), 0);
}
