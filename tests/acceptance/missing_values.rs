//! Required arguments without a value: an empty entry of a YAML file, a key that a map lacks, a
//! variable that is null. They are errors at the plan, at the argument, and nothing is planned. A
//! validation passes, because hosts validate blocks that have no instances as well.

use serde_json::json;

use crate::support::fixtures::{
    ADA, Block, LIST, OWNER, OWNERS, ROLE, Text, VIEWER, data, later, owner, owners, role,
};
use crate::support::{Feature, Outcome, Service, Workspace, has_parts, host_version};

const TEAM: &str = "locals {\n  team = yamldecode(file(\"${path.module}/team.yaml\"))\n}\n";

/// Fails the test unless each of these arguments, and nothing else, is blamed for having no value.
#[track_caller]
fn lacks_values(outcome: Outcome, arguments: &[&str]) {
    let outcome = outcome.exits(1);
    let mut errors = outcome.errors();
    errors.sort();
    assert_eq!(errors.len(), arguments.len(), "{}", outcome.output());
    for (error, argument) in errors.iter().zip(arguments) {
        has_parts(error, &[&format!("`{argument}` has no value"), "gives null"]);
    }
    assert!(!outcome.output().contains("bug in the provider"), "{}", outcome.output());
    assert!(!outcome.output().contains("planned_change"), "{}", outcome.output());
}

/// Fails the test unless plan and apply fail because of these arguments, and the apply has written
/// nothing. The validation passes.
#[track_caller]
fn refuses(service: &Service, workspace: &Workspace, arguments: &[&str]) {
    workspace.run(&["validate"]).succeeds();
    lacks_values(workspace.plan(), arguments);
    service.clear_requests();
    lacks_values(workspace.apply(), arguments);
    assert_eq!(service.writes().len(), 0, "{arguments:?}");
}

#[test]
fn emptied_entries_of_a_yaml_file_keep_the_objects() {
    let (service, workspace) = Service::with_workspace();
    workspace.write("team.yaml", "role: viewer\nowner: users/ada\n");
    let role = role("viewer").set("role", "local.team.role");
    let owner = owner("ada").set("owner", "local.team.owner");
    workspace.apply_of(Text(TEAM.to_owned()) + role + owner).succeeds();
    workspace.write("team.yaml", "role:\nowner:\n");
    refuses(&service, &workspace, &["owner", "role"]);
    let mut blamed = workspace.plan().blamed_lines();
    blamed.sort();
    assert_eq!(blamed, ["owner = local.team.owner", "role = local.team.role"]);
    assert!(service.role("github", "viewer").is_some());
    assert_eq!(service.owners_named("github", "users/ada"), 1);
    assert!(workspace.state_of(VIEWER).is_some() && workspace.state_of(ADA).is_some());

    workspace.write("team.yaml", "role: viewer\nowner: users/ada\n");
    workspace.plans_nothing();
}

#[test]
fn null_is_refused_in_creates_and_updates_however_it_came_about() {
    let (service, workspace) = Service::with_workspace();
    service.put_owner("okta", "own-7", "users/ada");
    let okta = owners(&["users/ada", "users/founder"]);
    let viewer = role("viewer").set("resources", "[\"repo/a\"]");
    let is_applied = |applied: &str| {
        workspace.apply_of(viewer.clone() + okta.clone()).succeeds();
        workspace.write("team.yaml", "{}");
        applied == "update"
    };
    let optional =
        "variable \"team\" {\n  type = object({ name = optional(string) })\n  default = {}\n}\n";
    for when in ["create", "update"] {
        if when == "update" {
            assert!(is_applied(when));
        }
        let cases: [(Block, &str, &str, &str); 9] = [
            (viewer.clone(), "priority", "null", "priority"),
            (viewer.clone(), "display_name", "null", "display_name"),
            (viewer.clone(), "display_name", "lookup(local.team, \"name\", null)", "display_name"),
            (viewer.clone(), "role", "try(local.team.role, null)", "role"),
            (viewer.clone(), "listing", "var.team.name", "listing"),
            (viewer.clone(), "resources", "[null]", "resources"),
            (viewer.clone(), "resources", "[\"repo/a\", var.team.name]", "resources"),
            (okta.clone(), "owners", "[null]", "owners"),
            (okta.clone(), "integration", "null", "integration"),
        ];
        workspace.write("team.yaml", "{}");
        for (block, argument, expression, blamed) in cases {
            let other: Text = match argument {
                "owners" | "integration" if when == "update" => Text::default() + viewer.clone(),
                _ if when == "update" => Text::default() + okta.clone(),
                _ => Text::default(),
            };
            let broken = block.set(argument, expression);
            workspace.configure(Text(format!("{TEAM}{optional}")) + other + broken);
            refuses(&service, &workspace, &[blamed]);
        }
    }
    assert_eq!(service.principals("okta"), ["users/ada", "users/founder"]);
    assert_eq!(service.role("github", "viewer").unwrap()["resources"], json!(["repo/a"]));
    assert!(workspace.state_of(LIST).is_some());
}

