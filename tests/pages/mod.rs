//! What is written for people agrees with the code: messages that guides quote, files that pages
//! link to, tests that are named as evidence.

use std::fs;
use std::path::Path;

/// The texts of the sources below a directory, with string literals as they are at run time as far
/// as line breaks and quotes go.
fn texts(directory: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(directory).expect("a directory of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.push_str(&texts(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).expect("a source");
            let mut lines = source.lines();
            while let Some(line) = lines.next() {
                let mut line = line.to_owned();
                // A backslash at the end of a line joins it with the next one, without its indent.
                while line.ends_with('\\') {
                    line.pop();
                    line.push_str(lines.next().unwrap_or_default().trim_start());
                }
                all.push_str(&line.replace("\\\"", "\""));
                all.push('\n');
            }
        }
    }
    all
}

#[test]
fn troubleshooting_is_by_texts_that_the_provider_has() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = texts(&top.join("src")) + &texts(&top.join("crates/access-client/src"));
    let guide = fs::read_to_string(top.join("templates/guides/troubleshooting.md")).unwrap();
    let headings: Vec<_> = guide.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert!(headings.len() > 30, "{headings:?}");
    for heading in headings {
        // What differs from message to message is an ellipsis in the heading.
        for part in heading.split('…') {
            assert!(sources.contains(part), "{heading:?}: nothing says {part:?}");
        }
    }
}

/// The links of a page that lead to files: text and target.
fn links(page: &str) -> Vec<(String, String)> {
    let mut links = Vec::new();
    for (at, _) in page.match_indices("](") {
        let text = page[..at].rsplit('[').next().unwrap_or_default();
        let target = page[at + 2..].split([')', '#']).next().unwrap_or_default();
        if !target.is_empty() && !target.contains("://") {
            links.push((text.to_owned(), target.to_owned()));
        }
    }
    links
}

#[test]
fn pages_link_to_files_that_exist_and_name_tests_that_exist() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guides = fs::read_dir(top.join("templates/guides")).unwrap();
    let mut pages: Vec<_> = guides.map(|entry| entry.unwrap().path()).collect();
    for page in
        ["README.md", "SECURITY.md", "examples/team/README.md", "examples/pipelines/README.md"]
    {
        pages.push(top.join(page));
    }
    let (mut files, mut tests) = (0, 0);
    for page in pages {
        let directory = page.parent().expect("a directory");
        for (text, target) in links(&fs::read_to_string(&page).expect("a page")) {
            let file = directory.join(&target);
            assert!(file.exists(), "{}: {target}", page.display());
            files += 1;
            // `name_of_a_test` as the text of a link to a source.
            let name = text.trim_matches('`');
            if name != text && target.ends_with(".rs") {
                let source = fs::read_to_string(&file).expect("a source");
                let test = format!("fn {name}(");
                assert!(source.contains(&test), "{}: {target} has no {test}", page.display());
                tests += 1;
            }
        }
    }
    assert!(files > 20 && tests > 30, "{files} links, {tests} to tests");
}
