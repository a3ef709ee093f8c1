//! Standard output, standard error and files of results.

use std::path::Path;

use anyhow::Context as _;

/// Writes results to standard output.
#[allow(clippy::print_stdout, reason = "a program of its own, whose output is its purpose")]
pub(crate) fn print_line(line: &str) {
    println!("{}", line.trim_end());
}

/// Writes progress and errors to standard error, so that standard output contains results only.
#[allow(clippy::print_stderr, reason = "a program of its own, whose output is for a terminal")]
pub(crate) fn report_progress(line: &str) {
    eprintln!("{line}");
}

/// Writes a file of results.
///
/// # Errors
///
/// Fails if the directory or the file cannot be written.
pub(crate) fn write(directory: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory)?;
    let path = directory.join(name);
    std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    report_progress(&format!("wrote {}", path.display()));
    Ok(())
}
