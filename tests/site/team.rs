//! The stack of `examples/team`, applied to two regions.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::secrets::unpacked;
use crate::support::{
    Feature, Service, Workspace, has_parts, host_version, in_repository, text_of,
};

pub(super) fn copy(from: &Path, workspace: &Workspace, into: &str) {
    for entry in fs::read_dir(from).expect("the example").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            copy(&entry.path(), workspace, &format!("{into}{name}/"));
        } else {
            let text = fs::read_to_string(entry.path()).expect("a text");
            workspace.write(&format!("{into}{name}"), &text);
        }
    }
}

/// Returns two services, and a workspace with the stack and `ACCESS_API_KEY` of an admin; `None` if
/// the host cannot read the stack.
#[track_caller]
fn regions() -> Option<(Service, Service, Workspace)> {
    if !host_version().supports(Feature::EphemeralVariables) {
        return None;
    }
    let (eu, us) = (Service::full(), Service::full());
    // What it prints is about the requests of both services, and is compared with none.
    let workspace = Workspace::new(&eu.base_url(), "admin-key")
        .with("TF_VAR_eu_base_url", &eu.base_url())
        .with("TF_VAR_us_base_url", &us.base_url());
    copy(&in_repository("examples/team"), &workspace, "");
    // The provider under test is not installed, so there is nothing to `init` but the modules.
    workspace.run(&["get"]).succeeds();
    Some((eu, us, workspace))
}

#[test]
fn team_has_its_roles_in_both_regions_with_keys_that_are_in_no_saved_plan() {
    let Some((eu, us, mut workspace)) = regions() else { return };
    let set_keys = |workspace: &mut Workspace, key| {
        workspace.set("ACCESS_API_KEY", "");
        workspace.set("TF_VAR_eu_api_key", key);
        workspace.set("TF_VAR_us_api_key", key);
    };
    set_keys(&mut workspace, "reader-key");
    workspace.save_plan(&[]).without_warnings();
    let plan = unpacked(&workspace.path().join("saved.tfplan"));
    let plan = String::from_utf8_lossy(&plan);
    assert!(plan.contains(&eu.base_url()), "the values of other variables are in it");
    assert!(!plan.contains("reader-key"), "{plan}");

    set_keys(&mut workspace, "admin-key");
    workspace.apply_saved().succeeds().without_warnings();
    for service in [&eu, &us] {
        let writes = service.writes();
        assert!(!writes.is_empty());
        assert!(writes.iter().all(|write| write.key.as_deref() == Some("admin")), "{writes:?}");
    }
    // Two regions have listings and integrations of one name.
    assert_eq!((eu.roles("github").len(), us.roles("github").len()), (2, 1));
    assert_eq!(us.role("production", "breakglass").expect("a role")["priority"], "20");
    assert_eq!(eu.owners_named("github", "teams/platform"), 1);
    assert_eq!(us.owners_named("github", "teams/platform"), 0);
    workspace.plans_nothing();

    let path = "us/listings/production.yaml";
    workspace.write(path, &workspace.read(path).replace("Break glass", "Emergency"));
    let role = "module.us.module.listing[\"production\"].access_listing_role.this[\"breakglass\"]";
    assert_eq!(workspace.apply().succeeds().action(role), "update");
    assert_eq!(us.role("production", "breakglass").expect("a role")["displayName"], "Emergency");
}

const VALID: &str = "    display_name: Viewer\n    priority: 0\n";

/// A text with quotes that nothing closes, and with what looks like keys.
const QUOTES: &str = "    description: |\n      op: 's avonds\n      - 'tis\n      size: \"19 inch\n      priority: 1\n      priority: 1\n";

/// Returns a role whose settings are these lines.
fn entry(role: &str, lines: &str) -> String {
    format!("{role}:\n{lines}")
}

