//! Results and progress: on the terminal, and in `benchmarks/`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::options::Options;
use crate::picture;

/// Writes results to standard output.
#[allow(clippy::print_stdout, reason = "a program of its own, whose output is its purpose")]
pub(crate) fn print_line(line: &str) {
    println!("{}", line.trim_end());
}

/// Writes progress to standard error, so that standard output contains results only.
#[allow(clippy::print_stderr, reason = "a program of its own, whose output is for a terminal")]
pub(crate) fn report_progress(line: &str) {
    eprintln!("{line}");
}

/// Prints a report, and writes it to this file in `benchmarks/` with `--write`.
pub(crate) fn publish(options: &Options, file: &str, report: &str) -> Result<()> {
    print_line(report);
    if options.write {
        write(file, report)?;
        // From the tables, also those of other runs.
        write_picture()?;
    }
    Ok(())
}

/// Draws the figures in `benchmarks/` again.
pub(crate) fn write_picture() -> Result<()> {
    write(picture::FILE, &picture::draw(&directory())?)
}

/// Returns the directory of the results that are published.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks")
}

/// Writes a file in `benchmarks/`.
fn write(file: &str, text: &str) -> Result<()> {
    let path = directory().join(file);
    std::fs::write(&path, text).context(path.display().to_string())
}
