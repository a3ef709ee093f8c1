//! The files of a crate depend on each other in one direction.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use crate::crate_graph::Crate;
use crate::{sources, top};

type Edges = BTreeMap<(String, String), BTreeSet<String>>;

/// Returns the sets of files that depend on one another, directly or through other files.
fn circles(edges: &Edges) -> BTreeSet<BTreeSet<String>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges.keys() {
        next.entry(from).or_default().insert(to);
    }
    let reachable = |start: &str| {
        let mut seen = BTreeSet::new();
        let mut open = vec![start.to_owned()];
        while let Some(file) = open.pop() {
            for to in next.get(file.as_str()).into_iter().flatten() {
                if seen.insert((*to).to_owned()) {
                    open.push((*to).to_owned());
                }
            }
        }
        seen
    };
    let reachable: BTreeMap<_, _> =
        next.keys().map(|file| ((*file).to_owned(), reachable(file))).collect();
    let mut circles = BTreeSet::new();
    for (file, others) in &reachable {
        let back = others.iter().filter(|other| {
            reachable.get(*other).is_some_and(|reachable| reachable.contains(file))
        });
        let circle: BTreeSet<String> = back.cloned().collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles
}

/// Returns the roots of all crates: libraries, binaries and integration tests.
fn roots() -> Vec<String> {
    let is_root = |file: &&String| {
        let parts: Vec<_> = file.rsplit('/').collect();
        match parts[..] {
            ["lib.rs" | "main.rs" | "build.rs", ..] | [_, "bin" | "benches", ..] => true,
            // Files directly in `tests/` are crates, unless `main.rs` includes them as modules.
            [_, "tests", ..] => {
                let main = top().join(file).with_file_name("main.rs");
                !fs::exists(main).unwrap()
            }
            _ => false,
        }
    };
    sources().iter().filter(is_root).cloned().collect()
}

#[test]
fn files_of_a_crate_depend_on_each_other_without_circles() {
    let mut report = String::new();
    let mut count = 0;
    for root in roots() {
        let edges = Crate::read(&top(), &root).edges();
        count += edges.len();
        for circle in circles(&edges) {
            writeln!(report, "{root}:").unwrap();
            for ((from, to), paths) in &edges {
                if circle.contains(from) && circle.contains(to) {
                    let paths: Vec<_> = paths.iter().map(String::as_str).take(3).collect();
                    writeln!(report, "  {from} -> {to}: {}", paths.join(", ")).unwrap();
                }
            }
        }
    }
    assert!(count > 200, "{count} dependencies: the paths are not resolved");
    assert!(report.is_empty(), "Move the shared item to a file of its own:\n{report}");
}

#[test]
fn circles_are_found_through_the_defining_file() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    fs::create_dir(directory.path().join("part")).unwrap();
    write("lib.rs", "mod one; mod part; mod two; #[cfg(test)] mod tests { use crate::one::A; }");
    write("one.rs", "pub struct A; fn f() { vec![crate::two::LIMIT]; }");
    write("two.rs", "pub const LIMIT: u8 = 1; use super::one;  fn f(_: one::A) {}");
    // `part` only re-exports: `inner` and `other` do not depend on it.
    write(
        "part/mod.rs",
        "mod inner; mod other; pub use inner::B; fn g() -> other::C { other::h() }",
    );
    write("part/inner.rs", "pub struct B;");
    write("part/other.rs", "use super::B; pub struct C(B); pub fn h() {}");
    let edges = Crate::read(directory.path(), "lib.rs").edges();
    let names: Vec<_> = edges.keys().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    assert_eq!(
        names,
        [
            ("one.rs", "two.rs"),
            ("part/mod.rs", "part/inner.rs"),
            ("part/mod.rs", "part/other.rs"),
            ("part/other.rs", "part/inner.rs"),
            ("two.rs", "one.rs"),
        ]
    );
    let expected = BTreeSet::from(["one.rs", "two.rs"].map(str::to_owned));
    assert_eq!(circles(&edges), BTreeSet::from([expected]));
}
