//! The workflows: which job has which right, what is pinned, and the commands of the last job of a
//! release, run with a release of this test. What only GitHub can show is not tested: that its
//! runners, attestations and drafts do what their documentation says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use super::pipelines::site::write_release;
#[cfg(target_os = "linux")]
use super::walkthrough::paste::{host_path, path_from, tool};
use crate::pages::files;
#[cfg(target_os = "linux")]
use crate::support::{Outcome, Service, tools::has_tools};
use crate::support::{in_repository, text_of};

const RELEASE: &str = ".github/workflows/release.yml";

/// The job of a release that signs and publishes.
const LAST: &str = "publish";

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
fn only_the_last_job_of_a_release_has_rights_or_secrets() {
    let release = workflow(RELEASE);
    let jobs = release["jobs"].as_object().expect("jobs");
    for (name, job) in jobs {
        let expected = match name.as_str() {
            LAST => json!({"contents": "write", "id-token": "write", "attestations": "write"}),
            "version" => json!({"contents": "read", "actions": "read"}),
            _ => json!({"contents": "read"}),
        };
        assert_eq!(*permissions(&release, job), expected, "{name}");
        let is_trusted = name == LAST;
        assert_eq!(job["environment"] == "release", is_trusted, "{name}");
        assert_eq!(job.to_string().contains("secrets."), is_trusted, "{name}");
    }
    assert!(jobs.contains_key(LAST));

    for (path, file) in all() {
        let path = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("a file of the repository");
        let is_own_workflow = path.starts_with(".github/workflows");
        if !is_own_workflow || path == Path::new(RELEASE) {
            continue;
        }
        for (name, job) in file["jobs"].as_object().expect("jobs") {
            let place = format!("{} {name}", path.display());
            assert_eq!(*permissions(&file, job), json!({"contents": "read"}), "{place}");
            assert!(!job.to_string().contains("secrets."), "{place}");
        }
    }
}