#[test]
fn null_is_refused_in_data_sources() {
    let (service, workspace) = Service::with_workspace();
    for (kind, arguments, lacks) in [
        (ROLE, &["listing", "role"][..], &["listing", "role"][..]),
        ("access_listing_roles", &["listing"], &["listing"]),
        (OWNER, &["integration"], &["integration"]),
        (OWNERS, &["integration"], &["integration"]),
    ] {
        let block = arguments.iter().fold(data(kind, "it"), |block, name| block.set(name, "null"));
        let block = if kind == OWNER { block.text("owner", "users/founder") } else { block };
        workspace.configure(block);
        workspace.run(&["validate"]).succeeds();
        lacks_values(workspace.plan(), lacks);
    }
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn value_that_is_null_only_in_the_apply_is_an_error_there() {
    let (service, workspace) = Service::with_applied(role("viewer"));
    let late = |argument: &str| {
        let late = later("late", "{ name = null }");
        late + role("viewer").set(argument, "terraform_data.late.output.name")
    };
    for argument in ["display_name", "priority"] {
        workspace.configure(late(argument));
        workspace.plan().exits(2);
        lacks_values_late(workspace.apply(), argument);
        assert_eq!(service.writes().len(), 0, "{argument}");
        workspace.apply_of(role("viewer")).succeeds();
        service.clear_requests();
    }
    // A create, of a role that the state does not contain yet.
    let other = role("editor").set("display_name", "terraform_data.late.output.name");
    workspace.configure(later("late", "{ name = null }") + role("viewer") + other);
    lacks_values_late(workspace.apply(), "display_name");
    assert_eq!((service.writes().len(), service.role("github", "editor")), (0, None));
}

#[track_caller]
fn lacks_values_late(outcome: Outcome, argument: &str) {
    let error = outcome.exits(1).only_error();
    has_parts(&error, &[&format!("`{argument}` has no value")]);
}

#[test]
fn blocks_without_instances_and_defaults_of_null_pass() {
    let (service, workspace) = Service::with_workspace();
    let module = "variable \"name\" {\n  type    = string\n  default = null\n}\n\
                  variable \"names\" {\n  type    = list(string)\n  default = [null]\n}\n";
    let role = role("viewer").set("role", "var.name").set("resources", "var.names");
    let role = role.set("count", "var.name == null ? 0 : 1");
    let all = owners(&[]).set("integration", "var.name").set("owners", "var.names");
    let all = all.set("count", "var.name == null ? 0 : 1");
    let module = Text(module.to_owned()) + role + all;
    let module =
        module + data(ROLE, "it").set("listing", "var.name").text("role", "r").set("count", 0);
    workspace.write("module/main.tf", &format!("{}{module}", crate::support::VERSIONS));
    workspace.configure(Text("module \"it\" {\n  source = \"./module\"\n}\n".to_owned()));
    workspace.run(&["init"]);
    workspace.run(&["validate"]).succeeds();
    workspace.plan().exits(0);
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn null_is_refused_in_imports_by_identity() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    let service = Service::full();
    service.put_viewer();
    let import = Text(format!(
        "import {{\n  to = {VIEWER}\n  identity = {{\n    listing = \"github\"\n    role    = null\n  }}\n}}\n"
    ));
    let workspace = service.configured(import + role("viewer"));
    let plan = workspace.plan().exits(1);
    has_parts(&plan.errors().concat(), &["role"]);
    assert!(!plan.output().contains("bug in the provider"), "{}", plan.output());
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn null_is_refused_in_queries() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let (service, workspace) = Service::with_workspace();
    for (kind, parent) in [(ROLE, "listing"), (OWNER, "integration")] {
        let config = format!("  provider = access\n  config {{\n    {parent} = null\n  }}\n");
        workspace.write("all.tfquery.hcl", &format!("list \"{kind}\" \"all\" {{\n{config}}}\n"));
        workspace.run(&["query", "-json"]).fails_with([&*format!("`{parent}` has no value")]);
    }
    assert_eq!(service.requests().len(), 0);
}
