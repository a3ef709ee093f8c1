//! Terraform accepts every configuration in `examples/`.

use std::fs;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use super::guides::paste::{Desk, shells};
use crate::support::{Feature, Service, host_version, in_repository};

/// Returns the directories of the examples of one kind.
fn directories_of(kind: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(in_repository("examples").join(kind)).unwrap();
    let directories: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(directories.len() >= 2, "{directories:?}");
    directories
}

#[test]
fn examples_are_formatted() {
    let service = Service::full();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    service.workspace().run(&["fmt", "-check", "-diff", "-recursive", examples]).succeeds();
}

/// Writes files of an example into a new workspace, and runs this command there.
fn accepts(directory: &Path, is_wanted: impl Fn(&str) -> bool, arguments: &[&str]) {
    let (_service, workspace) = Service::with_workspace();
    let mut count = 0;
    for file in fs::read_dir(directory).expect("an example").flatten() {
        let name = file.file_name().into_string().expect("a name");
        if is_wanted(&name) {
            let text = fs::read_to_string(file.path()).expect("a text");
            assert!(!text.contains("import {") || !text.contains("provider ="), "{name}");
            workspace.write(&name, &text);
            count += 1;
        }
    }
    assert!(count > 0, "{}", directory.display());
    if directory.join("provider.tf").exists() {
        // It names the provider itself, as the other examples leave to the reader.
        fs::remove_file(workspace.path().join("versions.tf")).expect("the versions");
    }
    let outcome = workspace.run(arguments);
    assert_eq!(outcome.code, 0, "{}: {}", directory.display(), outcome.output());
}

#[test]
fn examples_are_valid() {
    let mut directories = vec![in_repository("examples/provider")];
    for kind in ["resources", "data-sources"] {
        directories.extend(directories_of(kind));
    }
    for directory in directories {
        let is_wanted = |name: &str| name.ends_with(".tf") && name != "import-by-identity.tf";
        accepts(&directory, is_wanted, &["validate", "-json"]);
    }
    if host_version().supports(Feature::Identity) {
        for directory in directories_of("resources") {
            let is_wanted = |name: &str| ["resource.tf", "import-by-identity.tf"].contains(&name);
            accepts(&directory, is_wanted, &["validate", "-json"]);
        }
    }
    if host_version().supports(Feature::Query) {
        for directory in directories_of("list-resources") {
            accepts(&directory, |name| name.ends_with(".tfquery.hcl"), &["query", "-json"]);
        }
    }
}

#[test]
#[cfg(unix)]
fn examples_of_import_commands_import_as_pasted() {
    let Some(shell) = shells().pop() else { return };
    for directory in directories_of("resources") {
        let place = directory.join("import.sh").display().to_string();
        let command = fs::read_to_string(&place).unwrap();
        let service = Service::full();
        service.put_viewer();
        service.put_owner("github", "own-1", "teams/platform");
        let desk = Desk::new(&service);
        let resource = fs::read_to_string(directory.join("resource.tf")).unwrap();
        desk.workspace.configure(&resource);
        desk.paste(shell, &place, &command);
        assert_eq!(desk.workspace.state_size(), command.lines().count(), "{place}");
    }
}
