//! The output of the commands.

/// Writes a line to the terminal.
#[allow(clippy::print_stdout, reason = "xtask's output is for a terminal; it serves no protocol")]
pub(crate) fn print_line(line: &str) {
    println!("{line}");
}
