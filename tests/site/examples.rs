//! Terraform accepts every configuration in `examples/`.

use std::fs;
use std::path::PathBuf;

#[cfg(unix)]
use super::guides::paste::{Desk, shells};
use crate::support::{Feature, Service, VERSIONS, Workspace, host_version, in_repository};

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

/// Writes configurations as modules of their own, and fails the test unless the host, which starts once for all of
/// them, accepts each. Errors name the directory of the module.
#[track_caller]
pub(super) fn accepts_modules(workspace: &Workspace, modules: &[(String, String)]) {
    let mut calls = String::new();
    for (number, (name, text)) in modules.iter().enumerate() {
        let directory = format!("{number}-{}", name.replace(['/', ':'], "-"));
        let versions = if text.contains("required_providers") { "" } else { VERSIONS };
        workspace.write(&format!("{directory}/main.tf"), &format!("{text}{versions}"));
        calls += &format!("module \"m-{number}\" {{\n  source = \"./{directory}\"\n}}\n");
    }
    workspace.configure(calls);
    workspace.run(&["get"]).succeeds();
    workspace.run(&["validate", "-json"]).succeeds();
}

/// Returns the texts of the files of this name, one for each directory that has one.
fn texts(directories: &[PathBuf], name: &str) -> Vec<(String, String)> {
    let texts = directories.iter().filter_map(|directory| {
        let text = fs::read_to_string(directory.join(name)).ok()?;
        assert!(!text.contains("import {") || !text.contains("provider ="), "{name}");
        Some((directory.file_name()?.to_string_lossy().into_owned(), text))
    });
    let texts: Vec<_> = texts.collect();
    assert!(!texts.is_empty(), "{name}");
    texts
}

#[test]
fn examples_are_valid() {
    let resources = directories_of("resources");
    let mut modules = texts(&[in_repository("examples/provider")], "provider.tf");
    modules.extend(texts(&resources, "resource.tf"));
    modules.extend(texts(&directories_of("data-sources"), "data-source.tf"));
    assert_eq!(modules.len(), 8);
    let service = Service::full();
    accepts_modules(&service.workspace(), &modules);

    // `import` blocks cannot stand in modules.
    let mut imports = vec!["import-by-string-id.tf"];
    if host_version().supports(Feature::Identity) {
        imports.push("import-by-identity.tf");
    }
    for import in imports {
        let workspace = service.workspace();
        for name in ["resource.tf", import] {
            for (directory, text) in texts(&resources, name) {
                workspace.write(&format!("{directory}-{name}"), &text);
            }
        }
        workspace.run(&["validate", "-json"]).succeeds();
    }
    if host_version().supports(Feature::Query) {
        let workspace = service.workspace();
        const NAME: &str = "list-resource.tfquery.hcl";
        for (directory, text) in texts(&directories_of("list-resources"), NAME) {
            workspace.write(&format!("{directory}-{NAME}"), &text);
        }
        workspace.run(&["query", "-json"]).succeeds();
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
