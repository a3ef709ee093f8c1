//! The repository recorded on roles.

use access_fake::Fault;
use serde_json::{Value, json};

use crate::support::fixtures::{VIEWER, import, role, settings};
use crate::support::{Service, Workspace};

/// Returns a workspace in the directory `configuration` of a checkout.
fn in_git(service: &Service, origin: &str) -> Workspace {
    let workspace = service.configured(role("viewer"));
    workspace.write("../.git/HEAD", "ref: refs/heads/main\n");
    set_origin(&workspace, origin);
    workspace
}

fn set_origin(workspace: &Workspace, origin: &str) {
    workspace.write("../.git/config", &format!("[remote \"origin\"]\n\turl = {origin}\n"));
}

/// Returns the pair that the role records.
fn recorded(service: &Service) -> [Value; 2] {
    let role = service.role("github", "viewer").unwrap();
    ["repoUri", "repoDir"].map(|field| role[field].clone())
}

/// A detected repository is not known before the apply, so that a saved plan can be applied in
/// another checkout. Variables of CI systems are not read.
#[test]
fn detected_repository_is_recorded_without_credentials_and_makes_no_diff_of_its_own() {
    let service = Service::full();
    let workspace = in_git(&service, "https://user:secret@git.example.com/team/access.git")
        .with("GITHUB_ACTIONS", "true")
        .with("GITHUB_SERVER_URL", "https://github.com")
        .with("GITHUB_REPOSITORY", "example/other");
    workspace.save_plan(&[]);
    assert_eq!(workspace.saved_change(VIEWER)["after_unknown"]["repo_uri"], true);
    workspace.apply_saved().succeeds();
    let team = "https://git.example.com/team/access";
    assert_eq!(recorded(&service), [team, "configuration"]);
    assert_eq!(workspace.state_of(VIEWER).unwrap()["repo_uri"], team);
    assert!(!format!("{:?}", service.requests()).contains("secret"));

    // An edit that leaves the pair alone shows no change of it, and is applied elsewhere as well:
    // in a fork, on a laptop, with another origin.
    workspace.configure(role("viewer").text("display_name", "Edited"));
    workspace.save_plan(&[]);
    let change = workspace.saved_change(VIEWER);
    assert_eq!(change["after"]["repo_uri"], change["before"]["repo_uri"]);
    set_origin(&workspace, "git@git.example.com:fork/access.git");
    workspace.apply_saved().succeeds();
    assert_eq!(service.display_name("viewer"), "Edited");
    assert_eq!(recorded(&service)[0], team);
    workspace.plans_nothing();
    // The pair is written with any other update.
    workspace.apply_of(role("viewer").text("display_name", "Reader")).succeeds();
    assert_eq!(recorded(&service), ["https://git.example.com/fork/access", "configuration"]);

    let service = Service::full();
    let workspace = in_git(&service, team);
    workspace.apply_of(settings().text("repo_detection", "off") + role("viewer")).succeeds();
    assert_eq!(recorded(&service), ["", ""]);
    workspace.plans_nothing();
}

/// The service spells the address in its own way.
#[test]
fn explicit_repository_replaces_detection_as_a_whole_and_is_enforced() {
    let service = Service::full();
    service.change_world(|world| {
        world.repo_uri_git_suffix = true;
        world.repo_uri_upper_host = true;
    });
    let mut workspace = in_git(&service, "https://git.example.com/team/access.git");
    workspace.apply().succeeds();
    workspace.set("ACCESS_REPO_URI", "git@git.example.com:team/renamed.git");
    workspace.save_plan(&[]).plans(VIEWER, "update");
    let renamed = "https://git.example.com/team/renamed";
    assert_eq!(workspace.saved_change(VIEWER)["after"]["repo_uri"], renamed);
    workspace.apply_saved().succeeds();
    assert_eq!(recorded(&service), ["https://GIT.EXAMPLE.COM/team/renamed.git", ""]);
    workspace.set("ACCESS_REPO_DIR", "roles/github");
    workspace.apply().succeeds();
    assert_eq!(recorded(&service)[1], "roles/github");
    set_origin(&workspace, "https://git.example.com/fork/access");
    workspace.plans_nothing();

    service.change_role("github", "viewer", json!({"repoUri": "https://git.example.com/x/y"}));
    assert_eq!(workspace.apply().succeeds().action(VIEWER), "update");
    let masks: Vec<_> =
        service.writes().iter().filter_map(|write| write.query_value("updateMask")).collect();
    assert_eq!(masks.last().map(String::as_str), Some("repoUri,repoDir"), "a pair");
}

/// Roles move between directories or repositories: the apply that imports them records ours, and
/// then nothing plans it again.
#[test]
fn import_of_a_role_that_records_another_repository_records_ours() {
    let team = "https://git.example.com/team/access";
    for (before, is_named) in
        [(json!({}), false), (json!({"repoUri": team, "repoDir": "old"}), true)]
    {
        let service = Service::full();
        let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM"});
        service.put_role("github", "viewer", fields);
        service.change_role("github", "viewer", before);
        let workspace = in_git(&service, team);
        workspace.configure(role("viewer") + import(VIEWER, "github/viewer"));
        let plan = workspace.save_plan(&[]);
        assert_eq!(workspace.saved_change(VIEWER)["after_unknown"]["repo_dir"], true);
        if is_named {
            let summary = "roles/viewer: records another repository: ";
            plan.warns([summary, "old", "repo_detection = \"off\""]);
        } else {
            plan.without_warnings();
        }
        workspace.apply_saved().succeeds();
        assert_eq!(recorded(&service), [team, "configuration"], "{is_named}");
        if is_named {
            workspace.plans_nothing().without_warnings();
        } else {
            // Afterwards a detected pair makes no diff by itself.
            service.change_role("github", "viewer", json!({"repoDir": "elsewhere"}));
            workspace.plans_nothing();
        }
    }
    // A configuration that only watches.
    let service = Service::full();
    let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM",
                        "repoUri": team, "repoDir": "old"});
    service.put_role("github", "viewer", fields);
    let mut workspace = in_git(&service, team);
    let off = settings().text("repo_detection", "off");
    workspace.configure(off + role("viewer") + import(VIEWER, "github/viewer"));
    workspace.set("ACCESS_API_KEY", "reader-key");
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
    workspace.plans_nothing();
}

/// The plan notes the pair. While the apply fails, the next plan still writes ours.
#[test]
fn import_whose_apply_fails_still_records_our_repository_later() {
    let service = Service::full();
    let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM"});
    service.put_role("github", "viewer", fields);
    let workspace = in_git(&service, "https://git.example.com/team/access");
    workspace.configure(role("viewer") + import(VIEWER, "github/viewer"));
    service.add_fault(Fault::respond(403, "{\"message\":\"no\"}").on("PATCH"));
    workspace.apply().fails_with(["403"]);
    service.clear_faults();
    assert_eq!(workspace.apply().succeeds().action(VIEWER), "update");
    assert_eq!(recorded(&service)[1], "configuration");
    workspace.plans_nothing();
}
