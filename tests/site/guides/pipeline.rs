//! The workflow of `examples/pipelines`, copied as its page describes, with `examples/team` as it
//! is: two regions, and a local server in the place of GitHub's API.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use access_fake::Rank;
use serde_json::{Value, json};

use super::super::pipelines::github::COMMIT;
use super::super::pipelines::runner::{Event, Job, Runner};
use super::super::pipelines::site::Site;
use super::blocks;
use super::paste::{Shell, paste, shells};
use crate::support::tools::has_tools;
use crate::support::{Feature, has_parts, host_version, in_repository};

const README: &str = "examples/pipelines/README.md";
const WORKFLOW: &str = ".github/workflows/access.yml";

/// A folder that is not the one of the workflow.
const FOLDER: &str = "teams/access";

/// Returns a site with `examples/team` and the workflow, locked and pushed; `None` if the host
/// cannot read the example, or a tool is missing.
#[track_caller]
fn team() -> Option<Site> {
    if !has_tools(&["bash", "curl", "git", "jq"])
        || !host_version().supports(Feature::EphemeralVariables)
    {
        return None;
    }
    let site = Site::new(FOLDER);
    let example = in_repository("examples/team");
    site.ends("repository", &format!("cp -R '{}/.' {FOLDER}", example.display()), 0);
    for (region, name) in [(&site.eu, "eu"), (&site.us, "us")] {
        region.put_key("reader", &format!("{name}-read"), Rank::Reader);
        region.put_key("writer", &format!("{name}-write"), Rank::Admin);
    }
    // The blocks of the README are pasted, each in another shell.
    let shells = shells();
    let first = *shells.first().expect("a shell");
    let paste = |shell: Shell, text: &str| {
        paste(shell, &mut site.program(shell.name, "repository"), README, text)
    };
    paste(first, &blocks::with(README, "mkdir -p ci"));
    let path = site.home.join("repository").join(WORKFLOW);
    let workflow = fs::read_to_string(&path).expect("the workflow");
    let edited = workflow.lines().map(|line| match line.strip_suffix(" # folder") {
        Some(line) => line.replace("access", FOLDER) + " # folder\n",
        None => format!("{line}\n"),
    });
    fs::write(path, edited.collect::<String>()).expect("the workflow");
    let block = blocks::with(README, "install-provider.sh --lock")
        .replace("TF_ROOT=access", &format!("TF_ROOT={FOLDER}"))
        .replace("0.1.0 PROVIDER", &format!("{} PROVIDER", env!("CARGO_PKG_VERSION")))
        .replace("https://releases.example.com/0.1.0", &site.variables["PROVIDER_URL"]);
    let last = *shells.last().expect("a shell");
    let pasted = paste(last, &block);
    // Every platform of the release is locked.
    assert!(pasted.stderr.contains("checksums for darwin_arm64"), "{}", pasted.stderr);
    site.commit("The pipeline");
    Some(site)
}

/// Returns the workflow with a key for each region, as an administrator sets it up.
fn runner(site: &Site) -> Runner<'_> {
    let text = str::to_owned;
    Runner {
        site,
        workflow: WORKFLOW,
        variables: BTreeMap::from([
            ("EU_BASE_URL", site.eu.base_url()),
            ("US_BASE_URL", site.us.base_url()),
            ("ACCESS_BASE_URL", text("https://default.example.com")),
            ("PROVIDER_URL", site.variables["PROVIDER_URL"].clone()),
            ("PROVIDER_UNSIGNED", text("yes")),
        ]),
        secrets: BTreeMap::from([
            ("EU_READ_KEY", text("eu-read")),
            ("US_READ_KEY", text("us-read")),
        ]),
        environment_secrets: BTreeMap::from([
            ("EU_WRITE_KEY", text("eu-write")),
            ("US_WRITE_KEY", text("us-write")),
        ]),
    }
}

/// Pushes a branch with a change that these commands make.
fn propose(site: &Site, branch: &str, commands: &str) {
    let script = format!(
        "git checkout --quiet -b {branch}\n{commands}\ngit add --all --force\ngit commit --quiet -m Change\ngit push --quiet origin {branch}\ngit checkout --quiet main"
    );
    site.ends("repository", &script, 0);
}

#[track_caller]
fn succeeds(job: Job) -> String {
    assert!(job.succeeded, "{}", job.output);
    job.output
}

/// Fails the test unless the job has failed and printed these texts.
#[track_caller]
fn fails(job: &Job, parts: &[&str]) {
    assert!(!job.succeeded, "{}", job.output);
    has_parts(&job.output, parts);
}

fn writes(site: &Site) -> usize {
    site.eu.writes().len() + site.us.writes().len()
}