#[test]
fn team_names_the_file_and_the_key_that_are_wrong() {
    let Some((_eu, _us, workspace)) = regions() else { return };
    let valid = entry("viewer", VALID);
    let with = |lines: &str| entry("viewer", &format!("{VALID}{lines}"));
    let no_roles = ["no roles by ID. Write a role, or delete the file."];
    let no_owners = ["no list of owners. Write an owner, or delete the file."];
    let priority = |value| valid.replace('0', value);
    let rows = [
        ("listings", "---\n", &no_roles[..]),
        ("listings", "- viewer\n", &no_roles),
        ("listings", "viewer\n", &no_roles),
        ("listings", "viewer: x\n", &["`display_name` has no value"]),
        ("listings", &with("    prioriti: 1\n"), &["viewer: prioriti is not a key of roles"]),
        ("listings", &with("    description:\n"), &["description has null where a text belongs"]),
        ("listings", &with("    description: 1.10\n"), &["description has 1.1 where a text"]),
        ("listings", &valid.replace("Viewer", "N"), &["display_name has false where a text"]),
        ("listings", &valid.replace("Viewer", "12"), &["display_name has 12 where a text"]),
        ("listings", &priority("high"), &["`priority` has no value"]),
        ("listings", &priority("1.5"), &["`priority` must be a whole number"]),
        ("listings", &with("    resources:\n"), &["viewer: resources has null where a text"]),
        ("listings", &with("    resources: a\n"), &[]),
        (
            "listings",
            &with("    resources: [a, no, 1.10, ~]\n    size: 1\n"),
            &[
                "viewer: size is not a key",
                "viewer: resources has false where a text",
                "viewer: resources has 1.1 where a text",
                "viewer: resources has null where a text",
            ],
        ),
        ("integrations", "[]\n", &no_owners),
        ("integrations", "okta: teams/a\n", &no_owners),
        ("integrations", "teams/a\n", &no_owners),
        ("integrations", "- teams/a\n-\n", &["this[\\\"null\\\"]"]),
        ("integrations", "- teams/a\n- teams/b:\n", &["teams/b"]),
        ("integrations", "- no\n- teams/a\n", &["this[\\\"false\\\"]"]),
    ];
    // One plan names all of them: each file is a module of its own.
    let path = |number: usize| format!("us/{}/row-{number}.yaml", rows[number].0);
    for (number, (_, text, _)) in rows.iter().enumerate() {
        workspace.write(&path(number), text);
    }
    let plan = workspace.plan().exits(1);
    for (number, (_, text, expected)) in rows.iter().enumerate() {
        // An error names the file, or the module that reads it.
        let names = [format!("/row-{number}.yaml"), format!("[\\\"row-{number}\\\"]")];
        let is_named = |line: &&str| names.iter().any(|name| line.contains(name));
        let errors = plan.stdout.lines().filter(|line| line.contains("\"severity\":\"error\""));
        let errors: Vec<_> = errors.filter(is_named).collect();
        has_parts(&format!("{text}: {}", errors.join("\n")), expected);
        fs::remove_file(workspace.path().join(path(number))).expect("a file");
    }

    // Terraform does not name the module here.
    has_parts(
        &plan.stdout,
        &["set of string required", "resources\",\"statement\":\"is \\\"a\\\""],
    );

    // Files that are no YAML, which hide the errors of others.
    for (files, expected) in [
        (&[("us/listings/github.yaml", "viewer:\n  display_name: [x\n")][..], "did not find"),
        (
            &[("us/listings/production.yaml", "# viewer:\n"), ("us/integrations/okta.yaml", "")],
            "missing start of document",
        ),
    ] {
        let before = files.iter().map(|(path, _)| workspace.read(path)).collect::<Vec<_>>();
        for (path, text) in files {
            workspace.write(path, text);
        }
        let plan = workspace.plan().exits(1).stdout;
        has_parts(&plan, &[expected]);
        for ((path, _), before) in files.iter().zip(before) {
            has_parts(&plan, &[path]);
            workspace.write(path, &before);
        }
    }

    // Files that would be read no more, and a directory that does not exist.
    let main = workspace.read("main.tf");
    workspace.write("main.tf", &main.replace("/eu\"", "/usa\""));
    let unread =
        ["github.yaml.txt", "listings/a.yml.bak", "listings/b.YAML", "listings/github.yml"];
    let github = workspace.path().join("us/listings/github.yaml");
    fs::rename(&github, github.with_extension("yml")).expect("a file");
    for name in &unread[..3] {
        workspace.write(&format!("us/{name}"), &valid);
    }
    let errors = workspace.plan().exits(1).errors();
    assert_eq!(errors.len(), 2, "{errors:#?}");
    let read = format!(
        "only listings/*.yaml and integrations/*.yaml are read, and not {}.",
        unread.join(", ")
    );
    has_parts(&errors.join("\n"), &["/usa: no listings/*.yaml or integrations/*.yaml.", &read]);
}

