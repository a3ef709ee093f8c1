//! The pipelines of `examples/pipelines`, copied as their pages describe and run step by step, with
//! a local server in the place of GitHub's API.

use std::collections::BTreeMap;
use std::fs;

use serde_json::json;

use super::super::pipelines::site::Site;
use super::blocks;
use super::paste::{Shell, paste, shells};
use crate::support::Outcome;
use crate::support::tools::has_tools;

const README: &str = "examples/pipelines/README.md";

/// Returns the lines of a section of a YAML file, without those that are less indented.
fn section<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines().skip_while(|line| *line != heading);
    let first = lines.next().unwrap_or_else(|| panic!("{heading:?} is in the file"));
    lines.take_while(|line| line.is_empty() || indent(line) > indent(first)).collect()
}

/// Returns the value of each key in these lines: what follows it, or the block below `|`.
fn values(lines: &[&str], key: &str) -> Vec<String> {
    let mut values = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let entry = line.trim_start().trim_start_matches("- ");
        let Some(value) = entry.strip_prefix(&format!("{key}: ")) else { continue };
        if value != "|" {
            values.push(value.to_owned());
            continue;
        }
        let indent = line.len() - entry.len();
        let block = lines[index + 1..]
            .iter()
            .take_while(|line| line.is_empty() || line.len() - line.trim_start().len() > indent);
        values.push(block.map(|line| line.trim_start()).collect::<Vec<_>>().join("\n"));
    }
    values
}

/// Where a pipeline comes from, and how its system runs a job.
struct System {
    pipeline: &'static str,
    /// The page with the pipeline in a block. Without it, the README's block copies the pipeline.
    page: Option<&'static str>,
    /// The job that plans a pull request.
    review: &'static str,
    /// Returns the commands of the steps of a job.
    steps: fn(&str, &str) -> Vec<String>,
    /// The exit code of a job that finds drift.
    drift: i32,
}

const GITHUB: System = System {
    pipeline: ".github/workflows/access.yml",
    page: None,
    review: "plan",
    steps: |text, job| values(&section(text, &format!("  {job}:")), "run"),
    drift: 0,
};

const GITLAB: System = System {
    pipeline: ".gitlab-ci.yml",
    page: Some("examples/pipelines/gitlab.md"),
    review: "review",
    steps: |text, job| {
        let default = section(text, "default:").join("\n");
        let job = section(text, &format!("{job}:")).join("\n");
        let items = [section(&default, "  before_script:"), section(&job, "  script:")].concat();
        let items = items.into_iter().filter_map(|line| line.trim_start().strip_prefix("- "));
        // One shell for all of them.
        vec![items.collect::<Vec<_>>().join("\n")]
    },
    drift: 2,
};

/// Copies the pipeline, edits the lines of the folder, locks the provider, and pushes everything.
#[track_caller]
fn copy(system: &System, site: &Site, folder: &str) {
    let root = site.home.join("repository");
    // The blocks of the README are pasted, each in another shell.
    let shells = shells();
    let first = *shells.first().expect("a shell");
    let paste = |shell: Shell, text: &str| {
        paste(shell, &mut site.program(shell.name, "repository"), README, text)
    };
    paste(first, &blocks::with(README, "mkdir -p ci"));
    if let Some(page) = system.page {
        fs::write(root.join(system.pipeline), blocks::with(page, "stages:")).expect("a pipeline");
    }
    let pipeline = fs::read_to_string(root.join(system.pipeline)).expect("a pipeline");
    let edited = pipeline.lines().map(|line| match line.strip_suffix(" # folder") {
        Some(line) => line.replace("access", folder) + " # folder\n",
        None => format!("{line}\n"),
    });
    fs::write(root.join(system.pipeline), edited.collect::<String>()).expect("a pipeline");
    let block = blocks::with(README, "install-provider.sh --lock")
        .replace("TF_ROOT=access", &format!("TF_ROOT={folder}"))
        .replace("0.1.0 PROVIDER", &format!("{} PROVIDER", env!("CARGO_PKG_VERSION")))
        .replace("https://releases.example.com/0.1.0", &site.variables["PROVIDER_URL"]);
    let last = *shells.last().expect("a shell");
    let pasted = paste(last, &block);
    // Every platform of the release is locked.
    assert!(pasted.stderr.contains("checksums for darwin_arm64"), "{}", pasted.stderr);
    site.commit("The pipeline");
}

