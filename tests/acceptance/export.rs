//! `terraform-provider-access export`: blocks that import everything and change nothing.

use serde_json::{Value, json};

use crate::support::{Service, Workspace};

/// Texts that HCL would read differently without escapes.
const ODD: &str = "A quoted \"${var.x}\" \\ %{ if true }yes%{ endif }\n\t$${y} $$ %%{z} \u{7f}\u{202e}é 🦀\r\n# /* EOT";

fn with_objects(service: &Service) -> Workspace {
    for (listing, role, fields) in [
        ("github", "viewer", json!({"displayName": "Viewer", "priority": "0"})),
        ("github", "on.call", json!({"displayName": ODD, "description": ODD, "priority": "-7"})),
        (
            "github",
            "on_call",
            json!({"displayName": "b", "priority": "9223372036854775807",
                                     "resources": ["z", ODD, "a", "${x}"]}),
        ),
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

/// Returns the address, and the planned action, of each resource that a plan changes or imports.
fn changes(plan: &Value) -> Vec<(String, Vec<Value>, Vec<String>)> {
    let changes = plan["resource_changes"].as_array().expect("changes").iter();
    changes
        .map(|change| {
            let (before, after) = (&change["change"]["before"], &change["change"]["after"]);
            let differing = |(name, value): (&String, &Value)| {
                let unknown = change["change"]["after_unknown"][name] == true;
                (unknown || after[name] != *value).then(|| name.clone())
            };
            assert!(change["change"]["importing"].is_object(), "{change}");
            (
                change["address"].as_str().expect("an address").to_owned(),
                change["change"]["actions"].as_array().expect("actions").clone(),
                before.as_object().expect("attributes").iter().filter_map(differing).collect(),
            )
        })
        .collect()
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

    workspace.run(&["plan", "-out=plan", "-lock=false"]).succeeds();
    let shown = workspace.run(&["show", "-json", "plan"]).succeeds();
    let changes = changes(&serde_json::from_str(&shown.stdout).expect("a plan of JSON"));
    let recorded = ["manager", "repo_dir", "repo_uri", "update_time"];
    for (address, actions, differing) in &changes {
        let expected = if address.contains("owner") || address.ends_with("_mine") {
            "no-op"
        } else {
            "update"
        };
        assert_eq!(*actions, [expected], "{address}: {differing:?}");
        assert!(
            differing.iter().all(|name| recorded.contains(&name.as_str())),
            "{address}: {differing:?}"
        );
    }
    let addresses: Vec<_> = changes.iter().map(|(address, ..)| address.as_str()).collect();
    assert_eq!(
        addresses,
        [
            "access_integration_owner.github_groups_platform",
            "access_integration_owner.github_users_founder",
            "access_listing_role._1st___odd__",
            "access_listing_role.github_mine",
            "access_listing_role.github_on_call",
            "access_listing_role.github_on_call_2",
            "access_listing_role.github_viewer",
        ]
    );
    workspace.run(&["apply", "-lock=false", "plan"]).succeeds();
    workspace.plan().exits(0);
    assert_eq!(service.role("github", "on.call").expect("the role")["description"], ODD);
}

#[test]
fn export_of_thirty_roles_and_ten_owners_plans_forty_imports() {
    let service = Service::full();
    for number in 0..30 {
        let fields =
            json!({"displayName": format!("Role {number}"), "priority": number.to_string()});
        service.put_role("github", &format!("role-{number}"), fields);
    }
    // The integration has one owner from the start.
    for number in 1..10 {
        service.put_owner("github", &format!("own-{number}"), &format!("users/user-{number}"));
    }
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/a/b");
    let export = ["export", "--imports", "imports.tf", "listings/github", "integrations/github"];
    let outcome = workspace.run_provider(&export).succeeds();
    assert_eq!(outcome.stderr, "");
    assert_eq!(outcome.stdout.matches("\nresource ").count(), 40, "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("\nimport "), "{}", outcome.stdout);
    workspace.write("main.tf", &outcome.stdout);
    workspace.run(&["fmt", "-check", "-diff"]).succeeds();

    workspace.run(&["plan", "-out=plan", "-lock=false"]).succeeds();
    let shown = workspace.run(&["show", "-json", "plan"]).succeeds();
    let changes = changes(&serde_json::from_str(&shown.stdout).expect("a plan of JSON"));
    assert_eq!(changes.len(), 40);
    for (address, actions, differing) in &changes {
        if address.contains("owner") {
            assert_eq!(*actions, ["no-op"], "{address}: {differing:?}");
        } else {
            assert_eq!(*actions, ["update"], "{address}");
            let recorded = ["manager", "repo_dir", "repo_uri", "update_time"];
            assert!(
                differing.iter().all(|name| recorded.contains(&name.as_str())),
                "{address}: {differing:?}"
            );
        }
    }
    assert_eq!(service.writes().len(), 0);
    workspace.run(&["apply", "-lock=false", "plan"]).succeeds();
    std::fs::remove_file(workspace.path().join("imports.tf")).expect("the import blocks");
    workspace.plan().exits(0);

    // A file that exists is kept, and no block is printed.
    workspace.write("imports.tf", "# mine\n");
    let outcome = workspace.run_provider(&export).exits(1);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.contains("imports.tf exists already"), "{}", outcome.stderr);
    let kept = std::fs::read_to_string(workspace.path().join("imports.tf"));
    assert_eq!(kept.expect("the file"), "# mine\n");
}

#[test]
fn export_without_resources_leaves_them_unmanaged() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let outcome = workspace
        .run_provider(&["export", "--without-resources", "--listing", "github"])
        .succeeds();
    workspace.write("access.tf", &outcome.stdout);
    workspace.run(&["fmt", "-check", "-diff"]).succeeds();
    assert!(outcome.stdout.contains("\n  #   \"$${x}\",\n"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("\n  resources"), "{}", outcome.stdout);
    service.clear_requests();
    workspace.apply().succeeds();
    for write in service.writes() {
        assert_eq!(write.body.get("resources"), None, "{write:?}");
    }
    workspace.plan().exits(0);
}

#[test]
fn export_of_unmanaged_roles_leaves_out_those_with_a_manager() {
    let service = Service::full();
    let workspace = with_objects(&service);
    service.put_role(
        "github",
        "theirs",
        json!({"displayName": "x", "priority": "3", "manager": "CONSOLE"}),
    );
    let export = ["export", "--unmanaged", "listings/github", "integrations/github"];
    let outcome = workspace.run_provider(&export).succeeds();
    let heads = outcome.stdout.lines().filter_map(|line| line.strip_prefix("resource "));
    assert_eq!(
        heads.collect::<Vec<_>>(),
        [
            "\"access_listing_role\" \"github_on_call\" {",
            "\"access_listing_role\" \"github_on_call_2\" {",
            "\"access_listing_role\" \"github_viewer\" {",
            "\"access_integration_owner\" \"github_users_founder\" {",
            "\"access_integration_owner\" \"github_groups_platform\" {",
        ]
    );
}

#[test]
fn export_imports_into_a_module() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let export = ["export", "--to", "module.eu", "--imports", "imports.tf", "listings/github"];
    let outcome = workspace.run_provider(&export).succeeds();
    workspace.write("eu/main.tf", &outcome.stdout);
    workspace.write(
        "eu/versions.tf",
        "terraform {\n  required_providers {\n    access = {\n      source = \"access/access\"\n    }\n  }\n}\n",
    );
    workspace.configure("module \"eu\" {\n  source = \"./eu\"\n}\n");
    workspace.run(&["get"]).succeeds();
    let planned = workspace.plan().changes();
    assert_eq!(planned.action("module.eu.access_listing_role.github_viewer"), "update");
    let summary = planned.stdout.lines().find(|line| line.contains("change_summary")).unwrap();
    assert!(summary.contains("4 to import, 0 to add, 3 to change, 0 to destroy"), "{summary}");
}

#[test]
fn export_as_csv_has_a_line_for_each_object_and_no_blocks() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let formula = json!({"displayName": "=HYPERLINK(\"x\")", "priority": "5",
        "resources": ["b", "a"], "manager": "TERRAFORM", "repoUri": "https://git.example.com/a/b"});
    service.put_role("github", "formula", formula);
    let export = ["export", "--format", "csv", "listings/github", "integrations/github"];
    let outcome = workspace.run_provider(&export).succeeds();
    assert_eq!(outcome.stderr, "");
    let mut reader = csv::Reader::from_reader(outcome.stdout.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let lines: Vec<_> = reader.records().map(|line| line.expect("a line")).collect();
    assert_eq!(lines.len(), 5 + 2, "{}", outcome.stdout);
    let cell = |column: &str, id: &str, attribute: &str| {
        let at = |name: &str| header.iter().position(|found| found == name).expect("a column");
        let line = lines.iter().find(|line| &line[at(column)] == id).expect("a line");
        line[at(attribute)].to_owned()
    };
    for (column, id, attribute, expected) in [
        ("role", "viewer", "listing", "github"),
        ("role", "viewer", "manager", ""),
        ("role", "on.call", "display_name", ODD),
        ("role", "on.call", "priority", "'-7"),
        ("role", "formula", "display_name", "'=HYPERLINK(\"x\")"),
        ("role", "formula", "resources", "a; b"),
        ("role", "formula", "manager", "TERRAFORM"),
        ("role", "formula", "repo_uri", "https://git.example.com/a/b"),
        ("integration_owner_id", "own-9", "owner", "groups/platform"),
        ("integration_owner_id", "own-9", "integration", "github"),
    ] {
        assert_eq!(cell(column, id, attribute), expected, "{id} {attribute}");
    }
    assert!(!cell("role", "viewer", "create_time").is_empty());
}

#[test]
fn export_as_yaml_prints_no_blocks_and_each_principal_once() {
    let service = Service::full();
    let workspace = with_objects(&service);
    service.put_owner("github", "own-99", "groups/platform");
    let export = ["export", "--format", "yaml", "--without-resources", "listings/github"];
    let outcome = workspace.run_provider(&[&export[..], &["integrations/github"]].concat());
    let outcome = outcome.succeeds();
    assert!(!outcome.stdout.contains("import") && !outcome.stdout.contains("resources:"));
    assert!(outcome.stdout.ends_with("  github:\n    - users/founder\n    - groups/platform\n"));
    for part in ["An owner was skipped", "own-99", "groups/platform owns the integration"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }
}

#[test]
fn export_that_fails_prints_nothing_and_the_next_step() {
    let service = Service::full();
    let workspace = with_objects(&service);
    let outcome = workspace.run_provider(&["export", "--listing", "github", "absent"]).exits(1);
    assert_eq!(outcome.stdout, "");
    for part in ["Could not export listing roles", "404", "listing absent", "ACCESS_BASE_URL"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }

    service.without_lists();
    let outcome = workspace.run_provider(&EVERYTHING).exits(1);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.contains("-generate-config-out"), "{}", outcome.stderr);

    let without_key = service.workspace_with_key("");
    let outcome = without_key.run_provider(&EVERYTHING).exits(1);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.contains("ACCESS_API_KEY_FILE"), "{}", outcome.stderr);
}

