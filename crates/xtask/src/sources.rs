//! The files of the repository, as Git tracks them.

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
