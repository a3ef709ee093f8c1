//! The repository recorded on roles.

use serde_json::json;

use crate::support::{Service, Workspace};

const ROLE: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
}
";
const ADDRESS: &str = "access_listing_role.viewer";

fn in_git(service: &Service, origin: &str) -> Workspace {
    let workspace = service.workspace();
    workspace.write(".git/HEAD", "ref: refs/heads/main\n");
    workspace.write(".git/config", &format!("[remote \"origin\"]\n\turl = {origin}\n"));
    workspace.configure(ROLE);
    workspace
}

#[test]
fn detected_repository_is_recorded_without_credentials_and_makes_no_diff_of_its_own() {
    let service = Service::full();
    let workspace = in_git(&service, "https://user:secret@git.example.com/team/access.git");
    workspace.apply().succeeds();
    let role = service.role("github", "viewer").unwrap();
    assert_eq!(role["repoUri"], "https://git.example.com/team/access");
    assert_eq!(workspace.state_of(ADDRESS).unwrap()["repo_uri"], role["repoUri"]);
    assert!(!format!("{:?}", service.requests()).contains("secret"));

    // A fork, a laptop: another origin.
    workspace
        .write(".git/config", "[remote \"origin\"]\n\turl = git@git.example.com:fork/access.git\n");
    workspace.plan().exits(0);

    // Written with any other update.
    workspace.configure(&ROLE.replace("Viewer", "Reader"));
    workspace.apply().succeeds();
    assert_eq!(
        service.role("github", "viewer").unwrap()["repoUri"],
        "https://git.example.com/fork/access"
    );
    workspace.plan().exits(0);
}

#[test]
fn explicit_repository_is_enforced() {
    let service = Service::full();
    let mut workspace = in_git(&service, "https://git.example.com/team/access.git");
    workspace.apply().succeeds();
    workspace.set("ACCESS_REPO_URI", "git@git.example.com:team/renamed.git");
    workspace.set("ACCESS_REPO_DIR", "roles/github");
    assert_eq!(workspace.plan().exits(2).action(ADDRESS), "update");
    workspace.apply().succeeds();
    let role = service.role("github", "viewer").unwrap();
    assert_eq!(role["repoUri"], "https://git.example.com/team/renamed");
    assert_eq!(role["repoDir"], "roles/github");
    workspace.plan().exits(0);

    service.change_role("github", "viewer", json!({"repoUri": "https://git.example.com/x/y"}));
    assert_eq!(workspace.plan().exits(2).action(ADDRESS), "update");
    workspace.apply().succeeds();
    let masks: Vec<_> =
        service.writes().iter().filter_map(|write| write.query_value("updateMask")).collect();
    assert_eq!(masks.last().map(String::as_str), Some("repoUri,repoDir"), "a pair");
}

#[test]
fn variables_of_ci_systems_are_not_read_and_detection_can_be_turned_off() {
    let service = Service::full();
    let workspace = in_git(&service, "https://git.example.com/team/access.git")
        .with("GITHUB_ACTIONS", "true")
        .with("GITHUB_SERVER_URL", "https://github.com")
        .with("GITHUB_REPOSITORY", "example/other");
    workspace.apply().succeeds();
    assert_eq!(
        service.role("github", "viewer").unwrap()["repoUri"],
        "https://git.example.com/team/access"
    );

    let service = Service::full();
    let workspace = in_git(&service, "https://git.example.com/team/access.git");
    workspace.configure(&format!("provider \"access\" {{\n  repo_detection = \"off\"\n}}\n{ROLE}"));
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer").unwrap()["repoUri"], "");
    workspace.plan().exits(0);
}

#[test]
fn repository_that_the_service_does_not_record_makes_no_lasting_diff() {
    let service = Service::full();
    service.stop_recording_repositories();
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/a/b");
    workspace.configure(ROLE);
    workspace.apply().succeeds();
    workspace.plan().exits(0);
    // Nor if somebody has changed the role since.
    service.change_role("github", "viewer", json!({"resources": ["repositories/a"]}));
    workspace.plan().exits(0);
}

#[test]
fn directory_without_a_recordable_uri_is_not_mixed_with_the_uri_of_another_repository() {
    let service = Service::full();
    let theirs = json!({
        "displayName": "Theirs", "priority": "8",
        "repoUri": "https://git.example.com/their/repo", "repoDir": "d2",
    });
    let recorded = |role: &str| {
        let role = service.role("github", role).unwrap();
        (role["repoUri"].clone(), role["repoDir"].clone())
    };
    service.put_role("github", "viewer", theirs);
    let mut workspace = service.workspace();
    // The working directory is `configuration` below the top.
    workspace.write("../.git/HEAD", "ref: refs/heads/main\n");
    workspace.write("../.git/config", "[remote \"origin\"]\n\turl = /srv/git/access.git\n");
    workspace.configure(&ROLE.replace("priority ", "adopt_existing = true\n  priority "));
    workspace.apply().succeeds();
    assert_eq!(recorded("viewer"), (json!("https://git.example.com/their/repo"), json!("d2")));
    workspace.plan().exits(0);

    // An explicit directory is enforced, and its pair has no URI.
    workspace.set("ACCESS_REPO_DIR", "d2");
    workspace.plan().exits(0);
    workspace.set("ACCESS_REPO_DIR", "roles");
    assert_eq!(workspace.plan().exits(2).action(ADDRESS), "update");
    workspace.apply().succeeds();
    assert_eq!(recorded("viewer"), (json!(""), json!("roles")));
    assert_eq!(workspace.state_of(ADDRESS).unwrap()["repo_uri"], json!(null));
    workspace.plan().exits(0);
}

/// Returns a workspace in the directory `configuration` of a checkout.
fn below_git(service: &Service, origin: &str) -> Workspace {
    let workspace = service.workspace();
    workspace.write("../.git/HEAD", "ref: refs/heads/main\n");
    set_origin(&workspace, origin);
    workspace.configure(ROLE);
    workspace
}

fn set_origin(workspace: &Workspace, origin: &str) {
    workspace.write("../.git/config", &format!("[remote \"origin\"]\n\turl = {origin}\n"));
}

/// Returns the pair that the role records.
fn recorded(service: &Service) -> [serde_json::Value; 2] {
    let role = service.role("github", "viewer").unwrap();
    ["repoUri", "repoDir"].map(|field| role[field].clone())
}

#[test]
fn explicit_value_replaces_detection_as_a_whole() {
    let service = Service::full();
    let uri = "https://git.example.com/team/access";
    let mut workspace = below_git(&service, uri);
    workspace.apply().succeeds();
    assert_eq!(recorded(&service), [uri, "configuration"]);
    workspace.set("ACCESS_REPO_URI", "https://git.example.com/team/renamed");
    assert_eq!(workspace.plan().exits(2).action(ADDRESS), "update");
    workspace.apply().succeeds();
    assert_eq!(recorded(&service), ["https://git.example.com/team/renamed", ""]);
    workspace.plan().exits(0);

    // The origin is another repository.
    set_origin(&workspace, "https://git.example.com/fork/access");
    workspace.plan().exits(0);
    workspace.configure(&ROLE.replace("Viewer", "Reader"));
    workspace.apply().succeeds();
    assert_eq!(recorded(&service), ["https://git.example.com/team/renamed", ""]);
    workspace.plan().exits(0);
}
