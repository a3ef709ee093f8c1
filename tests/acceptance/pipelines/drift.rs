//! `drift.sh`: drift, its absence, and checks that cannot detect it.

use std::fs;
use std::path::Path;
use std::process::Command;

use access_fake::{LagRule, OddList, Write};
use serde_json::json;

use super::super::walkthrough::paste::tool;
use super::{CommandOutput, ROLE, applied, command, output_of, runs, script, summary};
use crate::support::{Service, Workspace};

#[test]
fn drift_check_is_quiet_without_drift_and_names_the_role_with_it() {
    let (service, mut workspace) = applied();
    workspace.set("ACCESS_API_KEY", "reader-key");
    service.clear_requests();
    let output = runs(&workspace, "drift.sh", 0);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));

    // Markup in a display name stays text.
    service.change_role("github", "viewer", json!({"displayName": "@everyone </details>"}));
    let output = runs(&workspace, "drift.sh", 2);
    let text = summary(&workspace, "access-drift");
    assert_eq!(output.stdout, text);
    assert!(text.contains("\n0 to add, 1 to change, 0 to destroy.\n"), "{text}");
    assert!(text.contains("\n- `access_listing_role.viewer will be updated in-place`\n"), "{text}");
    let plan = text.split_once("</summary>\n\n").expect("the plan").1;
    let (plan, end) = plan.rsplit_once("\n\n").expect("its end");
    assert!(plan.contains("@everyone </details>"), "{text}");
    assert!(plan.lines().all(|line| line.starts_with("    ")), "{text}");
    assert_eq!(end, "</details>\n");

    service.remove_role("github", "viewer");
    runs(&workspace, "drift.sh", 2);
    let text = summary(&workspace, "access-drift");
    assert!(text.contains("\n- `access_listing_role.viewer will be created`\n"), "{text}");
    assert_eq!(service.writes().len(), 0, "looking for drift changes nothing");
}

#[test]
fn drift_check_ignores_data_sources_that_a_check_reads_again() {
    let (service, workspace) = applied();
    let check = "check \"owners\" {\n  data \"access_integration_owners\" \"github\" {\n    integration = \"github\"\n  }\n  assert {\n    condition     = length(data.access_integration_owners.github.owners) > 0\n    error_message = \"No owners.\"\n  }\n}\n";
    workspace.configure(&format!("{ROLE}{check}"));
    workspace.apply().succeeds();
    runs(&workspace, "drift.sh", 0);
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    runs(&workspace, "drift.sh", 2);
}

#[test]
fn drift_check_that_fails_or_reads_nothing_is_an_error() {
    let (service, workspace) = applied();
    service.respond_to_all("GET", 403, r#"{"message":"not for this key"}"#);
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("not for this key"), "{}", output.stderr);

    let service = Service::documented_only(405);
    let workspace = service.workspace();
    workspace.configure(ROLE);
    runs(&workspace, "plan.sh", 0);
    runs(&workspace, "apply.sh", 0);
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("Drift detection is unavailable"), "{}", output.stderr);

    // The role has no recorded repository, so that `patch` does not read it.
    let workspace = workspace.with("ACCESS_DRIFT_DETECTION", "patch");
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("the service has recorded no repository"), "{}", output.stderr);
}

#[test]
fn drift_check_that_is_turned_off_does_not_look_clean() {
    let (service, mut workspace) = applied();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    workspace
        .configure(&format!("provider \"access\" {{\n  drift_detection = \"off\"\n}}\n{ROLE}"));
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("drift_detection is \"off\""), "{}", output.stderr);
    workspace.configure(ROLE);
    workspace.set("ACCESS_DRIFT_DETECTION", "off");
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("drift_detection is \"off\""), "{}", output.stderr);
    workspace.set("ACCESS_DRIFT_DETECTION", "");
    runs(&workspace, "drift.sh", 2);
}

