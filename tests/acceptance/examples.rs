//! Terraform accepts every configuration in `examples/`.

use std::fs;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use super::walkthrough::paste::{Desk, shells};
use crate::support::{Feature, Service, host_version};

/// Returns the directories of the examples of one kind.
fn directories_of(kind: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(kind);
    let directories: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(directories.len() >= 2, "{directories:?}");
    directories
}

#[test]
fn examples_are_formatted() {
    let service = Service::full();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let outcome = service.workspace().run(&[
        "fmt",
        "-check",
        "-diff",
        "-recursive",
        &examples.display().to_string(),
    ]);
    assert_eq!(outcome.code, 0, "{}", outcome.output());
}

#[test]
fn examples_are_valid() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut directories = vec![examples.join("provider")];
    for kind in ["resources", "data-sources", "functions"] {
        directories.extend(directories_of(kind));
    }
    assert!(directories.len() >= 11, "{directories:?}");
    for directory in directories {
        let service = Service::full();
        let workspace = service.workspace();
        for file in fs::read_dir(&directory).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "tf") {
                let name = path.file_name().unwrap().to_str().unwrap();
                if name == "import-by-identity.tf" {
                    continue;
                }
                workspace.write(name, &fs::read_to_string(&path).unwrap());
            }
        }
        if directory.join("provider.tf").exists() {
            // It names the provider itself, as the other examples leave to the reader.
            fs::remove_file(workspace.path().join("versions.tf")).unwrap();
        }
        workspace.run(&["validate", "-json"]).succeeds();
    }
}

#[test]
fn examples_of_identities_are_valid() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    for directory in directories_of("resources") {
        let service = Service::full();
        let workspace = service.workspace();
        for file in ["resource.tf", "import-by-identity.tf"] {
            workspace.write(file, &fs::read_to_string(directory.join(file)).unwrap());
        }
        workspace.run(&["validate", "-json"]).succeeds();
    }
}

#[test]
fn examples_of_queries_are_valid() {
    if !host_version().supports(Feature::Query) {
        return;
    }
    for directory in directories_of("list-resources") {
        let service = Service::full();
        let workspace = service.workspace();
        let file = "list-resource.tfquery.hcl";
        workspace.write(file, &fs::read_to_string(directory.join(file)).unwrap());
        workspace.run(&["query", "-json"]).succeeds();
    }
}

#[test]
#[cfg(unix)]
fn examples_of_import_commands_import_as_pasted() {
    let mut count = 0;
    for directory in directories_of("resources") {
        let place = directory.join("import.sh").display().to_string();
        let command = fs::read_to_string(&place).unwrap();
        for shell in shells() {
            let service = Service::full();
            let fields = serde_json::json!({"displayName": "Viewer", "priority": "0"});
            service.put_role("github", "viewer", fields);
            service.put_owner("github", "own-1", "teams/platform");
            let desk = Desk::new(&service);
            let resource = fs::read_to_string(directory.join("resource.tf")).unwrap();
            desk.workspace.configure(&resource);
            desk.paste(shell, &place, &command);
            assert_eq!(desk.workspace.state_size(), command.lines().count(), "{place}");
            count += 1;
        }
    }
    assert!(count >= 2, "{count}");
}
