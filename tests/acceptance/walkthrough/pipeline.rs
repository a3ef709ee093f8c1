//! The pipelines of `examples/pipelines`, copied as their README describes and run step by step, with
//! local servers in the place of the forge, its API, and the folder of the release.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use super::super::installed::release;
use super::super::pipelines::forges::Forge;
use super::super::pipelines::http::Server;
use super::super::pipelines::{CommandOutput, SHA256, output_of};
use super::blocks;
use super::paste::{host_path, paste, shells};
use crate::support::Service;
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
    name: &'static str,
    /// The files to copy in addition to those of the README's block, and where to.
    copied: &'static [(&'static str, &'static str)],
    pipeline: &'static str,
    /// Returns the commands of the steps of a job, from the pipeline and the folder `ci`.
    steps: fn(&str, &str, &Path) -> Vec<String>,
    /// The exit code of a job that finds drift.
    drift: i32,
}

const GITHUB: System = System {
    name: "github",
    copied: &[],
    pipeline: ".github/workflows/access.yml",
    steps: |text, job, _| values(&section(text, &format!("  {job}:")), "run"),
    drift: 0,
};

const GITLAB: System = System {
    name: "gitlab",
    copied: &[("gitlab/.gitlab-ci.yml", ".")],
    pipeline: ".gitlab-ci.yml",
    steps: |text, job, _| {
        let default = section(text, "default:").join("\n");
        let job = section(text, &format!("{job}:")).join("\n");
        let items = [section(&default, "  before_script:"), section(&job, "  script:")].concat();
        let items = items.into_iter().filter_map(|line| line.trim_start().strip_prefix("- "));
        // One shell for all of them.
        vec![items.collect::<Vec<_>>().join("\n")]
    },
    drift: 2,
};

const AZURE: System = System {
    name: "azure",
    copied: &[("azure/azure-pipelines.yml", "."), ("azure/setup.yml", "ci/")],
    pipeline: "azure-pipelines.yml",
    steps: |text, stage, ci| {
        let lines = section(text, &format!("  - stage: {stage}"));
        assert!(lines.iter().any(|line| line.contains("- template: ci/setup.yml")), "{stage}");
        let setup = fs::read_to_string(ci.join("setup.yml")).expect("the template");
        let setup = values(&setup.lines().collect::<Vec<_>>(), "script");
        // The first step of the setup downloads the host, for which a test has no network.
        let steps = setup.into_iter().skip(1).chain(values(&lines, "script"));
        steps.map(|commands| commands.replace("$(Pipeline.Workspace)/", "")).collect()
    },
    drift: 0,
};

/// Where the provider comes from.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    SignedRelease,
    UnsignedFolder,
    Registry,
}

/// A repository with a copied pipeline, and everything that a job has around it.
struct Site {
    system: System,
    service: Service,
    forge: Forge,
    /// Parent of the repository, of its origin, and of the clone that jobs use.
    home: PathBuf,
    variables: BTreeMap<String, String>,
    _releases: Server,
    _directory: TempDir,
}

impl Site {
    fn new(system: System, folder: &str, source: Source) -> Self {
        let (service, forge) = (Service::full(), Forge::start(system.name));
        let directory = tempfile::tempdir().expect("a directory");
        let home = directory.path().canonicalize().expect("a directory");
        let served = home.join("release");
        let releases = Server::start(move |request| {
            let name = request.path.rsplit('/').next().unwrap_or_default();
            fs::read(served.join(name)).map_or((404, Vec::new()), |bytes| (200, bytes))
        });
        let in_home = |name: &str| home.join(name).display().to_string();
        let mut variables = BTreeMap::new();
        let mut set =
            |name: &str, value: &str| _ = variables.insert(name.to_owned(), value.to_owned());
        set("HOME", &home.display().to_string());
        set("PATH", &format!("{}:{}", in_home("bin"), std::env::var("PATH").expect("PATH")));
        set("ACCESS_BASE_URL", &service.base_url());
        set("TERRAFORM", "terraform");
        set("CHECKPOINT_DISABLE", "1");
        set("TF_IN_AUTOMATION", "1");
        set("APPLIED_BRANCH", "access-applied");
        for (name, file) in
            [("GITHUB_ENV", "env"), ("GITHUB_OUTPUT", "output"), ("GITHUB_STEP_SUMMARY", "summary")]
        {
            set(name, &in_home(file));
        }
        match source {
            Source::SignedRelease => set("PROVIDER_URL", &format!("{}/0.1.0", releases.url())),
            Source::UnsignedFolder => {
                set("PROVIDER_URL", "ci/provider");
                set("PROVIDER_UNSIGNED", "yes");
            }
            Source::Registry => {
                set("PROVIDER_URL", "registry");
                // A mirror stands in for the registry.
                set("TF_CLI_CONFIG_FILE", &in_home("registry/cli.tfrc"));
            }
        }
        for (name, value) in forge.environment() {
            set(name, &value);
        }
        let site = Self {
            system,
            service,
            forge,
            home,
            variables,
            _releases: releases,
            _directory: directory,
        };
        site.prepare(folder, source);
        site
    }