#[test]
fn team_takes_what_only_looks_wrong() {
    let Some((_eu, _us, workspace)) = regions() else { return };
    let valid = entry("viewer", VALID);
    let with = |lines: &str| entry("viewer", &format!("{VALID}{lines}"));
    // To whoever reads the text and not the values.
    let two_lines = "    description: \"See \\\"a\\\"\n      priority: high\"\n";
    let list = "    resources:\n    - a 'tis\n    - \"a: b\"\n    - \"19\\\" inch\"\n";
    let quoted = "\"2\":\n    display_name: \"12\"\n    description: \"no\"\n    priority: 0\n    resources: [\"on\", \"1.10\"]\n";
    let texts = [
        &with(two_lines),
        &with(QUOTES),
        &(with(QUOTES) + list),
        &with("    description: \"\"\n    resources: []\n"),
        quoted,
        &format!("\u{feff}{valid}"),
        &format!("---\n{valid}"),
        &format!("\n# A comment.\n{}", valid.replace('\n', "\r\n")),
        &format!("  {}\n", valid.trim_end().replace('\n', "\n  ")),
        &(entry("-dash", VALID) + &entry("size", &VALID.replace("Viewer", "a 19\" inch"))),
        // A text that is a number. IDs in quotes, and what YAML makes of one without.
        &valid.replace('0', "\"10\""),
        &[entry("\"null\"", VALID), entry("\"true\"", VALID), entry("no", VALID)].concat(),
        // The guide says so: the last one counts.
        &format!("{valid}{}", valid.replace("Viewer", "Last")),
    ];
    for (number, text) in texts.iter().enumerate() {
        workspace.write(&format!("us/listings/row-{number}.yaml"), text);
    }
    // An owner who is there twice is one owner.
    workspace.write("us/integrations/okta.yaml", "- teams/a\n- teams/a\n");
    workspace.save_plan(&[]);
    let plan = workspace.saved_plan();
    has_parts(&plan, &["\"display_name\":\"Last\"", "this[\\\"null\\\"]", "this[\\\"false\\\"]"]);
}

#[cfg(unix)]
#[test]
fn guide_names_a_file_that_is_read_no_more() {
    use super::guides::blocks;

    let (_service, workspace) = Service::with_workspace();
    workspace.write("listing/main.tf", &text_of("examples/team/region/listing/main.tf"));
    workspace.write("listings/github.yaml", &entry("viewer", VALID));
    workspace.write("listings/production.yaml", &entry("viewer", VALID));
    workspace.configure(blocks::with("docs/guides/roles-from-yaml.md", "source   = \"./listing\""));
    workspace.run(&["get"]).succeeds();
    workspace.apply().succeeds();
    let path = workspace.path().join("listings/production.yaml");
    for name in ["production.yml", "production.yaml.bak"] {
        let renamed = path.with_file_name(name);
        fs::rename(&path, &renamed).expect("a file");
        let error = workspace.plan().exits(1).only_error();
        has_parts(&error, &["Only listings/*.yaml are read, and not", name]);
        fs::rename(&renamed, &path).expect("a file");
    }
    // An editor's copy of an open file.
    workspace.write("listings/.production.yaml.swp", "");
    workspace.plans_nothing();
}

/// IDs that YAML would read differently without quotes.
const WORDS: [&str; 6] = ["null", "true", "false", "no", "~", "1.10"];

