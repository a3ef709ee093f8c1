//! `terraform-provider-access export`: blocks that import everything and change nothing.

use std::fs;

use access_fake::OddList;
use serde_json::{Value, json};

use crate::support::fixtures::{REPOSITORY, role};
use crate::support::{Service, VERSIONS, Workspace, has_parts};

/// Texts that HCL would read differently without escapes.
const ODD: &str = "A quoted \"${var.x}\" \\ %{ if true }yes%{ endif }\n\t$${y} $$ %%{z} \u{7f}\u{202e}é 🦀\r\n# /* EOT";

fn with_objects(service: &Service) -> Workspace {
    let largest = i64::MAX.to_string();
    let resources = ["z", ODD, "a", "${x}"];
    let mine = json!({"displayName": "d", "priority": "2", "manager": "TERRAFORM",
                      "repoUri": REPOSITORY, "repoDir": "configuration"});
    let on_call = json!({"displayName": "b", "priority": largest, "resources": resources});
    for (listing, role, fields) in [
        ("github", "viewer", json!({"displayName": "Viewer", "priority": "0"})),
        ("github", "on.call", json!({"displayName": ODD, "description": ODD, "priority": "-7"})),
        ("github", "on_call", on_call),
        ("1st", "${odd}\"", json!({"displayName": "c", "priority": "1", "description": " "})),
        ("github", "mine", mine),
    ] {
        service.put_listing(listing);
        service.put_role(listing, role, fields);
    }
    service.put_role("github", "deleted", json!({"displayName": "x", "priority": "3"}));
    service.soft_delete_role("github", "deleted");
    service.put_owner("github", "own-9", "groups/platform");
    service.workspace()
}

const EVERYTHING: [&str; 4] = ["export", "listings/github", "listings/1st", "integrations/github"];

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
    let workspace = with_objects(&service);
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

