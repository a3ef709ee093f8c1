//! The scripts of a release, run as on a runner, with a release of this test.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::super::guides::paste::{host_path, path_from, tool};
use super::{COMPARE, DRAFT, RELEASE, SIGN, text, workflow};
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service, in_repository, provider};

const VERIFY: &str = "Verify the draft with the commands of SECURITY.md";
const INSTALL: &str = "Install the draft";

/// Every program that the job with the key may start, in addition to builtins of bash.
const PROGRAMS: [&str; 8] = ["cp", "gh", "gpg", "mkdir", "mktemp", "printf", "rm", "sha256sum"];

/// The variables of a trial.
const TRIAL: [(&str, &str); 2] =
    [("GITHUB_EVENT_NAME", "workflow_dispatch"), ("GITHUB_RUN_NUMBER", "7")];

/// Before it protects its first key, an agent of gpg measures for seconds how slow to make that.
const UNMEASURED: &str = "echo 's2k-count 65536' >";

/// In place of `gh`: keeps a draft, and writes down what it is asked for.
const GH: &str = "PATH=/usr/bin:/bin
printf '%s\\n' \"$*\" >> \"$HOME/calls\"
case \"$1 $2\" in
  'release create')
    case $* in *' --draft --verify-tag '* | *-trial.*' --draft --target HEAD --prerelease '*) ;; *) exit 1 ;; esac
    mkdir \"$HOME/draft\"
    for file; do case $file in dist/*) cp \"$file\" \"$HOME/draft/\" ;; esac; done ;;
  'release download') cp -r \"$HOME/draft\" \"$5\" ;;
  'repo view') echo owner/repository ;;
  'attestation verify') [ -z \"$UNVERIFIED\" ] ;;
  'run list') echo \"${RUNS:-1}\" ;;
  *) exit 1 ;;
esac";

/// A directory in which the steps of a workflow run. Each job has its own rights, and all of them
/// work in the same directory.
struct Runner {
    directory: tempfile::TempDir,
    release: Value,
    /// What the expressions of the workflow are.
    expressions: BTreeMap<String, String>,
}

impl Runner {
    /// Returns a runner with the repository, before any job has run.
    fn new(version: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let runner = Self {
            release: workflow(RELEASE),
            expressions: BTreeMap::from([
                ("github.repository".to_owned(), "owner/repository".to_owned()),
                ("needs.version.outputs.version".to_owned(), version.to_owned()),
                ("secrets.GPG_PASSPHRASE".to_owned(), "a passphrase".to_owned()),
            ]),
            directory,
        };
        for name in ["examples", "SECURITY.md", "terraform-registry-manifest.json"] {
            symlink(in_repository(name), runner.path(name)).expect("a link");
        }
        for name in ["all", "artifacts/materials", "home", "hosts", "known", "temporary"] {
            fs::create_dir_all(runner.path(name)).expect("a directory");
        }
        for program in PROGRAMS.iter().filter(|program| **program != "gh") {
            symlink(find_program(program), runner.path("known").join(program)).expect("a link");
        }
        fs::remove_file(runner.path("known/mktemp")).expect("a link");
        let mktemp = find_program("mktemp").display().to_string();
        let script = format!(
            "directory=$({mktemp} \"$@\")\n{UNMEASURED} \"$directory/gpg-agent.conf\"\necho \"$directory\""
        );
        tool(&runner.path("known"), "mktemp", &script);
        for directory in ["known", "all"] {
            tool(&runner.path(directory), "gh", GH);
        }
        runner
    }

    /// Returns a runner on which everything was built and all artifacts are downloaded. The binary
    /// in the archives, and programs that artifacts contain in addition, note the environment of
    /// the process that has started them.
    fn with_artifacts(version: &str) -> Self {
        let mut runner = Self::new(version);
        let steal = format!("cat /proc/$PPID/environ >> {}", runner.path("stolen").display());
        let own_host = host_path(&Service::full().workspace());
        for host in ["terraform", "tofu"] {
            tool(&runner.path("hosts"), host, &format!("{steal}\nexec {own_host} \"$@\""));
        }
        for program in ["bash", "gh", "git", "gpg", "sha256sum"] {
            tool(&runner.path(""), program, &steal);
        }
        tool(
            &runner.path("temporary"),
            "binary",
            &format!("{steal}\nexec '{}' \"$@\"", provider().display()),
        );
        runner.build("build", version);
        runner.build("rebuild", version);
        runner.sh("for platform in linux_amd64 linux_arm64 linux_arm linux_386 darwin_amd64 darwin_arm64 \\
  windows_amd64 windows_arm64 freebsd_amd64; do
  (cd artifacts/materials && sha256sum -- *_${platform}_sbom.cdx.json) >> sums
done");
        let sums = fs::read_to_string(runner.path("sums")).expect("sums").trim_end().to_owned();
        runner.expressions.insert("needs.materials.outputs.sums".to_owned(), sums);
        let key = runner.make_key("signer");
        runner.expressions.insert("secrets.GPG_PRIVATE_KEY".to_owned(), key);
        runner.sh("cp signer.asc release-key.asc");
        runner
    }

    /// Packs an archive for each platform of a job's matrix, lets its step hand over the outputs, and
    /// puts archives and bills of materials where `sign` downloads them.
    fn build(&mut self, job: &str, version: &str) {
        let matrix = self.release["jobs"][job]["strategy"]["matrix"]["include"].clone();
        let outputs = self.release["jobs"][job]["outputs"].clone();
        for member in matrix.as_array().expect("a matrix") {
            let (platform, target) = (text(&member["platform"]), text(&member["target"]));
            let folder = self.path(&format!("{job}-{platform}"));
            fs::create_dir_all(folder.join("dist")).expect("a directory");
            let binary = self.path("temporary/binary");
            let archive = dist::pack(&binary, target, version, &folder.join("dist"));
            let archive = archive.expect("an archive");
            dist::write_manifest(&folder.join("dist"), version).expect("a manifest");
            dist::write_sums(&folder.join("dist"), version).expect("checksums");
            let script = self.step(job, |it| it["id"] == "sum");
            let output = folder.join("output");
            let variables = [
                ("PLATFORM", platform.to_owned()),
                ("GITHUB_OUTPUT", output.display().to_string()),
                ("PATH", env::var("PATH").expect("PATH")),
            ];
            self.run(&folder, text(&script["run"]), variables).succeeds();
            for line in fs::read_to_string(&output).expect("outputs").lines() {
                let (name, value) = line.split_once('=').expect("an output");
                assert_eq!(name, platform, "{job}: each job of the matrix has a name of its own");
                assert_eq!(outputs[name], format!("${{{{ steps.sum.outputs.{name} }}}}"));
                self.expressions.insert(format!("needs.{job}.outputs.{name}"), value.to_owned());
            }
            let name = archive.file_name().expect("a name");
            let list = name.to_string_lossy().replace(".zip", "_sbom.cdx.json");
            fs::write(self.path("artifacts/materials").join(list), target).expect("a list");
            let artifact = self.path("artifacts").join(platform);
            fs::create_dir_all(&artifact).expect("a directory");
            fs::copy(&archive, artifact.join(name)).expect("an archive");
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Makes a key with a public half in `NAME.asc`, and returns the private half.
    fn make_key(&self, name: &str) -> String {
        self.sh(&format!(
            "mkdir -m 700 {name}
{UNMEASURED} {name}/gpg-agent.conf
gpg() {{ command gpg --homedir \"$PWD/{name}\" --batch --quiet --pinentry-mode loopback --passphrase 'a passphrase' \"$@\"; }}
gpg --quick-gen-key {name}@example.com ed25519 sign never
gpg --armor --output {name}.asc --export
gpg --armor --export-secret-keys
gpgconf --homedir \"$PWD/{name}\" --kill all"
        ))
        .stdout
    }

    /// Runs commands of the test.
    #[track_caller]
    fn sh(&self, script: &str) -> Outcome {
        let path = env::var("PATH").expect("PATH");
        self.run(self.directory.path(), script, [("PATH", path)]).succeeds()
    }

    fn run<'a>(
        &self,
        directory: &Path,
        script: &str,
        variables: impl IntoIterator<Item = (&'a str, String)>,
    ) -> Outcome {
        let mut command = Command::new(find_program("bash"));
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(directory)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("temporary"))
            .envs(variables);
        Outcome::of(&mut command)
    }

    fn step(&self, job: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let steps = self.release["jobs"][job]["steps"].as_array().expect("steps");
        steps.iter().find(|step| is_wanted(step)).expect("a step").clone()
    }

    /// Returns a text with its expressions replaced by their values.
    fn evaluate(&self, template: &str) -> String {
        let mut parts = template.split("${{");
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").expect("an expression");
            let value = self.expressions.get(expression.trim());
            result += value.unwrap_or_else(|| panic!("{expression} is not known"));
            result += rest;
        }
        result
    }

    /// Runs a step of a job, with the variables that it has on a runner, and with these.
    fn runs(&mut self, job: &str, name: &str, more: &[(&str, &str)]) -> Outcome {
        let definition = self.release["jobs"][job].clone();
        let step = self.step(job, |step| step["name"] == name);
        self.expressions.insert("github.token".to_owned(), format!("token-of-{job}"));
        // A job that starts what it has not made itself finds every program, `sign` those that a
        // job with rights may start.
        let path = if job == "sign" {
            self.path("known").display().to_string()
        } else {
            path_from(&self.path("all"))
        };
        let mut variables = BTreeMap::from([
            ("GITHUB_EVENT_NAME", "push".to_owned()),
            ("GITHUB_REPOSITORY", "owner/repository".to_owned()),
            ("GITHUB_SERVER_URL", "https://github.example".to_owned()),
            ("GITHUB_REF_NAME", format!("v{}", dist::VERSION)),
            ("GITHUB_SHA", "HEAD".to_owned()),
            ("PATH", path),
            ("RUNNER_TEMP", self.path("temporary").display().to_string()),
        ]);
        if definition["permissions"]["id-token"] == "write" {
            variables.insert("ACTIONS_ID_TOKEN_REQUEST_TOKEN", format!("token-of-{job}"));
        }
        for all in [&definition["env"], &step["env"]] {
            for (name, value) in all.as_object().into_iter().flatten() {
                let value = self.evaluate(text(value));
                self.expressions.insert(format!("env.{name}"), value.clone());
                variables.insert(name, value);
            }
        }
        variables.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        self.run(self.directory.path(), text(&step["run"]), variables)
    }

    /// Fails the test unless `sign` refuses the artifacts after a change, with this text. The change
    /// is undone.
    #[track_caller]
    fn refuses(&mut self, change: &str, part: &str) {
        self.sh(&format!("cp -r artifacts kept; {change}"));
        let outcome = self.runs("sign", COMPARE, &[]);
        assert_ne!(outcome.code, 0, "{change}");
        assert!(outcome.output().contains(part), "{change}: {}", outcome.output());
        self.sh("rm -r artifacts dist; mv kept artifacts");
    }

    /// Fails the test unless `sign` refuses the artifacts if an expression has another value.
    #[track_caller]
    fn refuses_value(&mut self, expression: &str, change: impl Fn(&str) -> String) {
        let value = self.expressions[expression].clone();
        self.expressions.insert(expression.to_owned(), change(&value));
        self.refuses("", OTHER_SUM);
        self.expressions.insert(expression.to_owned(), value);
    }

    /// Returns the environments that programs of artifacts have seen.
    fn stolen(&self) -> Option<String> {
        fs::read_to_string(self.path("stolen")).ok()
    }
}

fn find_program(name: &str) -> PathBuf {
    let path = env::var_os("PATH").expect("PATH");
    let mut all = env::split_paths(&path).map(|directory| directory.join(name));
    all.find(|path| path.is_file()).unwrap_or_else(|| panic!("{name} is not installed"))
}

const OTHER_SUM: &str = "does not have the SHA-256 that its job has handed over";

#[test]
fn draft_holds_what_was_built_and_no_artifact_is_started_beside_the_key() {
    if !has_tools(&["bash", "gpg"]) {
        return;
    }
    let mut runner = Runner::with_artifacts(dist::VERSION);

    // What is signed is what `build`, `rebuild` and `materials` have handed over.
    let change = "for file in artifacts/linux_arm/*.zip; do echo changed >> $file; done";
    runner.refuses(change, OTHER_SUM);
    runner.refuses("echo changed >> $(echo artifacts/materials/*_linux_386_*)", OTHER_SUM);
    runner.refuses("rm artifacts/windows_amd64/*", "No such file");
    // With the archive of another platform, and its sum.
    runner.refuses("mv artifacts/darwin_arm64/* artifacts/linux_arm", "No such file");
    let zeros = |sum: &str| sum.replace(|it: char| it.is_ascii_hexdigit(), "0");
    runner.refuses_value("needs.build.outputs.darwin_amd64", zeros);
    runner.refuses_value("needs.rebuild.outputs.linux_arm64", zeros);
    runner.refuses_value("needs.rebuild.outputs.linux_arm64", |_| String::new());
    // A line that `sha256sum --check` would ignore.
    runner.refuses_value("needs.build.outputs.linux_arm", |sum| format!("{sum}\n#"));
    runner.refuses_value("needs.materials.outputs.sums", |sums| format!("{sums}\n{sums}"));
    // What else an artifact contains is not taken.
    runner.sh("cp hosts/terraform artifacts/linux_arm; echo 0 > artifacts/linux_arm/.git
for file in artifacts/darwin_arm64/*; do echo other > artifacts/linux_arm/${file##*/}; done");
    runner.runs("sign", COMPARE, &[]).succeeds();
    assert_eq!(fs::read_dir(runner.path("dist")).expect("the files").count(), 20);

    // A key that users do not have.
    let other = runner.make_key("other");
    runner.sh("cp -r dist kept");
    let outcome = runner.runs("sign", SIGN, &[("GPG_PRIVATE_KEY", &other)]);
    assert!(outcome.code != 0 && outcome.stdout.contains("is not the key"), "{}", outcome.output());
    runner.sh("rm -r dist; mv kept dist");
    runner.runs("sign", SIGN, &[]).succeeds();
    let left = runner.sh("find . -path '*/private-keys-v1.d/*' -not -path './signer/*' -not -path './other/*'; ls \"$HOME\"");
    assert_eq!(left.stdout, "", "the private key stays on the runner");
    runner.runs("sign", DRAFT, &[]).succeeds();
    assert_eq!(runner.stolen(), None, "`sign` has started an artifact");
    runner.sh("mv draft release");

    runner.runs("install", VERIFY, &[]).succeeds();
    let calls = fs::read_to_string(runner.path("home/calls")).expect("calls");
    let archives = dist::archives(&runner.path("release")).expect("archives");
    assert_eq!(archives.len(), 9);
    for archive in &archives {
        let command = format!(
            "attestation verify {} --repo owner/repository --source-ref refs/tags/v{} --signer-workflow owner/repository/{RELEASE} --deny-self-hosted-runners\n",
            archive.file(),
            dist::VERSION
        );
        assert!(calls.contains(&command), "{command} is not in {calls}");
    }
    assert_eq!(calls.matches("attestation verify").count(), 2 * archives.len(), "{calls}");
}

