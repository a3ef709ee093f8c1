//! The release as users install it: archive, checksums and manifest, and `init` from a mirror.
//!
//! `ACCESS_DIST` names a directory that `cargo xtask dist` has filled. Without it, the archives
//! contain a script that starts the binary under test.

#[cfg(target_os = "linux")]
mod empty_root;

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::guides::paste::{Desk, shells};
use super::guides::shells::link_examples;
use super::guides::{VIEWER, blocks};
use super::pipelines::site::write_release;
#[cfg(target_os = "linux")]
use crate::support::network::Authority;
use crate::support::tools::has_tools;
#[cfg(target_os = "linux")]
use crate::support::web::{Web, files};
use crate::support::{Service, Workspace, has_parts, in_repository};

/// Returns the directory of the release; `None` if `ACCESS_DIST` does not name one.
fn release() -> Option<PathBuf> {
    // Relative to where cargo was called, which is not where tests run.
    std::env::var_os("ACCESS_DIST").map(|it| in_repository("").join(it))
}

#[test]
fn release_is_installed_by_the_readme_and_applies() {
    if !has_tools(&["bash", "curl"]) {
        return;
    }
    let build = blocks::with("README.md", "cargo xtask dist");
    let install = blocks::with("README.md", "PROVIDER_URL=dist");
    let version = format!("PROVIDER_VERSION={} ", env!("CARGO_PKG_VERSION"));
    assert!(install.contains(&version), "{install}");
    for (number, shell) in shells().into_iter().enumerate() {
        let service = Service::full();
        let mut desk = Desk::new(&service);
        link_examples(&desk);
        let dist = desk.workspace.path().join("dist");
        match release() {
            Some(release) => symlink(release, dist).expect("the release"),
            None => write_release(&dist),
        }
        desk.tool("cargo", "[ \"$*\" = 'xtask dist' ]");
        desk.paste(shell, "README.md", &build);
        let pasted = desk.paste(shell, "README.md", &install);
        let line = pasted.stdout.lines().find_map(|line| line.strip_prefix("TF_CLI_CONFIG_FILE="));
        desk.workspace.set("TF_CLI_CONFIG_FILE", line.expect("the CLI configuration"));
        // The host is the same in each shell.
        if number == 0 {
            installs_and_applies(&service, &desk.workspace);
        }
    }
}

/// Hosts read `SSL_CERT_FILE` on Linux only.
#[cfg(target_os = "linux")]
#[test]
fn release_is_installed_from_the_mirror_of_the_guide_and_applies() {
    let service = Service::full();
    let mut workspace = service.workspace();
    let directory = tempfile::tempdir().expect("a directory");
    let dist = match release() {
        Some(release) => release,
        None => {
            let dist = directory.path().join("dist");
            write_release(&dist);
            dist::write_documents(&dist).expect("documents");
            dist
        }
    };
    let authority = Authority::new();
    let web = Web::start(&authority, files(dist));
    let rules = blocks::with("docs/guides/install.md", "network_mirror {");
    workspace.write("cli.tfrc", &rules.replace("providers.example.com", &web.host()));
    workspace.write("authority.pem", &authority.pem);
    for (variable, file) in [("TF_CLI_CONFIG_FILE", "cli.tfrc"), ("SSL_CERT_FILE", "authority.pem")]
    {
        let path = workspace.path().join(file).display().to_string();
        workspace.set(variable, &path);
    }
    installs_and_applies(&service, &workspace);
}

fn installs_and_applies(service: &Service, workspace: &Workspace) {
    workspace.configure(VIEWER);
    workspace.run(&["init", "-input=false"]).succeeds();
    has_parts(&workspace.read(".terraform.lock.hcl"), &["access/access", "h1:"]);
    workspace.apply().succeeds();
    assert!(service.role("github", "viewer").is_some());
    workspace.run(&["init", "-input=false", "-lockfile=readonly"]).succeeds();
}

#[test]
fn manifest_names_the_protocol_that_is_spoken() {
    let text = include_str!("../../terraform-registry-manifest.json");
    let manifest: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(manifest["version"], 1);
    assert_eq!(manifest["metadata"]["protocol_versions"], serde_json::json!(["6.0"]));
}
