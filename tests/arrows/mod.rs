//! The arrows between the crates, and who may see which library (DESIGN.md, "Layout and arrows").

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// A crate's own dependencies of a kind: `None` for those of the product, `Some("dev")` for tests.
fn dependencies(metadata: &Value, package: &str, kind: Option<&str>) -> BTreeSet<String> {
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages
        .iter()
        .find(|it| it["name"] == package)
        .unwrap_or_else(|| panic!("{package} is in the workspace"));
    package["dependencies"]
        .as_array()
        .expect("dependencies")
        .iter()
        .filter(|it| it["kind"].as_str() == kind)
        .filter_map(|it| it["name"].as_str().map(str::to_owned))
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
    let ours = [
        "access-bench",
        "access-client",
        "access-fake",
        "plugin-server",
        "prost-build",
        "terraform-provider-access",
        "xtask",
    ];
    let allowed = [
        ("terraform-provider-access", &["access-client", "plugin-server"][..]),
        ("access-client", &[]),
        ("access-fake", &[]),
        ("plugin-server", &[]),
        ("access-bench", &["access-fake", "plugin-server"]),
        // The published crate of the same name.
        ("prost-build", &["prost-build"]),
        ("xtask", &["access-fake"]),
    ];
    for (package, allowed) in allowed {
        let depends = dependencies(&metadata, package, None);
        let on_ours: Vec<_> = ours.iter().filter(|it| depends.contains(**it)).collect();
        assert!(on_ours.iter().all(|it| allowed.contains(it)), "{package} depends on {on_ours:?}");
    }
}

#[test]
fn libraries_are_seen_by_those_who_may() {
    let metadata = metadata();
    let owners = [
        ("reqwest", "access-client"),
        ("prost", "plugin-server"),
        ("tonic", "plugin-server"),
        ("axum", "access-fake"),
    ];
    for package in ["terraform-provider-access", "access-client", "plugin-server", "access-fake"] {
        let depends = dependencies(&metadata, package, None);
        for (library, owner) in owners {
            assert!(
                package == owner || !depends.contains(library),
                "{package} sees {library}, which is {owner}'s"
            );
        }
    }
    for package in ["access-client", "access-fake"] {
        let depends = dependencies(&metadata, package, None);
        assert!(!depends.contains("tf-provider"), "{package} knows nothing of Terraform");
    }
}
