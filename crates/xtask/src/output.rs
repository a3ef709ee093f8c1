//! The output of the commands.

/// Writes a line for the person at the terminal.
#[allow(clippy::print_stdout, reason = "xtask's output is for a terminal; it serves no protocol")]
pub(crate) fn tell(line: &str) {
    println!("{line}");
}
