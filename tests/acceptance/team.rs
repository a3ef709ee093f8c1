//! The stack of `examples/team`, applied to two regions.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::policies;
use super::secrets::unpacked;
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

/// Returns two services, and a workspace with the stack and `ACCESS_API_KEY` of an admin; `None` if the host
/// cannot read the stack.
#[track_caller]
fn regions() -> Option<(Service, Service, Workspace)> {
    if !host_version().supports(Feature::EphemeralVariables) {
        return None;
    }
    let (eu, us) = (Service::full(), Service::full());
    let workspace = eu
        .workspace()
        .with("TF_VAR_eu_base_url", &eu.base_url())
        .with("TF_VAR_us_base_url", &us.base_url());
    copy(&in_repository("examples/team"), &workspace, "");
    // The provider under test is not installed, so there is nothing to `init` but the modules.
    workspace.run(&["get"]).succeeds();
    Some((eu, us, workspace))
}

#[test]
fn team_has_its_roles_in_both_regions_and_changes_them_by_file() {
    let Some((eu, us, workspace)) = regions() else { return };
    // Two regions have listings and integrations of one name, and keep the rules of `examples/policies`.
    let plan = policies::plan(&workspace);
    let allowed = |urls: &[String]| json!({"base_urls": urls, "destroy": []});
    policies::denies("both", &plan, &allowed(&[eu.base_url(), us.base_url()]), &[]);
    policies::denies("one", &plan, &allowed(&[eu.base_url()]), &["provider access.us: "]);
    workspace.apply().succeeds().without_warnings();
    workspace.plans_nothing();
    assert_eq!((eu.roles("github").len(), us.roles("github").len()), (2, 1));
    assert_eq!(us.role("production", "breakglass").expect("a role")["priority"], "20");
    assert_eq!(eu.owners_named("github", "teams/platform"), 1);
    assert_eq!(us.owners_named("github", "teams/platform"), 0);

    let file = workspace.read("us.yaml");
    workspace.write("us.yaml", &file.replace("Break glass", "Emergency"));
    let role = "module.us.access_listing_role.this[\"production/breakglass\"]";
    workspace.plan().plans(role, "update");
    workspace.apply().succeeds();
    assert_eq!(us.role("production", "breakglass").expect("a role")["displayName"], "Emergency");

    workspace.write("us.yaml", &file);
    workspace.destroy().succeeds();
    assert_eq!((eu.roles("github").len(), us.roles("production").len()), (0, 0));
}

#[test]
fn team_keys_are_in_no_saved_plan_and_its_apply_takes_others() {
    let Some((eu, us, mut workspace)) = regions() else { return };
    let set_keys = |workspace: &mut Workspace, key| {
        workspace.set("ACCESS_API_KEY", "");
        workspace.set("TF_VAR_eu_api_key", key);
        workspace.set("TF_VAR_us_api_key", key);
    };
    set_keys(&mut workspace, "reader-key");
    workspace.save_plan(&[]);
    let plan = unpacked(&workspace.path().join("saved.tfplan"));
    let plan = String::from_utf8_lossy(&plan);
    assert!(plan.contains(&eu.base_url()), "the values of other variables are in it");
    assert!(!plan.contains("reader-key"), "{plan}");

    set_keys(&mut workspace, "admin-key");
    workspace.apply_saved().succeeds();
    for service in [&eu, &us] {
        let writes = service.writes();
        assert!(!writes.is_empty());
        assert!(writes.iter().all(|write| write.key.as_deref() == Some("admin")), "{writes:?}");
    }
}

#[test]
fn team_names_the_entry_and_the_key_that_are_wrong() {
    let Some((_eu, _us, workspace)) = regions() else { return };
    let file = workspace.read("us.yaml");
    let key = "production/breakglass: prioriti is not a key of roles, priority is missing.";
    let listing = "listings without roles: staging. Write their roles, or delete them.";
    for (right, wrong, expected) in [
        ("priority: 20", "prioriti: 20", key),
        ("  production:", "  staging:\n  production:", listing),
    ] {
        let text = file.replacen(right, wrong, 1);
        assert_ne!(text, file, "{right}");
        workspace.write("us.yaml", &text);
        let error = workspace.plan().exits(1).only_error();
        assert!(error.contains(&format!("us.yaml: {expected}")), "{error}");
    }
    workspace.write("us.yaml", "listings: {}\nintegrations: {}\n");
    workspace.plan().exits(2);
}

