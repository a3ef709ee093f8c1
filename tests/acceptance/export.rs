//! `terraform-provider-access export`: blocks that import everything and change nothing.

use serde_json::{Value, json};

use crate::support::{Service, VERSIONS, Workspace, has_parts};

/// Texts that HCL would read differently without escapes.
const ODD: &str = "A quoted \"${var.x}\" \\ %{ if true }yes%{ endif }\n\t$${y} $$ %%{z} \u{7f}\u{202e}é 🦀\r\n# /* EOT";

fn with_objects(service: &Service) -> Workspace {
    let largest = i64::MAX.to_string();
    let resources = ["z", ODD, "a", "${x}"];
    let on_call = json!({"displayName": "b", "priority": largest, "resources": resources});
    for (listing, role, fields) in [
        ("github", "viewer", json!({"displayName": "Viewer", "priority": "0"})),
        ("github", "on.call", json!({"displayName": ODD, "description": ODD, "priority": "-7"})),
        ("github", "on_call", on_call),
        ("1st", "${odd}\"", json!({"displayName": "c", "priority": "1", "description": " "})),
        ("github", "mine", json!({"displayName": "d", "priority": "2", "manager": "TERRAFORM"})),
    ] {
        service.put_listing(listing);
        service.put_role(listing, role, fields);
    }
    service.put_role("github", "deleted", json!({"displayName": "x", "priority": "3"}));
    service.soft_delete_role("github", "deleted");
    service.put_owner("github", "own-9", "groups/platform");
    service.workspace()
}

const EVERYTHING: [&str; 6] = ["export", "--listing", "github", "1st", "--integration", "github"];

#[test]
fn export_plans_imports_and_the_recording_of_the_manager_alone() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let outcome = workspace.run_provider(&EVERYTHING).succeeds();
    assert_eq!(outcome.stderr, "");
    assert_eq!(service.writes().len(), 0);
    workspace.write("access.tf", &outcome.stdout);
    workspace.run(&["fmt", "-check", "-diff"]).succeeds();

    workspace.save_plan(&[]);
    let plan: Value = serde_json::from_str(&workspace.saved_plan()).expect("a plan of JSON");
    let mut addresses = Vec::new();
    for change in plan["resource_changes"].as_array().expect("changes") {
        let (address, change) = (change["address"].as_str().expect("it"), &change["change"]);
        let is_kept = address.contains("owner") || address.ends_with("_mine");
        let action = if is_kept { "no-op" } else { "update" };
        assert!(change["importing"].is_object(), "{address}");
        assert_eq!(change["actions"], json!([action]), "{address}");
        for (name, value) in change["before"].as_object().expect("attributes") {
            let is_same = change["after"][name] == *value && change["after_unknown"][name] != true;
            let recorded = ["manager", "repo_dir", "repo_uri", "update_time"];
            assert!(is_same || recorded.contains(&name.as_str()), "{address}: {name}");
        }
        addresses.push(address);
    }
    let expected = [
        "access_integration_owner.github_groups_platform",
        "access_integration_owner.github_users_founder",
        "access_listing_role._1st___odd__",
        "access_listing_role.github_mine",
        "access_listing_role.github_on_call",
        "access_listing_role.github_on_call_2",
        "access_listing_role.github_viewer",
    ];
    assert_eq!(addresses, expected);
    workspace.apply_saved().succeeds();
    workspace.plan().exits(0);
    assert_eq!(service.role("github", "on.call").expect("the role")["description"], ODD);
}

#[test]
fn export_imports_into_a_module() {
    let service = Service::full();
    let mut workspace = with_objects(&service);
    // The key is read from a file, as by the provider.
    workspace.set("ACCESS_API_KEY", "");
    workspace.set("ACCESS_API_KEY_FILE", "key");
    workspace.write("key", "admin-key\n");
    let export = ["export", "--to", "module.eu", "--imports", "imports.tf", "listings/github"];
    let outcome = workspace.run_provider(&export).succeeds();
    workspace.write("eu/main.tf", &outcome.stdout);
    workspace.write("eu/versions.tf", VERSIONS);
    workspace.configure("module \"eu\" {\n  source = \"./eu\"\n}\n");
    workspace.run(&["get"]).succeeds();
    let planned = workspace.plan().exits(2);
    assert_eq!(planned.action("module.eu.access_listing_role.github_viewer"), "update");
    has_parts(&planned.stdout, &["4 to import, 0 to add, 3 to change, 0 to destroy"]);

    // A file that exists is kept, and no block is printed.
    workspace.write("imports.tf", "# mine\n");
    workspace.run_provider(&export).refuses(&["imports.tf exists already"]);
    assert_eq!(workspace.read("imports.tf"), "# mine\n");
}

#[test]
fn export_prints_what_is_not_managed_a_table_or_a_file_of_yaml() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let both = ["listings/github", "integrations/github"];
    let export = |arguments: &[&str]| {
        workspace.run_provider(&[&["export"], arguments, &both].concat()).succeeds()
    };
    // The columns and the cells are tables in src/export.
    let table = export(&["--format", "csv"]).stdout;
    let head = "listing,role,integration,integration_owner_id,owner,display_name,priority,resources,manager,";
    let owner = "\r\n,,github,own-9,groups/platform,,,,,,,20";
    has_parts(&table, &[head, owner, "\r\ngithub,on.call,,,,", ",'-7,"]);

    // A principal with two owners is one entry.
    service.put_owner("github", "own-99", "groups/platform");
    let outcome = export(&["--format", "yaml", "--without-resources"]);
    assert!(!outcome.stdout.contains("import") && !outcome.stdout.contains("resources:"));
    assert!(outcome.stdout.ends_with("  github:\n    - users/founder\n    - groups/platform\n"));
    let parts = ["An owner was skipped", "own-99", "groups/platform owns the integration"];
    has_parts(&outcome.stderr, &parts);

    service.change_role("github", "viewer", json!({"manager": "CONSOLE"}));
    let blocks = export(&["--unmanaged", "--without-resources"]).stdout;
    has_parts(&blocks, &["\n  #   \"$${x}\",\n"]);
    assert!(!blocks.contains("\n  resources"), "{blocks}");
    let heads = blocks.lines().filter_map(|line| line.strip_prefix("resource "));
    let expected = [
        "\"access_listing_role\" \"github_on_call\" {",
        "\"access_listing_role\" \"github_on_call_2\" {",
        "\"access_integration_owner\" \"github_users_founder\" {",
        "\"access_integration_owner\" \"github_groups_platform\" {",
        "\"access_integration_owner\" \"github_groups_platform_2\" {",
    ];
    assert_eq!(heads.collect::<Vec<_>>(), expected);
}

#[test]
fn export_that_fails_prints_nothing_and_the_next_step() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let outcome = workspace.run_provider(&["export", "--listing", "github", "absent"]);
    outcome.refuses(&[
        "Could not export listing roles",
        "404",
        "listings/absent",
        "ACCESS_BASE_URL",
    ]);
    service.without_lists();
    workspace.run_provider(&EVERYTHING).refuses(&["-generate-config-out"]);
    let without_key = service.workspace_with_key("");
    without_key.run_provider(&EVERYTHING).refuses(&["ACCESS_API_KEY_FILE"]);
}