#[test]
fn draft_that_differs_from_what_was_signed_is_not_published() {
    if !has_tools(&["bash", "gpg"]) {
        return;
    }
    let version = format!("{}-trial.7", dist::VERSION);
    let mut runner = Runner::with_artifacts(&version);
    for step in [COMPARE, SIGN] {
        runner.runs("sign", step, &[]).succeeds();
    }
    // The version of the trial is all that has been signed.
    let sums = runner.sh("cat dist/*_SHA256SUMS").stdout;
    assert_eq!(sums.lines().count(), 19);
    let name = format!("  terraform-provider-access_{version}_");
    assert!(sums.lines().all(|line| line.contains(&name)), "{sums}");
    runner.runs("sign", DRAFT, &TRIAL).succeeds();
    runner.sh("mv draft release");

    // A trial names what it does not check.
    let outcome = runner.runs("install", VERIFY, &TRIAL).succeeds();
    assert!(outcome.stdout.contains("::warning::NOT CHECKED"), "{}", outcome.stdout);
    assert_ne!(runner.runs("install", VERIFY, &[("UNVERIFIED", "yes")]).code, 0);
    let all = [VERIFY, INSTALL];
    for (change, steps) in [
        ("for file in release/*_linux_a*64.zip; do echo changed >> $file; done", &all[..]),
        ("echo >> $(echo release/*_SHA256SUMS)", &[VERIFY]),
        ("rm release/*_SHA256SUMS.sig", &[VERIFY]),
    ] {
        for step in steps {
            runner.sh(&format!("cp -r release kept; {change}"));
            assert_ne!(runner.runs("install", step, &[]).code, 0, "{change}: {step}");
            runner.sh("rm -r release; mv kept release");
        }
    }
    runner.runs("install", VERIFY, &TRIAL).succeeds();
    assert_eq!(runner.stolen(), None, "a program of an artifact was started");
    runner.runs("install", INSTALL, &TRIAL).succeeds();
    // They were started now, by a job without anything to steal.
    let stolen = runner.stolen().expect("programs of artifacts");
    for secret in ["token-of-", "PRIVATE KEY", "a passphrase"] {
        assert!(!stolen.contains(secret), "{secret} in {stolen}");
    }
}

