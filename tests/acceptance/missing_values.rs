//! Required arguments without a value: an empty entry of a YAML file, a key that a map lacks, a
//! variable that is null. They are errors at the plan, at the argument, and nothing is planned. A
//! validation passes, because hosts validate blocks that have no instances as well.

use crate::support::fixtures::{
    ADA, Block, OWNER, OWNERS, ROLE, Text, VIEWER, data, later, owner, owners, role,
};
use crate::support::{Feature, Outcome, Service, Workspace, has_parts, host_version};

const TEAM: &str = "locals {\n  team = yamldecode(file(\"${path.module}/team.yaml\"))\n}\n";

/// Returns the argument that an error blames for having no value.
fn argument_without_value(error: &str) -> &str {
    has_parts(error, &["` has no value", "-refresh=false"]);
    error.split("` has no value").next().and_then(|it| it.rsplit('`').next()).expect("an argument")
}

/// Fails the test unless a plan blames each of these arguments, and plans nothing.
#[track_caller]
fn lacks_values(outcome: &Outcome, arguments: &[&str]) {
    blames(outcome, arguments);
    assert!(!outcome.output().contains("planned_change"), "{}", outcome.output());
}

/// Fails the test unless each of these arguments, in their order, and nothing else, is blamed for
/// having no value.
#[track_caller]
fn blames(outcome: &Outcome, arguments: &[&str]) {
    assert_eq!(outcome.code, 1, "{}", outcome.output());
    let errors = outcome.errors();
    let mut blamed: Vec<_> = errors.iter().map(|error| argument_without_value(error)).collect();
    blamed.sort_unstable();
    assert_eq!(blamed, arguments, "{}", outcome.output());
    assert!(!outcome.output().contains("bug in the provider"), "{}", outcome.output());
}

/// Fails the test unless an apply fails because of these arguments, and has written nothing. Returns it.
#[track_caller]
fn refuses(service: &Service, workspace: &Workspace, arguments: &[&str]) -> Outcome {
    service.clear_requests();
    let apply = workspace.apply();
    lacks_values(&apply, arguments);
    assert_eq!(service.writes().len(), 0, "{arguments:?}");
    apply
}

#[test]
fn emptied_entries_of_a_yaml_file_keep_the_objects() {
    let (service, workspace) = Service::with_workspace();
    workspace.write("team.yaml", "role: viewer\nowner: users/ada\n");
    let role = role("viewer").set("role", "local.team.role");
    let owner = owner("ada").set("owner", "local.team.owner");
    workspace.apply_of(Text(TEAM.to_owned()) + role + owner).succeeds();
    workspace.write("team.yaml", "role:\nowner:\n");
    let mut blamed = refuses(&service, &workspace, &["owner", "role"]).blamed_lines();
    blamed.sort();
    assert_eq!(blamed, ["owner = local.team.owner", "role = local.team.role"]);
    assert!(service.role("github", "viewer").is_some());
    assert_eq!(service.owners_named("github", "users/ada"), 1);
    assert!(workspace.state_of(VIEWER).is_some() && workspace.state_of(ADA).is_some());
}

/// The blocks break one argument each, so one plan blames all of them.
#[test]
fn null_is_refused_in_creates_and_updates_however_it_came_about() {
    let (service, workspace) = Service::with_workspace();
    for integration in ["okta", "eng"] {
        service.put_integration(integration);
        service.put_owner(integration, "own-7", "users/ada");
    }
    let cases: [(Block, &str, &str); 9] = [
        (role("a"), "priority", "null"),
        (role("b"), "display_name", "null"),
        (role("c"), "display_name", "lookup(local.team, \"name\", null)"),
        (role("d"), "role", "try(local.team.role, null)"),
        (role("e"), "listing", "var.team.name"),
        (role("f"), "resources", "[null]"),
        (role("g"), "resources", "[\"repo/a\", var.team.name]"),
        (owners(&["users/ada", "users/founder"]), "owners", "[null]"),
        (owners(&["users/ada"]).at("eng").text("integration", "eng"), "integration", "null"),
    ];
    let valid: Text = cases.iter().fold(Text::default(), |all, (block, ..)| all + block);
    let optional =
        "variable \"team\" {\n  type = object({ name = optional(string) })\n  default = {}\n}\n";
    let broken =
        cases.iter().fold(Text(format!("{TEAM}{optional}")), |all, (block, name, null)| {
            all + block.clone().set(name, null)
        });
    let mut blamed: Vec<_> = cases.iter().map(|(_, name, _)| *name).collect();
    blamed.sort_unstable();
    workspace.write("team.yaml", "{}");
    workspace.configure(&broken);
    workspace.run(&["validate"]).succeeds();
    refuses(&service, &workspace, &blamed);
    workspace.apply_of(valid).succeeds();
    workspace.configure(&broken);
    refuses(&service, &workspace, &blamed);
    assert_eq!((service.roles("github").len(), workspace.state_size()), (7, 9));
    assert_eq!(service.principals("okta"), ["users/ada", "users/founder"]);
}

#[test]
fn null_is_refused_in_data_sources() {
    let (service, workspace) = Service::with_workspace();
    let mut all = Text::default();
    for (kind, arguments) in [
        (ROLE, &["listing", "role"][..]),
        ("access_listing_roles", &["listing"]),
        (OWNER, &["integration"]),
        (OWNERS, &["integration"]),
    ] {
        let block = arguments.iter().fold(data(kind, "it"), |block, name| block.set(name, "null"));
        all = all + if kind == OWNER { block.text("owner", "users/founder") } else { block };
    }
    workspace.configure(all);
    workspace.run(&["validate"]).succeeds();
    let lacking = ["integration", "integration", "listing", "listing", "role"];
    lacks_values(&workspace.plan(), &lacking);
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn value_that_is_null_only_in_the_apply_is_an_error_there() {
    let (service, workspace) = Service::with_applied(role("viewer") + role("editor"));
    let late = |id: &str, argument: &str| role(id).set(argument, "terraform_data.late.output.name");
    // Two updates, and the create of a role that the state does not contain yet.
    let broken =
        late("viewer", "display_name") + late("editor", "priority") + late("new", "display_name");
    workspace.configure(later("late", "{ name = null }") + broken);
    blames(&workspace.apply(), &["display_name", "display_name", "priority"]);
    assert_eq!((service.writes().len(), service.role("github", "new")), (0, None));
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
    workspace.run(&["get"]).succeeds();
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
