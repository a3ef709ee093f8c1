//! A repository with an origin, and everything around it: the host, two regions of the service, a
//! forge, and the provider.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::super::guides::paste::{host_path, path_from, tool};
use super::github::{Forge, GH};
use crate::support::{Outcome, Service, provider};

pub(in super::super) struct Site {
    pub(in super::super) eu: Service,
    pub(in super::super) us: Service,
    pub(in super::super) forge: Forge,
    /// Parent of `repository`, `origin.git` and `release`.
    pub(in super::super) home: PathBuf,
    pub(in super::super) variables: BTreeMap<&'static str, String>,
    _directory: TempDir,
}

impl Site {
    /// Returns a site with a backend in this folder of the repository.
    pub(in super::super) fn new(folder: &str) -> Self {
        let (eu, us) = (Service::full(), Service::full());
        let forge = Forge::start(false);
        let directory = tempfile::tempdir().expect("a directory");
        let home = directory.path().canonicalize().expect("a directory");
        let in_home = |name: &str| home.join(name).display().to_string();
        let mut variables = BTreeMap::from([
            ("HOME", in_home("")),
            ("PATH", path_from(&home.join("bin"))),
            ("TERRAFORM", "terraform".to_owned()),
            ("CHECKPOINT_DISABLE", "1".to_owned()),
            ("GOGC", "off".to_owned()),
            ("GOMAXPROCS", "1".to_owned()),
            ("TF_IN_AUTOMATION", "1".to_owned()),
            ("PROVIDER_URL", in_home("release")),
            ("PROVIDER_UNSIGNED", "yes".to_owned()),
            ("GITHUB_ENV", in_home("env")),
            ("GITHUB_STEP_SUMMARY", in_home("summary")),
        ]);
        variables.extend(forge.environment());
        let site = Self { eu, us, forge, home, variables, _directory: directory };
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).display();
        let script = format!(
            "mkdir -p bin terraform-provider-access repository/{folder} repository/ci
ln -s {top}/examples terraform-provider-access/examples
git init --quiet --bare -b main origin.git
cd repository
git init --quiet -b main .
git remote add origin $HOME/origin.git
git config user.name A
git config user.email a@example.com
cat > {folder}/backend.tf <<END
terraform {{
  backend \"local\" {{
    path = \"$HOME/state.tfstate\"
  }}
}}
END"
        );
        site.ends("", &script, 0);
        let terraform = host_path(&site.eu.workspace());
        tool(&site.home, "host", &format!("exec {terraform} \"$@\""));
        site.ends("", "cp host bin/terraform", 0);
        site.tool("gh", GH);
        write_release(&site.home.join("release"));
        site
    }

    /// Puts a command in front of PATH.
    pub(super) fn tool(&self, name: &str, script: &str) {
        tool(&self.home.join("bin"), name, script);
    }

    /// Returns a program in a directory of the site, with its variables and nothing else.
    pub(in super::super) fn program(&self, name: &str, directory: &str) -> Command {
        let mut command = Command::new(name);
        command.current_dir(self.home.join(directory)).env_clear().envs(&self.variables);
        command
    }

    /// Returns commands as all three systems run a step: the first failure ends it.
    pub(in super::super) fn command(&self, directory: &str, commands: &str) -> Command {
        let mut command = self.program("bash", directory);
        command.args(["-eo", "pipefail", "-c", commands]);
        command
    }

    /// Runs commands, and fails the test unless they end with this exit code.
    #[track_caller]
    pub(in super::super) fn ends(&self, directory: &str, commands: &str, code: i32) -> Outcome {
        Outcome::of(&mut self.command(directory, commands)).exits(code)
    }

    pub(in super::super) fn commit(&self, subject: &str) {
        let commit = "git add -A && git commit --quiet -m \"$0\" && git push --quiet origin main";
        Outcome::of(self.command("repository", commit).arg(subject)).succeeds();
    }
}

/// Writes a release for four platforms into a new directory. Its archives contain a script that
/// starts the build under test, which is too large to be packed and checked in every job.
pub(in super::super) fn write_release(directory: &Path) {
    fs::create_dir(directory).expect("a directory");
    let script = directory.join("script");
    let text = format!("#!/bin/sh\nexec '{}' \"$@\"\n", provider().display());
    fs::write(&script, text).expect("a script");
    for target in [
        "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
    ] {
        dist::pack(&script, target, dist::VERSION, directory).expect("an archive");
    }
    fs::remove_file(script).expect("the script");
    dist::write_sums(directory, dist::VERSION).expect("checksums");
}