#[test]
fn trial_has_a_version_of_its_own_and_a_release_that_of_its_tag() {
    if !has_tools(&["bash", "jq"]) {
        return;
    }
    let mut runner = Runner::new("");
    let metadata = r#"{"packages": [{"name": "terraform-provider-access", "version": "1.2.3"}]}"#;
    tool(&runner.path("all"), "cargo", &format!("echo '{metadata}'"));
    let changelog = |text: &str| format!("echo '## 1.2.3 ({text})' > CHANGELOG.md");
    let tag = |name| [("GITHUB_REF_NAME", name)];
    for (variables, date, expected) in [
        (&TRIAL[..], "Unreleased", Ok("version=1.2.3-trial.7")),
        (&tag("v1.2.3"), "July 1, 2027", Ok("version=1.2.3")),
        (&tag("v1.2.4"), "July 1, 2027", Err("The tag is v1.2.4")),
        (&tag("v1.2.3"), "Unreleased", Err("no dated section for 1.2.3")),
    ] {
        runner.sh(&changelog(date));
        let output = runner.path("output").display().to_string();
        let all = [variables, &[("GITHUB_OUTPUT", output.as_str())]].concat();
        let outcome =
            runner.runs("version", "Compare the tag with the version in Cargo.toml", &all);
        match expected {
            Ok(line) => {
                outcome.succeeds();
                let written = fs::read_to_string(&output).expect("the output");
                assert_eq!(written.trim(), line);
                fs::remove_file(&output).expect("the output");
            }
            Err(part) => {
                assert_eq!(outcome.code, 1, "{part}");
                assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
            }
        }
    }
}

