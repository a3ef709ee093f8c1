//! The guides say what the provider says.

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

#[test]
fn guides_link_to_pages_that_exist() {
    let guides = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/guides");
    let mut links = 0;
    for entry in fs::read_dir(&guides).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("https://") {
                continue;
            }
            assert!(guides.join(link).exists(), "{}: {link}", path.display());
            links += 1;
        }
    }
    assert!(links > 5, "{links} links between guides");
}