#[test]
fn drift_check_evaluates_a_variable_and_refuses_what_it_cannot_evaluate() {
    let (service, mut workspace) = applied();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let with = |expression: &str| {
        format!(
            "variable \"detection\" {{\n  type    = string\n  default = \"off\"\n}}\n
locals {{\n  detection = var.detection\n}}\n
provider \"access\" {{\n  drift_detection = {expression}\n}}\n{ROLE}"
        )
    };
    workspace.configure(&with("var.detection"));
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("drift_detection is \"off\""), "{}", output.stderr);
    workspace.configure(&with("local.detection"));
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("cannot evaluate"), "{}", output.stderr);
    workspace.configure(&with("var.detection"));
    workspace.set("TF_VAR_detection", "list");
    runs(&workspace, "drift.sh", 2);
}

#[test]
fn drift_check_without_reads_of_owners_passes_only_if_it_checked_roles() {
    let owner = "resource \"access_integration_owner\" \"platform\" {\n  integration = \"github\"\n  owner       = \"teams/platform\"\n}\n";
    for mode in ["auto", "patch"] {
        for (configuration, code) in [(format!("{ROLE}{owner}"), 0), (owner.to_owned(), 1)] {
            let service = Service::full();
            service.without_owner_reads();
            service.without_lists();
            let workspace = service
                .workspace()
                .with("ACCESS_DRIFT_DETECTION", mode)
                .with("ACCESS_REPO_URI", "https://git.example.com/a/b");
            workspace.configure(&configuration);
            workspace.apply().succeeds();
            let output = runs(&workspace, "drift.sh", code);
            let checked = "no drift in what could be read";
            assert_eq!(output.stderr.contains(checked), code == 0, "{mode}: {}", output.stderr);
            assert!(unchecked(&workspace).contains("integration owners"), "{mode}");
            let unavailable = "Drift detection is unavailable: the service does not offer reads";
            assert_eq!(output.stderr.contains(unavailable), code == 1, "{mode}: {}", output.stderr);
        }
    }
}

fn unchecked(workspace: &Workspace) -> String {
    let path = workspace.path().join("access-drift/unchecked.txt");
    fs::read_to_string(path).expect("a list")
}

#[test]
fn drift_check_lists_entries_that_were_skipped() {
    let (service, workspace) = applied();
    let owners = "resource \"access_integration_owners\" \"github\" {\n  integration    = \"github\"\n  owners         = [\"users/founder\"]\n  adopt_existing = true\n}\n";
    workspace.configure(&format!("{ROLE}{owners}"));
    workspace.apply().succeeds();
    runs(&workspace, "drift.sh", 0);
    assert_eq!(unchecked(&workspace), "");
    service.change_world(|world| {
        world.lists.push(OddList {
            collection: Some("integrations/github/owners".to_owned()),
            insert: vec![json!(17)],
            ..OddList::default()
        });
    });
    let output = runs(&workspace, "drift.sh", 0);
    let skipped = "Entries of the list of owners were skipped\n";
    assert_eq!(unchecked(&workspace), skipped);
    assert!(output.stderr.starts_with(skipped), "{}", output.stderr);
}

#[test]
fn drift_check_under_lagging_reads_fails() {
    let (service, workspace) = applied();
    service.change_world(|world| {
        let lag = LagRule { after: Some(Write::Update), reads: 10_000, ..LagRule::default() };
        world.lags.push(lag);
    });
    workspace.configure(&ROLE.replace("\"Viewer\"", "\"Reader\""));
    workspace.apply().succeeds();
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("reads lag behind writes"), "{}", output.stderr);
}

/// A Git repository whose configuration is applied, with a bare repository as its origin.
struct Repository {
    service: Service,
    workspace: Workspace,
}

