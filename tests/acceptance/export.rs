//! `terraform-provider-access export`: blocks that import everything and change nothing.

use std::fs;

use serde_json::{Value, json};

use crate::support::fixtures::role;
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

    // A file that no export wrote is kept, and no block is printed.
    workspace.write("imports.tf", "# mine\n");
    workspace.run_provider(&export).refuses(&["imports.tf exists already"]);
    assert_eq!(workspace.read("imports.tf"), "# mine\n");
}

/// Returns the names of the files in the working directory.
fn files(workspace: &Workspace) -> Vec<String> {
    let entries = fs::read_dir(workspace.path()).expect("a directory").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn export_writes_files_whole_or_not_at_all_and_never_over_those_of_others() {
    let service = Service::full();
    let mut workspace = with_objects(&service);
    let blocks = ["--output", "access.tf", "--imports", "imports.tf"];
    let export = [&["export"], &blocks[..], &EVERYTHING[1..]].concat();
    let outcome = workspace.run_provider(&export).succeeds();
    assert_eq!(outcome.output().trim(), "exit code 0");
    workspace.run(&["fmt", "-check", "-diff"]).succeeds();
    workspace.apply().succeeds();
    workspace.plans_nothing();
    let written = ["access.tf", "imports.tf"].map(|name| workspace.read(name));

    // In the second week, without what the provider block has: both files stay, and the plan is as
    // before.
    let base_url = service.base_url();
    workspace.set("ACCESS_BASE_URL", "");
    workspace.run_provider(&export).refuses(&["Missing base_url", "`--base-url URL`"]);
    let with_address = [&export[..], &["--base-url", &base_url]].concat();
    service.without_lists();
    workspace.run_provider(&with_address).refuses(&["Could not export"]);
    assert_eq!(["access.tf", "imports.tf"].map(|name| workspace.read(name)), written);

    // An export replaces what an export wrote, and nothing else: neither of two files, if one must
    // stay.
    let service = Service::full();
    service.put_viewer();
    let base_url = service.base_url();
    let parents = ["export", "listings/github", "--base-url", &base_url];
    let export = [&parents[..], &blocks[..]].concat();
    workspace.run_provider(&export).succeeds();
    assert_eq!(workspace.read("access.tf").matches("\nresource ").count(), 1);
    let edited = workspace.read("access.tf").replace("Viewer", "Reader");
    workspace.write("access.tf", &edited);
    fs::remove_file(workspace.path().join("imports.tf")).expect("the blocks");
    workspace
        .run_provider(&export)
        .refuses(&["access.tf has been edited since an export wrote it"]);
    assert_eq!(workspace.read("access.tf"), edited);
    workspace.write("access.tf", "");
    workspace.run_provider(&export).refuses(&["access.tf exists already"]);
    let expected = ["access.tf", "terraform.tfstate", "versions.tf"];
    let mut names = files(&workspace);
    names.retain(|name| !name.starts_with(".terraform") && !name.ends_with(".backup"));
    assert_eq!(names, expected);
}

#[cfg(target_os = "linux")]
#[test]
fn export_leaves_no_imports_if_it_cannot_print_the_blocks() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let mut command = workspace.command_of(crate::support::provider());
    let arguments = ["export", "--imports", "imports.tf", "listings/github"];
    let output = command.args(arguments).stdout(full).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    has_parts(&error, &["Could not write to standard output"]);
    assert_eq!(files(&workspace), ["versions.tf"]);
}

/// Returns a configuration of roles whose keys are names, with `for_each`.
fn with_for_each(entries: &str) -> String {
    let locals = format!("locals {{\n  roles = {entries}\n}}\n");
    let role = role("split(\"/\", each.key)[1]").at("this").set("for_each", "local.roles");
    let role = role.set("listing", "split(\"/\", each.key)[0]");
    let role = role.set("role", "split(\"/\", each.key)[1]").set("display_name", "each.value");
    format!("{locals}{role}")
}

