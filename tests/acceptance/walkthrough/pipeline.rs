//! The pipelines of `examples/pipelines`, copied as their README describes and run step by step, with
//! local servers in the place of the forge, its API, and the folder of the release.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::installed::release;
use super::super::pipelines::http::{Request, Server};
use super::super::pipelines::{CommandOutput, SHA256, output_of};
use super::blocks;
use super::paste::{host_path, paste, shells};
use crate::support::tools::has_tools;
use crate::support::{Service, Workspace};

const README: &str = "examples/pipelines/README.md";

/// A step of a job: the commands, and the directory in which the system runs them.
struct Step {
    directory: &'static str,
    commands: String,
}

/// Returns the lines of a section of a YAML file, without those that are less indented.
fn section<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines().skip_while(|line| *line != heading);
    let first = lines.next().unwrap_or_else(|| panic!("{heading:?} is in the file"));
    lines.take_while(|line| line.is_empty() || indent(line) > indent(first)).collect()
}

/// Returns the value of each key in these lines: what follows it, or the block below `|`.
fn values(lines: &[&str], keys: &[&str]) -> Vec<String> {
    let mut values = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let key = line.trim_start().trim_start_matches("- ");
        let Some(value) = keys.iter().find_map(|name| key.strip_prefix(&format!("{name}: ")))
        else {
            continue;
        };
        if value != "|" {
            values.push(format!("{value}\n"));
            continue;
        }
        let indent = line.len() - key.len();
        let block = lines[index + 1..]
            .iter()
            .take_while(|line| line.is_empty() || line.len() - line.trim_start().len() > indent);
        let block: Vec<_> = block.map(|line| line.trim_start()).collect();
        values.push(block.join("\n") + "\n");
    }
    values
}

fn github_steps(text: &str, job: &str) -> Vec<Step> {
    let commands = values(&section(text, &format!("  {job}:")), &["run"]);
    commands.into_iter().map(|commands| Step { directory: "access", commands }).collect()
}

fn gitlab_steps(text: &str, job: &str) -> Vec<Step> {
    let default = section(text, "default:").join("\n");
    let job = section(text, &format!("{job}:")).join("\n");
    let items = [section(&default, "  before_script:"), section(&job, "  script:")].concat();
    let items = items.into_iter().filter_map(|line| line.trim_start().strip_prefix("- "));
    // One shell for all of them, in the top directory.
    let commands = items.map(|line| format!("{line}\n")).collect();
    vec![Step { directory: ".", commands }]
}

fn azure_steps(text: &str, stage: &str, setup: &str) -> Vec<Step> {
    let lines = section(text, &format!("  - stage: {stage}"));
    assert!(lines.iter().any(|line| line.contains("- template: ci/setup.yml")), "{stage}");
    let setup = values(&setup.lines().collect::<Vec<_>>(), &["script"]);
    // The first step of the setup downloads the host, for which a test has no network.
    let setup = setup.into_iter().skip(1).map(|commands| Step { directory: ".", commands });
    let steps = values(&lines, &["script"]).into_iter();
    setup.chain(steps.map(|commands| Step { directory: "access", commands })).collect()
}

/// The API of each forge, as far as one comment and one issue go.
#[derive(Default)]
struct Forge {
    comments: Vec<Value>,
    issues: Vec<Value>,
}

fn respond(forge: &mut Forge, request: &Request) -> Value {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let body = request.json();
    let elements = |all: &[Value]| if query.contains("page=2") { json!([]) } else { json!(all) };
    let is_comment = ["comments", "notes", "threads"].iter().any(|part| path.contains(part));
    match request.method.as_str() {
        "GET" if path.ends_with("/user") => json!({"id": 99}),
        "GET" if path.ends_with("/connectionData") => json!({"authenticatedUser": {"id": 99}}),
        "GET" if path.ends_with("/threads") => json!({"value": forge.comments}),
        "GET" if is_comment => elements(&forge.comments),
        "GET" => elements(&forge.issues),
        "POST" if path.ends_with("/wiql") => json!({"workItems": forge.issues}),
        "POST" if is_comment => {
            let text = if body["comments"].is_array() {
                &body["comments"][0]["content"]
            } else {
                &body["body"]
            };
            forge.comments.push(json!({"id": 1, "body": text, "user": {"type": "Bot"},
                "author": {"id": 99},
                "comments": [{"id": 1, "author": {"id": 99}, "content": text}]}));
            json!({})
        }
        "POST" => {
            forge.issues.push(json!({"id": 1, "number": 1, "iid": 1}));
            json!({})
        }
        _ if is_comment => {
            forge.comments[0]["updated"] = json!(true);
            json!({})
        }
        _ => {
            if request.body.contains("close") || request.body.contains("Done") {
                forge.issues.clear();
            }
            json!({})
        }
    }
}

