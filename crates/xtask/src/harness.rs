//! Runs `cargo test` and collects the tests that passed, with the time that each took.
//!
//! Stable Rust does not report these times. The harness starts the tests of a binary in the order of their
//! names, and each further test when an earlier one ends. Their times therefore follow from the arrival of
//! the lines that report their ends.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::output::print_line;

/// A test that passed.
#[derive(Debug, PartialEq)]
pub(crate) struct Passed {
    pub(crate) name: String,
    pub(crate) time: Duration,
}

/// Runs a `cargo test` command, shows its output, and returns the tests that passed.
///
/// # Errors
///
/// Fails if cargo cannot be started and if a test fails.
pub(crate) fn run(command: &mut Command) -> Result<Vec<Passed>> {
    // A test waits half of its time for processes and requests.
    let threads = 2 * thread::available_parallelism()?.get();
    command.env("RUST_TEST_THREADS", threads.to_string());
    let mut cargo = command.stdout(Stdio::piped()).spawn()?;
    let mut passed = Vec::new();
    let mut binary = Binary { start: Instant::now(), ended: Vec::new() };
    let output = cargo.stdout.take().context("standard output of cargo")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        if line.starts_with("running ") {
            binary = Binary { start: Instant::now(), ended: Vec::new() };
        } else if line.starts_with("test result: ") {
            passed.extend(binary.passed(threads));
        } else if let Some((name, result)) = ended_test(&line) {
            binary.ended.push((name.to_owned(), result == "ok", Instant::now()));
        }
        // Each binary without a matching test reports that as well.
        if !line.is_empty() && !line.starts_with("running 0 tests") && !line.contains(" 0 passed;")
        {
            print_line(&line);
        }
    }
    ensure!(cargo.wait()?.success(), "Tests failed.");
    Ok(passed)
}

/// Returns the path and the result of a test from the line that reports its end.
fn ended_test(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.split_once(" ... ")
}

/// The tests of a binary that have ended, in this order: path, whether it passed, and when.
struct Binary {
    start: Instant,
    ended: Vec<(String, bool, Instant)>,
}

impl Binary {
    /// Returns the tests that passed, if `threads` tests ran at the same time.
    fn passed(&self, threads: usize) -> Vec<Passed> {
        let mut by_name: Vec<_> = self.ended.iter().collect();
        by_name.sort();
        let begin = |place: usize| match place.checked_sub(threads) {
            Some(earlier) => self.ended[earlier].2,
            None => self.start,
        };
        let timed = by_name.into_iter().enumerate().map(|(place, (name, passed, end))| {
            let time = end.saturating_duration_since(begin(place));
            passed.then(|| Passed { name: name.clone(), time })
        });
        timed.flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_test_has_a_path_and_a_result() {
        assert_eq!(ended_test("test a::b::it_holds ... ok"), Some(("a::b::it_holds", "ok")));
        assert_eq!(ended_test("test it_holds ... ignored, slow").unwrap().1, "ignored, slow");
        assert_eq!(ended_test("test result: ok. 1 passed"), None);
    }

    #[test]
    fn time_of_a_test_begins_when_an_earlier_one_ended() {
        let start = Instant::now();
        let end = |name: &str, passed, seconds| {
            (name.to_owned(), passed, start + Duration::from_secs(seconds))
        };
        // Two at a time: a and b begin, c after b, d after c, e after a.
        let ended =
            vec![end("b", true, 2), end("c", true, 3), end("a", true, 7), end("d", false, 9)];
        let binary = Binary { start, ended };
        let times: Vec<_> =
            binary.passed(2).into_iter().map(|test| (test.name, test.time.as_secs())).collect();
        let expected = [("a", 7), ("b", 2), ("c", 1)].map(|(name, time)| (name.to_owned(), time));
        assert_eq!(times, expected);
    }
}
