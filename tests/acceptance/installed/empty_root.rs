//! The static binary of the release in a root directory with nothing else in it, as in an image that
//! is built `FROM scratch`: no loader, no C library, no temporary directory, no certificates.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{VIEWER, release};
use crate::support::network::Authority;
use crate::support::{Service, Workspace};

/// A root directory with the binary in it, and a script that starts it there.
struct EmptyRoot {
    directory: tempfile::TempDir,
}

impl EmptyRoot {
    /// Unpacks the release. Returns `None`, with a message, if `ACCESS_DIST` does not name one: the binary
    /// under test is not static.
    fn new() -> Option<Self> {
        if std::env::var_os("ACCESS_DIST").is_none() {
            let line = b"NOT TESTED in an empty root: ACCESS_DIST names no release\n";
            std::io::stderr().write_all(line).expect("standard error");
            return None;
        }
        let enter = if nix::unistd::geteuid().is_root() {
            "chroot"
        } else {
            "unshare --map-root-user --root"
        };
        let root = Self { directory: tempfile::tempdir().expect("a directory") };
        std::fs::create_dir(root.root()).expect("a directory");
        let binary = root.root().join("provider");
        std::fs::write(&binary, unpack(release())).expect("the binary");
        let script =
            format!("#!/bin/sh\nexec {enter} '{}' /provider \"$@\"\n", root.root().display());
        std::fs::write(root.script(), script).expect("the script");
        for file in [&binary, &root.script()] {
            std::fs::set_permissions(file, PermissionsExt::from_mode(0o755)).expect("its mode");
        }
        let output = Command::new(root.script()).arg("--version").output().expect("a shell");
        let message = String::from_utf8_lossy(&output.stderr);
        let version = format!("terraform-provider-access {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(String::from_utf8_lossy(&output.stdout), version, "{message}");
        Some(root)
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    fn script(&self) -> PathBuf {
        self.directory.path().join("terraform-provider-access")
    }

    /// Writes a file below the root.
    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
        std::fs::write(path, text).expect("a file");
    }

    /// Returns a workspace whose provider runs in the root.
    fn workspace(&self, base_url: &str) -> Workspace {
        let workspace = Workspace::new(base_url, "admin-key");
        workspace.override_providers(&[("access/access", self.directory.path())]);
        workspace.configure(VIEWER);
        workspace
    }
}

/// Returns the binary in the archive for this machine.
fn unpack(release: &Path) -> Vec<u8> {
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("terraform-provider-access_{version}_linux_{architecture}.zip");
    let archive = std::fs::File::open(release.join(name)).expect("the archive");
    let mut archive = zip::ZipArchive::new(archive).expect("an archive");
    let mut binary = Vec::new();
    archive.by_index(0).expect("the binary").read_to_end(&mut binary).expect("the binary");
    binary
}

#[test]
fn binary_in_an_empty_root_applies_and_finds_certificates() {
    let Some(root) = EmptyRoot::new() else { return };
    let service = Service::full();
    let workspace = root.workspace(&service.base_url());
    workspace.apply().succeeds();
    workspace.plan().exits(0);
    assert!(service.role("github", "viewer").is_some());
    workspace.destroy().succeeds();
    service.clear_requests();

    let authority = Authority::new();
    let front = authority.serve("127.0.0.1", service.address());
    let base_url = format!("https://{}", front.address);
    // Terraform adds an error of its own, because there is no provider block.
    let output = root.workspace(&base_url).plan().exits(1).output();
    for part in ["there are no certificate authorities to trust", "`ca_file`", "`ca-certificates`"]
    {
        assert!(output.contains(part), "{part}: {output}");
    }
    assert_eq!(service.requests().len(), 0);

    root.write("authority.pem", &authority.pem);
    let workspace = root.workspace(&base_url).with("ACCESS_CA_FILE", "/authority.pem");
    workspace.plan().exits(2);

    // The certificates of the image.
    root.write("etc/ssl/certs/ca-certificates.crt", &Authority::new().pem);
    let error = root.workspace(&base_url).plan().exits(1).only_error();
    assert!(error.contains("certificate") && error.contains("ca_file"), "{error}");
    root.write("etc/ssl/certs/ca-certificates.crt", &authority.pem);
    root.workspace(&base_url).plan().exits(2);
}
