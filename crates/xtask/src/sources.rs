//! Lists of files.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::str;

use anyhow::{Context as _, Result, ensure};

/// Returns the tracked files below `top` that exist, relative to it, in alphabetical order.
///
/// # Errors
///
/// Fails if `git` cannot be started or `top` is not in a work tree.
pub(crate) fn tracked(top: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(top)
        .output()
        .context("could not start git")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = str::from_utf8(&output.stdout)?.split_terminator('\0');
    // A file that is deleted and not committed is still in the index.
    let mut names: Vec<_> =
        names.filter(|name| top.join(name).is_file()).map(str::to_owned).collect();
    names.sort();
    Ok(names)
}

/// Returns the files below a directory, relative to it and with `/` between the parts.
///
/// # Errors
///
/// Fails if a directory cannot be read.
pub(crate) fn files_below(directory: &Path) -> Result<Vec<String>> {
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