/// A repository with a copied pipeline, and everything that a job has around it.
struct Site {
    service: Service,
    workspace: Workspace,
    forge: Arc<Mutex<Forge>>,
    root: PathBuf,
    variables: BTreeMap<String, String>,
    _releases: Server,
    _directory: TempDir,
}

impl Site {
    fn new(system: &str) -> Self {
        let service = Service::full();
        let workspace = service.workspace();
        let forge = Arc::<Mutex<Forge>>::default();
        let shared = Arc::clone(&forge);
        let api = Server::start(move |request| {
            let mut forge = shared.lock().expect("the forge");
            (200, respond(&mut forge, request).to_string().into_bytes())
        });
        let directory = tempfile::tempdir().expect("a directory");
        // A copy: the release may be the one that CI built.
        let packed = directory.path().join("release");
        fs::create_dir(&packed).expect("a directory");
        let files = fs::read_dir(release()).expect("the release");
        for file in files.flatten() {
            fs::copy(file.path(), packed.join(file.file_name())).expect("a copy");
        }
        let served = packed.clone();
        let releases = Server::start(move |request| {
            let name = request.path.rsplit('/').next().unwrap_or_default();
            fs::read(served.join(name)).map_or((404, Vec::new()), |bytes| (200, bytes))
        });
        let root = directory.path().join("repository");
        fs::create_dir_all(root.join("access")).expect("a directory");
        let home = directory.path().to_owned();
        let mut variables = BTreeMap::new();
        let mut set = |name: &str, value: String| _ = variables.insert(name.to_owned(), value);
        set("HOME", home.display().to_string());
        set(
            "PATH",
            format!("{}:{}", home.join("bin").display(), std::env::var("PATH").expect("PATH")),
        );
        set("ACCESS_BASE_URL", service.base_url());
        set("TERRAFORM", "terraform".to_owned());
        set("CHECKPOINT_DISABLE", "1".to_owned());
        set("TF_IN_AUTOMATION", "1".to_owned());
        set("PROVIDER_VERSION", env!("CARGO_PKG_VERSION").to_owned());
        set("PROVIDER_URL", releases.url());
        set("APPLIED_BRANCH", "access-applied".to_owned());
        let api = api.url();
        let pairs: Vec<(&str, String)> = match system {
            "github" => vec![
                ("GITHUB_ACTIONS", "true".to_owned()),
                ("GITHUB_API_URL", api),
                ("GITHUB_REPOSITORY", "example/access".to_owned()),
                ("GITHUB_REF", "refs/pull/7/merge".to_owned()),
                ("GITHUB_TOKEN", "token".to_owned()),
                ("GITHUB_ENV", home.join("env").display().to_string()),
                ("GITHUB_OUTPUT", home.join("output").display().to_string()),
                ("GITHUB_STEP_SUMMARY", home.join("summary").display().to_string()),
            ],
            "gitlab" => vec![
                ("GITLAB_CI", "true".to_owned()),
                ("CI_API_V4_URL", api),
                ("CI_PROJECT_ID", "12".to_owned()),
                ("CI_MERGE_REQUEST_IID", "7".to_owned()),
                ("GITLAB_TOKEN", "token".to_owned()),
            ],
            _ => vec![
                ("TF_BUILD", "True".to_owned()),
                ("SYSTEM_COLLECTIONURI", format!("{api}/example/")),
                ("SYSTEM_TEAMPROJECTID", "p-1".to_owned()),
                ("BUILD_REPOSITORY_ID", "r-1".to_owned()),
                ("BUILD_REPOSITORY_PROVIDER", "TfsGit".to_owned()),
                ("SYSTEM_PULLREQUEST_PULLREQUESTID", "7".to_owned()),
                ("SYSTEM_ACCESSTOKEN", "token".to_owned()),
            ],
        };
        for (name, value) in pairs {
            set(name, value);
        }
        let site = Self {
            service,
            workspace,
            forge,
            root,
            variables,
            _releases: releases,
            _directory: directory,
        };
        site.prepare(&home, &packed);
        site
    }

