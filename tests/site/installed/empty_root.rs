//! The static binary of the release in a root directory with nothing else in it, as in an image
//! that is built `FROM scratch`: no loader, no C library, no temporary directory, no certificates.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::super::guides::paste::tool;
use super::{VIEWER, release};
use crate::support::network::Authority;
use crate::support::{Service, Workspace, announce_untested, has_parts};

/// Writes the binary in the archive for this machine.
fn unpack(release: &Path, binary: &Path) {
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("terraform-provider-access_{version}_linux_{architecture}.zip");
    let archive = fs::File::open(release.join(name)).expect("the archive");
    let mut archive = zip::ZipArchive::new(archive).expect("an archive");
    let mut bytes = Vec::new();
    archive.by_index(0).expect("the binary").read_to_end(&mut bytes).expect("the binary");
    // The section in which scanners find the crates.
    assert!(bytes.windows(8).any(|window| window == b".dep-v0\0"), "no list of crates");
    fs::write(binary, bytes).expect("the binary");
    fs::set_permissions(binary, PermissionsExt::from_mode(0o755)).expect("its mode");
}

#[test]
fn binary_in_an_empty_root_applies_and_finds_certificates() {
    let Some(release) = release() else {
        // The binary under test is not static.
        announce_untested("in an empty root, because ACCESS_DIST names no release");
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().join("root");
    fs::create_dir(&root).expect("a directory");
    unpack(&release, &root.join("provider"));
    let is_root = nix::unistd::geteuid().is_root();
    let enter = if is_root { "chroot" } else { "unshare --map-root-user --root" };
    let script = format!("exec {enter} '{}' /provider \"$@\"", root.display());
    tool(directory.path(), "terraform-provider-access", &script);
    let workspace = |base_url: &str| {
        let workspace = Workspace::new(base_url, "admin-key");
        workspace.override_providers(&[("access/access", directory.path())]);
        workspace.configure(VIEWER);
        workspace
    };

    let service = Service::full();
    let plain = workspace(&service.base_url());
    plain.apply().succeeds();
    plain.plan().exits(0);
    assert!(service.role("github", "viewer").is_some());
    plain.destroy().succeeds();
    service.clear_requests();

    let authority = Authority::new();
    let front = authority.serve("127.0.0.1", service.address());
    let base_url = format!("https://{}", front.address);
    // Terraform adds an error of its own, because there is no provider block.
    let output = workspace(&base_url).plan().exits(1).output();
    let parts =
        ["there are no certificate authorities to trust", "SSL_CERT_FILE", "`ca-certificates`"];
    has_parts(&output, &parts);
    assert_eq!(service.requests().len(), 0);

    fs::write(root.join("authority.pem"), &authority.pem).expect("a certificate");
    workspace(&base_url).with("ACCESS_CA_FILE", "/authority.pem").plan().exits(2);

    // The certificates of the image.
    let certificates = root.join("etc/ssl/certs");
    fs::create_dir_all(&certificates).expect("a directory");
    let certificates = certificates.join("ca-certificates.crt");
    fs::write(&certificates, Authority::new().pem).expect("a certificate");
    service.clear_requests();
    workspace(&base_url).apply().fails_with(["certificate", "ca_file"]);
    assert_eq!(service.requests().len(), 0);
    fs::write(&certificates, &authority.pem).expect("a certificate");
    workspace(&base_url).plan().exits(2);
}
