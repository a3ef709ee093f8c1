//! `init` without a public registry, from what `cargo xtask dist` writes: a network mirror, an OCI
//! registry, and a provider registry. The servers have a certificate of a private authority.
//!
//! On Linux only: elsewhere, hosts do not read `SSL_CERT_FILE`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::walkthrough::{VIEWER, blocks};
use crate::support::network::Authority;
use crate::support::tools::has_tools;
use crate::support::web::{Web, files, repository};
use crate::support::{Feature, Outcome, Service, Workspace, has_parts, host_version, provider};

/// The page whose blocks the hosts are configured with.
const GUIDE: &str = "docs/guides/install.md";

/// The target of this machine, and another one.
const TARGETS: [&str; 2] = if cfg!(target_arch = "aarch64") {
    ["aarch64-unknown-linux-musl", "x86_64-pc-windows-msvc"]
} else {
    ["x86_64-unknown-linux-musl", "x86_64-pc-windows-msvc"]
};

/// A directory with releases and the documents for hosts.
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
        dist::write_documents(&self.path(), None).expect("documents");
    }

    /// Replaces the archives of a version wherever they are served, without the documents.
    fn change(&self, version: &str) {
        let mut archives = dist::archives(&self.path()).expect("archives");
        archives.retain(|archive| archive.version == version);
        self.pack(version, "echo changed >&2\n");
        for archive in archives {
            let blob = self.path().join("oci/blobs/sha256").join(&archive.sha256);
            let mut bytes = fs::read(&blob).expect("a blob");
            // OpenTofu compares the length as well, which must not be what it complains about.
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(blob, bytes).expect("a blob");
        }
    }

    /// Makes a key, and signs the checksums of a version with it. Returns the file with the public
    /// key. The registries of HashiCorp and OpenTofu accept RSA keys.
    fn sign(&self, key: &str, version: &str) -> PathBuf {
        let home = self.directory.path().join(key);
        let script = format!(
            "mkdir -m 700 {home}
gpg() {{ command gpg --homedir {home} --batch --quiet --yes \"$@\"; }}
gpg --passphrase '' --quick-gen-key {key}@example.com rsa3072 sign never
gpg --armor --output {home}/release.asc --export
gpg --output {sums}.sig --detach-sign {sums}
gpgconf --homedir {home} --kill all",
            home = home.display(),
            sums = self.sums(version).display()
        );
        Outcome::of(Command::new("sh").args(["-euc", &script])).succeeds();
        home.join("release.asc")
    }

    fn sums(&self, version: &str) -> PathBuf {
        self.path().join(dist::file_name(version, "SHA256SUMS"))
    }

    /// Returns what a lock file contains for the archive of this machine in a version.
    fn hash(&self, version: &str) -> String {
        let archives = dist::archives(&self.path()).expect("archives");
        let own = archives.iter().find(|it| it.os == "linux" && it.version == version);
        format!("\"h1:{}\"", own.expect("an archive for this machine").h1)
    }
}

/// Returns a workspace that trusts the authority and has this CLI configuration.
fn workspace(service: &Service, authority: &Authority, rules: &str) -> Workspace {
    let mut workspace = service.configured(VIEWER);
    workspace.write("authority.pem", &authority.pem);
    workspace.write("cli.tfrc", rules);
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

/// Installs from a source, upgrades, and refuses archives that were changed. `mismatch` is a part
/// of the error about an archive that differs from its documents.
fn installs_upgrades_and_refuses(releases: &Releases, web: &Web, host: &Workspace, mismatch: &str) {
    init(host, &[]).succeeds();
    let lock = host.read(".terraform.lock.hcl");
    has_parts(&lock, &["version = \"0.1.0\"".to_owned(), releases.hash("0.1.0")]);
    host.apply().succeeds();
    host.plan().exits(0);
    init(host, &["-lockfile=readonly"]).succeeds();

    // A new version is installed by an upgrade only, and reads the state.
    releases.add("0.2.0");
    releases.write_documents();
    web.take_requests();
    init(host, &[]).succeeds();
    assert_eq!(host.read(".terraform.lock.hcl"), lock);
    assert!(web.take_requests().iter().all(|path| !path.contains("0.2.0")));
    init(host, &["-upgrade"]).succeeds();
    let upgraded = host.read(".terraform.lock.hcl");
    has_parts(&upgraded, &["version = \"0.2.0\"".to_owned(), releases.hash("0.2.0")]);
    assert_eq!(installed(host), ["terraform-provider-access_v0.2.0"]);
    host.plan().exits(0);

    // Somebody changes the archive.
    releases.change("0.2.0");
    refuses(host, mismatch);
    fs::remove_file(host.path().join(".terraform.lock.hcl")).expect("the lock file");
    refuses(host, mismatch);
    // Somebody changes the documents as well: the lock file is what protects now.
    dist::write_sums(&releases.path(), "0.2.0").expect("checksums");
    releases.write_documents();
    host.write(".terraform.lock.hcl", &upgraded);
    refuses(
        host,
        "doesn't match any of the checksums previously recorded in the dependency lock file",
    );
    fs::remove_file(host.path().join(".terraform.lock.hcl")).expect("the lock file");
    init(host, &[]).succeeds();
}

#[test]
fn network_mirror_installs_upgrades_and_refuses_changed_archives() {
    let service = Service::full();
    let authority = Authority::new();
    let releases = Releases::new(&["0.1.0"]);
    let web = Web::start(&authority, files(releases.path()));
    let rules = blocks::with(GUIDE, "network_mirror {");
    let rules = rules.replace("providers.example.com", &web.host());
    let workspace = workspace(&service, &authority, &rules);
    let mismatch = "provider package doesn't match the any of the expected checksums";
    installs_upgrades_and_refuses(&releases, &web, &workspace, mismatch);

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

#[test]
fn oci_registry_installs_upgrades_and_refuses_changed_archives() {
    if !host_version().supports(Feature::OciMirror) {
        return;
    }
    let service = Service::full();
    let authority = Authority::new();
    let releases = Releases::new(&["0.1.0"]);
    let web = Web::start(&authority, repository("providers/access", releases.path().join("oci")));
    let rules = blocks::with(GUIDE, "oci_mirror {");
    let rules = rules.replace("registry.example.com", &web.host());
    let workspace = workspace(&service, &authority, &rules);
    installs_upgrades_and_refuses(&releases, &web, &workspace, "does not match digest");
}

#[test]
fn provider_registry_is_trusted_only_with_the_signature_of_its_key() {
    if !has_tools(&["gpg"]) {
        return;
    }
    let service = Service::full();
    let authority = Authority::new();
    let releases = Releases::new(&["0.1.0"]);
    let key = releases.sign("release", "0.1.0");
    dist::write_documents(&releases.path(), Some(&key)).expect("documents");
    let web = Web::start(&authority, files(releases.path()));
    let workspace = workspace(&service, &authority, "provider_installation {\n  direct {}\n}\n");
    let source = blocks::with(GUIDE, "providers.example.com/access/access");
    workspace.write("versions.tf", &source.replace("providers.example.com", &web.host()));
    let outcome = init(&workspace, &[]).succeeds();
    // Terraform and OpenTofu name the key that they have verified.
    has_parts(&outcome.stdout, &["signed, key ID "]);
    let lock = workspace.read(".terraform.lock.hcl");
    // All checksums that are signed, so other platforms can install it as well.
    let archives = dist::archives(&releases.path()).expect("archives");
    assert_eq!(archives.len(), TARGETS.len());
    for archive in archives {
        has_parts(&lock, &[format!("\"zh:{}\"", archive.sha256)]);
    }
    has_parts(&lock, &[releases.hash("0.1.0")]);
    workspace.apply().succeeds();
    workspace.plan().exits(0);

    // Another key has signed than the one in the documents.
    fs::remove_file(workspace.path().join(".terraform.lock.hcl")).expect("the lock file");
    let foreign = releases.sign("foreign", "0.1.0");
    refuses(&workspace, "authentication signature from unknown issuer");
    dist::write_documents(&releases.path(), Some(&foreign)).expect("documents");
    init(&workspace, &[]).succeeds();

    // Somebody changes the archive, the checksums and the documents, but cannot sign.
    fs::remove_file(workspace.path().join(".terraform.lock.hcl")).expect("the lock file");
    releases.change("0.1.0");
    refuses(&workspace, "archive has incorrect checksum");
    let signature = releases.path().join(dist::file_name("0.1.0", "SHA256SUMS.sig"));
    let signed = fs::read(&signature).expect("the signature");
    fs::remove_file(&signature).expect("the signature");
    dist::write_sums(&releases.path(), "0.1.0").expect("checksums");
    dist::write_documents(&releases.path(), Some(&foreign)).expect("documents");
    fs::write(&signature, signed).expect("the signature");
    refuses(&workspace, "invalid signature: RSA verification failure");
}
