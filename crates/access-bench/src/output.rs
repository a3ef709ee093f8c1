//! Results and progress.

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