/// Puts 19 roles and 5 owners into two listings and two integrations, with texts that YAML would
/// read differently without quotes.
fn with_many_objects(service: &Service) {
    service.put_listing("2001");
    let short =
        ["yes", "null", "1_000", "1:30", "0x1f", "~", "a: b", "a #b", "- x", "@x", "<<", "|"];
    let long = [
        "2001-01-01",
        "\"q\" 'q' back\\slash",
        "two\nlines\n",
        " blank ",
        "${x} %{y}",
        "\u{202e}\u{feff}\u{e0041} é 🦀",
        "\t\r\n",
    ];
    let ids = WORDS.map(str::to_owned).into_iter().chain((6..).map(|it| it.to_string()));
    for (number, (text, id)) in (0..).zip(short.into_iter().chain(long).zip(ids)) {
        let listing = if number % 2 == 0 { "github" } else { "2001" };
        let fields = json!({
            "displayName": format!("{text}."), "priority": (number - 9).to_string(),
            "description": text, "resources": if number % 3 == 0 { json!([]) } else { json!(["z", text]) },
        });
        service.put_role(listing, &id, fields);
    }
    // Each integration has one owner from the start.
    for number in 0..3 {
        let integration = if number % 2 == 0 { "github" } else { "okta" };
        service.put_owner(integration, &format!("own-{number}"), &format!("teams/{number}"));
    }
}

/// Leaves the region `us` out of the configuration.
fn without_us(workspace: &Workspace) {
    let main = workspace.read("main.tf");
    let blocks = main
        .split("\n\n")
        .filter(|block| !block.contains("module.us") && !block.contains("\"us\""));
    workspace.write("main.tf", &(blocks.collect::<Vec<_>>().join("\n\n") + "\n"));
}

const EXPORT: [&str; 9] = [
    "export",
    "--format",
    "yaml",
    "--output",
    "eu",
    "--to",
    "module.eu",
    "--imports",
    "imports.tf",
];

const PARENTS: [&str; 4] =
    ["listings/github", "listings/2001", "integrations/github", "integrations/okta"];

#[test]
fn team_takes_an_export_of_two_listings_with_one_apply_and_plans_nothing() {
    let Some((eu, us, workspace)) = regions() else { return };
    with_many_objects(&eu);
    fs::remove_dir_all(workspace.path().join("eu")).expect("the data of the example");
    without_us(&workspace);
    let outcome = workspace.run_provider(&[&EXPORT[..], &PARENTS].concat()).succeeds();
    assert_eq!(outcome.output().trim(), "exit code 0");
    workspace.run(&["fmt", "-check", "-diff"]).succeeds();
    let imports = workspace.read("imports.tf");
    assert_eq!(imports.matches("\nimport {").count(), PARENTS.len(), "{imports}");
    // Another export replaces files only with `--force`.
    let again = [&EXPORT[..], &PARENTS].concat();
    workspace.run_provider(&again).refuses(&["exists already", "`--force`"]);
    workspace.run_provider(&[&again[..], &["--force"]].concat()).succeeds();
    assert_eq!(workspace.read("imports.tf"), imports);

    let objects = |service: &Service| {
        let mut objects = service.roles("github");
        objects.extend(service.roles("2001"));
        for object in &mut objects {
            for recorded in ["manager", "repoUri", "repoDir", "updateTime"] {
                object.as_object_mut().expect("a role").remove(recorded);
            }
        }
        (objects, service.owners("github"), service.owners("okta"))
    };
    let before = objects(&eu);
    // What a file leaves out is not managed.
    let path = "eu/listings/github.yaml";
    let file = workspace.read(path);
    let is_left_out = |line: &&str| line.starts_with("  resources:") || line.starts_with("    - ");
    let lines = file.lines().filter(|line| !is_left_out(line)).map(|line| format!("{line}\n"));
    workspace.write(path, &lines.collect::<String>());
    let summary = "24 to import, 0 to add, 19 to change, 0 to destroy";
    has_parts(&workspace.apply().succeeds().stdout, &[summary]);
    assert_eq!(objects(&eu), before, "only the manager and the repository are recorded");
    assert_eq!(us.writes().len(), 0);
    fs::remove_file(workspace.path().join("imports.tf")).expect("the blocks");
    workspace.plans_nothing();
}

