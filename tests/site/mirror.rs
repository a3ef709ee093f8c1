//! `init` from the network mirror that `cargo xtask dist` writes. The server has a certificate of a
//! private authority.
//!
//! On Linux only: elsewhere, hosts do not read `SSL_CERT_FILE`.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::guides::{VIEWER, blocks};
use crate::support::network::Authority;
use crate::support::web::{Web, files};
use crate::support::{Outcome, Service, Workspace, has_parts, provider};

/// The target of this machine, and another one.
const TARGETS: [&str; 2] = if cfg!(target_arch = "aarch64") {
    ["aarch64-unknown-linux-musl", "x86_64-pc-windows-msvc"]
} else {
    ["x86_64-unknown-linux-musl", "x86_64-pc-windows-msvc"]
};

/// A directory with releases and the documents of a mirror.
struct Releases {
    directory: TempDir,
}

impl Releases {
    fn new(versions: &[&str]) -> Self {
        let releases = Self { directory: tempfile::tempdir().expect("a directory") };
        for version in versions {
            releases.add(version);
        }
        releases.write_documents();
        releases
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("dist")
    }

    /// Adds a version. Its archives contain a script that starts the provider under test, which is
    /// too large to be packed in each test.
    fn add(&self, version: &str) {
        self.pack(version, "");
        dist::write_manifest(&self.path(), version).expect("a manifest");
        dist::write_sums(&self.path(), version).expect("checksums");
    }

    /// Packs a version whose script begins with these commands.
    fn pack(&self, version: &str, commands: &str) {
        let binary = self.directory.path().join("binary");
        let script =
            format!("#!/bin/sh\n# {version}\n{commands}exec '{}' \"$@\"\n", provider().display());
        fs::write(&binary, script).expect("a script");
        fs::create_dir_all(self.path()).expect("a directory");
        for target in TARGETS {
            dist::pack(&binary, target, version, &self.path()).expect("an archive");
        }
    }

    fn write_documents(&self) {
        dist::write_documents(&self.path()).expect("documents");
    }

    /// Returns what a lock file contains for the archive of this machine in a version.
    fn hash(&self, version: &str) -> String {
        let archives = dist::archives(&self.path()).expect("archives");
        let own = archives.iter().find(|it| it.os == "linux" && it.version == version);
        format!("\"h1:{}\"", own.expect("an archive for this machine").h1)
    }
}

/// Returns a workspace that trusts the authority, and installs from this server.
fn workspace(service: &Service, authority: &Authority, web: &Web) -> Workspace {
    let mut workspace = service.configured(VIEWER);
    let rules = blocks::with("docs/guides/install.md", "network_mirror {");
    workspace.write("cli.tfrc", &rules.replace("providers.example.com", &web.host()));
    workspace.write("authority.pem", &authority.pem);
    for (variable, file) in [("SSL_CERT_FILE", "authority.pem"), ("TF_CLI_CONFIG_FILE", "cli.tfrc")]
    {
        let path = workspace.path().join(file).display().to_string();
        workspace.set(variable, &path);
    }
    workspace
}

fn init(workspace: &Workspace, more: &[&str]) -> Outcome {
    // As after a fresh checkout.
    _ = fs::remove_dir_all(workspace.path().join(".terraform"));
    workspace.run(&[&["init", "-no-color"], more].concat())
}

/// Fails the test unless `init` fails with an error that contains this part, and installs nothing.
#[track_caller]
fn refuses(workspace: &Workspace, part: &str) {
    let outcome = init(workspace, &[]).exits(1);
    // Terraform wraps the lines.
    let words: Vec<_> = outcome.stderr.split_whitespace().filter(|word| *word != "│").collect();
    let text = words.join(" ");
    assert!(text.contains(part), "{part:?} is not in {text}");
    assert_eq!(installed(workspace), [""; 0]);
}

/// Returns the names of the binaries that `init` has installed.
fn installed(workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![workspace.path().join(".terraform")];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                open.push(entry.path());
            } else if name.starts_with("terraform-provider-") {
                found.push(name);
            }
        }
    }
    found
}

#[test]
fn network_mirror_installs_upgrades_and_refuses_changed_archives() {
    let service = Service::full();
    let authority = Authority::new();
    let releases = Releases::new(&["0.1.0"]);
    let web = Web::start(&authority, files(releases.path()));
    let workspace = workspace(&service, &authority, &web);
    init(&workspace, &[]).succeeds();
    let lock = workspace.read(".terraform.lock.hcl");
    has_parts(&lock, &["version = \"0.1.0\"".to_owned(), releases.hash("0.1.0")]);
    workspace.apply().succeeds();

    // A new version is installed by an upgrade only, and reads the state.
    releases.add("0.2.0");
    releases.write_documents();
    web.take_requests();
    init(&workspace, &[]).succeeds();
    assert_eq!(workspace.read(".terraform.lock.hcl"), lock);
    assert!(web.take_requests().iter().all(|path| !path.contains("0.2.0")));
    init(&workspace, &["-upgrade"]).succeeds();
    let upgraded = workspace.read(".terraform.lock.hcl");
    has_parts(&upgraded, &["version = \"0.2.0\"".to_owned(), releases.hash("0.2.0")]);
    assert_eq!(installed(&workspace), ["terraform-provider-access_v0.2.0"]);
    workspace.plan().exits(0);

    // Somebody changes the archive.
    releases.pack("0.2.0", "echo changed >&2\n");
    let mismatch = "provider package doesn't match the any of the expected checksums";
    refuses(&workspace, mismatch);
    fs::remove_file(workspace.path().join(".terraform.lock.hcl")).expect("the lock file");
    refuses(&workspace, mismatch);
    // Somebody changes the documents as well: the lock file is what protects now.
    dist::write_sums(&releases.path(), "0.2.0").expect("checksums");
    releases.write_documents();
    workspace.write(".terraform.lock.hcl", &upgraded);
    refuses(
        &workspace,
        "doesn't match any of the checksums previously recorded in the dependency lock file",
    );
    fs::remove_file(workspace.path().join(".terraform.lock.hcl")).expect("the lock file");
    init(&workspace, &[]).succeeds();

    // The checksums for the machines of a whole team.
    let archives = dist::archives(&releases.path()).expect("archives");
    let newest: Vec<_> = archives.iter().filter(|archive| archive.version == "0.2.0").collect();
    let platforms = newest.iter().map(|archive| format!("-platform={}", archive.platform()));
    let platforms: Vec<_> = platforms.collect();
    let mirror = format!("-net-mirror=https://{}/", web.host());
    let mut arguments = vec!["providers", "lock", &mirror];
    arguments.extend(platforms.iter().map(String::as_str));
    workspace.run(&arguments).succeeds();
    let lock = workspace.read(".terraform.lock.hcl");
    assert_eq!(newest.len(), TARGETS.len());
    for archive in newest {
        has_parts(&lock, &[format!("\"h1:{}\"", archive.h1)]);
    }
}
