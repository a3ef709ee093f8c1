//! No files of a crate import each other in a circle, and no folders of the provider do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::pages::files;
use crate::support::in_repository;

/// The path of a module or of an item, from the root of its crate.
type Names = Vec<String>;

/// Returns the code of a source, without comments and without the tests at its end.
fn code_of(source: &Path) -> String {
    let text = fs::read_to_string(source).expect("a source");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Splits code into names, `::`, and single other characters.
fn tokens_of(code: &str) -> Vec<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match rest.find(|letter| !is_part(letter)) {
            Some(0) if rest.starts_with("::") => 2,
            Some(0) => first.len_utf8(),
            Some(end) => end,
            None => rest.len(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// Reads one path, or a group of paths in braces, and returns what is behind it. Adds the paths
/// with `prefix` in front of them.
fn read_paths<'t>(
    mut rest: &'t [&'t str],
    mut prefix: Names,
    found: &mut Vec<Names>,
) -> &'t [&'t str] {
    while let [name, after @ ..] = rest {
        if *name == "{" {
            rest = after;
            while let [next, others @ ..] = rest {
                match *next {
                    "}" => return others,
                    "," => rest = others,
                    _ => rest = read_paths(rest, prefix.clone(), found),
                }
            }
            return rest;
        }
        prefix.push((*name).to_owned());
        match after {
            ["::", others @ ..] => rest = others,
            // The new name of an import.
            ["as", _, others @ ..] => {
                rest = others;
                break;
            }
            others => {
                rest = others;
                break;
            }
        }
    }
    found.push(prefix);
    rest
}

/// Returns the paths in code that begin with `crate` or `super`.
fn paths_of(code: &str) -> Vec<Names> {
    let tokens = tokens_of(code);
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let is_first = place == 0 || tokens[place - 1] != "::";
        if is_first && ["crate", "super"].contains(token) {
            read_paths(&tokens[place..], Names::new(), &mut found);
        }
    }
    found
}

/// Returns the module of a source.
fn module_of(root: &Path, source: &Path) -> Names {
    let below = source.strip_prefix(root).expect("a source").with_extension("");
    let mut names: Names = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if ["mod", "lib", "main"].contains(&names.last().expect("a name").as_str()) {
        names.pop();
    }
    names
}

/// Returns the module that contains the item of a path, which the module `own` names.
fn target_of(own: &Names, path: &Names, modules: &BTreeSet<Names>) -> Names {
    let mut base = if path[0] == "crate" { Names::new() } else { own.clone() };
    let outwards = path.iter().take_while(|name| *name == "super").count();
    base.truncate(base.len().saturating_sub(outwards));
    base.extend(path.iter().skip(outwards.max(1)).cloned());
    while !modules.contains(&base) {
        base.pop();
    }
    base
}

/// Returns which modules of a crate name each other. A module and those inside of it may.
fn imports_of(root: &Path) -> BTreeMap<Names, BTreeSet<Names>> {
    let sources = files(root, "rs");
    let modules: BTreeSet<Names> =
        sources.iter().map(|source| module_of(root, source)).chain([Names::new()]).collect();
    let mut imports: BTreeMap<Names, BTreeSet<Names>> = BTreeMap::new();
    for source in &sources {
        let own = module_of(root, source);
        if own.last().is_some_and(|name| name.ends_with("tests")) {
            continue;
        }
        let paths = paths_of(&code_of(source)).into_iter();
        let targets = paths.map(|path| target_of(&own, &path, &modules));
        let others = targets.filter(|target| !target.starts_with(&own) && !own.starts_with(target));
        imports.insert(own.clone(), others.collect());
    }
    imports
}

/// Returns what is in a circle, or between two.
fn circles<T: Clone + Ord>(mut imports: BTreeMap<T, BTreeSet<T>>) -> BTreeMap<T, BTreeSet<T>> {
    // Removes what imports nothing that is left, and what nothing that is left imports.
    loop {
        let left: BTreeSet<T> = imports.keys().cloned().collect();
        imports.values_mut().for_each(|found| found.retain(|name| left.contains(name)));
        let used: BTreeSet<T> = imports.values().flatten().cloned().collect();
        imports.retain(|name, found| !found.is_empty() && used.contains(name));
        if imports.len() == left.len() {
            return imports;
        }
    }
}

#[test]
fn no_files_of_a_crate_import_each_other_in_a_circle() {
    let mut roots = vec![in_repository("src")];
    for entry in fs::read_dir(in_repository("crates")).expect("the crates") {
        roots.push(entry.expect("a crate").path().join("src"));
    }
    let mut found = 0;
    for root in roots.iter().filter(|root| root.is_dir()) {
        let imports = imports_of(root);
        found += imports.values().map(BTreeSet::len).sum::<usize>();
        let circles: Vec<String> = circles(imports)
            .into_iter()
            .map(|(own, others)| {
                let others: Vec<_> = others.iter().map(|names| names.join("/")).collect();
                format!("{} imports {}", own.join("/"), others.join(", "))
            })
            .collect();
        assert!(circles.is_empty(), "{}:\n{}", root.display(), circles.join("\n"));
    }
    assert!(found > 500, "only {found} imports were found");
}

#[test]
fn no_folders_of_the_provider_import_each_other_in_a_circle() {
    let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (own, others) in imports_of(&in_repository("src")) {
        let Some(folder) = own.first() else { continue };
        let names = others.into_iter().filter_map(|other| other.into_iter().next());
        let names = names.filter(|name| name != folder);
        folders.entry(folder.clone()).or_default().extend(names);
    }
    assert!(folders["object"].contains("service"), "{folders:?}");
    let circles = circles(folders);
    assert!(circles.is_empty(), "imports in a circle: {circles:?}");
}

#[test]
fn imports_are_found_in_groups_and_in_paths() {
    let code = "use super::{a::{B, C as D}, e};\nfn f() { crate::g::h(super::super::i) }";
    let found: Vec<_> = paths_of(code).iter().map(|path| path.join("::")).collect();
    let expected = ["super::a::B", "super::a::C", "super::e", "crate::g::h", "super::super::i"];
    assert_eq!(found, expected);
    let imports = |pairs: &[(&str, &str)]| {
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (one, other) in pairs {
            imports.entry((*one).to_owned()).or_default().insert((*other).to_owned());
            imports.entry((*other).to_owned()).or_default();
        }
        circles(imports)
    };
    assert!(imports(&[("a", "b"), ("b", "c"), ("a", "c")]).is_empty());
    let circle = imports(&[("a", "b"), ("b", "c"), ("c", "b")]);
    assert_eq!(circle.into_keys().collect::<Vec<_>>(), ["b", "c"]);
}
