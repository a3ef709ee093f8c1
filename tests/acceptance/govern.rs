//! The guide "Govern access": its checks and steps, followed with the local service.

use access_fake::Fault;
use serde_json::json;

use super::walkthrough::blocks;
use crate::support::fixtures::{ADA, Text, owner, owners};
use crate::support::{Service, Workspace, text_of};

const PAGE: &str = "docs/guides/govern-access.md";
const URI: &str = "https://git.example.com/platform/access";

const YAML: &str = "docs/guides/roles-from-yaml.md";

/// Returns a workspace of this directory of the repository.
fn checkout(service: &Service, dir: &str) -> Workspace {
    service.workspace().with("ACCESS_REPO_URI", URI).with("ACCESS_REPO_DIR", dir)
}

fn put_role(service: &Service, listing: &str, role: &str, dir: &str) {
    let fields = json!({"displayName": role, "priority": "0", "manager": "TERRAFORM",
        "repoUri": URI, "repoDir": dir});
    service.put_role(listing, role, fields);
}

#[test]
fn checks_are_quiet_where_access_is_governed_and_each_names_what_it_finds() {
    let service = Service::full();
    // Two teams own both integrations, and no user does.
    for integration in ["github", "okta"] {
        service.put_owner(integration, "own-1", "teams/a");
        service.put_owner(integration, "own-2", "groups/b");
        service.remove_owner(integration, "founder");
    }
    // Another directory has it.
    put_role(&service, "production", "theirs", "other");
    // Beside the blocks of the other guide.
    let workspace = checkout(&service, "access");
    workspace.write("listing/main.tf", &text_of("examples/team/region/listing/main.tf"));
    workspace.write("listings/github.yaml", &blocks::with(YAML, "display_name: Viewer"));
    workspace.write("governed.tf", &blocks::with(PAGE, "check \"orphans\""));
    workspace.configure(blocks::with(YAML, "source   = \"./listing\""));
    workspace.run(&["get"]).succeeds();
    workspace.apply().succeeds().without_warnings();
    workspace.plan().exits(0).without_warnings();

    put_role(&service, "production", "old", "access");
    service.put_role("github", "hand", json!({"displayName": "x", "priority": "1"}));
    service.remove_owner("okta", "own-2");
    service.put_owner("github", "own-3", "users/ada");
    let plan = workspace.plan().exits(0);
    assert_eq!(plan.warnings().len(), 4, "{:#?}", plan.warnings());
    plan.warns(["Roles that name this directory, which no longer contains them: listings/production/roles/old."])
        .warns(["Roles without a manager: listings/github/roles/hand."])
        .warns(["Integrations with fewer than two owners: okta."])
        .warns(["Single users as owners: github: users/ada."]);
}

/// What looks like an orphan is looked at before it is deleted: another team may have it.
#[test]
fn orphan_is_deleted_after_it_was_imported_and_stays_if_another_team_has_it() {
    let block = blocks::with(PAGE, "access_listing_role\" \"orphan\"");
    let service = Service::full();
    let fields = json!({"displayName": "Old", "priority": "0", "manager": "TERRAFORM",
        "repoUri": URI, "repoDir": "access"});
    service.put_role("production", "old", fields.clone());
    let workspace = checkout(&service, "access");
    let plan = workspace.plan_of(&block).exits(2).without_warnings();
    assert!(plan.stdout.contains("Plan: 1 to import, 0 to add, 0 to change, 0 to destroy."));
    workspace.apply().succeeds();
    workspace.apply_of("").succeeds();
    assert_eq!(service.role("production", "old"), None);

    // Another team has written it before the import.
    service.put_role("production", "old", fields.clone());
    service.change_role("production", "old", json!({"repoDir": "theirs"}));
    let workspace = checkout(&service, "access");
    workspace.plan_of(&block).warns(["records another repository"]);

    // Another team writes it between the import and the destroy.
    service.change_role("production", "old", fields);
    workspace.apply().succeeds();
    let theirs = checkout(&service, "theirs");
    theirs.apply_of(&block).succeeds();
    workspace.plan_of("").warns(["is written by another configuration"]);
}

/// The account of a user is gone, and the service has removed the owner with it, or still lists the
/// owner.
#[test]
fn owner_who_has_left_is_removed_from_the_configuration_and_the_next_plan_is_empty() {
    let platform = || owner("b").text("owner", "teams/platform");
    let list = |principals: &[&str]| Text(owners(principals).adopting().to_string());
    for (case, before, after) in [
        ("single", platform() + owner("ada"), Text(platform().to_string())),
        ("list", list(&["teams/platform", "users/ada"]), list(&["teams/platform"])),
    ] {
        let integration = if case == "list" { "okta" } else { "github" };
        let service = Service::full();
        let workspace = service.applied(&before);
        service.remove_principal(integration, "users/ada");
        let unknown = r#"{"message":"user ada does not exist"}"#;
        service.add_fault(Fault::respond(404, unknown).on("POST"));
        let plan = workspace.plan().exits(2);
        if case == "single" {
            plan.warns(["was deleted outside Terraform"]).plans(ADA, "create");
        }
        let error = workspace.apply().exits(1).only_error();
        assert!(error.contains("user ada does not exist"), "{case}: {error}");
        workspace.plan_of(&after).exits(0);
        assert_eq!(service.owners_named(integration, "teams/platform"), 1, "{case}");

        // The service still lists the owner.
        let service = Service::full();
        let workspace = service.applied(&before);
        workspace.plans_nothing();
        workspace.apply_of(&after).succeeds();
        assert_eq!(service.owners_named(integration, "users/ada"), 0, "{case}");
        workspace.plans_nothing();
    }
}