impl Repository {
    fn new() -> Self {
        let service = Service::full();
        let workspace = service.workspace();
        let root = workspace.path();
        install_provider(&root.join("../mirror"));
        let mirror = root.join("../mirror").canonicalize().expect("a mirror").display().to_string();
        workspace.write(
            "../installed.tfrc",
            &format!("provider_installation {{\n  filesystem_mirror {{\n    path = {mirror:?}\n  }}\n}}\n"),
        );
        let state = root.join("../state.tfstate").display().to_string();
        // The worktree of the applied commit has to find the same state, as with a remote backend.
        workspace.write(
            "access/backend.tf",
            &format!("terraform {{\n  backend \"local\" {{\n    path = {state:?}\n  }}\n}}\n"),
        );
        let versions = fs::read_to_string(root.join("versions.tf")).expect("the versions");
        workspace.write("access/versions.tf", &versions);
        fs::remove_file(root.join("versions.tf")).expect("the versions");
        workspace.write("access/main.tf", ROLE);
        workspace.write(".gitignore", ".terraform/\naccess-plan/\naccess-drift/\n");
        let configuration = root.join("../installed.tfrc").display().to_string();
        let workspace = workspace
            .with("TF_CLI_CONFIG_FILE", &configuration)
            .with("APPLIED_BRANCH", "access-applied");
        let repository = Self { service, workspace };
        repository.shell("git init --quiet --bare ../origin.git && git init --quiet -b main . && git remote add origin ../origin.git");
        repository.shell("cd access && $TERRAFORM init -input=false -no-color");
        repository.commit("The role");
        repository
    }

    /// Returns a repository whose commit is applied.
    fn applied() -> Self {
        let repository = Self::new();
        repository.runs("plan.sh", 0);
        repository.runs("apply.sh", 0);
        repository
    }

    fn shell(&self, text: &str) -> String {
        let output =
            output_of(command(&self.workspace, "sh", &self.workspace.path()).args(["-euc", text]));
        assert_eq!(output.code, Some(0), "{text}:\n{}\n{}", output.stdout, output.stderr);
        output.stdout
    }

    fn commit(&self, subject: &str) {
        self.shell(&format!(
            "git add -A && git -c user.name=A -c user.email=a@example.com commit --quiet -m '{subject}' && git push --quiet origin main"
        ));
    }

    fn command(&self, name: &str) -> Command {
        let mut command = command(&self.workspace, "sh", &self.workspace.path().join("access"));
        command.arg(script(name));
        command
    }

    #[track_caller]
    fn runs(&self, name: &str, code: i32) -> CommandOutput {
        ends_with(&mut self.command(name), code)
    }

    fn worktrees(&self) -> String {
        self.shell("git worktree list | wc -l").trim().to_owned()
    }
}

/// Runs a command and fails the test unless it ends with this exit code.
#[track_caller]
fn ends_with(command: &mut Command, code: i32) -> CommandOutput {
    let output = output_of(command);
    assert_eq!(output.code, Some(code), "{command:?}:\n{}\n{}", output.stdout, output.stderr);
    output
}

/// Lays the binary under test out as an installed provider, for both registries.
fn install_provider(mirror: &Path) {
    let binary = Path::new(env!("CARGO_BIN_EXE_terraform-provider-access"));
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    for registry in ["registry.terraform.io", "registry.opentofu.org"] {
        let directory = mirror
            .join(registry)
            .join("access/access")
            .join(env!("CARGO_PKG_VERSION"))
            .join(format!("{system}_{architecture}"));
        fs::create_dir_all(&directory).expect("a directory");
        fs::copy(binary, directory.join("terraform-provider-access")).expect("a copy");
    }
}

#[test]
fn drift_check_distinguishes_drift_from_commits_that_are_not_applied() {
    let repository = Repository::new();
    let output = repository.runs("drift.sh", 1);
    assert!(output.stderr.contains("access-applied does not exist yet"), "{}", output.stderr);
    repository.runs("plan.sh", 0);
    repository.runs("apply.sh", 0);
    let applied = repository.shell("git ls-remote origin refs/heads/access-applied | cut -f 1");
    assert_eq!(applied, repository.shell("git rev-parse HEAD"));
    assert_eq!(repository.runs("drift.sh", 0).stdout, "");

    // Merged, and not applied: no drift, but named.
    repository.workspace.write("access/main.tf", &ROLE.replace("\"Viewer\"", "\"Reader\""));
    repository.commit("Rename the role");
    let output = repository.runs("drift.sh", 0);
    assert!(
        output.stdout.contains("not applied yet") && output.stdout.contains("Rename the role"),
        "{}",
        output.stdout
    );

    // Both at once: the change made outside Terraform is the whole plan.
    repository.service.change_role("github", "viewer", json!({"description": "By hand"}));
    let output = repository.runs("drift.sh", 2);
    assert!(
        output.stdout.contains("By hand") && output.stdout.contains("Rename the role"),
        "{}",
        output.stdout
    );
    assert!(!output.stdout.contains("\"Reader\""), "{}", output.stdout);
    assert_eq!(repository.worktrees(), "1", "the worktree is removed");

    repository.runs("plan.sh", 0);
    repository.runs("apply.sh", 0);
    assert_eq!(repository.runs("drift.sh", 0).stdout, "");
}