const FOR_ROLES: [&str; 6] =
    ["export", "--imports", "imports.tf", "--for", "access_listing_role.this", "listings/github"];

#[test]
fn export_prints_the_import_block_of_a_resource_with_for_each_until_the_plan_is_empty() {
    let service = Service::full();
    for role in ["viewer", "on.call", "odd\"${x}"] {
        service.put_role("github", role, json!({"displayName": role, "priority": "0"}));
    }
    let entries = "{ \"github/viewer\" = \"viewer\", \"github/on.call\" = \"on.call\", \"github/odd\\\"$${x}\" = \"odd\\\"$${x}\", \"github/new\" = \"new\" }";
    let workspace = service.configured(with_for_each(entries));
    workspace.apply().fails_with(["exists already"]);
    // The role that is new was created before the errors, as by an apply that was killed.
    assert_eq!((service.roles("github").len(), workspace.state_size()), (4, 1));
    let export = [&FOR_ROLES[..], &["--key", "listing/role"]].concat();
    assert_eq!(workspace.run_provider(&export).succeeds().stdout, "");
    workspace.run(&["fmt", "-check", "-diff", "imports.tf"]).succeeds();
    let imports = workspace.read("imports.tf");
    assert_eq!(imports.matches("\nimport {").count(), 1, "{imports}");
    let plan = workspace.plan().exits(2);
    has_parts(&plan.stdout, &["3 to import, 0 to add, 3 to change, 0 to destroy"]);
    workspace.apply().succeeds();
    workspace.plans_nothing();
    // The blocks of objects in the state change nothing, and can be deleted.
    fs::remove_file(workspace.path().join("imports.tf")).expect("the block");
    workspace.plans_nothing();
}

