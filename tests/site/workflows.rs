//! The workflows: which job has which right, what a job with rights starts, and what is pinned.
//! `release` runs the scripts of a release. What only GitHub can show is not tested: that its runners,
//! attestations and drafts do what their documentation says.

mod commands;
#[cfg(target_os = "linux")]
mod release;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::commands::commands;
use crate::pages::files;
use crate::support::{in_repository, text_of};

const RELEASE: &str = ".github/workflows/release.yml";

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

/// Returns whether a job can write, sign or attest anything.
fn has_rights(workflow: &Value, job: &Value) -> bool {
    let permissions = permissions(workflow, job);
    let may_write = permissions.as_object().is_none_or(|all| all.values().any(|it| it == "write"));
    may_write || !job["environment"].is_null() || job.to_string().contains("secrets.")
}

#[test]
fn only_two_jobs_of_a_release_have_rights_and_one_has_secrets() {
    let release = workflow(RELEASE);
    let jobs = release["jobs"].as_object().expect("jobs");
    assert!(["sign", "publish", "version"].iter().all(|name| jobs.contains_key(*name)));
    for (name, job) in jobs {
        let expected = match name.as_str() {
            "sign" => json!({"contents": "write", "id-token": "write", "attestations": "write"}),
            "publish" => json!({"contents": "write"}),
            "version" => json!({"contents": "read", "actions": "read"}),
            _ => json!({"contents": "read"}),
        };
        assert_eq!(*permissions(&release, job), expected, "{name}");
        let signs = name == "sign";
        assert_eq!(job["environment"] == "release", signs, "{name}");
        assert_eq!(job.to_string().contains("secrets."), signs, "{name}");
    }

    for (path, file) in all() {
        let path = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("a file of the repository");
        let is_own_workflow = path.starts_with(".github/workflows");
        if !is_own_workflow || path == Path::new(RELEASE) {
            continue;
        }
        for (name, job) in file["jobs"].as_object().expect("jobs") {
            let place = format!("{} {name}", path.display());
            assert_eq!(*permissions(&file, job), json!({"contents": "read"}), "{place}");
            assert!(!has_rights(&file, job), "{place}");
        }
    }
}

/// Everything that a job with rights may start. Programs that start others, such as `env`, are not
/// among them. Builtins of bash are, where a script needs them.
const PROGRAMS: [&str; 7] = ["cp", "gh", "gpg", "mktemp", "printf", "rm", "sha256sum"];
const BUILTINS: [&str; 7] = ["[", "cd", "echo", "exit", "export", "mapfile", "shopt"];
const ACTIONS: [&str; 4] =
    ["actions/attest", "actions/checkout", "actions/download-artifact", "actions/upload-artifact"];
/// Variables, because others name programs: `BASH_ENV`, `GH_PAGER`, `PATH`.
const VARIABLES: [&str; 10] = [
    "BUILT",
    "BUILT_AGAIN",
    "CARGO_INCREMENTAL",
    "CARGO_TERM_COLOR",
    "GH_REPO",
    "GH_TOKEN",
    "GPG_PASSPHRASE",
    "GPG_PRIVATE_KEY",
    "PREFIX",
    "TAG",
];

/// Fails the test if a job can start anything else.
fn starts_known_programs_only(place: &str, workflow: &Value, job: &Value) {
    // What else can start something: another workflow, an image, another shell.
    for key in ["uses", "container", "services", "defaults"] {
        assert!(job[key].is_null(), "{place}: {key}");
    }
    assert!(workflow["defaults"].is_null(), "{place}: defaults");
    for step in job["steps"].as_array().expect("steps") {
        assert!(step["shell"].is_null() && step["continue-on-error"].is_null(), "{place}: {step}");
        let action = text(&step["uses"]).split('@').next().unwrap_or_default();
        assert!(action.is_empty() || ACTIONS.contains(&action), "{place}: {action}");
        let script = text(&step["run"]);
        assert!(!script.contains("${{"), "{place}: the text of another job in {script}");
        for command in commands(script) {
            let is_known = PROGRAMS.contains(&&*command) || BUILTINS.contains(&&*command);
            assert!(is_known, "{place} starts {command}");
        }
        for variable in [&workflow["env"], &job["env"], &step["env"]]
            .iter()
            .flat_map(|all| all.as_object().into_iter().flatten())
            .map(|(name, _)| name.as_str())
        {
            assert!(VARIABLES.contains(&variable), "{place}: {variable}");
        }
        for file in ["GITHUB_ENV", "GITHUB_PATH"] {
            assert!(!script.contains(file), "{place}: {file} in {script}");
        }
    }
}

