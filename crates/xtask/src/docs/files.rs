//! The files of `docs/`, and whether they are written or compared.

use std::fs;
use std::path::Path;

use anyhow::Result;

/// Whether pages are written or compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Write them.
    Write,
    /// Compare them with `docs/`.
    Check,
}

/// Returns the files below a directory, relative to it and with `/` between the parts.
pub(super) fn files_below(directory: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(directory)?.to_string_lossy().replace('\\', "/");
                files.push(name);
            }
        }
    }
    Ok(files)
}
