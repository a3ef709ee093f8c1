//! The size of source files.

use std::fs;

use crate::{sources, top};

/// The largest number of lines of a file. About 300 is the aim.
const MAX_LINES: usize = 500;

#[test]
fn source_files_have_at_most_500_lines() {
    let mut long = Vec::new();
    for file in sources() {
        let lines = fs::read_to_string(top().join(&file)).unwrap().lines().count();
        if lines > MAX_LINES {
            long.push(format!("{file}: {lines} lines"));
        }
    }
    assert!(long.is_empty(), "Split these files by job:\n{}", long.join("\n"));
}
