//! `drift.sh`: drift, its absence, and checks that cannot detect it.

use std::fs;

use access_fake::{Absence, OddList, Presence};
use serde_json::json;

use super::site::Site;
use super::{ROLE, applied, runs};
use crate::support::fixtures::{Text, owner, owners};
use crate::support::{Outcome, Service, has_parts};

#[test]
fn drift_check_prints_a_line_without_drift_and_names_the_role_with_it() {
    let (service, mut workspace) = applied();
    // A data source of a `check` is read again by every apply, and is no change.
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
    workspace.apply_of(format!("{ROLE}{check}")).succeeds();
    workspace.set("ACCESS_API_KEY", "reader-key");
    service.clear_requests();
    let output = runs(&workspace, "drift.sh", 0);
    assert_eq!(output.stdout, "No drift. The plan has no changes.\n");
    assert_eq!(output.stderr, "");

    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let output = runs(&workspace, "drift.sh", 2);
    let text = workspace.read("access-drift/summary.md");
    assert_eq!(output.stdout, text);
    let drift = "## Changed outside Terraform\n\n- `listings/github/roles/viewer`: display_name: `Viewer` → `By hand`; last written: ";
    assert!(text.starts_with(drift), "{text}");
    let roles =
        "\n## Roles, effective for new requests\n\n- `listings/github/roles/viewer` changes: ";
    let plan = "\n## What the next apply corrects\n\nPlan: 0 to add, 1 to change, 0 to destroy.\n";
    has_parts(&text, &[roles, plan]);
    assert_eq!(text.matches("1 role changes").count(), 1, "{text}");

    service.remove_role("github", "viewer");
    runs(&workspace, "drift.sh", 2);
    let text = workspace.read("access-drift/summary.md");
    let drift = "## Changed outside Terraform\n\n- `listings/github/roles/viewer`: deleted\n";
    assert!(text.starts_with(drift), "{text}");
    assert_eq!(service.writes().len(), 0, "looking for drift changes nothing");
}

#[test]
fn owners_who_were_added_outside_are_named_or_the_check_says_that_it_does_not_see_them() {
    let data = "data \"access_integration_owners\" \"github\" {\n  integration = \"github\"\n}\n";
    let list = || owners(&["users/founder", "users/ada"]).text("integration", "github").adopting();
    for (configuration, code, expected) in [
        (owner("ada").to_string(), 0, "listed:\n  github\n"),
        (
            format!("{}{data}", owner("ada")),
            0,
            "The plan has no changes. These owners are in no resource:\n  users/eve of github\n",
        ),
        (list().to_string(), 2, "- all owners of `github`: owners: added `users/eve`\n"),
    ] {
        let service = Service::full();
        if code == 0 {
            service.remove_owner("github", "founder");
        }
        let workspace = service.applied(&configuration);
        service.put_owner("github", "eve", "users/eve");
        let output = runs(&workspace, "drift.sh", code).stdout;
        let expected = expected.replace("listed:", "access_integration_owners lists them:");
        assert!(output.contains(&expected) && !output.contains("No drift."), "{output}");
    }
}

