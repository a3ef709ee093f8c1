//! `drift.sh`: drift, its absence, and checks that cannot detect it.

use std::fs;
use std::path::Path;
use std::process::Command;

use access_fake::{LagRule, OddList, Write};
use serde_json::json;

use super::super::walkthrough::paste::tool;
use super::{CommandOutput, ROLE, applied, command, ends_with, runs, script, summary};
use crate::support::{Service, Workspace};

const OWNER: &str = "resource \"access_integration_owner\" \"platform\" {
  integration = \"github\"
  owner       = \"teams/platform\"
}
";

#[test]
fn drift_check_prints_a_line_without_drift_and_names_the_role_with_it() {
    let (service, mut workspace) = applied();
    workspace.set("ACCESS_API_KEY", "reader-key");
    service.clear_requests();
    let output = runs(&workspace, "drift.sh", 0);
    assert_eq!(output.stdout, "No drift. The plan has no changes.\n");
    assert_eq!(output.stderr, "");

    // Markup in a display name stays text.
    service.change_role("github", "viewer", json!({"displayName": "@everyone </details>"}));
    let output = runs(&workspace, "drift.sh", 2);
    let text = summary(&workspace, "access-drift");
    assert_eq!(output.stdout, text);
    assert!(text.contains("\n0 to add, 1 to change, 0 to destroy.\n"), "{text}");
    assert!(text.contains("\n- `access_listing_role.viewer will be updated in-place`\n"), "{text}");
    let plan = text.split_once("</summary>\n\n").expect("the plan").1;
    let plan = plan.strip_suffix("\n\n</details>\n").expect("its end");
    assert!(plan.contains("@everyone </details>"), "{text}");
    assert!(plan.lines().all(|line| line.starts_with("    ")), "{text}");

    service.remove_role("github", "viewer");
    runs(&workspace, "drift.sh", 2);
    let text = summary(&workspace, "access-drift");
    assert!(text.contains("\n- `access_listing_role.viewer will be created`\n"), "{text}");
    assert_eq!(service.writes().len(), 0, "looking for drift changes nothing");
}

#[test]
fn drift_check_ignores_data_sources_that_a_check_reads_again() {
    let (service, workspace) = applied();
    let check = "check \"owners\" {
  data \"access_integration_owners\" \"github\" {
    integration = \"github\"
  }
  assert {
    condition     = length(data.access_integration_owners.github.owners) > 0
    error_message = \"No owners.\"
  }
}
";
    workspace.configure(&format!("{ROLE}{check}"));
    workspace.apply().succeeds();
    runs(&workspace, "drift.sh", 0);
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    runs(&workspace, "drift.sh", 2);
}

#[test]
fn drift_check_that_may_read_nothing_is_an_error() {
    let (service, mut workspace) = applied();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let off = "variable \"detection\" {\n  default = \"off\"\n}\nprovider \"access\" {\n  drift_detection = ";
    for (case, provider, variable, code) in [
        ("argument", format!("{off}\"off\"\n}}\n"), "", 1),
        ("expression", format!("{off}var.detection\n}}\n"), "", 1),
        ("variable of the environment", String::new(), "off", 1),
        ("argument that wins", format!("{off}\"auto\"\n}}\n"), "", 2),
        ("default", String::new(), "", 2),
    ] {
        workspace.configure(&format!("{provider}{ROLE}"));
        workspace.set("ACCESS_DRIFT_DETECTION", variable);
        let output = runs(&workspace, "drift.sh", code);
        assert_eq!(output.stderr.contains("the plan reads nothing"), code == 1, "{case}");
    }
    service.respond_to_all("GET", 403, r#"{"message":"not for this key"}"#);
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("not for this key"), "{}", output.stderr);
}