/// Returns the names of the files in the working directory.
fn files(workspace: &Workspace) -> Vec<String> {
    let entries = fs::read_dir(workspace.path()).expect("a directory").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn export_never_replaces_a_file_without_force() {
    let service = Service::full();
    let mut workspace = with_objects(&service);
    let export = ["--output", "access.tf", "--imports", "imports.tf"];
    let export = [&EVERYTHING[..], &export].concat();
    let outcome = workspace.run_provider(&export).succeeds();
    assert_eq!(outcome.output().trim(), "exit code 0");
    workspace.apply().succeeds();
    let written = ["access.tf", "imports.tf"].map(|name| workspace.read(name));

    service.put_viewer();
    workspace.run_provider(&export).refuses(&["access.tf exists already", "`--force`"]);
    // One of two that exists is enough.
    fs::remove_file(workspace.path().join("imports.tf")).expect("the blocks");
    workspace.run_provider(&export).refuses(&["access.tf exists already"]);
    assert_eq!(workspace.read("access.tf"), written[0]);
    let mut names = files(&workspace);
    names.retain(|name| !name.starts_with(".terraform") && !name.ends_with(".backup"));
    assert_eq!(names, ["access.tf", "terraform.tfstate", "versions.tf"]);

    let with_force = [&export[..], &["--force"]].concat();
    workspace.write("access.tf", "# mine\n");
    workspace.run_provider(&with_force).succeeds();
    assert!(workspace.read("access.tf").contains("github_viewer"));
    // Without what the provider block has.
    workspace.set("ACCESS_BASE_URL", "");
    workspace.run_provider(&with_force).refuses(&["Missing base_url"]);
    let base_url = service.base_url();
    let with_address = [&with_force[..], &["--base-url", &base_url]].concat();
    workspace.run_provider(&with_address).succeeds();
    // Nothing can be read, so nothing is replaced.
    service.without_lists();
    let written = workspace.read("access.tf");
    workspace.run_provider(&with_address).refuses(&["listings/github is left out", "Nothing was"]);
    assert_eq!(workspace.read("access.tf"), written);
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

/// Returns a configuration of roles of one listing with `for_each`.
fn with_for_each(entries: &str) -> String {
    let role = role("each.key").at("this").set("for_each", entries).set("role", "each.key");
    role.set("display_name", "each.value").to_string()
}

const FOR_ROLES: [&str; 6] =
    ["export", "--imports", "imports.tf", "--for", "access_listing_role.this", "listings/github"];

#[test]
fn export_prints_the_import_block_of_a_resource_with_for_each_until_the_plan_is_empty() {
    let service = Service::full();
    for role in ["viewer", "on.call", "odd\"${x}"] {
        service.put_role("github", role, json!({"displayName": role, "priority": "0"}));
    }
    let entries =
        r#"{ viewer = "viewer", "on.call" = "on.call", "odd\"$${x}" = "odd\"$${x}", new = "new" }"#;
    let workspace = service.configured(with_for_each(entries));
    // The role that is new was created by an apply that was killed.
    workspace.apply_with(&["-target=access_listing_role.this[\"new\"]"]).succeeds();
    assert_eq!((service.roles("github").len(), workspace.state_size()), (4, 1));
    // Until the second export, it has the role that was created as well.
    assert_eq!(workspace.run_provider(&FOR_ROLES).succeeds().stdout, "");
    workspace.run(&["fmt", "-check", "-diff", "imports.tf"]).succeeds();
    let imports = workspace.read("imports.tf");
    assert_eq!(imports.matches("\nimport {").count(), 1, "{imports}");
    let apply = workspace.apply().succeeds();
    has_parts(&apply.stdout, &["3 to import, 0 to add, 3 to change, 0 to destroy"]);
    // The blocks of objects in the state change nothing, and can be deleted.
    fs::remove_file(workspace.path().join("imports.tf")).expect("the block");
    workspace.plans_nothing();
}

#[test]
fn export_prints_the_import_block_of_owners_in_a_module() {
    let service = Service::full();
    service.put_owner("github", "own-9", "teams/a");
    service.put_owner("github", "own-10", "teams/b");
    service.put_owner("github", "own-11", "teams/b");
    let workspace = service.workspace();
    workspace.write("team/versions.tf", VERSIONS);
    let owners = "resource \"access_integration_owner\" \"this\" {\n  for_each    = toset([\"teams/a\", \"teams/c\", \"users/founder\"])\n  integration = \"github\"\n  owner       = each.key\n}\n";
    workspace.write("team/main.tf", owners);
    workspace.configure("module \"team\" {\n  source = \"./team\"\n}\n");
    workspace.run(&["get"]).succeeds();
    let address = "module.team.access_integration_owner.this";
    let export = ["export", "--output", "imports.tf", "--for", address, "integrations/github"];
    // One principal is one key.
    let outcome = workspace.run_provider(&export).exits(1);
    has_parts(&outcome.stderr, &["owners/own-11 is left out: teams/b owns the integration"]);
    workspace.run(&["fmt", "-check", "-diff", "imports.tf"]).succeeds();
    // A line whose key the resource does not have is deleted.
    workspace.plan().exits(1);
    let imports = workspace.read("imports.tf");
    let lines = imports.lines().filter(|line| !line.contains("teams/b"));
    workspace.write("imports.tf", &lines.collect::<Vec<_>>().join("\n"));
    let apply = workspace.apply().succeeds();
    has_parts(&apply.stdout, &["2 to import, 1 to add, 0 to change, 0 to destroy"]);
    assert_eq!(service.owners_named("github", "teams/a"), 1);
}

#[test]
fn export_prints_a_table_or_files_of_yaml() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let both = ["listings/github", "integrations/github"];
    let export = |arguments: &[&str]| {
        workspace.run_provider(&[&["export"], arguments, &both].concat()).succeeds()
    };
    // The cells are a table in src/export.
    let table = export(&["--format", "csv"]).stdout;
    let head = "base_url,listing,role,display_name,priority,description,resources,management,manager,repo_uri,repo_dir,create_time,update_time,integration,owner,integration_owner_id\r\n";
    let url = service.base_url();
    let owner = format!("\r\n{url},,,,,,,,,,,20");
    let first = format!("\r\n{url},github,on.call,");
    // A negative number stays a number.
    let principal = ",github,groups/platform,own-9\r\n";
    has_parts(&table, &[head, &owner, principal, &first, ",-7,"]);
    assert_eq!(table.matches("\r\n").count(), 1 + 4 + 2);
    assert!(!table.replace("\r\n", "").contains(|c: char| c.is_control()), "{table}");
    export(&["--format", "csv", "--output", "inventory.csv"]);
    assert_eq!(workspace.read("inventory.csv"), table);

    let yaml = ["--format", "yaml"];
    let outcome = export(&[&yaml[..], &["--output", "eu"]].concat());
    assert_eq!(outcome.stdout, "");
    let owners = workspace.read("eu/integrations/github.yaml");
    assert_eq!(owners, "- users/founder\n- groups/platform\n");
    assert!(workspace.read("eu/listings/github.yaml").starts_with("mine:\n  display_name: d\n"));
    // The file of one parent can be printed.
    let one = ["export", "--format", "yaml", "integrations/github"];
    assert_eq!(workspace.run_provider(&one).succeeds().stdout, owners);
}

#[test]
fn export_names_what_it_leaves_out_writes_the_rest_and_exits_with_1() {
    let service = Service::full();
    let workspace = with_objects(&service);
    service.put_owner("github", "own-8", "bots/deploy");
    service.put_role("1st", "<<", json!({"displayName": "e", "priority": "1"}));
    let export =
        |arguments: &[&str]| workspace.run_provider(&[&["export"], arguments].concat()).exits(1);
    let parents = ["listings/absent", "listings/1st", "integrations/github"];
    let bot =
        "integrations/github/owners/own-8 is left out: its owner, \"bots/deploy\", is not a user";
    let absent = ["listings/absent is left out", "404", "Check the ID"];
    let outcome = export(&parents);
    has_parts(&outcome.stderr, &[&absent[..], &[bot]].concat());
    assert!(outcome.stderr.lines().all(|line| line.len() < 200), "{}", outcome.stderr);
    assert_eq!(outcome.stdout.matches("\nimport {").count(), 4, "{}", outcome.stdout);
    let table = export(&[&parents[..], &["--format", "csv"]].concat());
    has_parts(&table.stdout, &[",bots/deploy,"]);
    has_parts(&table.stderr, &absent);
    export(&[&parents[..], &["--format", "yaml", "--output", "eu", "--imports", "i.tf"]].concat());
    assert_eq!(workspace.read("i.tf").matches(" = \"integrations/").count(), 2);
    let yaml = export(&["listings/1st", "--format", "yaml"]);
    has_parts(&yaml.stderr, &["listings/1st/roles/<< is left out: Terraform merges"]);
    assert_eq!(yaml.stdout.matches("display_name").count(), 1, "{}", yaml.stdout);
}

#[test]
fn export_without_a_list_or_a_key_prints_nothing_and_the_next_step() {
    let service = Service::full();
    let workspace = with_objects(&service);
    workspace.run_provider(&["export", "listings/absent"]).refuses(&["404", "Check the ID"]);
    service.without_lists();
    workspace.run_provider(&EVERYTHING).refuses(&["-generate-config-out"]);
}

#[test]
fn export_has_the_settings_of_the_provider() {
    let (eu, us) = (Service::full(), Service::full());
    eu.put_viewer();
    us.put_role("github", "reader", json!({"displayName": "Reader", "priority": "0"}));
    let workspace = eu.workspace();
    let export = ["export", "listings/github"];
    // The argument wins over the variable, as in a provider block.
    let us_url = us.base_url();
    let with_us = [&export[..], &["--base-url", &us_url]].concat();
    let outcome = workspace.run_provider(&with_us).succeeds();
    assert!(outcome.stdout.contains("github_reader") && !outcome.stdout.contains("viewer"));
    assert_eq!((eu.requests().len(), us.requests().len()), (0, 1));
    let agent = us.requests()[0].user_agent.clone().expect("a user agent");
    assert!(agent.starts_with("terraform-provider-access/"), "{agent}");

    // A proxy would be connected to for an address that is not of this host.
    let far = [&export[..], &["--base-url", "https://access.invalid"]].concat();
    for (variable, value, arguments, parts) in [
        ("ACCESS_BASE_URL", "", &export[..], &["`ACCESS_BASE_URL`", "is `--base-url`"][..]),
        ("ACCESS_BASE_URL", "ftp://a", &export, &["Invalid base_url", "ACCESS_BASE_URL is set to"]),
        ("ACCESS_API_KEY", "", &export, &["Missing api_key", "`ACCESS_API_KEY`"]),
        ("ACCESS_CA_FILE", "absent.pem", &export, &["Invalid ca_file", "absent.pem"]),
        ("ACCESS_CA_FILE", "admin-key", &export, &["ca_file", "is set to the API key"]),
        ("HTTPS_PROXY", "://", &far, &["HTTPS_PROXY"]),
    ] {
        let mut workspace = eu.workspace();
        workspace.set(variable, value);
        let outcome = workspace.run_provider(arguments);
        assert!(!outcome.output().contains("admin-key"), "{variable}: {}", outcome.output());
        outcome.refuses(parts);
    }
    assert_eq!(eu.requests().len(), 0);
}

#[test]
fn export_reads_all_pages_and_names_the_entries_that_it_cannot_read() {
    let service = Service::full();
    let workspace = with_objects(&service);
    service.put_owner("github", "own-8", "teams/a");
    let odd = |collection: &str, entries: Value| OddList {
        collection: Some(collection.to_owned()),
        insert: entries.as_array().expect("entries").clone(),
        largest_page_size: Some(1),
        ..OddList::default()
    };
    let (roles, owners) = ("listings/github/roles", "integrations/github/owners");
    let role = |id: &str, fields: Value| {
        let mut role =
            json!({"name": format!("{roles}/{id}"), "displayName": "x", "priority": "0"});
        role.as_object_mut().expect("a role").extend(fields.as_object().expect("fields").clone());
        role
    };
    let of_roles = json!([
        {"displayName": "without a name"},
        role("gone", json!({"deleteTime": "2027-01-01T00:00:00Z"})),
        role("odd", json!({"priority": "abc"})),
        role("a b", json!({})),
        role("a\u{1b}\u{202e}b", json!({})),
    ]);
    let of_owners = json!([
        null,
        {"name": format!("{owners}/none")},
        {"name": format!("{owners}/left"), "owner": "deleted:users/ada?uid=1"},
    ]);
    service.change_world(|world| world.lists = vec![odd(roles, of_roles), odd(owners, of_owners)]);
    let unreadable = [
        "An entry of listings/github is left out: the service returned",
        "An entry of integrations/github is left out: the service returned",
        "listings/github/roles/odd is left out: the type of `priority`",
        "integrations/github/owners/none is left out: it has no `owner`",
    ];
    let unmanageable = [
        "listings/github/roles/a b is left out: its ID must not contain blanks",
        "owners/left is left out: its owner, \"deleted:users/ada?uid=1\", is not a user",
    ];
    for format in ["hcl", "yaml", "csv"] {
        let export = ["export", "--output", format, "--format", format];
        let parents = ["listings/github", "integrations/github"];
        service.clear_requests();
        let outcome = workspace.run_provider(&[&export[..], &parents].concat()).exits(1);
        has_parts(&outcome.stderr, &unreadable);
        if format != "csv" {
            has_parts(&outcome.stderr, &unmanageable);
        }
        let expected = if format == "csv" { 4 } else { 7 };
        assert!(!outcome.stderr.contains(['\u{1b}', '\u{202e}']), "{:?}", outcome.stderr);
        assert_eq!(
            outcome.stderr.matches(" is left out: ").count(),
            expected,
            "{}",
            outcome.stderr
        );
        assert!(service.requests().len() > 6, "{}", service.requests().len());
        let (roles, owners) = match format {
            "yaml" => ("yaml/listings/github.yaml", "yaml/integrations/github.yaml"),
            file => (file, file),
        };
        for (file, part) in
            [(roles, "viewer"), (roles, "mine"), (owners, "teams/a"), (owners, "users/founder")]
        {
            has_parts(&workspace.read(file), &[part]);
        }
        assert!(!workspace.read(roles).contains("gone"), "{format}");
        for shown in [",a b,", ",deleted:users/ada?uid=1,"] {
            assert_eq!(workspace.read(roles).contains(shown), format == "csv", "{format}: {shown}");
        }
    }
}
