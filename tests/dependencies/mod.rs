//! The dependencies between the crates, and the libraries that a single crate may use (DESIGN.md).

use std::process::Command;

use serde_json::Value;

/// The crates, and the crates of this workspace that each may depend on.
const CRATES: [(&str, &[&str]); 9] = [
    ("terraform-provider-access", &["access-client", "access-report", "plugin-server"]),
    ("access-client", &[]),
    ("access-fake", &[]),
    ("access-report", &[]),
    ("plugin-server", &[]),
    ("bench", &["access-fake"]),
    // The published crate of the same name.
    ("prost-build", &["prost-build"]),
    ("dist", &[]),
    ("xtask", &[]),
];

/// The libraries that only some of the crates may use. Tests and tools may use any.
const LIBRARIES: [(&str, &[&str]); 5] = [
    ("reqwest", &["access-client"]),
    ("hyper-rustls", &["access-client"]),
    ("prost", &["plugin-server"]),
    ("tonic", &["plugin-server"]),
    ("tf-provider", &["terraform-provider-access", "plugin-server"]),
];

#[test]
fn crates_depend_on_each_other_and_on_libraries_as_designed() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert_eq!(packages.len(), CRATES.len(), "each crate of the workspace has a line");
    for (name, allowed) in CRATES {
        let package = packages.iter().find(|package| package["name"] == name);
        let package = package.unwrap_or_else(|| panic!("{name} is in the workspace"));
        let dependencies = package["dependencies"].as_array().expect("dependencies").iter();
        // Without those of its tests and its build script.
        for dependency in dependencies.filter(|dependency| dependency["kind"].is_null()) {
            let used = dependency["name"].as_str().expect("a name");
            if !dependency["path"].is_null() {
                assert!(allowed.contains(&used), "{name} depends on {used}");
            }
            let is_product = CRATES[..5].iter().any(|(product, _)| *product == name);
            if let Some((_, users)) = LIBRARIES.iter().find(|(library, _)| *library == used) {
                assert!(!is_product || users.contains(&name), "{name} uses {used}");
            }
        }
    }
}