#[test]
fn export_reads_the_key_from_a_file() {
    let service = Service::full();
    let workspace = service.workspace_with_key("").with("ACCESS_API_KEY_FILE", "key");
    workspace.write("key", "reader-key\n");
    let outcome = workspace.run_provider(&["export", "--integration", "github"]).succeeds();
    assert!(outcome.stdout.contains("users/founder"), "{}", outcome.stdout);
}

#[test]
fn export_is_listed_by_the_help_and_explains_its_arguments() {
    let service = Service::full();
    let workspace = service.workspace();
    let outcome = workspace.run_provider(&["--help"]).succeeds();
    assert!(outcome.stdout.contains("\nCommands:\n  export "), "{}", outcome.stdout);
    let outcome = workspace.run_provider(&["export", "--help"]).succeeds();
    assert!(outcome.stdout.contains("--without-resources"), "{}", outcome.stdout);
    for arguments in [&["export"][..], &["export", "--listing"], &["export", "roles/a"]] {
        let outcome = workspace.run_provider(arguments).exits(2);
        assert_eq!(outcome.stdout, "");
        assert!(outcome.stderr.contains("export --help"), "{}", outcome.stderr);
    }
    assert_eq!(service.requests().len(), 0);
}

/// With `dev_overrides`, `terraform init` installs nothing.
#[cfg(unix)]
#[test]
fn block_of_the_guide_leaves_no_file_if_nothing_is_installed() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::walkthrough::blocks;
    use crate::support::tools::has_tools;

    if !has_tools(&["bash"]) {
        return;
    }
    let block = blocks::with("docs/guides/existing-roles.md", "--imports imports.tf");
    let (export, _) = block.split_once("terraform plan\n").expect("the lines of the export");
    let directory = tempfile::tempdir().expect("a directory");
    let mut shell = Command::new("bash")
        .args(["--noprofile", "--norc", "-i"])
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    shell.stdin.take().expect("its input").write_all(export.as_bytes()).expect("a paste");
    let output = shell.wait_with_output().expect("the end of the shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("provider: run terraform init"), "{errors}");
    let files = std::fs::read_dir(directory.path()).expect("the directory").count();
    assert_eq!(files, 0, "{errors}");
}