#[test]
fn team_imports_its_entries_with_a_block_in_the_module() {
    if !host_version().supports(Feature::ModuleImports) {
        return;
    }
    let arguments = [
        "for_each = local.roles",
        "to = access_listing_role.this[each.key]",
        "id = \"${var.listing}/${each.key}\"",
    ];
    has_parts(&text_of("examples/team/README.md"), &arguments.map(|it| format!("`{it}`")));
    let Some((eu, _us, workspace)) = regions() else { return };
    without_us(&workspace);
    fs::remove_dir_all(workspace.path().join("eu")).expect("the data of the example");
    for listing in ["github", "production"] {
        eu.put_role(listing, "viewer", json!({"displayName": "Viewer", "priority": "0"}));
        workspace.write(&format!("eu/listings/{listing}.yaml"), &entry("viewer", VALID));
    }
    let module = workspace.read("region/listing/main.tf");
    let block = format!("\nimport {{\n  {}\n}}\n", arguments.join("\n  "));
    workspace.write("region/listing/main.tf", &format!("{module}{block}"));
    has_parts(&workspace.plan().exits(2).stdout, &["2 to import, 0 to add"]);
    workspace.apply().succeeds();
    workspace.write("region/listing/main.tf", &module);
    workspace.plans_nothing();
}

/// The layout before: one `for_each` for all roles of a region.
#[cfg(unix)]
const OLD_REGION: &str = r#"
variable "directory" {
  type = string
}

locals {
  roles = merge([
    for file in fileset(var.directory, "listings/*.yaml") : {
      for role, settings in yamldecode(file("${var.directory}/${file}")) : "${trimsuffix(basename(file), ".yaml")}/${role}" => settings
    }
  ]...)
  owners = merge([
    for file in fileset(var.directory, "integrations/*.yaml") : {
      for owner in yamldecode(file("${var.directory}/${file}")) : "${trimsuffix(basename(file), ".yaml")}/${owner}" => owner
    }
  ]...)
}

resource "access_listing_role" "this" {
  for_each     = local.roles
  listing      = split("/", each.key)[0]
  role         = split("/", each.key)[1]
  display_name = each.value.display_name
  priority     = each.value.priority
  description  = try(each.value.description, null)
  resources    = try(each.value.resources, null)
}

resource "access_integration_owner" "this" {
  for_each    = local.owners
  integration = split("/", each.key)[0]
  owner       = each.value
}

output "roles" {
  value = {}
}

"#;

#[cfg(unix)]
#[test]
fn team_moves_from_one_for_each_for_all_listings_without_a_change() {
    use super::guides::blocks;
    use crate::support::{Outcome, VERSIONS};

    let Some((eu, us, workspace)) = regions() else { return };
    let region = workspace.read("region/main.tf");
    workspace.write("region/main.tf", &format!("{VERSIONS}{OLD_REGION}"));
    workspace.apply().succeeds();
    let before = (workspace.state_size(), eu.roles("github"), us.roles("production"));
    workspace.write("region/main.tf", &region);
    workspace.run(&["get"]).succeeds();
    let command = blocks::with("docs/guides/roles-from-yaml.md", "state list");
    // The block names terraform, also where the tests run tofu.
    let host = workspace.command(&[]).get_program().to_string_lossy().into_owned();
    let command = command.replace("terraform state", &format!("{host} state"));
    let outcome = Outcome::of(workspace.command_of("sh").args(["-c", &command]));
    outcome.succeeds();
    workspace.run(&["fmt", "-check", "-diff", "moved.tf"]).succeeds();
    eu.clear_requests();
    us.clear_requests();
    let apply = workspace.apply().succeeds();
    assert_eq!(apply.stdout.matches("\"action\":\"move\"").count(), before.0);
    has_parts(&apply.stdout, &["0 to add, 0 to change, 0 to destroy"]);
    assert_eq!((eu.writes().len(), us.writes().len()), (0, 0));
    fs::remove_file(workspace.path().join("moved.tf")).expect("the blocks");
    workspace.plans_nothing();
    let after = (workspace.state_size(), eu.roles("github"), us.roles("production"));
    assert_eq!(after, before);
}
