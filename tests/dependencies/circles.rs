//! No two source files import each other, directly or through others.
//!
//! The imports are read from the text: `use` declarations, and paths that begin with `crate`, `super`,
//! `self` or a child module. A name that a module re-exports counts as imported from the file that
//! the re-export names, so that a `mod.rs` which only collects names is part of no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path of segments, from the root of the crate unless it says otherwise.
type Segments = Vec<String>;

struct Module {
    file: String,
    imports: Vec<Segments>,
    /// The re-exported names, and what they stand for.
    reexports: BTreeMap<String, Segments>,
}

type Modules = BTreeMap<Segments, Module>;

/// What each file, or folder, imports.
type Imports<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

#[test]
fn no_files_import_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).expect("crates");
    let mut sources: Vec<_> = crates.map(|entry| entry.expect("a crate").path()).collect();
    sources.push(root.to_owned());
    let mut found = Vec::new();
    for source in sources {
        let modules = modules(root, &source.join("src"));
        found.extend(circles(&imports(&modules)));
    }
    assert!(found.is_empty(), "imports in a circle:\n{found:#?}");
}

#[test]
fn no_folders_of_the_provider_import_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = modules(root, &root.join("src"));
    let mut folders: Imports<'_> = BTreeMap::new();
    for (file, imported) in imports(&modules) {
        let imported = imported.into_iter().map(folder).filter(|other| *other != folder(file));
        folders.entry(folder(file)).or_default().extend(imported);
    }
    let found = circles(&folders);
    assert!(found.is_empty(), "imports in a circle:\n{found:#?}");
}

/// Returns the folder of a file below `src`, or a file of `src` itself.
fn folder(file: &str) -> &str {
    let end = file.match_indices('/').nth(1).map_or(file.len(), |(end, _)| end);
    &file[..end]
}

/// Returns the imports that are part of a circle.
fn circles(imports: &Imports<'_>) -> Vec<(String, String)> {
    let all =
        imports.iter().flat_map(|(file, others)| others.iter().map(move |other| (file, other)));
    let circular = all.filter(|(file, other)| reaches(imports, other, file));
    circular.map(|(&file, &other)| (file.to_owned(), other.to_owned())).collect()
}

#[test]
fn circles_are_found() {
    for (second, is_circle) in [
        ("use crate::a::Name;", true),
        ("use super::{a, std::fmt};", true),
        ("use crate::{Reexported, b};", true),
        ("fn f() { crate::a::f() }", true),
        ("// crate::a::f()", false),
        ("use crate::c::Name;", false),
        ("use std::a::Name;", false),
    ] {
        let module = |name: &str, text: &str| {
            let path: Segments = (!name.is_empty()).then(|| name.to_owned()).into_iter().collect();
            (path, read_module(name.to_owned(), text))
        };
        let root = module("", "mod a;\nmod b;\nmod c;\npub use a::Reexported;");
        let modules = Modules::from([
            root,
            module("a", "use crate::b;"),
            module("b", second),
            module("c", ""),
        ]);
        assert_eq!(reaches(&imports(&modules), "a", "a"), is_circle, "{second}");
    }
}

/// Returns the files that each file imports.
fn imports(modules: &Modules) -> Imports<'_> {
    let mut all = BTreeMap::new();
    for (path, module) in modules {
        let absolute = module.imports.iter().filter_map(|import| absolute(modules, path, import));
        let mut files: BTreeSet<_> =
            absolute.map(|import| defining_file(modules, import)).collect();
        files.remove(module.file.as_str());
        all.insert(module.file.as_str(), files);
    }
    all
}

/// Returns whether the imports lead from one file to another.
fn reaches(imports: &Imports<'_>, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        for next in &imports[file] {
            if *next == to {
                return true;
            }
            if seen.insert(*next) {
                open.push(next);
            }
        }
    }
    false
}

/// Returns the path from the root of the crate; `None` for a path into another crate.
fn absolute(modules: &Modules, module: &[String], path: &[String]) -> Option<Segments> {
    let (mut base, mut rest) = (module.to_vec(), path);
    match rest.first()?.as_str() {
        "crate" => (base, rest) = (Vec::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|segment| segment == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        child => {
            let child = [module, &[child.to_owned()]].concat();
            modules.get(&child)?;
        }
    }
    Some([&base, rest].concat())
}

/// Returns the file that defines what a path from the root of the crate names.
fn defining_file(modules: &Modules, mut path: Segments) -> &str {
    loop {
        let length =
            (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length])).unwrap();
        let module = &modules[&path[..length]];
        let reexport = path.get(length).and_then(|name| module.reexports.get(name));
        match reexport.and_then(|target| absolute(modules, &path[..length], target)) {
            Some(target) if target != path => path = target,
            _ => return &module.file,
        }
    }
}

/// Reads the modules of a crate, without those of its tests and the generated ones.
fn modules(root: &Path, source: &Path) -> Modules {
    let mut modules = Modules::new();
    let mut directories = vec![source.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if name.ends_with("tests") || name == "pb" {
                continue;
            } else if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                let module = read_module(file, &fs::read_to_string(&path).unwrap());
                modules.insert(module_path(source, &path), module);
            }
        }
    }
    if modules.keys().all(|path| path.as_slice() != [] as [String; 0]) {
        let main = modules.remove(&vec!["main".to_owned()]).expect("a crate has a root");
        modules.insert(Vec::new(), main);
    }
    modules
}

fn module_path(source: &Path, file: &Path) -> Segments {
    let path: PathBuf = file.strip_prefix(source).unwrap().with_extension("");
    let mut path: Segments = path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if path.last().is_some_and(|name| name == "mod") || path == ["lib"] {
        path.pop();
    }
    path
}

fn read_module(file: String, text: &str) -> Module {
    let text = text.split("mod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let (mut imports, mut reexports) = (Vec::new(), BTreeMap::new());
    for statement in code.split(';') {
        // Only at the start of a line, perhaps after `pub`, `use` begins a declaration.
        let declaration = statement
            .rsplit_once("use ")
            .map(|(before, tree)| (before.lines().last().unwrap_or_default().trim(), before, tree));
        let rest = match declaration {
            Some(("", before, tree)) => {
                imports.extend(paths_of_tree(tree));
                before
            }
            Some(("pub" | "pub(crate)", before, tree)) => {
                let named = |path: Segments| Some((path.last()?.clone(), path));
                reexports.extend(paths_of_tree(tree).into_iter().filter_map(named));
                before
            }
            _ => statement,
        };
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let paths = rest.split(|c| !is_part(c)).filter(|path| path.contains("::"));
        imports.extend(paths.map(segments));
    }
    Module { file, imports, reexports }
}

/// Returns the paths of the tree of a `use` declaration.
fn paths_of_tree(tree: &str) -> Vec<Segments> {
    let Some((prefix, inner)) = tree.split_once('{') else {
        return vec![segments(tree.split(" as ").next().unwrap_or_default().trim())];
    };
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for character in inner.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(character);
    }
    let prefix = segments(prefix.trim());
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths_of_tree(part)).map(|path| [&*prefix, &path].concat()).collect()
}

fn segments(path: &str) -> Segments {
    path.split("::").filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
}
