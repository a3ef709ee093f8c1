//! The dependencies between the crates, and the libraries that a single crate may use (DESIGN.md,
//! "Layout").

mod circles;

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// Whether a dependency is a crate of this workspace.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Workspace,
    Registry,
}

/// Returns the dependencies of a crate, without those of its tests and its build script.
fn dependencies(metadata: &Value, package: &str, origin: Origin) -> BTreeSet<String> {
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages
        .iter()
        .find(|candidate| candidate["name"] == package)
        .unwrap_or_else(|| panic!("{package} is in the workspace"));
    package["dependencies"]
        .as_array()
        .expect("dependencies")
        .iter()
        .filter(|dependency| dependency["kind"].is_null())
        .filter(|dependency| dependency["path"].is_null() == (origin == Origin::Registry))
        .filter_map(|dependency| dependency["name"].as_str().map(str::to_owned))
        .collect()
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("metadata is JSON")
}

#[test]
fn crates_depend_on_each_other_as_designed() {
    let metadata = metadata();
    let allowed = [
        ("terraform-provider-access", &["access-client", "plugin-server"][..]),
        ("access-client", &[]),
        ("access-fake", &[]),
        ("plugin-server", &[]),
        ("access-bench", &["access-fake"]),
        // The published crate of the same name.
        ("prost-build", &["prost-build"]),
        ("dist", &[]),
        ("picture", &[]),
        ("xtask", &[]),
    ];
    let packages = metadata["packages"].as_array().expect("packages");
    assert_eq!(packages.len(), allowed.len(), "each crate of the workspace has a line");
    for (package, allowed) in allowed {
        let depends = dependencies(&metadata, package, Origin::Workspace);
        assert!(
            depends.iter().all(|name| allowed.contains(&name.as_str())),
            "{package} depends on {depends:?}"
        );
    }
}

#[test]
fn libraries_are_used_by_one_crate_each() {
    let metadata = metadata();
    let owners = [
        ("reqwest", "access-client"),
        ("hyper-rustls", "access-client"),
        ("prost", "plugin-server"),
        ("tonic", "plugin-server"),
    ];
    for package in ["terraform-provider-access", "access-client", "plugin-server", "access-fake"] {
        let depends = dependencies(&metadata, package, Origin::Registry);
        for (library, owner) in owners {
            assert!(
                package == owner || !depends.contains(library),
                "{package} uses {library}, which only {owner} may use"
            );
        }
    }
    for package in ["access-client", "access-fake"] {
        let depends = dependencies(&metadata, package, Origin::Registry);
        assert!(!depends.contains("tf-provider"), "{package} does not depend on Terraform");
    }
}
