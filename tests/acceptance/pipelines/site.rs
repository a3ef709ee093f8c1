//! A repository with an origin, a configuration that is not applied yet, and everything around it: the
//! host, the service, a forge, and the provider.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::super::walkthrough::VIEWER;
use super::super::walkthrough::paste::host_path;
use super::forges::Forge;
use super::http::Server;
use super::{SHA256, output_of};
use crate::support::{Outcome, Service, provider};

/// Where the provider comes from.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Source {
    SignedRelease,
    /// A mirror stands in for the registry.
    Registry,
}

pub(in super::super) struct Site {
    pub(in super::super) service: Service,
    pub(in super::super) forge: Forge,
    /// Parent of `repository` and `origin.git`.
    pub(in super::super) home: PathBuf,
    pub(in super::super) variables: BTreeMap<String, String>,
    _directory: TempDir,
}

impl Site {
    /// Returns a site whose configuration is in this folder of the repository.
    pub(in super::super) fn new(forge: &'static str, folder: &str, source: Source) -> Self {
        let (service, forge) = (Service::full(), Forge::start(forge));
        let directory = tempfile::tempdir().expect("a directory");
        let home = directory.path().canonicalize().expect("a directory");
        let mut site =
            Self { service, forge, home, variables: BTreeMap::new(), _directory: directory };
        let gh = site.forge.tools.path().display();
        let in_home = |name: &str| site.home.join(name).display().to_string();
        let mut variables = vec![
            ("HOME", in_home("")),
            ("PATH", format!("{}:{gh}:{}", in_home("bin"), std::env::var("PATH").expect("PATH"))),
            ("ACCESS_BASE_URL", site.service.base_url()),
            ("ACCESS_API_KEY", "admin-key".to_owned()),
            ("TERRAFORM", "terraform".to_owned()),
            ("CHECKPOINT_DISABLE", "1".to_owned()),
            ("TF_IN_AUTOMATION", "1".to_owned()),
            ("APPLIED_BRANCH", "access-applied".to_owned()),
            ("GITHUB_ENV", in_home("env")),
            ("GITHUB_OUTPUT", in_home("output")),
            ("GITHUB_STEP_SUMMARY", in_home("summary")),
        ];
        variables.extend(site.forge.environment());
        match source {
            Source::SignedRelease => {
                let served = site.home.join("release");
                let releases = Server::start(move |request| {
                    let name = request.path.rsplit('/').next().unwrap_or_default();
                    fs::read(served.join(name)).map_or((404, Vec::new()), |bytes| (200, bytes))
                });
                variables.push(("PROVIDER_URL", format!("{}/0.1.0", releases.url())));
            }
            Source::Registry => variables.extend([
                ("PROVIDER_URL", "registry".to_owned()),
                ("TF_CLI_CONFIG_FILE", in_home("registry/cli.tfrc")),
            ]),
        }
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value));
        site.variables = variables.collect();
        site.prepare(folder, source);
        site
    }

    /// Writes everything that is not a variable.
    fn prepare(&self, folder: &str, source: Source) {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).display();
        let terraform = host_path(&self.service.workspace());
        let script = format!(
            "mkdir -p bin release terraform-provider-access repository/{folder} repository/ci
printf '#!/bin/sh\\nexec {terraform} \"$@\"\\n' > bin/terraform
printf '#!/bin/sh\\n' > bin/apk
chmod +x bin/*
ln -s {top}/examples terraform-provider-access/examples
ln -s {top}/examples/pipelines/scripts scripts
git init --quiet --bare -b main origin.git
cd repository
git init --quiet -b main .
git remote add origin $HOME/origin.git
git config user.name A
git config user.email a@example.com
cat > {folder}/main.tf <<END
terraform {{
  required_providers {{
    access = {{ source = \"access/access\" }}
  }}
  backend \"local\" {{
    path = \"$HOME/state.tfstate\"
  }}
}}
END
cat > {folder}/role.tf <<'END'
{VIEWER}END"
        );
        self.ends("", &script, 0);
        let version = env!("CARGO_PKG_VERSION");
        self.write_release();
        let script = match source {
            Source::SignedRelease => format!(
                "cd release
mkdir -m 700 ../keyring
export GNUPGHOME=$HOME/keyring
gpg --batch --quiet --passphrase '' --quick-gen-key release@example.com ed25519 sign never
gpg --batch --quiet --detach-sign terraform-provider-access_{version}_SHA256SUMS
gpg --batch --armor --output ../repository/ci/release-key.asc --export
gpgconf --kill all"
            ),
            Source::Registry => format!(
                "PROVIDER_URL=release PROVIDER_UNSIGNED=yes PROVIDER_MIRROR=registry PROVIDER_VERSION={version} scripts/install-provider.sh"
            ),
        };
        self.ends("", &script, 0);
    }

    /// Writes a release for four platforms. Its archives contain a script that starts the build under test,
    /// which is too large to be packed and checked in every job.
    fn write_release(&self) {
        let name = format!("terraform-provider-access_{}", env!("CARGO_PKG_VERSION"));
        for platform in ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"] {
            let file = self.home.join(format!("release/{name}_{platform}.zip"));
            let mut archive = zip::ZipWriter::new(fs::File::create(file).expect("an archive"));
            let options = zip::write::SimpleFileOptions::default().unix_permissions(0o755);
            archive.start_file(name.replace("access_", "access_v"), options).expect("a member");
            let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", provider().display());
            archive.write_all(script.as_bytes()).expect("a script");
            archive.finish().expect("its end");
        }
        let sums = format!("{SHA256}cd release; sha256 *.zip > {name}_SHA256SUMS");
        self.ends("", &sums, 0);
    }

    /// Returns commands as all three systems run a step: the first failure ends it.
    pub(in super::super) fn command(&self, directory: &str, commands: &str) -> Command {
        let mut command = Command::new("bash");
        command
            .args(["-eo", "pipefail", "-c", commands])
            .current_dir(self.home.join(directory))
            .env_clear()
            .envs(&self.variables);
        command
    }

    /// Runs commands, and fails the test unless they end with this exit code.
    #[track_caller]
    pub(in super::super) fn ends(&self, directory: &str, commands: &str, code: i32) -> Outcome {
        output_of(&mut self.command(directory, commands)).exits(code)
    }

    pub(in super::super) fn commit(&self, subject: &str) {
        let commit = "git add -A && git commit --quiet -m \"$0\" && git push --quiet origin main";
        output_of(self.command("repository", commit).arg(subject)).succeeds();
    }
}