#[test]
fn two_regions_are_planned_on_a_pull_request_applied_and_checked_for_drift() {
    let Some(site) = team() else { return };
    let mut runner = runner(&site);

    // A required check that is skipped counts as passed.
    propose(&site, "change", "");
    let fork = Event::PullRequest { repository: "mallory/access", branch: "change" };
    fails(&runner.job(fork, "plan"), &["::error::A pull request of a fork gets no keys"]);
    assert_eq!(site.eu.requests().len() + site.us.requests().len(), 0);
    assert_eq!(site.forge.take_writes(), []);
    assert!(!site.home.join("runner/ci").exists(), "the fork is not checked out");

    // A commit may contain what `init` and the scripts write.
    let forged = format!(
        "for platform in linux_amd64 linux_arm64 darwin_amd64 darwin_arm64; do
  for place in registry.terraform.io/access/access/{0} registry.opentofu.org/access/access/{0} z.example/z/access/9.9.9; do
    mkdir -p {FOLDER}/.terraform/providers/$place/$platform
    printf '#!/bin/sh\\necho FORGED\\n' > {FOLDER}/.terraform/providers/$place/$platform/terraform-provider-access_v{0}
    chmod +x {FOLDER}/.terraform/providers/$place/$platform/*
  done
done
mkdir access-plan
echo FORGED > access-plan/summary.md",
        dist::VERSION
    );
    propose(&site, "forged", &forged);
    succeeds(runner.job(Event::pull_request("forged"), "plan"));
    let [(call, comment)] = &site.forge.take_writes()[..] else { panic!("one comment") };
    assert!(call.starts_with("pr comment 7 "), "{call}");
    has_parts(
        comment,
        &["module.eu.module.listing", "module.us.module.listing", " to add, 0 to change"],
    );
    // Each region was read with its own key.
    for part in ["FORGED", "Could not look"] {
        assert!(!comment.contains(part), "{comment}");
    }
    // `init` fails, so this job has no result.
    let broken = format!("echo 'module \"x\" {{ source = \"./nothing\" }}' > {FOLDER}/x.tf");
    propose(&site, "broken", &format!("{forged}\n{broken}"));
    let job = runner.job(Event::pull_request("broken"), "plan");
    assert!(!job.succeeded && !job.output.contains("FORGED"), "{}", job.output);
    let [(_, comment)] = &site.forge.take_writes()[..] else { panic!("one comment") };
    assert!(!comment.contains("FORGED") && comment.contains("## No plan"), "{comment}");
    assert!(!site.home.join("artifacts").exists(), "a pull request's plan is kept by nobody");

    succeeds(runner.job(Event::Push, "plan"));
    assert_eq!((writes(&site), site.forge.take_writes().len()), (0, 0));
    let summary = || fs::read_to_string(site.home.join("summary")).expect("the summary");
    has_parts(&summary(), &["module.us.module.listing", " to add, 0 to change"]);
    // Another base address than that of the plan, which a create does not contain.
    let us = runner.variables.insert("US_BASE_URL", site.eu.base_url()).expect("an address");
    let parts = [
        "made for other base addresses. Nothing was applied.",
        "ACCESS_BASE_URL=https://default.example.com",
        &us,
        &site.eu.base_url(),
    ];
    fails(&runner.job(Event::Push, "apply"), &parts);
    assert_eq!(writes(&site), 0);
    let [(_, failed)] = &site.forge.take_writes()[..] else { panic!("one comment") };
    has_parts(failed, &["apply: failure", "module.us.module.listing"]);
    runner.variables.insert("US_BASE_URL", us);
    succeeds(runner.job(Event::Push, "apply"));
    assert_eq!((site.eu.roles("github").len(), site.us.roles("github").len()), (2, 1));
    // The report of the applied plan stays with the commit.
    let [(call, kept)] = &site.forge.take_writes()[..] else { panic!("one comment") };
    assert_eq!(
        call,
        &format!(
            "api --method POST repos/{{owner}}/{{repo}}/commits/{COMMIT}/comments --field body=@FILE --silent"
        )
    );
    has_parts(kept, &["apply: success", "module.us.module.listing"]);

    site.us.change_role("github", "viewer", json!({"displayName": "By hand"}));
    let job = runner.job(Event::Schedule, "drift");
    fails(&job, &["## Changed outside Terraform", "By hand", "module.us.module.listing"]);
    has_parts(&summary(), &["# Drift\n\n", "By hand"]);

    // A provider that nobody has reviewed. The host finds every provider by itself.
    runner.variables.remove("PROVIDER_URL");
    site.ends(
        "",
        "cp -R .terraform-access mirror; cp -R mirror/registry.terraform.io mirror/z.example",
        0,
    );
    let mirror = site.home.join("mirror");
    let rules = format!(
        "provider_installation {{\n  filesystem_mirror {{\n    path = {mirror:?}\n  }}\n}}\n"
    );
    fs::write(site.home.join(".terraformrc"), &rules).expect("the CLI configuration");
    fs::write(site.home.join(".tofurc"), rules).expect("the CLI configuration");
    let versions = site.home.join("repository").join(FOLDER).join("versions.tf");
    let text = fs::read_to_string(&versions).expect("the versions");
    let other =
        "required_providers {\n    other = {\n      source = \"z.example/access/access\"\n    }\n";
    fs::write(versions, text.replace("required_providers {\n", other)).expect("the versions");
    site.commit("Another provider");
    let before = writes(&site);
    for (event, job) in [(Event::Push, "apply"), (Event::Push, "plan"), (Event::Schedule, "drift")]
    {
        fails(&runner.job(event, job), &["Provider dependency changes detected"]);
    }
    assert_eq!((writes(&site), site.forge.take_writes().len()), (before, 0));
}

/// What a job may do with which key, and that no apply is stopped in the middle.
#[test]
fn only_the_apply_has_the_keys_that_write_and_waits_for_its_environment() {
    let text = fs::read_to_string(in_repository("examples/pipelines/github/access.yml"));
    let workflow: Value = serde_yaml_ng::from_str(&text.expect("the workflow")).expect("YAML");
    assert_eq!(workflow["concurrency"]["cancel-in-progress"], false);
    // A run that waits is replaced by the next one of its group.
    let events = [Event::pull_request("change"), Event::Push, Event::Schedule];
    let groups: BTreeSet<_> = events.iter().map(|event| event.group(&workflow)).collect();
    assert_eq!(groups.len(), events.len(), "{groups:?}");
    assert_eq!(workflow["permissions"], json!({"contents": "read"}));
    let jobs = workflow["jobs"].as_object().expect("jobs");
    assert_eq!(jobs.keys().collect::<Vec<_>>(), ["apply", "drift", "plan"]);
    for (name, job) in jobs {
        let is_apply = name == "apply";
        assert_eq!(job["environment"] == "access", is_apply, "{name}");
        assert_eq!(job.to_string().contains("_WRITE_KEY"), is_apply, "{name}");
        assert_eq!(job.to_string().contains("_READ_KEY"), !is_apply, "{name}");
        let steps = job["steps"].as_array().expect("steps").iter();
        let mut keys = steps.filter(|step| step["env"]["ACCESS_API_KEY"].is_string());
        let step = keys.next().expect("a step with keys");
        assert_eq!(step["run"], format!("exec ci/{name}.sh"));
        let right = if is_apply { "WRITE" } else { "READ" };
        let secret = |region: &str| format!("${{{{ secrets.{region}_{right}_KEY }}}}");
        let expected = json!({
            "ACCESS_API_KEY": secret("ACCESS"),
            "TF_VAR_eu_api_key": secret("EU"),
            "TF_VAR_us_api_key": secret("US"),
        });
        assert_eq!((&step["env"], keys.count()), (&expected, 0), "{name}");
        let permissions = match name.as_str() {
            "apply" => json!({"contents": "write"}),
            "plan" => json!({"contents": "read", "pull-requests": "write"}),
            _ => Value::Null,
        };
        assert_eq!(job["permissions"], permissions, "{name}");
    }
    assert_eq!(
        (&jobs["apply"]["needs"], &jobs["apply"]["if"]),
        (&json!("plan"), &json!("github.event_name == 'push'"))
    );
    // A fork's job runs, so that it can fail.
    assert_eq!(
        jobs["plan"]["if"],
        "github.event_name == 'pull_request' || github.event_name == 'push'"
    );
    assert!(!workflow["on"].to_string().contains("pull_request_target"));
    let steps = || jobs.values().flat_map(|job| job["steps"].as_array().expect("steps"));
    for (action, option, value) in [
        ("actions/checkout", "persist-credentials", json!(false)),
        ("hashicorp/setup-terraform", "terraform_wrapper", json!(false)),
        ("opentofu/setup-opentofu", "tofu_wrapper", json!(false)),
        ("actions/upload-artifact", "retention-days", json!(1)),
        ("actions/upload-artifact", "if-no-files-found", json!("error")),
    ] {
        let uses =
            |step: &&Value| step["uses"].as_str().is_some_and(|uses| uses.starts_with(action));
        let values: BTreeSet<_> =
            steps().filter(uses).map(|it| it["with"][option].to_string()).collect();
        assert_eq!(values, BTreeSet::from([value.to_string()]), "{action}: {option}");
    }
}