/// Puts 45 roles and 15 owners into two listings and two integrations, with texts that YAML would read
/// differently without quotes.
fn with_sixty_objects(service: &Service) {
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
    let mut odd = short.into_iter().chain(long).cycle();
    for number in 0..45 {
        let text = odd.next().expect("a text");
        let listing = if number % 2 == 0 { "github" } else { "2001" };
        let fields = json!({
            "displayName": format!("{text}."), "priority": (number - 9).to_string(),
            "description": text, "resources": if number % 3 == 0 { json!([]) } else { json!(["z", text]) },
        });
        service.put_role(listing, &format!("{number}"), fields);
    }
    // Each integration has one owner from the start.
    for number in 0..13 {
        let integration = if number % 2 == 0 { "github" } else { "okta" };
        service.put_owner(integration, &format!("own-{number}"), &format!("teams/{number}"));
    }
}

const PARENTS: [&str; 4] =
    ["listings/github", "listings/2001", "integrations/github", "integrations/okta"];

#[test]
fn team_takes_an_export_of_sixty_objects_with_one_apply_and_plans_nothing() {
    let Some((eu, us, workspace)) = regions() else { return };
    with_sixty_objects(&eu);
    let options = ["export", "--format", "yaml", "--to", "module.eu", "--imports", "imports.tf"];
    let outcome = workspace.run_provider(&[&options[..], &PARENTS].concat()).succeeds();
    assert_eq!(outcome.stderr, "");
    workspace.write("eu.yaml", &outcome.stdout);
    workspace.write("us.yaml", "listings: {}\nintegrations: {}\n");
    workspace.run(&["fmt", "-check", "-diff"]).succeeds();
    let imports = workspace.read("imports.tf");
    assert_eq!(imports.matches("\nimport {").count(), 2, "{imports}");

    let objects = |service: &Service| {
        let mut objects = service.roles("github");
        objects.extend(service.roles("2001"));
        for object in &mut objects {
            for recorded in ["manager", "repoUri", "repoDir", "updateTime"] {
                object.as_object_mut().expect("a role").remove(recorded);
            }
        }
        (objects, service.local().owners("github"), service.local().owners("okta"))
    };
    let before = objects(&eu);
    let summary = "60 to import, 0 to add, 45 to change, 0 to destroy";
    has_parts(&workspace.plan().exits(2).stdout, &[summary]);
    workspace.apply().succeeds();
    assert_eq!(objects(&eu), before, "only the manager and the repository are recorded");
    assert_eq!(us.writes().len(), 0);
    fs::remove_file(workspace.path().join("imports.tf")).expect("the blocks");
    workspace.plans_nothing();
}

#[test]
fn team_imports_its_entries_with_blocks_in_the_module() {
    if !host_version().supports(Feature::ModuleImports) {
        return;
    }
    let arguments =
        ["for_each = local.roles", "to = access_listing_role.this[each.key]", "id = each.key"];
    has_parts(&text_of("examples/team/README.md"), &arguments.map(|it| format!("`{it}`")));
    let roles = format!("\nimport {{\n  {}\n}}\n", arguments.join("\n  "));
    let owners = roles.replace("roles", "owners").replace("listing_role", "integration_owner");
    let Some((eu, us, workspace)) = regions() else { return };
    for service in [&eu, &us] {
        service.put_viewer();
        service.put_owner("okta", "own-9", "teams/identity");
    }
    let file = "listings: {github: {viewer: {display_name: Viewer, priority: 0}}}\nintegrations: {okta: [teams/identity]}\n";
    workspace.write("eu.yaml", file);
    workspace.write("us.yaml", file);
    let module = workspace.read("region/main.tf");
    workspace.write("region/main.tf", &format!("{module}{roles}{owners}"));
    workspace.apply().succeeds();
    assert_eq!((eu.owners_named("okta", "teams/identity"), workspace.state_size()), (1, 4));
    workspace.write("region/main.tf", &module);
    workspace.plans_nothing();
}