    /// Prepares the host, a signed release for two platforms, the configuration, and a repository
    /// with an origin.
    fn prepare(&self, home: &Path, packed: &Path) {
        let terraform = host_path(&self.workspace);
        let state = home.join("state.tfstate");
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let script = format!(
            "{SHA256}mkdir bin keyring terraform-provider-access
printf '#!/bin/sh\\nexec {terraform} \"$@\"\\n' > bin/terraform
printf '#!/bin/sh\\n' > bin/apk
chmod +x bin/*
ln -s {examples} terraform-provider-access/examples
cd {packed}
version={version}
cp terraform-provider-access_${{version}}_*_*.zip other.zip
for platform in linux_amd64 darwin_arm64; do
  archive=terraform-provider-access_${{version}}_$platform.zip
  [ -f $archive ] || cp other.zip $archive
done
rm other.zip
sha256 *.zip > terraform-provider-access_${{version}}_SHA256SUMS
chmod 700 $HOME/keyring
export GNUPGHOME=$HOME/keyring
gpg --batch --quiet --passphrase '' --quick-gen-key release@example.com ed25519 sign never
gpg --batch --quiet --detach-sign --output terraform-provider-access_${{version}}_SHA256SUMS.sig terraform-provider-access_${{version}}_SHA256SUMS
gpg --batch --armor --output $HOME/release-key.asc --export
gpgconf --kill all
git init --quiet --bare -b main $HOME/origin.git
cd {root}
git init --quiet -b main .
git remote add origin $HOME/origin.git
git config user.name A
git config user.email a@example.com
cat > access/main.tf <<'END'
terraform {{
  required_providers {{
    access = {{ source = \"access/access\" }}
  }}
  backend \"local\" {{
    path = \"{state}\"
  }}
}}

resource \"access_listing_role\" \"viewer\" {{
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
}}
END
",
            examples = examples.display(),
            packed = packed.display(),
            version = env!("CARGO_PKG_VERSION"),
            root = self.root.display(),
            state = state.display(),
        );
        self.succeeds(home, &script, "admin-key");
    }

    fn run(
        &self,
        directory: &Path,
        commands: &str,
        key: &str,
        more: &BTreeMap<String, String>,
    ) -> CommandOutput {
        let mut command = Command::new("bash");
        // As all three systems run a step: the first failure ends it.
        command
            .args(["-eo", "pipefail", "-c", commands])
            .current_dir(directory)
            .env_clear()
            .envs(&self.variables)
            .env("ACCESS_API_KEY", key)
            .envs(more);
        output_of(&mut command)
    }

    #[track_caller]
    fn succeeds(&self, directory: &Path, commands: &str, key: &str) -> CommandOutput {
        let output = self.run(directory, commands, key, &BTreeMap::new());
        assert_eq!(output.code, Some(0), "{commands}\n{}\n{}", output.stdout, output.stderr);
        output
    }

    /// Runs the steps of a job in a fresh clone, as a runner does. Fails the test unless every step ends
    /// with 0, or the last one with `code`.
    #[track_caller]
    fn job(&self, steps: &[Step], key: &str, code: i32, artifact: Option<&Path>) -> PathBuf {
        assert!(!steps.is_empty());
        let clone = self.root.with_file_name("runner");
        let prepare = "rm -rf runner && git clone --quiet origin.git runner";
        self.succeeds(self.root.parent().expect("a parent"), prepare, key);
        if let Some(artifact) = artifact {
            let copy = format!("cp -r {} access/access-plan", artifact.display());
            self.succeeds(&clone, &copy, key);
        }
        let mut variables = BTreeMap::new();
        for (index, step) in steps.iter().enumerate() {
            // Macros of Azure Pipelines and variables of steps of GitHub Actions.
            let commands = step.commands.replace("$(Pipeline.Workspace)/", "");
            if let Ok(text) = fs::read_to_string(self.root.with_file_name("output")) {
                variables.extend(
                    text.lines().filter_map(pair).map(|(name, value)| (name.to_uppercase(), value)),
                );
            }
            let output = self.run(&clone.join(step.directory), &commands, key, &variables);
            let expected = if index + 1 == steps.len() { code } else { 0 };
            assert_eq!(
                output.code,
                Some(expected),
                "{commands}\n{}\n{}",
                output.stdout,
                output.stderr
            );
            let azure = output.stdout.lines().filter_map(|line| {
                pair(&line.strip_prefix("##vso[task.setvariable variable=")?.replacen(']', "=", 1))
            });
            variables.extend(azure);
            if let Ok(text) = fs::read_to_string(self.root.with_file_name("env")) {
                variables.extend(text.lines().filter_map(pair));
            }
        }
        _ = fs::remove_file(self.root.with_file_name("output"));
        clone
    }

    /// The environment of a shell at a desk.
    fn environment(&self) -> Vec<(&str, &str)> {
        let variables = self.variables.iter();
        variables.map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    fn comments(&self) -> Vec<Value> {
        self.forge.lock().expect("the forge").comments.clone()
    }

    fn issues(&self) -> usize {
        self.forge.lock().expect("the forge").issues.len()
    }
}

fn pair(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    Some((name.to_owned(), value.to_owned()))
}

/// Copies a pipeline, locks the provider, and runs its jobs. `copied` are the files in addition to the scripts.
#[track_caller]
fn walk(
    system: &str,
    copied: &[(&str, &str)],
    steps: impl Fn(&Path, &str) -> Vec<Step>,
    drift: i32,
) {
    if !has_tools(&["bash", "curl", "git", "gpg", "jq"]) {
        return;
    }
    let site = Site::new(system);
    // The blocks of the README are pasted, once in each shell.
    let shells = if system == "github" { shells() } else { shells()[..1].to_vec() };
    let copy = blocks::with(README, "mkdir -p ci");
    for shell in &shells {
        paste(*shell, &site.root, site.environment(), README, &copy);
    }
    for (file, to) in copied {
        let copy = format!("cp ../terraform-provider-access/examples/pipelines/{file} {to}");
        site.succeeds(&site.root, &copy, "reader-key");
    }
    site.succeeds(&site.root, "cp ../release-key.asc ci/", "reader-key");
    let lock = blocks::with(README, "providers lock")
        .replace("0.1.0", env!("CARGO_PKG_VERSION"))
        .replace("https://releases.example.com", &site.variables["PROVIDER_URL"]);
    for shell in shells {
        let pasted = paste(shell, &site.root.join("access"), site.environment(), README, &lock);
        assert!(pasted.stdout.contains("TF_CLI_CONFIG_FILE="), "{}", pasted.stdout);
    }
    let commit =
        "git add -A && git commit --quiet -m 'The pipeline' && git push --quiet origin main";
    site.succeeds(&site.root, commit, "reader-key");

    // Twice: the comment is updated, not repeated.
    let plan = steps(&site.root, "plan");
    site.job(&plan, "reader-key", 0, None);
    assert_eq!(site.comments().len(), 1, "{system}");
    let text = site.comments()[0]["body"].as_str().expect("a comment").to_owned();
    assert!(text.contains("1 to add, 0 to change, 0 to destroy."), "{system}: {text}");
    let clone = site.job(&plan, "reader-key", 0, None);
    assert_eq!((site.comments().len(), &site.comments()[0]["updated"]), (1, &json!(true)));
    assert_eq!(site.service.writes().len(), 0, "{system}");

    let artifact = site.root.with_file_name("access-plan");
    fs::rename(clone.join("access/access-plan"), &artifact).expect("the artifact");
    site.job(&steps(&site.root, "apply"), "admin-key", 0, Some(&artifact));
    assert!(site.service.role("github", "viewer").is_some(), "{system}");

    let check = steps(&site.root, "drift");
    site.job(&check, "reader-key", 0, None);
    assert_eq!(site.issues(), 0, "{system}");
    site.service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    site.job(&check, "reader-key", drift, None);
    assert_eq!(site.issues(), 1, "{system}");
    site.service.change_role("github", "viewer", json!({"displayName": "Viewer"}));
    site.job(&check, "reader-key", 0, None);
    assert_eq!(site.issues(), 0, "{system}");
}

#[test]
fn github_pipeline_is_copied_locked_and_run() {
    walk(
        "github",
        &[],
        |root, job| {
            let text = fs::read_to_string(root.join(".github/workflows/access.yml")).expect("it");
            github_steps(&text, job)
        },
        0,
    );
}

#[test]
fn gitlab_pipeline_is_copied_locked_and_run() {
    walk(
        "gitlab",
        &[("gitlab/.gitlab-ci.yml", ".")],
        |root, job| {
            let text = fs::read_to_string(root.join(".gitlab-ci.yml")).expect("it");
            gitlab_steps(&text, job)
        },
        2,
    );
}

#[test]
fn azure_pipeline_is_copied_locked_and_run() {
    walk(
        "azure",
        &[("azure/azure-pipelines.yml", "."), ("azure/setup.yml", "ci/")],
        |root, stage| {
            let text = fs::read_to_string(root.join("azure-pipelines.yml")).expect("it");
            let setup = fs::read_to_string(root.join("ci/setup.yml")).expect("it");
            azure_steps(&text, stage, &setup)
        },
        0,
    );
}
