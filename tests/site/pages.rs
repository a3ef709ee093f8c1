//! The documentation agrees with the repository: links to files and headings, versions of hosts, tests.

use std::fs;
use std::path::{Path, PathBuf};

use comrak::nodes::NodeValue;
use comrak::{Anchorizer, Arena, Options, parse_document};

use crate::support::{in_repository, text_of};

/// Returns the files below a directory with this extension.
pub(crate) fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory").flatten();
    let files = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => files(&path, extension),
        path if path.extension().is_some_and(|found| found == extension) => vec![path],
        _ => Vec::new(),
    });
    files.collect()
}

/// Returns the links of a page that lead to files, and the anchors of its headings.
fn links_and_anchors(page: &Path) -> (Vec<String>, Vec<String>) {
    let arena = Arena::new();
    let text = fs::read_to_string(page).expect("a page");
    let (mut links, mut anchors, mut anchorizer) = (Vec::new(), Vec::new(), Anchorizer::new());
    for node in parse_document(&arena, &text, &Options::default()).descendants() {
        match &node.data.borrow().value {
            NodeValue::Link(link) | NodeValue::Image(link) if !link.url.contains("://") => {
                links.push(link.url.clone());
            }
            NodeValue::Heading(_) => {
                let words = node.descendants().filter_map(|word| match &word.data.borrow().value {
                    NodeValue::Text(text) => Some(text.to_string()),
                    NodeValue::Code(code) => Some(code.literal.clone()),
                    _ => None,
                });
                anchors.push(anchorizer.anchorize(&words.collect::<String>()));
            }
            _ => {}
        }
    }
    (links, anchors)
}

/// Returns every page for users: the generated documentation, and the pages that are read in the
/// repository.
fn pages() -> Vec<PathBuf> {
    let pages = vec![in_repository("README.md"), in_repository("SECURITY.md")];
    let below = ["docs", "examples"].map(|it| files(&in_repository(it), "md"));
    [pages, below.concat()].concat()
}

#[test]
fn pages_link_to_files_and_headings_that_exist() {
    let (mut files, mut anchors) = (0, 0);
    for page in pages() {
        let directory = page.parent().expect("a directory");
        for url in links_and_anchors(&page).0 {
            let (target, heading) = url.split_once('#').unwrap_or((&url, ""));
            let file = if target.is_empty() { page.clone() } else { directory.join(target) };
            assert!(file.exists(), "{}: {target}", page.display());
            files += 1;
            if !heading.is_empty() && !heading.starts_with("nestedatt--") {
                let is_there = links_and_anchors(&file).1.iter().any(|anchor| anchor == heading);
                assert!(is_there, "{}: {target} has no heading {heading}", page.display());
                anchors += 1;
            }
        }
    }
    assert!(files > 40 && anchors > 0, "{files} links, {anchors} to headings");
}

#[test]
fn hosts_that_the_guide_names_are_those_of_the_workflows() {
    let guide = text_of("docs/guides/install.md");
    for (product, host) in [("Terraform", "terraform"), ("OpenTofu", "tofu")] {
        let row =
            guide.lines().find_map(|line| line.strip_prefix(&format!("| {product} | "))).unwrap();
        let cells: Vec<_> = row.split(" | ").collect();
        for (cell, workflow) in [(cells[0], "test.yml"), (cells[1], "long.yml")] {
            let text = text_of(&format!(".github/workflows/{workflow}"));
            let matrix = text.lines().filter(|line| line.contains(&format!("{{ host: {host}, ")));
            // Random tests run with versions that every change is tested with.
            let is_other =
                |line: &str| ["chaos", "lives", "reports"].iter().any(|it| line.contains(it));
            let tested = matrix.filter(|line| !is_other(line));
            let tested: Vec<_> = tested
                .filter_map(|line| line.split("version: ").nth(1)?.split([' ', ',']).next())
                .collect();
            let named = cell.replace("the newest", "latest");
            let named: Vec<_> = named
                .split(", ")
                .map(|version| match version {
                    "latest" => version.to_owned(),
                    version => format!("{version}.x"),
                })
                .collect();
            assert_eq!(named, tested, "{product} in {workflow}");
        }
    }
}

/// Returns the modules of tests below a directory: `acceptance`, `acceptance::create`.
fn test_modules(directory: &Path) -> Vec<String> {
    let mut modules = Vec::new();
    for file in files(directory, "rs") {
        let below = file.strip_prefix(directory).expect("a source").with_extension("");
        let mut parts: Vec<_> =
            below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        parts.retain(|part| part != "mod");
        modules.extend((1..=parts.len()).map(|end| parts[..end].join("::")));
    }
    modules
}

/// A fact about Terraform is worth no more than the test that showed it.
#[test]
fn modules_that_the_facts_about_terraform_name_exist() {
    let own = test_modules(&in_repository("tests"));
    let of_plugin_server = test_modules(&in_repository("crates/plugin-server/tests/suite"));
    let facts = text_of("src/resource/terraform.md");
    let mut checked = 0;
    for row in facts.lines().filter(|line| line.starts_with("| ") && line.ends_with('|')) {
        let shown_by = row.trim_end_matches('|').trim_end().rsplit(" | ").next().expect("a cell");
        // "P `terraform`, T `acceptance::create`, `lives`"
        let mut modules = None;
        for part in shown_by.split([',', ';']).map(str::trim) {
            match part.chars().next() {
                Some('P') => modules = Some((&of_plugin_server, 1)),
                Some('T') => modules = Some((&own, 2)),
                // By hand.
                Some('H') => modules = None,
                _ => {}
            }
            let (Some((modules, depth)), Some(name)) = (modules, part.split('`').nth(1)) else {
                continue;
            };
            let module = name.split("::").take(depth).collect::<Vec<_>>().join("::");
            assert!(modules.contains(&module), "{module:?} in {row}");
            checked += 1;
        }
    }
    assert!(checked > 40, "only {checked} tests are named");
}

#[test]
fn files_that_the_design_and_the_contributing_page_name_exist() {
    for page in ["DESIGN.md", "CONTRIBUTING.md", "SECURITY.md"] {
        let text = text_of(page);
        for path in text.split('`').skip(1).step_by(2) {
            let is_path =
                ["src/", "tests/", "crates/", "tools/", "docs/", "examples/", ".github/", ".ci/"]
                    .iter()
                    .any(|start| path.starts_with(start));
            if is_path && !path.contains(['*', '{', ' ', '<']) {
                assert!(in_repository(path).exists(), "{page} names {path}");
            }
        }
    }
}
