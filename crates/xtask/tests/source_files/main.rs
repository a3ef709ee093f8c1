//! Rules about source files that the compiler does not check: their size, blocks that both entities
//! repeat, circles between the files of a crate, and documentation of functions that does not begin
//! with a verb, or that describes a result where there is none.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod circles;
mod crate_graph;
mod rustdoc;
mod sizes;
mod twins;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the top directory of the workspace.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the Rust sources that Git tracks, relative to [`top`], without generated ones.
fn sources() -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "*.rs"])
        .current_dir(top())
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).unwrap();
    let names: Vec<String> = names
        .lines()
        // A file that is deleted and not committed is still in the index.
        .filter(|name| !name.contains("/src/pb/") && top().join(name).is_file())
        .map(str::to_owned)
        .collect();
    assert!(names.len() > 100, "{names:?}");
    names
}