#[test]
fn apply_that_cannot_move_the_branch_reports_it() {
    let repository = Repository::new();
    repository.runs("plan.sh", 0);
    repository.shell("git remote set-url origin ../nothing.git");
    let output = repository.runs("apply.sh", 1);
    assert!(output.stderr.contains("The plan was applied, but"), "{}", output.stderr);
    assert!(repository.service.role("github", "viewer").is_some());
    let output = repository.runs("drift.sh", 1);
    assert!(output.stderr.contains("could not be read from origin"), "{}", output.stderr);
}

#[test]
fn drift_check_whose_init_fails_prints_its_errors() {
    let repository = Repository::applied();
    // The commit that was applied last has a lock file without the provider.
    repository.workspace.write("access/.terraform.lock.hcl", "");
    repository.commit("An empty lock file");
    repository.shell("git push --quiet --force origin HEAD:refs/heads/access-applied");
    let output = repository.runs("drift.sh", 1);
    assert!(
        output.stderr.contains("Error: Provider dependency changes detected"),
        "{}",
        output.stderr
    );
    assert_eq!(repository.worktrees(), "1");
}

/// The apply job ends between the moment in which the check reads the branch and its plan.
#[test]
fn drift_check_during_an_apply_does_not_report_the_applied_commit() {
    let repository = Repository::applied();
    let root = repository.workspace.path();
    repository.workspace.write("access/main.tf", &ROLE.replace("\"Viewer\"", "\"Reader\""));
    repository.commit("Rename the role");
    tool(
        &root.join(".."),
        "terraform-during-apply",
        "if [ \"$1\" = plan ]; then
  (cd \"$ROOT/access\" && export TERRAFORM=\"$HOST\" && sh \"$SCRIPTS/plan.sh\" && sh \"$SCRIPTS/apply.sh\") >&2
fi
exec \"$HOST\" \"$@\"",
    );
    let mut check = repository.command("drift.sh");
    check
        .env("TERRAFORM", root.join("../terraform-during-apply"))
        .env("HOST", repository.workspace.command(&[]).get_program())
        .env("ROOT", &root)
        .env("SCRIPTS", script(""));
    let output = ends_with(&mut check, 1);
    let message = "Another commit was applied during this check. Run it again.";
    assert!(output.stderr.contains(message), "{}", output.stderr);
    let role = repository.service.role("github", "viewer").expect("a role");
    assert_eq!(role["displayName"], "Reader");
    repository.runs("drift.sh", 0);
}

#[test]
fn drift_check_of_a_directory_that_is_not_applied_yet_fails() {
    let repository = Repository::applied();
    let directory = repository.workspace.path().join("other");
    fs::create_dir(&directory).expect("a directory");
    let mut check = command(&repository.workspace, "sh", &directory);
    let output = ends_with(check.arg(script("drift.sh")), 1);
    let message = "The commit that was applied last does not contain other/.";
    assert!(output.stderr.contains(message), "{}", output.stderr);
    assert_eq!(repository.worktrees(), "1");
}

#[test]
fn drift_check_ends_with_2_for_nothing_but_drift() {
    let repository = Repository::applied();
    let tools = repository.workspace.path().join("../tools");
    fs::create_dir(&tools).expect("a directory");
    tool(&tools, "git", "if [ \"$1\" = log ]; then exit 2; fi\nPATH=${PATH#*:}; exec git \"$@\"");
    let path = std::env::var("PATH").expect("PATH");
    let path = format!("{}:{path}", tools.display());
    ends_with(repository.command("drift.sh").env("PATH", path), 1);
}