#[test]
fn job_with_rights_starts_known_programs_and_no_others() {
    let mut names = Vec::new();
    let workflows = files(&in_repository(".github/workflows"), "yml");
    for path in &workflows {
        let file = parse(&fs::read_to_string(path).expect("a workflow"));
        for (name, job) in file["jobs"].as_object().expect("jobs") {
            if has_rights(&file, job) {
                starts_known_programs_only(name, &file, job);
                names.push(name.clone());
            }
        }
    }
    names.sort();
    assert_eq!(names, ["publish", "sign"]);

    // The same test fails for everything that could start an artifact.
    let release = workflow(RELEASE);
    for script in ["hosts/terraform version", "env -i gpg", "sh a.sh", "\"$tool\"", "x=$(awk 1 a)"]
    {
        let mut job = release["jobs"]["sign"].clone();
        job["steps"].as_array_mut().expect("steps").push(json!({ "run": script }));
        let check = || starts_known_programs_only("sign", &release, &job);
        assert!(std::panic::catch_unwind(check).is_err(), "{script}");
    }
}

#[test]
fn release_is_published_after_everything_else() {
    let release = workflow(RELEASE);
    let jobs = release["jobs"].as_object().expect("jobs");
    let before = |name: &str| {
        let mut before = BTreeSet::new();
        let mut open = vec![name];
        while let Some(next) = open.pop() {
            let needs = &jobs[next]["needs"];
            let needs = needs.as_array().cloned().unwrap_or_else(|| vec![needs.clone()]);
            for need in needs.iter().filter_map(Value::as_str) {
                let (need, _) = jobs.get_key_value(need).expect("a job");
                if before.insert(need.as_str()) {
                    open.push(need);
                }
            }
        }
        before
    };
    assert_eq!(before("publish").len(), jobs.len() - 1);
    assert!(before("publish").contains("install") && before("install").contains("sign"));
    assert_eq!(before("sign").len(), jobs.len() - 3);
    // A condition such as `always()` would publish after a failure.
    for (name, job) in jobs {
        let condition = text(&job["if"]);
        assert!(["", "github.event_name == 'push'"].contains(&condition), "{name}: {condition}");
    }
    let publish = jobs["publish"]["steps"].as_array().expect("steps");
    assert_eq!(jobs["publish"]["if"], "github.event_name == 'push'");
    assert_eq!(publish.len(), 1);
    assert_eq!(publish[0]["run"], "gh release edit \"$GITHUB_REF_NAME\" --draft=false");

    // Only what is signed is attested, and only what is attested is drafted.
    let steps = jobs["sign"]["steps"].as_array().expect("steps");
    let place = |mark: &&str| {
        let has_mark =
            |step: &Value| text(&step["run"]).contains(mark) || text(&step["uses"]).contains(mark);
        steps.iter().position(has_mark).unwrap_or_else(|| panic!("{mark}"))
    };
    let marks = [
        "actions/download-artifact@",
        "sha256sum --check",
        "--detach-sign",
        "actions/attest@",
        "gh release create",
    ];
    let places: Vec<_> = marks.iter().map(place).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn actions_and_downloads_are_pinned_by_hash_and_runners_by_version() {
    let is_hash = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let mut pinned = 0;
    let mut downloads = 0;
    for (path, file) in all() {
        let path = path.display();
        for step in steps(&file) {
            if let Some(action) = step["uses"].as_str().filter(|action| !action.starts_with("./")) {
                let (_, version) = action.split_once('@').expect("a version");
                assert!(is_hash(version, 40), "{path}: {action}");
                pinned += 1;
            }
            let script = text(&step["run"]);
            assert!(!script.contains("docker "), "{path}: an image in {script}");
            if script.contains("curl ") || script.contains("wget ") {
                let environment = step["env"].to_string();
                let words = [script, &environment].map(|text| {
                    let words = text.split(|it: char| !it.is_alphanumeric());
                    words.filter(|word| is_hash(word, 64)).count()
                });
                assert!(words.iter().sum::<usize>() > 0, "{path}: no hash in {script}");
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
    assert!(pinned > 20 && downloads >= 2, "{pinned} actions, {downloads} downloads");
}