/// Runs the steps of a job in a fresh clone, as a runner does. Fails the test unless every step
/// ends with 0, or the last one with `code`.
#[track_caller]
fn run_job(system: &System, site: &Site, job: &str, key: &str, code: i32) {
    // A runner has no mirror, and `apply` has the artifact of `plan`.
    let prepare = "rm -rf .terraform-access env output
if [ -d runner/access-plan ]; then rm -rf artifact; cp -r runner/access-plan artifact; fi
rm -rf runner
git clone --quiet origin.git runner
if [ $JOB = apply ]; then cp -r artifact runner/access-plan; fi";
    Outcome::of(site.command("", prepare).env("JOB", job)).succeeds();
    let clone = site.home.join("runner");
    let pipeline = fs::read_to_string(clone.join(system.pipeline)).expect("a pipeline");
    let mut folders = pipeline.lines().filter_map(|line| line.strip_suffix(" # folder"));
    let folder = folders.next_back().and_then(|line| line.rsplit(' ').next()).expect("the folder");
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let mut variables: BTreeMap<_, _> =
        [("TF_ROOT", folder), ("ACCESS_API_KEY", key)].map(own).into_iter().collect();
    let steps = (system.steps)(&pipeline, job);
    assert!(!steps.is_empty(), "{job}");
    for (index, commands) in steps.iter().enumerate() {
        let expected = if index + 1 == steps.len() { code } else { 0 };
        Outcome::of(site.command("runner", commands).envs(&variables)).exits(expected);
        // What a step sets for those behind it, on GitHub.
        let read = |file| fs::read_to_string(site.home.join(file)).unwrap_or_default();
        let set = format!("{}{}", read("env"), read("output").replace("code=", "CODE="));
        variables.extend(set.lines().filter_map(|line| line.split_once('=')).map(own));
    }
}

/// Copies a pipeline, locks the provider, and runs its jobs. Returns what was written to the forge:
/// the comments of a plan, and the issues of a drift check.
#[track_caller]
fn walk(system: &System) -> Option<[Vec<String>; 2]> {
    if !has_tools(&["bash", "curl", "git", "jq"]) {
        return None;
    }
    let folder = "teams/access";
    let site = Site::new(folder);
    copy(system, &site, folder);
    let run_job = |job, key, code| run_job(system, &site, job, key, code);
    let written = || site.forge.take_writes().into_iter().map(|(_, text)| text).collect();
    let file = |name: &str| fs::read_to_string(site.home.join("runner").join(name)).expect(name);

    run_job(system.review, "reader-key", 0);
    let summary = file("access-plan/summary.md");
    assert!(summary.contains("1 to add, 0 to change, 0 to destroy."), "{summary}");
    let comments = written();
    run_job("plan", "reader-key", 0);
    assert_eq!(site.service.writes().len(), 0);
    run_job("apply", "admin-key", 0);
    run_job("drift", "reader-key", 0);
    let _: Vec<String> = written();
    site.service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    run_job("drift", "reader-key", system.drift);
    let summary = file("access-drift/summary.md");
    assert!(summary.contains("By hand"), "{summary}");
    Some([comments, written()])
}

#[test]
fn github_pipeline_is_walked_in_another_folder_from_copy_to_drift_issue() {
    let Some([comments, issues]) = walk(&GITHUB) else { return };
    assert_eq!((comments.len(), issues.len()), (1, 1), "{comments:?} {issues:?}");
    assert!(comments[0].contains("1 to add, 0 to change, 0 to destroy."), "{comments:?}");
    assert!(issues[0].contains("By hand"), "{issues:?}");
}

#[test]
fn gitlab_pipeline_is_walked_in_another_folder_from_copy_to_drift() {
    let Some([comments, issues]) = walk(&GITLAB) else { return };
    assert!(comments.is_empty() && issues.is_empty(), "{comments:?} {issues:?}");
}