#[test]
fn tag_is_released_only_for_a_commit_of_main_with_green_workflows() {
    const CHECK: &str =
        "Check that the commit is on main, and that the workflows have succeeded for it there";
    if !has_tools(&["bash"]) {
        return;
    }
    let mut runner = Runner::new(dist::VERSION);
    // As `actions/checkout` leaves a tag with the history of all branches.
    runner.sh("git init --quiet -b main origin
cd origin
git config user.name A
git config user.email a@example.com
git commit --quiet --allow-empty -m one
git tag v1
git commit --quiet --allow-empty -m two
git checkout --quiet -b side v1
git commit --quiet --allow-empty -m three
git tag v2
cd ..
git init --quiet -b elsewhere .
git fetch --quiet origin '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*'");
    runner.runs("version", CHECK, &[("GITHUB_SHA", "v1")]).succeeds();
    let calls = fs::read_to_string(runner.path("home/calls")).expect("calls");
    assert_eq!(calls.lines().count(), 2, "{calls}");
    for (call, workflow) in calls.lines().zip(["test.yml", "audit.yml"]) {
        for part in [workflow, "--branch main", "--event push", "--commit v1", "--status success"] {
            assert!(call.contains(part), "{part} is not in {call}");
        }
    }
    for (variables, part) in [
        (&[("GITHUB_SHA", "v2")][..], "v2 is not on main"),
        (&[("GITHUB_SHA", "v1"), ("RUNS", "0")], "test.yml has not succeeded on main"),
    ] {
        let outcome = runner.runs("version", CHECK, variables);
        assert_eq!(outcome.code, 1, "{part}");
        assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
    }
}
