//! No file is longer than a reader can survey.

use std::fs;

use crate::{is_being_rewritten, sources, top};

/// Lines that a file may have; about 300 is the aim.
const LINES: usize = 500;

#[test]
fn source_files_have_at_most_500_lines() {
    let mut long = Vec::new();
    for file in sources() {
        let lines = fs::read_to_string(top().join(&file)).unwrap().lines().count();
        if lines > LINES && !is_being_rewritten(&file) {
            long.push(format!("{file}: {lines} lines"));
        }
    }
    assert!(long.is_empty(), "Split these files by job:\n{}", long.join("\n"));
}