#[test]
fn drift_check_lists_what_it_did_not_compare_and_fails_if_that_is_everything() {
    let with_owner = format!("{ROLE}{OWNER}");
    let without_owner_reads = || {
        let service = Service::full();
        service.without_owner_reads();
        service.without_lists();
        service
    };
    let with_an_odd_list = || {
        let service = Service::full();
        service.change_world(|world| {
            world.lists.push(OddList {
                collection: Some("integrations/github/owners".to_owned()),
                insert: vec![json!(17)],
                ..OddList::default()
            });
        });
        service
    };
    let with_lag = || {
        let service = Service::full();
        service.put_role("github", "viewer", json!({"displayName": "Old", "priority": "5"}));
        service.change_world(|world| {
            let lag = LagRule { after: Some(Write::Update), reads: 10_000, ..LagRule::default() };
            world.lags.push(lag);
        });
        service
    };
    let all_owners = "resource \"access_integration_owners\" \"github\" {\n  integration    = \"github\"\n  owners         = [\"users/founder\"]\n  adopt_existing = true\n}\n";
    let adopting = ROLE.replace("priority     = 0", "priority     = 0\n  adopt_existing = true");
    for (case, service, configuration, code, listed) in [
        ("no reads", Service::documented_only(405), ROLE, 1, "Drift detection"),
        ("no reads of owners", without_owner_reads(), &*with_owner, 0, "owners"),
        ("nothing but owners", without_owner_reads(), OWNER, 1, "owners"),
        ("odd entries", with_an_odd_list(), all_owners, 0, "were skipped"),
        ("lag", with_lag(), &*adopting, 0, "older version"),
    ] {
        let workspace = service.workspace();
        workspace.configure(configuration);
        workspace.apply().succeeds();
        let output = runs(&workspace, "drift.sh", code);
        let unchecked = fs::read_to_string(workspace.path().join("access-drift/unchecked.txt"));
        assert!(unchecked.expect(case).contains(listed), "{case}: {}", output.stderr);
        assert!(output.stderr.contains(listed), "{case}: {}", output.stderr);
        let end =
            if code == 0 { "no drift in what could be read" } else { "Drift cannot be detected" };
        assert!(output.stderr.contains(end), "{case}: {}", output.stderr);
        assert_eq!(output.stdout, "", "{case}");
    }
}

/// A Git repository with a configuration in `access`, and a bare repository as its origin.
struct Repository {
    service: Service,
    workspace: Workspace,
}

impl Repository {
    fn new() -> Self {
        let service = Service::full();
        let workspace = service.workspace();
        let root = workspace.path().canonicalize().expect("a directory");
        let above = root.parent().expect("a directory");
        install_provider(&above.join("mirror"));
        workspace.write(
            "../installed.tfrc",
            &format!(
                "provider_installation {{\n  filesystem_mirror {{\n    path = {:?}\n  }}\n}}\n",
                above.join("mirror")
            ),
        );
        // The worktree of the applied commit has to find the same state, as with a remote backend.
        workspace.write(
            "access/backend.tf",
            &format!(
                "terraform {{\n  backend \"local\" {{\n    path = {:?}\n  }}\n}}\n",
                above.join("state.tfstate")
            ),
        );
        fs::rename(root.join("versions.tf"), root.join("access/versions.tf"))
            .expect("the versions");
        workspace.write("access/main.tf", ROLE);
        workspace.write(".gitignore", ".terraform/\naccess-plan/\naccess-drift/\n");
        let workspace = workspace
            .with("TF_CLI_CONFIG_FILE", &above.join("installed.tfrc").display().to_string())
            .with("TF_ROOT", "access")
            .with("APPLIED_BRANCH", "access-applied");
        let repository = Self { service, workspace };
        repository.shell(
            "git init --quiet --bare ../origin.git
git init --quiet -b main .
git remote add origin ../origin.git
$TERRAFORM -chdir=access init -input=false -no-color",
        );
        repository.commit("The role");
        repository
    }

    /// Returns a repository whose commit is applied.
    fn applied() -> Self {
        let repository = Self::new();
        repository.applies();
        repository
    }

    fn applies(&self) {
        runs(&self.workspace, "plan.sh", 0);
        runs(&self.workspace, "apply.sh", 0);
    }

    fn shell(&self, text: &str) -> String {
        let mut shell = command(&self.workspace, "sh", &self.workspace.path());
        ends_with(shell.args(["-euc", text]), 0).stdout
    }

    fn commit(&self, subject: &str) {
        self.shell(&format!(
            "git add -A && git -c user.name=A -c user.email=a@example.com commit --quiet -m '{subject}' && git push --quiet origin main"
        ));
    }

    /// Returns a command that checks for drift.
    fn check(&self) -> Command {
        let mut command = command(&self.workspace, "sh", &self.workspace.path());
        command.arg(script("drift.sh"));
        command
    }

    /// Checks for drift, and fails the test unless the check ends with this exit code and without a worktree.
    #[track_caller]
    fn checks(&self, code: i32) -> CommandOutput {
        let output = ends_with(&mut self.check(), code);
        assert_eq!(self.shell("git worktree list | wc -l").trim(), "1", "{}", output.stderr);
        output
    }
}

