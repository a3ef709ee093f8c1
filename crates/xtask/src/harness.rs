//! Runs `cargo test` and collects the tests that passed. cargo does not report an error if a filter
//! matches no test.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::output::print_line;

/// Runs a `cargo test` command, shows its output, and returns the paths of the tests that passed.
///
/// # Errors
///
/// Fails if cargo cannot be started and if a test fails.
pub(crate) fn run(command: &mut Command) -> Result<Vec<String>> {
    let mut cargo = command.stdout(Stdio::piped()).spawn()?;
    let mut passed = Vec::new();
    let output = cargo.stdout.take().context("standard output of cargo")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        passed.extend(passed_test(&line).map(str::to_owned));
        // Each binary without a matching test reports that as well.
        if !line.is_empty() && !line.starts_with("running 0 tests") && !line.contains(" 0 passed;")
        {
            print_line(&line);
        }
    }
    ensure!(cargo.wait()?.success(), "Tests failed.");
    Ok(passed)
}

/// Returns the path of the test that a line of the test harness reports as passed.
fn passed_test(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... ok")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_test_is_named_by_its_path() {
        assert_eq!(passed_test("test a::b::it_holds ... ok"), Some("a::b::it_holds"));
        assert_eq!(passed_test("test it_holds ... FAILED"), None);
        assert_eq!(passed_test("test it_holds ... ignored, slow"), None);
        assert_eq!(passed_test("test result: ok. 1 passed"), None);
    }
}
