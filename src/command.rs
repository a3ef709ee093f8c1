//! What `export` and `report` share: programs of their own, whose standard output is their result.

use std::io::{self, Write as _};
use std::process::ExitCode;

/// Writes to standard output, and fails if that does: a part of a result would look like the whole.
pub(crate) fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    printed.map_err(|error| format!("Could not write to standard output: {error}"))
}

/// Writes to standard error. A failure is ignored: there is no other place to report it.
pub(crate) fn print_error(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Returns the exit code of a program that has ended, and prints its error.
pub(crate) fn exit_code(ended: Result<ExitCode, String>) -> ExitCode {
    ended.unwrap_or_else(|error| {
        print_error(&format!("Error: {error}.\n"));
        ExitCode::FAILURE
    })
}
