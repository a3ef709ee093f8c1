//! Secrets in files.

use std::io::Read as _;
use std::path::Path;

/// Returns what the files in a plan contain.
pub(crate) fn unpacked(plan: &Path) -> Vec<u8> {
    let file = std::fs::File::open(plan).expect("a plan");
    let mut archive = zip::ZipArchive::new(file).expect("a plan is an archive");
    assert!(!archive.is_empty());
    let mut bytes = Vec::new();
    for index in 0..archive.len() {
        archive.by_index(index).expect("a member").read_to_end(&mut bytes).expect("its bytes");
    }
    bytes
}
