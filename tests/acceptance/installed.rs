//! The release as users get it: archive, sums and manifest, installed by `init` from a mirror.
//!
//! `ACCESS_DIST` names a directory that `cargo xtask dist` has filled; without it the binary under
//! test is packed as a release would be.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Service, Workspace};

const ROLE: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 1
}
";

/// Returns the directory of a release.
pub(super) fn release(packed: &Path) -> PathBuf {
    if let Some(directory) = std::env::var_os("ACCESS_DIST") {
        // Relative to where cargo was called, which is not where tests run.
        return Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    }
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        // They make build scripts take this for another build: see xtask's `cargo_command`.
        if name.to_string_lossy().starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" {
            cargo.env_remove(name);
        }
    }
    let output = cargo
        .args(["run", "--quiet", "--locked", "--package", "xtask", "--", "dist"])
        .args(["--binary", env!("CARGO_BIN_EXE_terraform-provider-access"), "--directory"])
        .arg(packed)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    packed.to_owned()
}

/// Lays the release out as a mirror has it, for both registries.
fn mirror(release: &Path, mirror: &Path) {
    let archives = std::fs::read_dir(release).expect("the release").flatten();
    let archives =
        archives.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "zip"));
    for archive in archives {
        for registry in ["registry.terraform.io", "registry.opentofu.org"] {
            let directory = mirror.join(registry).join("access/access");
            std::fs::create_dir_all(&directory).expect("a directory");
            let name = archive.file_name().expect("a name");
            std::fs::copy(&archive, directory.join(name)).expect("a copy");
        }
    }
}

fn workspace(service: &Service, mirror: &Path) -> Workspace {
    let workspace = service.workspace();
    let path = mirror.display().to_string();
    workspace.write(
        "../mirror.tfrc",
        &format!(
            "provider_installation {{\n  filesystem_mirror {{\n    path = {path:?}\n  }}\n}}\n"
        ),
    );
    let configuration = workspace.path().join("../mirror.tfrc").display().to_string();
    workspace.with("TF_CLI_CONFIG_FILE", &configuration)
}

#[test]
fn release_is_installed_by_init_and_applies() {
    let directory = tempfile::tempdir().expect("a directory");
    let release = release(&directory.path().join("dist"));
    mirror(&release, &directory.path().join("mirror"));
    let service = Service::full();
    let workspace = workspace(&service, &directory.path().join("mirror"));
    workspace.write(
        "versions.tf",
        &format!(
            "terraform {{\n  required_providers {{\n    access = {{\n      source  = \"access/access\"\n      version = \"{}\"\n    }}\n  }}\n}}\n",
            env!("CARGO_PKG_VERSION")
        ),
    );
    workspace.configure(ROLE);
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