#[test]
fn export_for_a_resource_leaves_out_what_its_for_each_lacks() {
    let service = Service::full();
    for role in ["viewer", "theirs"] {
        service.put_role("github", role, json!({"displayName": role, "priority": "0"}));
    }
    let workspace = service.workspace();
    let map = "{ \"github/viewer\" = \"viewer\", \"github/new\" = \"new\" }";
    workspace.configure(with_for_each(map));
    let all = [&FOR_ROLES[..], &["--key", "listing/role"]].concat();
    workspace.run_provider(&all).succeeds();
    workspace.plan().exits(1);
    let named = [&all[..], &["--each", "local.roles"]].concat();
    workspace.run_provider(&named).succeeds();
    workspace.run(&["fmt", "-check", "-diff", "imports.tf"]).succeeds();
    let plan = workspace.plan().exits(2);
    has_parts(&plan.stdout, &["1 to import, 1 to add, 1 to change, 0 to destroy"]);
    workspace.apply().succeeds();
    workspace.plans_nothing();
    assert_eq!(service.role("github", "theirs").expect("it")["displayName"], "theirs");

    // A set, of principals, in a module.
    service.put_owner("github", "own-9", "teams/a");
    workspace.write("team/versions.tf", VERSIONS);
    let owners = "locals {\n  owners = toset([\"teams/a\", \"teams/b\"])\n}\nresource \"access_integration_owner\" \"this\" {\n  for_each    = local.owners\n  integration = \"github\"\n  owner       = each.key\n}\noutput \"owners\" {\n  value = local.owners\n}\n";
    workspace.write("team/main.tf", owners);
    let call = "module \"team\" {\n  source = \"./team\"\n}\n";
    workspace.configure(format!("{}{call}", with_for_each(map)));
    workspace.run(&["get"]).succeeds();
    let address = "module.team.access_integration_owner.this";
    let export = ["export", "--output", "imports.tf", "--for", address, "integrations/github"];
    let export = [&export[..], &["--each", "[\"teams/a\", \"teams/b\"]"]].concat();
    workspace.run_provider(&export).succeeds();
    workspace.run(&["fmt", "-check", "-diff", "imports.tf"]).succeeds();
    let plan = workspace.plan().exits(2);
    has_parts(&plan.stdout, &["1 to import, 1 to add, 0 to change, 0 to destroy"]);
    workspace.apply().succeeds();
    workspace.plans_nothing();
    assert_eq!(service.owners_named("github", "teams/a"), 1);
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
    let head = "base_url,listing,role,integration,integration_owner_id,owner,display_name,description,priority,";
    let url = service.base_url();
    let owner = format!("\r\n{url},,,github,own-9,groups/platform,,,,,,,,20");
    let first = format!("\r\n{url},github,on.call,,,,");
    // A negative number stays a number.
    has_parts(&table, &[head, &owner, &first, ",-7,"]);
    assert_eq!(table.matches(&format!("\r\n{url},")).count(), table.matches("\r\n,").count() + 6);
    workspace.write(
        "reviews.json",
        r#"{"github":{"viewer":{"reason":"=1","review_after":"2027-01-31"}},"a":{}}"#,
    );
    let reviewed = export(&["--format", "csv", "--reviews", "reviews.json"]).stdout;
    has_parts(
        &reviewed,
        &[",update_time,reason,review_after\r\n", "Z,'=1,2027-01-31\r\n", "Z,,\r\n"],
    );
    let options = ["export", "listings/github", "--format", "csv", "--reviews"];
    let wrong = workspace.run_provider(&[&options[..], &["versions.tf"]].concat());
    wrong.refuses(&["versions.tf is not a map of listings", "terraform output -json"]);
    // The next inventory replaces this one, and no other table.
    let output = ["--format", "csv", "--output", "inventory.csv"];
    assert_eq!(export(&output).stdout, "");
    export(&output);
    assert_eq!(workspace.read("inventory.csv"), table);

    // A principal with two owners is one entry.
    service.put_owner("github", "own-99", "groups/platform");
    let yaml = ["--format", "yaml", "--without-resources"];
    let outcome = export(&[&yaml[..], &["--output", "eu"]].concat());
    assert_eq!(outcome.stdout, "");
    assert!(!workspace.read("eu/listings/github.yaml").contains("resources:"));
    let owners = workspace.read("eu/integrations/github.yaml");
    assert!(owners.ends_with("\n- users/founder\n- groups/platform\n"), "{owners}");
    // The file of one parent can be printed.
    let one = [&["export"], &yaml[..], &["integrations/github"]].concat();
    assert_eq!(workspace.run_provider(&one).succeeds().stdout, owners);
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

/// The service may have what no configuration may contain.
#[test]
fn export_warns_of_roles_that_no_plan_accepts() {
    let service = Service::full();
    let fields = json!({"displayName": " ", "priority": "1", "resources": ["", "db/admin"]});
    service.put_role("github", "odd", fields);
    let workspace = service.workspace();
    let export = |more: &[&str]| {
        workspace.run_provider(&[&["export", "listings/github"], more].concat()).succeeds().stderr
    };
    let name = "A role has no display name";
    let resource = "A role has an empty resource";
    has_parts(&export(&[]), &[name, resource, "listings/github/roles/odd"]);
    let without = export(&["--without-resources"]);
    has_parts(&without, &[name]);
    assert!(!without.contains(resource), "{without}");
}

#[test]
fn export_that_fails_prints_nothing_and_the_next_step() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let outcome = workspace.run_provider(&["export", "--listing", "github", "absent"]);
    outcome.refuses(&["Could not export listing roles", "404", "listings/absent", "Check the ID."]);
    // What was not read is not said to be empty.
    let outcome = workspace.run_provider(&["export", "--format", "yaml", "listings/absent"]);
    assert!(!outcome.stderr.contains("no file"), "{}", outcome.stderr);
    outcome.refuses(&["404", "listings/absent"]);
    service.without_lists();
    workspace.run_provider(&EVERYTHING).refuses(&["-generate-config-out"]);
    let without_key = service.workspace_with_key("");
    without_key.run_provider(&EVERYTHING).refuses(&["ACCESS_API_KEY_FILE"]);
}
