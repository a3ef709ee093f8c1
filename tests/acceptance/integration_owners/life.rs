//! Create, adoption, update, import and destroy where the service has all operations.

use serde_json::json;

use super::*;
use crate::support::{Feature, host_version};

#[test]
fn owners_are_adopted_planned_without_changes_updated_and_destroyed() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&adopting(&["users/founder", "teams/platform"]));
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action(OWNERS), "create");
    plan.warns("Kept: users/founder. Removed by the apply: none.");
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["teams/platform", "users/founder"]);
    assert_eq!(writes(&service), ["POST"]);
    let state = workspace.state_of(OWNERS).unwrap();
    assert_eq!(state["id"], "integrations/github");
    assert_eq!(state["name"], state["id"]);
    workspace.plan_with(&["-refresh=false"]).exits(0);
    workspace.plan().exits(0).without_warnings();

    workspace.configure(&adopting(&["users/ada", "teams/platform"]));
    assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
    workspace.apply().succeeds().without_warnings();
    assert_eq!(at_service(&service), ["teams/platform", "users/ada"]);
    workspace.plan().exits(0);

    workspace.destroy().succeeds().warns("this plan destroys every owner");
    assert_eq!(at_service(&service), [""; 0]);
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn existing_owners_are_refused_with_their_import_block() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&owners(&["users/ada"], ""));
    for outcome in [workspace.plan(), workspace.apply()] {
        let error = outcome.exits(1).only_error();
        for part in ["users/founder", "import {", "id = \"integrations/github\"", "adopt_existing"]
        {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
    assert_eq!(writes(&service), [""; 0]);

    workspace.run(&["import", "-lock=false", OWNERS, "integrations/github"]).succeeds();
    assert_eq!(in_state(&workspace), ["users/founder"]);
    assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ada"]);
    workspace.plan().exits(0);
}

#[test]
fn adoption_names_the_owners_that_it_removes() {
    let service = Service::full();
    service.put_owner("github", "own-7", "groups/old");
    let workspace = service.workspace();
    workspace.configure(&adopting(&["users/founder"]));
    workspace.plan().exits(2).warns("Removed by the apply: groups/old.");
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["DELETE"]);
    assert_eq!(at_service(&service), ["users/founder"]);
    workspace.plan().exits(0);
}

/// Between the first request and the last, some owner is always there.
#[test]
fn all_owners_are_replaced_without_an_empty_integration_in_between() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(&adopting(&["groups/ops", "teams/platform"]));
    workspace.apply().succeeds();
    assert_eq!(writes(&service), ["POST", "POST", "DELETE", "DELETE"]);
    assert_eq!(at_service(&service), ["groups/ops", "teams/platform"]);
    workspace.plan().exits(0);
}

#[test]
fn abandoned_owners_stay() {
    for provider in [true, false] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        let workspace = if provider {
            workspace.with("ACCESS_DELETION_POLICY", "abandon")
        } else {
            workspace.configure(&owners(
                &["users/founder", "users/ada"],
                "  adopt_existing  = true\n  deletion_policy = \"abandon\"",
            ));
            workspace.apply().succeeds();
            workspace
        };
        workspace.destroy().succeeds().warns("The list of owners will stay at the service");
        assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
        assert_eq!(writes(&service), [""; 0]);
        assert_eq!(workspace.state_size(), 0);
    }
}

#[test]
fn another_integration_replaces_the_resource() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    workspace.configure(&adopting(&["users/founder"]).replace("\"github\"\n", "\"okta\"\n"));
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action(OWNERS), "replace");
    plan.warns("The integration is left without owners");
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), [""; 0]);
    assert_eq!(service.owners_named("okta", "users/founder"), 1);
    workspace.plan().exits(0);
}

#[test]
fn import_finds_all_owners_by_either_id() {
    let service = Service::full();
    service.put_owner("github", "own-7", "groups/ops");
    let workspace = service.workspace_with_key("reader-key");
    workspace.configure(&owners(&["users/founder", "groups/ops"], ""));
    for id in ["github", "integrations/github"] {
        workspace.run(&["import", "-lock=false", OWNERS, id]).succeeds();
        assert_eq!(in_state(&workspace), ["groups/ops", "users/founder"]);
        workspace.plan().exits(0).without_warnings();
        workspace.run(&["state", "rm", "-lock=false", OWNERS]).succeeds();
    }
    for (id, part) in [("a/b", "neither"), ("nowhere", "404"), ("", "neither")] {
        let outcome = workspace.run(&["import", "-no-color", "-lock=false", OWNERS, id]).exits(1);
        assert!(outcome.stderr.contains(part), "{id}: {}", outcome.output());
    }
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn generated_configuration_of_owners_plans_nothing() {
    let service = Service::full();
    service.put_owner("github", "own-7", "groups/ops");
    let workspace = service.workspace();
    workspace.configure(&format!("import {{\n  to = {OWNERS}\n  id = \"github\"\n}}\n"));
    let plan = workspace.plan_with(&["-generate-config-out=generated.tf"]).exits(2);
    assert_eq!(plan.action(OWNERS), "import");
    workspace.apply().succeeds();
    workspace.plan().exits(0).without_warnings();
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn owners_are_imported_by_identity() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&format!(
        "{}import {{\n  to = {OWNERS}\n  identity = {{\n    integration = \"github\"\n  }}\n}}\n",
        owners(&["users/founder"], "")
    ));
    assert_eq!(workspace.plan().exits(2).action(OWNERS), "import");
    workspace.apply().succeeds();
    let identity = workspace.instance(OWNERS).unwrap()["identity"].clone();
    assert_eq!(identity, json!({"integration": "github"}));
    assert_eq!(service.writes().len(), 0);
    workspace.plan().exits(0);
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
    workspace.plan().exits(0);
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
        workspace.configure(&owners(list, ""));
        let outcome = workspace.plan().fails_with(part);
        let line = format!("owners      = {list:?}");
        assert_eq!(outcome.blamed_lines(), [line], "{}", outcome.output());
    }
    assert_eq!(service.requests().len(), 0);
}

/// The integration and one owner are known only after apply.
#[test]
fn owners_that_are_known_after_apply_are_planned() {
    let service = Service::full();
    let workspace = service.workspace();
    let unknown = "resource \"terraform_data\" \"late\" {
  input = [\"github\", \"users/ada\"]
}
";
    let block = adopting(&["users/founder", "LATE"])
        .replace("\"LATE\"", "terraform_data.late.output[1]")
        .replace("\"github\"\n", "terraform_data.late.output[0]\n");
    workspace.configure(&format!("{unknown}{block}"));
    workspace.plan().exits(2);
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
    assert_eq!(workspace.state_of(OWNERS).unwrap()["id"], "integrations/github");
    workspace.plan().exits(0);
}
