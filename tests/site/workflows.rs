//! The workflows: which job has which right, and what is pinned. `release` runs the scripts of a
//! release. actionlint and zizmor, which `.ci/run` starts, read all of them. What only GitHub can
//! show is not tested: that its runners, attestations and drafts do what their documentation says.

#[cfg(target_os = "linux")]
mod release;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::pages::files;
use crate::support::{in_repository, text_of};

const RELEASE: &str = ".github/workflows/release.yml";
const COMPARE: &str = "Take the files, compare them with what was built, and write the checksums";
const SIGN: &str = "Sign the checksums";
const DRAFT: &str = "Draft the release, and download the draft";

fn parse(text: &str) -> Value {
    serde_yaml_ng::from_str(text).expect("YAML")
}

fn workflow(path: &str) -> Value {
    parse(&text_of(path))
}

/// Returns workflows, and the actions of this repository, by their paths.
fn all() -> Vec<(PathBuf, Value)> {
    let mut paths = files(&in_repository(".github/workflows"), "yml");
    paths.extend(files(&in_repository(".github/actions"), "yml"));
    paths.extend(files(&in_repository("examples/pipelines/github"), "yml"));
    assert!(paths.len() >= 6, "{paths:?}");
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a workflow");
            (path, parse(&text))
        })
        .collect()
}

/// Returns the steps of every job of a workflow, or of an action.
fn steps(file: &Value) -> Vec<&Value> {
    let jobs = file["jobs"].as_object().into_iter().flatten().map(|(_, job)| job);
    let of_jobs = jobs.flat_map(|job| job["steps"].as_array().into_iter().flatten());
    of_jobs.chain(file["runs"]["steps"].as_array().into_iter().flatten()).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the rights of a job: its own, or else those of the workflow.
fn permissions<'a>(workflow: &'a Value, job: &'a Value) -> &'a Value {
    if job["permissions"].is_null() { &workflow["permissions"] } else { &job["permissions"] }
}

#[test]
fn only_two_jobs_of_a_release_have_rights_and_one_has_secrets() {
    let mut with_rights = 0;
    for path in files(&in_repository(".github/workflows"), "yml") {
        let file = parse(&fs::read_to_string(&path).expect("a workflow"));
        let is_release = path == in_repository(RELEASE);
        for (name, job) in file["jobs"].as_object().expect("jobs") {
            let place = format!("{} {name}", path.display());
            let expected = match name.as_str() {
                "sign" if is_release => {
                    json!({"contents": "write", "id-token": "write", "attestations": "write"})
                }
                "publish" if is_release => json!({"contents": "write"}),
                "version" if is_release => json!({"contents": "read", "actions": "read"}),
                _ => json!({"contents": "read"}),
            };
            assert_eq!(*permissions(&file, job), expected, "{place}");
            let signs = is_release && name == "sign";
            assert_eq!(!job["environment"].is_null(), signs, "{place}");
            assert_eq!(job.to_string().contains("secrets."), signs, "{place}");
            with_rights += usize::from(expected["contents"] == "write");
        }
    }
    assert_eq!(with_rights, 2);
}

#[test]
fn release_is_signed_after_everything_is_built_and_published_after_it_was_installed() {
    let release = workflow(RELEASE);
    let jobs = release["jobs"].as_object().expect("jobs");
    let needs = [
        ("freebsd", json!("build")),
        ("sign", json!(["version", "build", "rebuild", "freebsd", "materials"])),
        ("install", json!(["version", "sign"])),
        ("publish", json!("install")),
    ];
    for (name, job) in jobs {
        let expected = needs.iter().find(|(job, _)| job == name).map(|(_, needs)| needs);
        let expected = expected.cloned().unwrap_or_else(|| json!("version"));
        assert_eq!(job["needs"], if name == "version" { Value::Null } else { expected }, "{name}");
        // A condition such as `always()` would publish after a failure.
        let condition = if name == "publish" { "github.event_name == 'push'" } else { "" };
        assert_eq!(text(&job["if"]), condition, "{name}");
    }
    let publish = jobs["publish"]["steps"].as_array().expect("steps");
    assert_eq!(publish.len(), 1);
    assert_eq!(publish[0]["run"], "gh release edit \"$GITHUB_REF_NAME\" --draft=false");

    // Only what is signed is attested, and only what is attested is drafted.
    let steps = jobs["sign"]["steps"].as_array().expect("steps").iter();
    let names = steps.map(|step| match step["uses"].as_str() {
        Some(action) => action.split('@').next().expect("a name"),
        None => text(&step["name"]),
    });
    let expected = [
        "actions/checkout",
        "actions/download-artifact",
        COMPARE,
        SIGN,
        "actions/attest",
        DRAFT,
        "actions/upload-artifact",
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

/// zizmor fails for actions that are not pinned by hash.
#[test]
fn downloads_are_pinned_by_hash_and_programs_and_runners_by_version() {
    let is_hash =
        |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut downloads = 0;
    for (path, file) in all() {
        let path = path.display();
        for step in steps(&file) {
            let script = text(&step["run"]);
            if script.contains("curl ") || script.contains("wget ") {
                let environment = step["env"].to_string();
                let mut words = [script, &environment]
                    .into_iter()
                    .flat_map(|text| text.split(|it: char| !it.is_alphanumeric()));
                assert!(words.any(is_hash), "{path}: no hash in {script}");
                assert!(script.contains("sha256sum --check"), "{path}: {script}");
                downloads += 1;
            }
            for line in script.lines().filter(|line| line.contains("cargo install ")) {
                assert!(line.contains("--locked") && line.contains("--version"), "{path}: {line}");
            }
            for line in script.lines().filter(|line| line.contains(" go install ")) {
                // The checksum database of Go has the hash of each version.
                assert!(line.contains("@v"), "{path}: {line}");
            }
        }
        for (name, job) in file["jobs"].as_object().into_iter().flatten() {
            assert!(!job.to_string().contains("-latest"), "{path} {name}: {}", job["runs-on"]);
        }
    }
    assert!(downloads >= 2, "{downloads} downloads");
}
