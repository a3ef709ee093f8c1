//! No folders of the provider import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::pages::files;
use crate::support::in_repository;

/// Returns the modules below `crate` that a source names.
fn imports_of(source: &Path) -> Vec<String> {
    let text = fs::read_to_string(source).expect("a source");
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = code.flat_map(|line| line.split("crate::").skip(1)).map(|after| {
        let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
        after.chars().take_while(is_part).collect()
    });
    names.collect()
}

#[test]
fn no_folders_of_the_provider_import_each_other_in_a_circle() {
    let source = in_repository("src");
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(&source, "rs") {
        let below = file.strip_prefix(&source).expect("a source").to_string_lossy();
        let module = below.split(['/', '\\', '.']).next().expect("a module").to_owned();
        let others = imports_of(&file).into_iter().filter(|name| *name != module);
        imports.entry(module.clone()).or_default().extend(others);
    }
    assert!(imports["object"].contains("service"), "{imports:?}");
    // Removes what imports nothing that is left, until only circles are left.
    while let Some(end) = imports.iter().find(|(_, found)| found.is_empty()) {
        let end = end.0.clone();
        imports.remove(&end);
        imports.values_mut().for_each(|found| _ = found.remove(&end));
    }
    let names: Vec<_> = imports.keys().cloned().collect();
    imports.values_mut().for_each(|found| found.retain(|name| names.contains(name)));
    imports.retain(|_, found| !found.is_empty());
    assert!(imports.is_empty(), "imports in a circle: {imports:?}");
}
