//! No folders of the provider import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Collects the modules below `crate` that the sources of a folder name.
fn collect(path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder");
        entries.for_each(|entry| collect(&entry.expect("an entry").path(), found));
        return;
    }
    let text = fs::read_to_string(path).expect("a source");
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    for after in code.flat_map(|line| line.split("crate::").skip(1)) {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        found.insert(after.split(|letter| !is_part(letter)).next().unwrap_or_default().to_owned());
    }
}

#[test]
fn no_folders_of_the_provider_import_each_other_in_a_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut imports = BTreeMap::new();
    for entry in fs::read_dir(source).expect("sources") {
        let path = entry.expect("an entry").path();
        let module = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut found = BTreeSet::new();
        collect(&path, &mut found);
        found.remove(&module);
        imports.insert(module, found);
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
