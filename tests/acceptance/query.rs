//! `terraform query`, and the configuration that it generates.

use serde_json::{Value, json};

use crate::support::{Feature, Service, Workspace, host_version};

fn with_objects(service: &Service) -> Workspace {
    for (role, fields) in [
        ("admin", json!({"displayName": "Admin", "priority": "20", "resources": ["b", "a"]})),
        (
            "editor",
            json!({"displayName": "Editor", "priority": "10", "description": "Edits.",
                          "manager": "TERRAFORM"}),
        ),
        ("viewer", json!({"displayName": "Viewer", "priority": "0"})),
    ] {
        service.put_role("github", role, fields);
    }
    service.put_owner("okta", "own-9", "groups/platform");
    let workspace = service.workspace();
    workspace.write(
        "all.tfquery.hcl",
        "list \"access_listing_role\" \"all\" {
  provider = access
  config {
    listing = \"github\"
  }
}

list \"access_listing_role\" \"unmanaged\" {
  provider = access
  limit    = 1
  config {
    listing = \"github\"
    manager = \"\"
  }
}

list \"access_integration_owner\" \"all\" {
  provider = access
  config {
    integration = \"okta\"
  }
}
",
    );
    workspace
}

#[test]
fn query_finds_roles_and_owners() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let service = Service::full();
    let workspace = with_objects(&service);
    let outcome = workspace.run(&["query", "-json"]).succeeds();
    let messages =
        outcome.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut found: Vec<_> = messages
        .filter(|message| message["type"] == "list_resource_found")
        .map(|message| {
            let found = &message["list_resource_found"];
            (found["address"].to_string(), found["identity"].to_string())
        })
        .collect();
    found.sort();
    let expected = [
        ("list.access_integration_owner.all", json!({"integration": "okta", "owner": "founder"})),
        ("list.access_integration_owner.all", json!({"integration": "okta", "owner": "own-9"})),
        ("list.access_listing_role.all", json!({"listing": "github", "role": "admin"})),
        ("list.access_listing_role.all", json!({"listing": "github", "role": "editor"})),
        ("list.access_listing_role.all", json!({"listing": "github", "role": "viewer"})),
        ("list.access_listing_role.unmanaged", json!({"listing": "github", "role": "admin"})),
    ];
    let expected = expected.map(|(address, it)| (format!("\"{address}\""), it.to_string()));
    assert_eq!(found, expected);
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn generated_configuration_plans_nothing_but_the_manager() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let service = Service::full();
    let workspace = with_objects(&service);
    workspace.run(&["query", "-json", "-generate-config-out=generated.tf"]).succeeds();
    // `unmanaged` has found one of the roles a second time.
    let generated = std::fs::read_to_string(workspace.path().join("generated.tf")).unwrap();
    let (before, after) =
        generated.split_once("resource \"access_listing_role\" \"unmanaged_0\"").unwrap();
    let rest = after.find("\nresource ").map_or("", |at| &after[at..]);
    workspace.write("generated.tf", &format!("{before}{rest}"));

    let planned = workspace.plan().changes();
    let action = |name: &str| planned.action(&format!("access_listing_role.all_{name}"));
    assert_eq!([action("0"), action("1"), action("2")], ["update", "import", "update"]);
    let changes = planned.stdout.lines().find(|line| line.contains("change_summary")).unwrap();
    assert!(changes.contains("5 to import, 0 to add, 2 to change, 0 to destroy"), "{changes}");
    let before = service.roles("github");
    workspace.apply().succeeds();
    workspace.plan().exits(0);
    for (before, after) in before.into_iter().zip(service.roles("github")) {
        assert_eq!(after["manager"], "TERRAFORM");
        for unchanged in ["name", "displayName", "description", "priority", "resources"] {
            assert_eq!(before[unchanged], after[unchanged], "{unchanged}");
        }
    }
}

#[test]
fn service_without_lists_is_an_error_that_shows_the_import() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let service = Service::documented_only(405);
    let outcome = with_objects(&service).run(&["query", "-json"]);
    outcome.fails_with("does not offer lists").fails_with("listings/github/roles/ID");
}

#[test]
fn query_warns_about_entries_that_it_cannot_read_and_finds_the_others() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let service = Service::full();
    let workspace = with_objects(&service);
    service.respond_to_lists(
        200,
        r#"{"listingRoles": [{"name": "x"}, {"name": "listings/github/roles/b", "displayName": "b"}]}"#,
    );
    let outcome = workspace.run(&["query", "-json"]).succeeds();
    let outcome = outcome.warns(["listing roles were skipped", "missing from the result"]);
    assert!(outcome.stdout.contains(r#""role":"b""#), "{}", outcome.stdout);
}

#[test]
fn query_finds_the_roles_of_a_directory() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    let service = Service::full();
    let workspace = with_objects(&service);
    let uri = "https://git.example.com/a/b";
    for (role, dir) in [("editor", "x"), ("viewer", "y")] {
        service.change_role("github", role, json!({"repoUri": uri, "repoDir": dir}));
    }
    workspace.write(
        "all.tfquery.hcl",
        "list \"access_listing_role\" \"here\" {
  provider = access
  config {
    listing  = \"github\"
    repo_uri = \"git@git.example.com:a/b.git\"
    repo_dir = \"x\"
  }
}
",
    );
    let outcome = workspace.run(&["query", "-json"]).succeeds();
    assert_eq!(
        outcome.stdout.matches("\"type\":\"list_resource_found\"").count(),
        1,
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains(r#""role":"editor""#), "{}", outcome.stdout);
}