/// Lays the binary under test out as an installed provider, for both registries.
fn install_provider(mirror: &Path) {
    let binary = Path::new(env!("CARGO_BIN_EXE_terraform-provider-access"));
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    for registry in ["registry.terraform.io", "registry.opentofu.org"] {
        let version = env!("CARGO_PKG_VERSION");
        let directory =
            mirror.join(format!("{registry}/access/access/{version}/{system}_{architecture}"));
        fs::create_dir_all(&directory).expect("a directory");
        std::os::unix::fs::symlink(binary, directory.join("terraform-provider-access"))
            .expect("a link");
    }
}

#[test]
fn drift_check_distinguishes_drift_from_commits_that_are_not_applied() {
    let repository = Repository::new();
    let output = repository.checks(0);
    assert!(output.stdout.contains("access-applied does not exist yet"), "{}", output.stdout);
    assert_eq!(output.stdout.lines().count(), 1, "{}", output.stdout);
    let unchecked = repository.workspace.path().join("access-drift/unchecked.txt");
    assert_eq!(
        fs::read_to_string(unchecked).expect("a file"),
        output.stdout,
        "an issue stays open"
    );

    repository.applies();
    let applied = repository.shell("git ls-remote origin refs/heads/access-applied | cut -f 1");
    assert_eq!(applied, repository.shell("git rev-parse HEAD"));
    let clean = format!("No drift. The plan of commit {} has no changes.\n", &applied[..7]);
    assert_eq!(repository.checks(0).stdout, clean);

    // Merged, and not applied: no drift, but named.
    repository.workspace.write("access/main.tf", &ROLE.replace("\"Viewer\"", "\"Reader\""));
    repository.commit("Rename the role");
    let output = repository.checks(0).stdout;
    assert!(output.contains("not applied yet") && output.contains("Rename the role"), "{output}");

    // Both at once: the change made outside Terraform is the whole plan.
    repository.service.change_role("github", "viewer", json!({"description": "By hand"}));
    let output = repository.checks(2).stdout;
    assert!(output.contains("By hand") && output.contains("Rename the role"), "{output}");
    assert!(!output.contains("\"Reader\""), "{output}");

    repository.applies();
    assert!(repository.checks(0).stdout.starts_with("No drift."));
}

#[test]
fn drift_check_that_fails_names_the_cause_and_ends_with_1() {
    let repository = Repository::applied();
    let tools = repository.workspace.path().join("../tools");
    fs::create_dir(&tools).expect("a directory");
    tool(&tools, "git", "if [ \"$1\" = log ]; then exit 2; fi\nPATH=${PATH#*:}; exec git \"$@\"");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("PATH"));
    ends_with(repository.check().env("PATH", path), 1);

    fs::create_dir(repository.workspace.path().join("other")).expect("a directory");
    let output = ends_with(repository.check().env("TF_ROOT", "other"), 1).stderr;
    assert!(output.contains("was applied last does not contain other/."), "{output}");

    repository.shell("git remote set-url origin ../nothing.git");
    let output = repository.checks(1).stderr;
    assert!(output.contains("could not be read from origin"), "{output}");
    runs(&repository.workspace, "plan.sh", 0);
    let output = runs(&repository.workspace, "apply.sh", 1).stderr;
    assert!(output.contains("The plan was applied, but"), "{output}");
    repository.shell("git remote set-url origin ../origin.git");

    // The commit that was applied last has a lock file without the provider.
    repository.workspace.write("access/.terraform.lock.hcl", "");
    repository.commit("An empty lock file");
    repository.shell("git push --quiet --force origin HEAD:refs/heads/access-applied");
    let output = repository.checks(1).stderr;
    assert!(output.contains("Error: Provider dependency changes detected"), "{output}");
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
  (cd \"$ROOT\" && export TERRAFORM=\"$HOST\" && sh \"$SCRIPTS/plan.sh\" && sh \"$SCRIPTS/apply.sh\") >&2
fi
exec \"$HOST\" \"$@\"",
    );
    let mut check = repository.check();
    check
        .env("TERRAFORM", root.join("../terraform-during-apply"))
        .env("HOST", repository.workspace.command(&[]).get_program())
        .env("ROOT", &root)
        .env("SCRIPTS", script(""));
    let output = ends_with(&mut check, 1).stderr;
    assert!(output.contains("Another commit was applied during this check."), "{output}");
    let role = repository.service.role("github", "viewer").expect("a role");
    assert_eq!(role["displayName"], "Reader");
    repository.checks(0);
}
