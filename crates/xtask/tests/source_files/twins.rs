//! The entities share code instead of repeating it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use crate::{sources, top};

/// The largest block of lines that two folders may have in common. A larger block belongs in
/// `src/object`.
const MAX_COMMON_LINES: usize = 11;

/// The folders, and the terms that differ between them. Longer terms come first.
const ENTITIES: [(&str, [&str; 4]); 3] = [
    ("src/listing_role/", ["listing_role", "ListingRole", "listing", "role"]),
    ("src/integration_owner/", ["integration_owner", "IntegrationOwner", "integration", "owner"]),
    (
        "src/integration_owners/",
        ["integration_owners", "IntegrationOwners", "integration", "owners"],
    ),
];

/// A line of code: its place, and its text without the entity's terms.
struct Line {
    place: String,
    text: String,
}

/// Returns the lines of code of a source, without comments, imports, unit tests and the parameters of
/// methods: those of the traits that both entities implement are prescribed.
fn lines(file: &str, source: &str, terms: &[&str]) -> Vec<Line> {
    let code = source.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut in_parameters = false;
    code.take_while(|(_, line)| *line != "#[cfg(test)]")
        .filter(move |(_, line)| {
            let is_parameter = in_parameters && !line.starts_with(')');
            in_parameters = is_parameter || (line.contains("fn ") && line.ends_with('('));
            !is_parameter
                && !line.is_empty()
                && !line.starts_with("//")
                && !line.starts_with("use ")
        })
        .map(|(number, line)| {
            let renamed =
                terms.iter().fold(line.to_owned(), |line, term| line.replace(term, "entity"));
            Line { place: format!("{file}:{number}"), text: renamed }
        })
        .collect()
}

/// Returns the longest blocks that two lists of lines have in common: places and length.
fn common(first: &[Line], second: &[Line], most: usize) -> Vec<(String, String, usize)> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, line) in second.iter().enumerate() {
        places.entry(&line.text).or_default().push(index);
    }
    let mut blocks = Vec::new();
    for (at, line) in first.iter().enumerate() {
        for &other in places.get(line.text.as_str()).into_iter().flatten() {
            let is_inside = at > 0 && other > 0 && first[at - 1].text == second[other - 1].text;
            if is_inside {
                continue;
            }
            let pairs = first[at..].iter().zip(&second[other..]);
            let length = pairs.take_while(|(a, b)| a.text == b.text).count();
            if length > most {
                blocks.push((first[at].place.clone(), second[other].place.clone(), length));
            }
        }
    }
    blocks
}

#[test]
fn entities_have_no_block_of_12_lines_in_common() {
    let all = ENTITIES.iter().map(|(folder, terms)| {
        let mut files = Vec::new();
        let of_entity: Vec<_> =
            sources().into_iter().filter(|file| file.starts_with(folder)).collect();
        assert!(of_entity.len() > 3, "{folder}: {of_entity:?}");
        for file in of_entity {
            if !file.ends_with("tests.rs") {
                files.push(lines(&file, &fs::read_to_string(top().join(&file)).unwrap(), terms));
            }
        }
        files
    });
    let all: Vec<Vec<Vec<Line>>> = all.collect();
    let pairs = (0..all.len()).flat_map(|one| (one + 1..all.len()).map(move |other| (one, other)));
    let mut report = String::new();
    for (one, other) in pairs {
        for (first, second) in all[one].iter().flat_map(|a| all[other].iter().map(move |b| (a, b)))
        {
            for (first, second, length) in common(first, second, MAX_COMMON_LINES) {
                writeln!(report, "{length} lines: {first} and {second}").unwrap();
            }
        }
    }
    assert!(report.is_empty(), "Move these blocks to src/object:\n{report}");
}

#[test]
fn common_blocks_are_found_under_other_names() {
    let role = "use a;\nlet role = x;\n// why\ncall(role_state);\nend(role)\nother\n";
    let owner = "first\nlet owner = x;\ncall(owner_state);\n\nend(owner)\n";
    let (first, second) = (lines("r.rs", role, &["role"]), lines("o.rs", owner, &["owner"]));
    let expected = vec![("r.rs:2".to_owned(), "o.rs:2".to_owned(), 3)];
    assert_eq!(common(&first, &second, 2), expected);
    assert!(common(&first, &second, 3).is_empty());
}
