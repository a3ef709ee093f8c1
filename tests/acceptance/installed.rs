//! The release as users install it: archive, checksums and manifest, and `init` from a mirror.
//!
//! `ACCESS_DIST` names a directory that `cargo xtask dist` has filled. Without it the binary under test
//! is packed like a release.

#[cfg(target_os = "linux")]
mod empty_root;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use super::walkthrough::paste::{paste, shells, tool};
use crate::support::Service;
use crate::support::tools::has_tools;

const ROLE: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 1
}
";

/// Returns the directory of the release, packed once for all tests.
pub(super) fn release() -> &'static Path {
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
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        // With them, build scripts would run again: see `cargo_command` of xtask.
        if name.to_string_lossy().starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" {
            cargo.env_remove(name);
        }
    }
    let output = cargo
        .args(["run", "--quiet", "--locked", "--package", "xtask", "--", "dist"])
        .args(["--binary", env!("CARGO_BIN_EXE_terraform-provider-access"), "--directory"])
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
    let readme = include_str!("../../README.md");
    let mut blocks = readme.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let install = blocks.find(|block| block.contains("cargo xtask dist")).expect("the block");
    let version = format!("PROVIDER_VERSION={} ", env!("CARGO_PKG_VERSION"));
    assert!(install.contains(&version), "{install}");

    // They contain the mirror that the rest of the test uses.
    let mut homes = Vec::new();
    let mut written = PathBuf::new();
    for shell in shells() {
        let home = tempfile::tempdir().expect("a directory");
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        std::os::unix::fs::symlink(top.join("examples"), home.path().join("examples")).expect("it");
        // `cargo xtask dist` has run: its results are linked to where it leaves them.
        let bin = home.path().join("bin");
        std::fs::create_dir(&bin).expect("a directory");
        let dist = release().display();
        tool(&bin, "cargo", &format!("[ \"$*\" = 'xtask dist' ] && exec ln -s '{dist}' dist"));
        let mut path = OsString::from(&bin);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let environment = [("PATH", path), ("HOME", home.path().into())];
        let pasted = paste(shell, home.path(), environment, "README.md", install);
        written = home.path().join(".terraform-access/cli.tfrc");
        let line = format!("TF_CLI_CONFIG_FILE={}\n", written.display());
        assert!(pasted.stdout.contains(&line), "{}", pasted.stdout);
        homes.push(home);
    }
    let service = Service::full();
    let mut workspace = service.workspace();
    workspace.write(
        "versions.tf",
        &format!(
            "terraform {{\n  required_providers {{\n    access = {{\n      source  = \"access/access\"\n      version = \"{}\"\n    }}\n  }}\n}}\n",
            env!("CARGO_PKG_VERSION")
        ),
    );
    workspace.configure(ROLE);
    workspace.set("TF_CLI_CONFIG_FILE", &written.display().to_string());
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

#[test]
fn manifest_names_the_protocol_that_is_spoken() {
    let text = include_str!("../../terraform-registry-manifest.json");
    let manifest: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(manifest["version"], 1);
    assert_eq!(manifest["metadata"]["protocol_versions"], serde_json::json!(["6.0"]));
}