#[test]
fn drift_check_that_may_not_read_everything_is_refused() {
    let (service, mut workspace) = applied();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let off = "variable \"detection\" {\n  default = \"off\"\n}\nprovider \"access\" {\n  drift_detection = ";
    for (provider, name, value, refused) in [
        ("\"off\"", "", "", "the plan reads nothing"),
        ("var.detection", "", "", "the plan reads nothing"),
        ("", "ACCESS_DRIFT_DETECTION", "off", "the plan reads nothing"),
        ("", "TF_CLI_ARGS_plan", "-parallelism=2 --minimal-refresh=true", "must read every object"),
        ("", "TF_CLI_ARGS", "-minimal-refresh", "must read every object"),
        ("", "TF_CLI_ARGS_plan", "-refresh=false", "must read every object"),
        ("", "TF_CLI_ARGS_plan", "-parallelism=2", ""),
    ] {
        let block = if provider.is_empty() { "" } else { &format!("{off}{provider}\n}}\n") };
        workspace.configure(format!("{block}{ROLE}"));
        workspace.set(name, value);
        let output = runs(&workspace, "drift.sh", if refused.is_empty() { 2 } else { 1 });
        assert!(output.stderr.contains(refused), "{provider} {name}={value}: {}", output.stderr);
        workspace.set(name, "");
    }
    service.respond_to_all("GET", 403, r#"{"message":"not for this key"}"#);
    let output = runs(&workspace, "drift.sh", 1);
    assert!(output.stderr.contains("not for this key"), "{}", output.stderr);
    // Terraform keeps a plan that has failed, whose report is about nothing.
    assert!(output.stderr.starts_with("## The drift check failed\n"), "{}", output.stderr);
    assert!(!output.output().contains("No change of access"), "{}", output.output());
}

/// A drift issue must not begin with "No change of access.": that is about what the next apply
/// does.
#[test]
fn drift_without_effect_on_access_begins_with_what_was_changed() {
    let output = "output \"text\" {\n  value = access_listing_role.viewer.update_time\n}\n";
    let (service, workspace) = applied();
    workspace.apply_of(format!("{ROLE}{output}")).succeeds();
    service.change_role("github", "viewer", json!({"updateTime": "2099-01-01T00:00:00Z"}));
    let text = runs(&workspace, "drift.sh", 2).stdout;
    let start = "## Changed outside Terraform\n\nThe plan shows no changed object.\n";
    assert!(text.starts_with(start), "{text}");
}

/// Returns a service to which this has been done.
fn service_with(prepare: impl Fn(&Service)) -> Service {
    let service = Service::full();
    prepare(&service);
    service
}

#[test]
fn drift_check_lists_what_it_did_not_compare_and_fails_if_that_is_everything() {
    let without_owner_reads = |service: &Service| {
        let absent = Presence::Absent(Absence::NotFound);
        service.change_world(|world| world.owners.get = absent);
        service.without_lists();
    };
    let with_an_odd_list = |service: &Service| {
        let collection = Some("integrations/github/owners".to_owned());
        let odd = OddList { collection, insert: vec![json!(17)], ..OddList::default() };
        service.change_world(|world| world.lists.push(odd));
    };
    let with_lag = |service: &Service| {
        service.put_role("github", "viewer", json!({"displayName": "Old", "priority": "5"}));
        service.lag(10_000);
    };
    let with_owner = Text(ROLE.to_owned()) + owner("ada");
    let all_owners = owners(&["users/founder"]).text("integration", "github").adopting();
    let adopting = ROLE.replace("priority     = 0", "priority     = 0\n  adopt_existing = true");
    for (service, configuration, code, listed) in [
        (Service::documented_only(405), ROLE.to_owned(), 1, "Drift detection"),
        (service_with(without_owner_reads), with_owner.to_string(), 0, "owners"),
        (service_with(with_an_odd_list), all_owners.to_string(), 0, "were skipped"),
        (service_with(with_lag), adopting, 0, "older version"),
    ] {
        let workspace = service.applied(&configuration);
        let output = runs(&workspace, "drift.sh", code);
        let unchecked = workspace.read("access-drift/unchecked.txt");
        let end =
            if code == 0 { "no drift in what could be read" } else { "Drift cannot be detected" };
        assert!(unchecked.contains(listed), "{configuration}: {unchecked}");
        has_parts(&output.stderr, &[listed, end]);
        assert_eq!(output.stdout, "", "{configuration}");
    }
}

fn apply(site: &Site) {
    site.ends("repository", "../scripts/plan.sh && ../scripts/apply.sh", 0);
}

/// Merges another name of the role, and does not apply it.
fn rename_role(site: &Site) {
    site.ends("repository/access", "sed -i.old s/Viewer/Reader/ role.tf && rm role.tf.old", 0);
    site.commit("Rename the role");
}

/// Checks for drift, and fails the test unless the check ends with this exit code and without a
/// worktree.
#[track_caller]
fn checks(site: &Site, code: i32) -> Outcome {
    let output = site.ends("repository", "../scripts/drift.sh", code);
    let worktrees = site.ends("repository", "git worktree list", 0).stdout;
    assert_eq!(worktrees.lines().count(), 1, "{}", output.stderr);
    output
}

/// Returns a site with a configuration in `access`, whose scripts run by hand at the top of the
/// repository.
fn repository() -> Site {
    let mut site = Site::new("access");
    site.variables.insert("TF_ROOT", "access".to_owned());
    site.variables.insert("PROVIDER_VERSION", env!("CARGO_PKG_VERSION").to_owned());
    let configuration = site.ends("repository", "../scripts/install-provider.sh", 0).stdout;
    let configuration = configuration.trim().split_once('=').expect("the setting").1;
    site.variables.insert("TF_CLI_CONFIG_FILE", configuration.to_owned());
    let prepare = "printf '%s\\n' .terraform/ access-plan/ access-drift/ > .gitignore
terraform -chdir=access init -input=false";
    site.ends("repository", prepare, 0);
    site.commit("The role");
    site
}

#[test]
fn drift_check_distinguishes_drift_from_commits_that_are_not_applied() {
    let site = repository();
    let output = checks(&site, 0).stdout;
    assert!(output.ends_with("access-applied does not exist yet.\n"), "{output}");
    let unchecked = site.home.join("repository/access-drift/unchecked.txt");
    assert_eq!(fs::read_to_string(unchecked).expect("a file"), output, "an issue stays open");

    apply(&site);
    let applied = site.ends("repository", "git rev-parse HEAD origin/access-applied", 0).stdout;
    let (head, branch) = applied.split_once('\n').expect("two commits");
    assert_eq!(head, branch.trim());
    let clean = format!("No drift. The plan of commit {} has no changes.\n", &head[..7]);
    assert_eq!(checks(&site, 0).stdout, clean);

    // Merged, and not applied: no drift, but named.
    rename_role(&site);
    let output = checks(&site, 0).stdout;
    assert!(output.contains("not applied yet") && output.contains("Rename the role"), "{output}");

    // Both at once: the change made outside Terraform is the whole plan.
    site.service.change_role("github", "viewer", json!({"description": "By hand"}));
    let output = checks(&site, 2).stdout;
    assert!(output.contains("By hand") && output.contains("Rename the role"), "{output}");
    assert!(!output.contains("\"Reader\""), "{output}");
}

#[test]
fn drift_check_that_fails_names_the_cause_and_ends_with_1() {
    let site = repository();
    apply(&site);
    // The apply job ends between the moment in which the check reads the branch and its plan.
    rename_role(&site);
    let during = "if [ \"$1\" = plan ]; then
  (cd $HOME/repository && TERRAFORM=terraform && ../scripts/plan.sh && ../scripts/apply.sh) >&2
fi
exec terraform \"$@\"";
    site.tool("during-apply", during);
    let output = site.ends("repository", "TERRAFORM=during-apply ../scripts/drift.sh", 1).stderr;
    assert!(output.contains("Another commit was applied during this check."), "{output}");
    assert_eq!(site.service.display_name("viewer"), "Reader");
    // Exit code 2 of another command is no drift.
    let git = "[ \"$1\" != log ] || exit 2\nPATH=${PATH#*:} exec git \"$@\"";
    site.tool("git", git);
    checks(&site, 1);
    fs::remove_file(site.home.join("bin/git")).expect("the tool");
    let unreachable = "git remote set-url origin ../nothing.git";
    let check = format!("{unreachable}; ../scripts/drift.sh");
    let output = site.ends("repository", &check, 1).stderr;
    assert!(output.contains("could not be read from origin"), "{output}");
    let output = site.ends("repository", "../scripts/plan.sh; ../scripts/apply.sh", 1).stderr;
    assert!(output.contains("The plan was applied, but"), "{output}");
}

/// Who can push the branch could otherwise hide drift, and run a configuration of their own with
/// the key.
#[test]
fn applied_branch_with_a_commit_that_was_not_merged_is_refused_and_does_not_run() {
    let site = repository();
    apply(&site);
    site.service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let move_branch = "git checkout --quiet -b theirs
sed -i.old 's/Viewer/By hand/' access/role.tf
rm access/role.tf.old
git commit --quiet -am Theirs
git push --quiet --force origin theirs:access-applied
git checkout --quiet main";
    site.ends("repository", move_branch, 0);
    site.service.clear_requests();
    let output = checks(&site, 1);
    assert!(output.stderr.contains("somebody may have moved it"), "{}", output.stderr);
    assert_eq!((output.stdout.as_str(), site.service.requests().len()), ("", 0));
}