#[test]
fn last_job_of_a_release_compiles_and_downloads_nothing_and_publishes_last() {
    let release = workflow(RELEASE);
    let jobs = release["jobs"].as_object().expect("jobs");
    let job = &jobs[LAST];
    // All others come before it.
    let mut before = BTreeSet::new();
    let mut open = vec![LAST];
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
    assert_eq!(before.len(), jobs.len() - 1, "{before:?}");

    let steps = job["steps"].as_array().expect("steps");
    let actions: BTreeSet<_> =
        steps.iter().filter_map(|step| step["uses"].as_str()?.split('@').next()).collect();
    let known = ["actions/attest", "actions/checkout", "actions/download-artifact"];
    assert_eq!(actions, BTreeSet::from(known));
    for step in steps {
        let script = text(&step["run"]);
        let words =
            script.split(|character: char| !character.is_alphanumeric() && character != '-');
        for word in words {
            let foreign = [
                "apt-get", "cargo", "cc", "curl", "docker", "gcc", "go", "make", "npm", "pip",
                "python3", "rustc", "rustup", "wget", "xtask",
            ];
            assert!(!foreign.contains(&word), "{word} in {script}");
        }
    }
    let marks = [
        "--detach-sign",
        "actions/attest@",
        "gh release create",
        "gh release download",
        "SECURITY.md",
        "install-provider.sh",
        "gh release edit",
    ];
    let place = |mark: &&str| {
        let has_mark =
            |step: &Value| text(&step["run"]).contains(mark) || text(&step["uses"]).contains(mark);
        steps.iter().position(has_mark).unwrap_or_else(|| panic!("{mark}"))
    };
    let places: Vec<_> = marks.iter().map(place).collect();
    assert!(places.is_sorted() && places.last() == Some(&(steps.len() - 1)), "{places:?}");
    // Only what was checked by a signature is attested, and a failed step ends the job.
    assert!(steps.iter().all(|step| step["continue-on-error"].is_null()));
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

/// A directory in which the scripts of the last job run, as on a runner.
#[cfg(target_os = "linux")]
struct Runner {
    directory: tempfile::TempDir,
    variables: BTreeMap<&'static str, String>,
}

#[cfg(target_os = "linux")]
impl Runner {
    /// Returns a runner with the repository and the files of a release, which are not signed yet.
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        let version = dist::VERSION;
        for name in ["examples", "SECURITY.md"] {
            std::os::unix::fs::symlink(in_repository(name), path(name)).expect("a link");
        }
        for name in ["bin", "home", "hosts", "temporary"] {
            fs::create_dir(path(name)).expect("a directory");
        }
        write_release(&path("dist"));
        for name in ["linux_amd64_sbom.cdx.json", "darwin_arm64_sbom.cdx.json"] {
            fs::write(path("dist").join(dist::file_name(version, name)), "{}").expect("a file");
        }
        dist::write_manifest(&path("dist"), version).expect("a manifest");
        dist::write_sums(&path("dist"), version).expect("checksums");
        let variables = BTreeMap::from([
            ("GITHUB_EVENT_NAME", "push".to_owned()),
            ("GITHUB_REPOSITORY", "owner/repository".to_owned()),
            ("GPG_PASSPHRASE", "a passphrase".to_owned()),
            ("HOME", path("home").display().to_string()),
            ("PATH", path_from(&path("bin"))),
            ("PREFIX", dist::file_name(version, "").trim_end_matches('_').to_owned()),
            ("RUNNER_TEMP", path("temporary").display().to_string()),
            ("TAG", format!("v{version}")),
            ("TMPDIR", path("temporary").display().to_string()),
            ("VERSION", version.to_owned()),
        ]);
        let mut runner = Self { directory, variables };
        // What it verifies, and nothing else, is written down.
        tool(
            &runner.path("bin"),
            "gh",
            "printf '%s\\n' \"$*\" >> ../verified; [ -z \"$UNVERIFIED\" ]",
        );
        let own_host = host_path(&Service::full().workspace());
        for host in ["terraform", "tofu"] {
            tool(&runner.path("hosts"), host, &format!("exec {own_host} \"$@\""));
        }
        let key = runner.make_key("release");
        runner.variables.insert("GPG_PRIVATE_KEY", key);
        runner.sh("cp release.asc release-key.asc");
        runner
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Makes a key with a public half in `NAME.asc`, and returns the private half.
    fn make_key(&self, name: &str) -> String {
        self.sh(&format!(
            "mkdir -m 700 {name}
gpg() {{ command gpg --homedir \"$PWD/{name}\" --batch --quiet --pinentry-mode loopback --passphrase 'a passphrase' \"$@\"; }}
gpg --quick-gen-key {name}@example.com rsa3072 sign never
gpg --armor --output {name}.asc --export
gpg --armor --export-secret-keys
gpgconf --homedir \"$PWD/{name}\" --kill all"
        ))
        .stdout
    }

    /// Runs commands in the directory.
    #[track_caller]
    fn sh(&self, script: &str) -> Outcome {
        self.run(script, &[]).succeeds()
    }

    fn run(&self, script: &str, more: &[(&str, &str)]) -> Outcome {
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(self.directory.path())
            .env_clear()
            .envs(&self.variables)
            .envs(more.iter().copied());
        Outcome::of(&mut command)
    }

    /// Runs the script of a step of the last job.
    fn step(&self, name: &str, more: &[(&str, &str)]) -> Outcome {
        let release = workflow(RELEASE);
        let steps = release["jobs"][LAST]["steps"].as_array().expect("steps").clone();
        let step = steps.iter().find(|step| step["name"] == name);
        let script = step.unwrap_or_else(|| panic!("no step {name}"))["run"].clone();
        self.run(text(&script), more)
    }
}

#[cfg(target_os = "linux")]
#[test]
fn draft_is_signed_verified_and_installed_by_the_scripts_of_the_last_job() {
    const SIGN: &str = "Sign the checksums";
    const VERIFY: &str = "Verify the draft with the commands of SECURITY.md";
    const INSTALL: &str = "Install the draft";
    if !has_tools(&["bash", "gpg"]) {
        return;
    }
    let runner = Runner::new();

    // Files that changed after `assemble`, and another key than that of the repository, are not
    // signed.
    let other = runner.make_key("other");
    let outcome = runner.step(SIGN, &[("GPG_PRIVATE_KEY", &other)]);
    assert!(outcome.code != 0 && outcome.stdout.contains("is not the key"), "{}", outcome.output());
    runner
        .sh("cp -r dist kept; for file in dist/*_linux_amd64.zip; do echo changed >> $file; done");
    let outcome = runner.step(SIGN, &[]);
    assert!(outcome.code != 0 && outcome.stdout.contains("FAILED"), "{}", outcome.output());
    assert!(!runner.path("dist").join(dist::file_name(dist::VERSION, "SHA256SUMS.sig")).exists());
    runner.sh("rm -r dist; mv kept dist");
    runner.step(SIGN, &[]).succeeds();
    let left = runner.sh("find . -name 'private-keys*' -not -path './release/*' -not -path './other/*'; ls \"$HOME\"");
    assert_eq!(left.stdout, "", "the private key stays on the runner");

    // As `gh release download` writes it.
    runner.sh("cp -r dist draft; cp release-key.asc draft/");
    runner.step(VERIFY, &[]).succeeds();
    let verified = fs::read_to_string(runner.path("verified")).expect("what was verified");
    let archives = dist::archives(&runner.path("dist")).expect("archives");
    assert_eq!(verified.lines().count(), archives.len() + 2, "{verified}");
    for archive in &archives {
        let command = format!(
            "attestation verify {} --repo owner/repository --source-ref refs/tags/v{} --signer-workflow owner/repository/{RELEASE} --deny-self-hosted-runners\n",
            archive.file(),
            dist::VERSION
        );
        assert!(verified.contains(&command), "{command} is not in {verified}");
    }
    runner.step(INSTALL, &[]).succeeds();

    // A trial says what it does not check.
    runner.sh("rm verified");
    let trial = [("GITHUB_EVENT_NAME", "workflow_dispatch")];
    let outcome = runner.step(VERIFY, &trial).succeeds();
    assert!(outcome.stdout.contains("::warning::NOT CHECKED"), "{}", outcome.stdout);
    assert!(!runner.path("verified").exists());

    // Nothing is published after any of these.
    assert_ne!(runner.step(VERIFY, &[("UNVERIFIED", "yes")]).code, 0);
    for (change, step) in [
        ("for file in draft/*_linux_amd64.zip; do echo changed >> $file; done", VERIFY),
        ("for file in draft/*_linux_amd64.zip; do echo changed >> $file; done", INSTALL),
        ("echo >> draft/*_SHA256SUMS", VERIFY),
        ("echo >> draft/*_SHA256SUMS", INSTALL),
        ("rm draft/*_SHA256SUMS.sig", VERIFY),
        ("rm draft/*_SHA256SUMS.sig", INSTALL),
        ("cp other.asc draft/release-key.asc", VERIFY),
    ] {
        runner.sh(&format!("cp -r draft kept; {change}"));
        assert_ne!(runner.step(step, &[]).code, 0, "{change}: {step}");
        runner.sh("rm -r draft; mv kept draft");
    }
    runner.step(VERIFY, &[]).succeeds();
}