    /// Prepares the host, the release, the configuration, and a repository with an origin. The signed
    /// release has a second platform.
    fn prepare(&self, folder: &str, source: Source) {
        let workspace = self.service.workspace();
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        self.succeeds(
            "",
            &format!(
                "mkdir bin terraform-provider-access
printf '#!/bin/sh\\nexec {terraform} \"$@\"\\n' > bin/terraform
printf '#!/bin/sh\\n' > bin/apk
chmod +x bin/*
ln -s {examples} terraform-provider-access/examples
cp -r {release} release
git init --quiet --bare -b main origin.git
mkdir -p repository/{folder}
cd repository
git init --quiet -b main .
git remote add origin ../origin.git
git config user.name A
git config user.email a@example.com
cat > {folder}/main.tf <<'END'
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
                terraform = host_path(&workspace),
                examples = examples.display(),
                release = release().display(),
                state = self.home.join("state.tfstate").display(),
            ),
        );
        let version = env!("CARGO_PKG_VERSION");
        let prepare = match source {
            Source::SignedRelease => format!(
                "{SHA256}cd release
name=terraform-provider-access_{version}
for platform in linux_amd64 darwin_arm64; do
  for archive in *_*_*.zip; do [ -f ${{name}}_$platform.zip ] || cp $archive ${{name}}_$platform.zip; done
done
sha256 *.zip > ${{name}}_SHA256SUMS
mkdir -m 700 ../keyring ../repository/ci
export GNUPGHOME=$HOME/keyring
gpg --batch --quiet --passphrase '' --quick-gen-key release@example.com ed25519 sign never
gpg --batch --quiet --detach-sign --output ${{name}}_SHA256SUMS.sig ${{name}}_SHA256SUMS
gpg --batch --armor --output ../repository/ci/release-key.asc --export
gpgconf --kill all"
            ),
            Source::UnsignedFolder => {
                "mkdir repository/ci && cp -r release repository/ci/provider".to_owned()
            }
            Source::Registry => format!(
                "PROVIDER_URL=release PROVIDER_UNSIGNED=yes PROVIDER_MIRROR=registry PROVIDER_VERSION={version} {}/pipelines/scripts/install-provider.sh",
                examples.display()
            ),
        };
        self.succeeds("", &prepare);
    }

    /// Runs commands as all three systems run a step: the first failure ends it.
    fn run(
        &self,
        directory: &str,
        commands: &str,
        more: &BTreeMap<String, String>,
    ) -> CommandOutput {
        let mut command = Command::new("bash");
        command
            .args(["-eo", "pipefail", "-c", commands])
            .current_dir(self.home.join(directory))
            .env_clear()
            .envs(&self.variables)
            .envs(more);
        output_of(&mut command)
    }

    #[track_caller]
    fn succeeds(&self, directory: &str, commands: &str) {
        let output = self.run(directory, commands, &BTreeMap::new());
        assert_eq!(output.code, Some(0), "{commands}\n{}\n{}", output.stdout, output.stderr);
    }

    /// Copies the pipeline, edits the lines of the folder, locks the provider, and pushes everything.
    #[track_caller]
    fn copy(&self, folder: &str, source: Source) {
        let desk: Vec<_> = self.variables.iter().map(|(name, value)| (&**name, &**value)).collect();
        let root = self.home.join("repository");
        // The blocks of the README are pasted, once in each shell.
        for shell in shells() {
            paste(shell, &root, desk.clone(), README, &blocks::with(README, "mkdir -p ci"));
        }
        for (file, to) in self.system.copied {
            self.succeeds(
                "repository",
                &format!("cp ../terraform-provider-access/examples/pipelines/{file} {to}"),
            );
        }
        let pipeline = fs::read_to_string(root.join(self.system.pipeline)).expect("a pipeline");
        let edited = pipeline.lines().map(|line| match line.strip_suffix(" # folder") {
            Some(line) => line.replace("access", folder) + " # folder\n",
            None => format!("{line}\n"),
        });
        fs::write(root.join(self.system.pipeline), edited.collect::<String>()).expect("a pipeline");
        if source == Source::Registry {
            self.succeeds("repository", &format!("terraform -chdir={folder} init"));
        } else {
            let block = blocks::with(README, "install-provider.sh --lock");
            let (settings, rest) = block.split_once('\n').expect("the line of settings");
            let settings = settings
                .replace("TF_ROOT=access", &format!("TF_ROOT={folder}"))
                .replace("0.1.0 PROVIDER", &format!("{} PROVIDER", env!("CARGO_PKG_VERSION")))
                .replace("https://releases.example.com/0.1.0", &self.variables["PROVIDER_URL"]);
            assert!(settings.contains(&self.variables["PROVIDER_URL"]), "{settings}");
            for shell in shells() {
                let pasted =
                    paste(shell, &root, desk.clone(), README, &format!("{settings}\n{rest}"));
                // Every platform of the release is locked.
                let is_locked = pasted.stderr.contains("checksums for darwin_arm64");
                assert_eq!(is_locked, source == Source::SignedRelease, "{}", pasted.stderr);
            }
        }
        self.succeeds(
            "repository",
            "git add -A && git commit --quiet -m 'The pipeline' && git push --quiet origin main",
        );
    }

    /// Runs the steps of a job in a fresh clone, as a runner does. Fails the test unless every step ends
    /// with 0, or the last one with `code`.
    #[track_caller]
    fn job(&self, job: &str, key: &str, code: i32) {
        // A runner has no mirror, and `apply` has the artifact of `plan`.
        self.succeeds(
            "",
            "rm -rf .terraform-access env output
[ ! -d runner/access-plan ] || { rm -rf artifact && cp -r runner/access-plan artifact; }
rm -rf runner && git clone --quiet origin.git runner",
        );
        let clone = self.home.join("runner");
        if job == "apply" {
            self.succeeds("runner", "cp -r ../artifact access-plan");
        }
        let pipeline = fs::read_to_string(clone.join(self.system.pipeline)).expect("a pipeline");
        let folders = pipeline.lines().filter_map(|line| line.strip_suffix(" # folder"));
        let folder = folders.last().and_then(|line| line.rsplit(' ').next()).expect("the folder");
        let mut variables: BTreeMap<_, _> =
            [("TF_ROOT", folder), ("ACCESS_API_KEY", key)].map(own).into_iter().collect();
        let steps = (self.system.steps)(&pipeline, job, &clone.join("ci"));
        assert!(!steps.is_empty(), "{job}");
        for (index, commands) in steps.iter().enumerate() {
            let output = self.run("runner", commands, &variables);
            let expected = if index + 1 == steps.len() { code } else { 0 };
            assert_eq!(
                output.code,
                Some(expected),
                "{commands}\n{}\n{}",
                output.stdout,
                output.stderr
            );
            // What a step sets for those behind it, on Azure and on GitHub.
            let read = |file| fs::read_to_string(self.home.join(file)).unwrap_or_default();
            let azure = output.stdout.lines().filter_map(|line| {
                Some(line.strip_prefix("##vso[task.setvariable variable=")?.replacen(']', "=", 1))
            });
            for line in azure.chain(read("env").lines().map(str::to_owned)) {
                variables.extend(line.split_once('=').map(own));
            }
            if let Some(code) = read("output").trim().strip_prefix("code=") {
                variables.extend([own(("CODE", code))]);
            }
        }
    }

    fn open_issues(&self) -> usize {
        self.forge.issues().iter().filter(|(state, _)| state == "open").count()
    }
}

fn own((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Copies a pipeline, locks the provider, and runs its jobs.
#[track_caller]
fn walk(system: System, folder: &str, source: Source) {
    if !has_tools(&["bash", "curl", "git", "gpg", "jq"]) {
        return;
    }
    let site = Site::new(system, folder, source);
    site.copy(folder, source);
    let drift = site.system.drift;

    // Before the first apply, nothing is compared and nothing fails.
    site.job("drift", "reader-key", 0);
    assert_eq!((site.forge.issues().len(), site.service.writes().len()), (0, 0));
    // Twice: the comment is updated, not repeated.
    for _ in 0..2 {
        site.job("plan", "reader-key", 0);
        let comments = site.forge.comments();
        assert_eq!(comments.len(), 1, "{comments:?}");
        assert!(comments[0].contains("1 to add, 0 to change, 0 to destroy."), "{comments:?}");
    }
    assert_eq!(site.service.writes().len(), 0);
    site.job("apply", "admin-key", 0);
    assert!(site.service.role("github", "viewer").is_some());

    for (name, code, issues) in [("Viewer", 0, 0), ("By hand", drift, 1), ("Viewer", 0, 0)] {
        site.service.change_role("github", "viewer", json!({"displayName": name}));
        site.job("drift", "reader-key", code);
        assert_eq!(site.open_issues(), issues, "{name}");
    }
}

#[test]
fn github_pipeline_is_walked_from_copy_to_drift_issue() {
    walk(GITHUB, "access", Source::SignedRelease);
}

#[test]
fn github_pipeline_is_walked_in_another_folder_with_an_unsigned_archive() {
    walk(GITHUB, "teams/access", Source::UnsignedFolder);
}

#[test]
fn gitlab_pipeline_is_walked_in_another_folder_with_a_registry() {
    walk(GITLAB, "teams/access", Source::Registry);
}

#[test]
fn azure_pipeline_is_walked_from_copy_to_drift_issue() {
    walk(AZURE, "access", Source::SignedRelease);
}
