//! The repository recorded on roles.

use access_fake::Fault;
use serde_json::{Value, json};

use crate::support::fixtures::{REPOSITORY, VIEWER, import, role, settings};
use crate::support::{Service, Workspace, has_parts};

/// Returns a workspace in the directory `configuration` of a checkout.
fn in_git(service: &Service, origin: &str) -> Workspace {
    let workspace = service.configured(role("viewer"));
    workspace.set_remotes(&[("origin", origin)]);
    workspace
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
    workspace.set_remotes(&[("origin", "git@git.example.com:fork/access.git")]);
    workspace.apply_saved().succeeds();
    assert_eq!(service.display_name("viewer"), "Edited");
    assert_eq!(recorded(&service)[0], team);
    workspace.plans_nothing();
    // The pair is written with any other update.
    workspace.apply_of(role("viewer").text("display_name", "Reader")).succeeds();
    assert_eq!(recorded(&service), ["https://git.example.com/fork/access", "configuration"]);
}

/// Of several remotes `origin` counts, and a single remote under any name.
#[test]
fn only_remote_is_recorded_and_without_a_remote_each_plan_and_apply_says_why() {
    let service = Service::full();
    let workspace = service.configured(role("viewer"));
    workspace.set_remotes(&[("upstream", "git@git.example.com:team/access.git")]);
    workspace.apply().succeeds().without_warnings();
    assert_eq!(recorded(&service), [REPOSITORY, "configuration"]);

    let elsewhere = [("a", REPOSITORY), ("b", REPOSITORY)];
    workspace.set_remotes(&elsewhere);
    let summary = "No repository is recorded on roles";
    let several = [summary, "several remotes, and none is called `origin`", "`repo_uri`"];
    // Nothing is written, so nothing is missing.
    workspace.plans_nothing().without_warnings();
    workspace.configure(role("viewer").text("display_name", "Edited") + role("editor"));
    let plan = workspace.save_plan(&[]).warns(several);
    assert_eq!(plan.warnings().len(), 1, "once in a run");
    // OpenTofu plans an update twice inside the apply, and shows the warnings of both.
    let mut warnings = workspace.apply_saved().succeeds().warns(several).warnings();
    warnings.dedup();
    assert_eq!(warnings.len(), 1, "once in a run: {warnings:#?}");
    assert_eq!(recorded(&service), [REPOSITORY, "configuration"], "an update leaves the pair");
    assert_eq!(service.role("github", "editor").unwrap()["repoUri"], "");

    workspace.remove_checkout();
    let reason = "/configuration is not in a Git checkout";
    let renamed = workspace.plan_of(role("reader").at("viewer")).exits(2);
    renamed.warns([
        summary,
        reason,
        "ACCESS_REPO_URI",
        "ACCESS_REPO_DIR",
        "repo_detection = \"off\"",
    ]);
    let off = settings().text("repo_detection", "off") + role("late");
    workspace.apply_of(off).succeeds().does_not_warn(summary);
    assert_eq!(service.role("github", "late").unwrap()["repoUri"], "");
}

/// A supporter reads which repository counts, and why.
#[test]
fn log_has_the_repository_and_where_it_comes_from() {
    let service = Service::full();
    let mut workspace = service.configured(role("viewer"));
    workspace.set("TF_LOG_PROVIDER", "DEBUG");
    let logged = |workspace: &Workspace| {
        let plan = workspace.plan().exits(2);
        let lines = plan.stderr.lines().filter(|line| line.contains("the repository that roles"));
        let lines: Vec<_> = lines.map(str::to_owned).collect();
        assert_eq!(lines.len(), 1, "{}", plan.stderr);
        lines[0].clone()
    };
    let detected = logged(&workspace);
    has_parts(&detected, &["[DEBUG]", REPOSITORY, "repo_dir=configuration", "origin", "config"]);
    workspace.configure(settings().text("repo_detection", "off") + role("viewer"));
    has_parts(&logged(&workspace), &["`repo_detection` is off"]);
    workspace.set("ACCESS_REPO_URI", "git@git.example.com:team/set.git");
    has_parts(&logged(&workspace), &["https://git.example.com/team/set", "`repo_uri`"]);
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
    assert_eq!(workspace.apply().succeeds().action(VIEWER), "update");
    assert_eq!(recorded(&service), ["https://GIT.EXAMPLE.COM/team/renamed.git", ""]);
    workspace.set("ACCESS_REPO_DIR", "roles/github");
    workspace.apply().succeeds();
    assert_eq!(recorded(&service)[1], "roles/github");
    workspace.set_remotes(&[("origin", "https://git.example.com/fork/access")]);
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
    let service = Service::full();
    let fields = json!({"displayName": "Role", "priority": "1", "manager": "TERRAFORM"});
    let old = json!({"repoUri": REPOSITORY, "repoDir": "old"});
    for (id, before) in
        [("viewer", json!({})), ("old", old), ("watched", json!({"repoDir": "old"}))]
    {
        service.put_role("github", id, fields.clone());
        service.change_role("github", id, before);
    }
    let workspace = in_git(&service, REPOSITORY);
    let blocks = import(VIEWER, "github/viewer") + import("access_listing_role.old", "github/old");
    workspace.configure(role("viewer") + role("old") + blocks);
    let plan = workspace.save_plan(&[]);
    assert_eq!(workspace.saved_change(VIEWER)["after_unknown"]["repo_dir"], true);
    let summary = "roles/old: records another repository: ";
    plan.warns([summary, "old", "repo_detection = \"off\""]).does_not_warn("roles/viewer");
    workspace.apply_saved().succeeds();
    for id in ["viewer", "old"] {
        let role = service.role("github", id).unwrap();
        assert_eq!(
            (&role["repoUri"], &role["repoDir"]),
            (&json!(REPOSITORY), &json!("configuration"))
        );
    }
    // Afterwards a detected pair makes no diff by itself.
    service.change_role("github", "viewer", json!({"repoDir": "elsewhere"}));
    workspace.plans_nothing().does_not_warn("roles/old");

    // A configuration that only watches.
    let mut workspace = in_git(&service, REPOSITORY);
    let off = settings().text("repo_detection", "off");
    let watched = import("access_listing_role.watched", "github/watched");
    workspace.configure(off + role("watched") + watched);
    workspace.set("ACCESS_API_KEY", "reader-key");
    service.clear_requests();
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
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
}
