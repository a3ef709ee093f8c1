//! The release as users install it: archive, checksums and manifest, and `init` from a mirror.
//!
//! `ACCESS_DIST` names a directory that `cargo xtask dist` has filled. Without it the binary under test
//! is packed like a release.

#[cfg(target_os = "linux")]
mod empty_root;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use super::walkthrough::paste::{Desk, shells};
use super::walkthrough::shells::link_examples;
use super::walkthrough::{VIEWER, blocks};
use crate::support::Service;
use crate::support::tools::has_tools;

/// Returns the directory of the release, packed once for all tests.
fn release() -> &'static Path {
    static RELEASE: LazyLock<PathBuf> = LazyLock::new(|| {
        if let Some(directory) = std::env::var_os("ACCESS_DIST") {
            // Relative to where cargo was called, which is not where tests run.
            return Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
        }
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
        pack(&directory);
        directory
    });
    &RELEASE
}

/// Packs the binary under test as `cargo xtask dist` packs a release.
fn pack(directory: &Path) {
    _ = std::fs::remove_dir_all(directory);
    std::fs::create_dir_all(directory).expect("a directory");
    // Without its symbols, which would be compressed and hashed in every test.
    let built = Path::new(env!("CARGO_BIN_EXE_terraform-provider-access"));
    let stripped = directory.with_extension("stripped");
    let strip = Command::new("strip").arg("-o").arg(&stripped).arg(built).status();
    let is_stripped = strip.is_ok_and(|status| status.success());
    let binary = if is_stripped { &stripped } else { built };
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        // With them, build scripts would run again: see `cargo_command` of xtask.
        if name.to_string_lossy().starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" {
            cargo.env_remove(name);
        }
    }
    let output = cargo
        .args(["run", "--quiet", "--locked", "--package", "xtask", "--", "dist"])
        .arg("--binary")
        .arg(binary)
        .arg("--directory")
        .arg(directory)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn release_is_installed_by_the_readme_and_applies() {
    if !has_tools(&["bash", "curl"]) {
        return;
    }
    let install = blocks::with("README.md", "cargo xtask dist");
    let version = format!("PROVIDER_VERSION={} ", env!("CARGO_PKG_VERSION"));
    assert!(install.contains(&version), "{install}");
    for shell in shells() {
        let service = Service::full();
        let mut desk = Desk::new(&service);
        link_examples(&desk);
        // `cargo xtask dist` has run: its results are linked to where it leaves them.
        let dist = release().display();
        desk.tool("cargo", &format!("[ \"$*\" = 'xtask dist' ] && exec ln -s '{dist}' dist"));
        let pasted = desk.paste(shell, "README.md", &install);
        let line = pasted.stdout.lines().find_map(|line| line.strip_prefix("TF_CLI_CONFIG_FILE="));
        let workspace = &mut desk.workspace;
        workspace.set("TF_CLI_CONFIG_FILE", line.expect("the CLI configuration"));
        workspace.configure(VIEWER);
        workspace.run(&["init", "-input=false"]).succeeds();
        let lock = std::fs::read_to_string(workspace.path().join(".terraform.lock.hcl"));
        let lock = lock.expect("a lock file");
        assert!(lock.contains("access/access") && lock.contains("h1:"), "{lock}");
        workspace.apply().succeeds();
        workspace.plan().exits(0);
        assert!(service.role("github", "viewer").is_some());
        workspace.run(&["init", "-input=false", "-lockfile=readonly"]).succeeds();
        workspace.destroy().succeeds();
    }
}

#[test]
fn manifest_names_the_protocol_that_is_spoken() {
    let text = include_str!("../../terraform-registry-manifest.json");
    let manifest: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(manifest["version"], 1);
    assert_eq!(manifest["metadata"]["protocol_versions"], serde_json::json!(["6.0"]));
}
