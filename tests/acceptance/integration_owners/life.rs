//! Create, adoption, update, import and destroy where the service has all operations.

use super::*;

#[test]
fn owners_are_adopted_planned_without_changes_updated_and_destroyed() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(adopting(&["users/founder", "teams/platform"]));
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action(OWNERS), "create");
    plan.warns(["integrations/github", "users/founder"]);
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["teams/platform", "users/founder"]);
    assert_eq!(writes(&service), ["POST"]);
    let state = workspace.state_of(OWNERS).unwrap();
    assert_eq!(state["id"], "integrations/github");
    assert_eq!(state["name"], state["id"]);
    workspace.plan_with(&["-refresh=false"]).exits(0);
    workspace.plans_nothing().without_warnings();

    workspace.configure(adopting(&["users/ada", "teams/platform"]));
    workspace.plan().plans(OWNERS, "update");
    workspace.apply().succeeds().without_warnings();
    assert_eq!(at_service(&service), ["teams/platform", "users/ada"]);
    workspace.plans_nothing();

    workspace.destroy().succeeds().warns("integrations/github");
    assert_eq!(at_service(&service), [""; 0]);
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn existing_owners_are_a_warning_at_plan_and_refused_with_their_import_block() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(owners(&["users/ada"]));
    workspace.plan().changes().warns(["users/founder", "import {", "export"]);
    let id = "id = \"integrations/github\"";
    workspace.apply().fails_with(["users/founder", "import {", id, "adopt_existing"]);
    assert_eq!(writes(&service), [""; 0]);

    workspace.import(OWNERS, "integrations/github").succeeds();
    assert_eq!(in_state(&workspace), ["users/founder"]);
    workspace.plan().plans(OWNERS, "update");
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ada"]);
    workspace.plans_nothing();
}

#[test]
fn adoption_names_the_owners_that_it_removes() {
    let service = Service::full();
    service.put_owner("github", "own-7", "groups/old");
    let workspace = service.workspace();
    workspace.configure(adopting(&["users/founder"]));
    workspace.plan().exits(2).warns(["integrations/github", "groups/old"]);
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["DELETE"]);
    assert_eq!(at_service(&service), ["users/founder"]);
    workspace.plans_nothing();
}

/// Between the first request and the last, some owner is always there.
#[test]
fn all_owners_are_replaced_without_an_empty_integration_in_between() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(adopting(&["groups/ops", "teams/platform"]));
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "POST", "DELETE", "DELETE"]);
    assert_eq!(at_service(&service), ["groups/ops", "teams/platform"]);
    workspace.plans_nothing();
}

#[test]
fn abandoned_owners_stay() {
    for in_environment in [true, false] {
        let (service, mut workspace) = applied(&["users/founder", "users/ada"]);
        if in_environment {
            workspace.set("ACCESS_DELETION_POLICY", "abandon");
        } else {
            workspace.configure(adopting(&["users/founder", "users/ada"]).abandoning());
            workspace.apply().succeeds();
        }
        assert!(!workspace.destroy().succeeds().warnings().is_empty());
        assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
        assert_eq!((writes(&service), workspace.state_size()), (vec![], 0));
    }
}

#[test]
fn another_integration_replaces_the_resource() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(adopting(&["users/founder"]).text("integration", "okta"));
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action(OWNERS), "replace");
    plan.warns("integrations/github");
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), [""; 0]);
    assert_eq!(service.owners_named("okta", "users/founder"), 1);
    workspace.plans_nothing();
}

#[test]
fn query_finds_the_owners_as_one_resource() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let service = Service::full();
    service.put_owner("github", "own-7", "groups/ops");
    let workspace = service.workspace();
    workspace.write(
        "all.tfquery.hcl",
        "list \"access_integration_owners\" \"github\" {
  provider = access
  config {
    integration = \"github\"
  }
}
",
    );
    workspace.run(&["query", "-json", "-generate-config-out=generated.tf"]).succeeds();
    let plan = workspace.plan().exits(2).without_warnings();
    let changes = plan.stdout.lines().find(|line| line.contains("change_summary")).unwrap();
    assert!(changes.contains("1 to import, 0 to add, 0 to change, 0 to destroy"), "{changes}");
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
    workspace.plans_nothing();
}

#[test]
fn invalid_owners_are_errors_at_their_lines() {
    let service = Service::full();
    let workspace = service.workspace();
    for (list, part) in [
        (&[][..], "at least one owner"),
        (&["robots/r2"], "robots/r2"),
        (&["users/ada", "teams/"], "teams/"),
    ] {
        workspace.configure(owners(list));
        let outcome = workspace.plan().fails_with(part);
        let line = format!("owners = {list:?}");
        assert_eq!(outcome.blamed_lines(), [line], "{}", outcome.output());
    }
    assert_eq!(service.requests().len(), 0);
}

/// The integration and one owner are known only after apply.
#[test]
fn owners_that_are_known_after_apply_are_planned() {
    let service = Service::full();
    let workspace = service.workspace();
    let late = fixtures::later("late", "[\"github\", \"users/ada\"]");
    let block = adopting(&[]).set("integration", "terraform_data.late.output[0]");
    workspace.configure(
        late + block.set("owners", "[\"users/founder\", terraform_data.late.output[1]]"),
    );
    workspace.plan().exits(2);
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
    assert_eq!(workspace.state_of(OWNERS).unwrap()["id"], "integrations/github");
    workspace.plans_nothing();
}
