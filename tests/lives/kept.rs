//! Lives that have failed, in their shortest form: data, which no change of the generator voids.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::life::Life;
use crate::oracle::Verdict;
use crate::support::in_repository;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    /// What went wrong, for people.
    why: String,
    /// Draws what a life does not contain: the order of nodes in other lives, IDs.
    pub(crate) seed: u64,
    pub(crate) life: Life,
}

/// Returns the lives of `tests/lives/kept`.
pub(crate) fn all() -> Vec<Kept> {
    let files = fs::read_dir(in_repository("tests/lives/kept")).expect("the folder");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).expect("a file");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    paths.iter().map(read).collect()
}

/// Writes a life that failed to a file that can be kept, and returns its path.
pub(crate) fn write(life: &Life, seed: u64, verdict: &Verdict) -> String {
    let folder = in_repository("target/lives-failed");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("{seed}.json"));
    let why = format!("Broke the rule: {}", verdict.rule);
    let kept = Kept { why, seed, life: life.clone() };
    fs::write(&path, serde_json::to_string_pretty(&kept).expect("JSON") + "\n").expect("a file");
    path.display().to_string()
}
