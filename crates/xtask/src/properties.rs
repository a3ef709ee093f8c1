//! `cargo xtask properties`: runs every property test with many more cases than `cargo test` does.
//!
//! The tests are found by their macro, `proptest!`, so that a test is not omitted because of its
//! name. A test that was found and did not run is an error.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use crate::{harness, workspace};

/// Cases per test that take about a minute for the slowest test.
const CASES: u64 = 100_000;

/// Runs all property tests, with `--cases N` cases each.
///
/// # Errors
///
/// Fails if an argument is unknown, if a test fails, and if a test did not run.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let mut cases = CASES;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("cases") => cases = arguments.value()?.parse()?,
            _ => return Err(argument.unexpected().into()),
        }
    }
    let expected = find()?;
    ensure!(!expected.is_empty(), "No source contains `proptest!`.");
    print_line(&format!("{} property tests, {cases} cases each", expected.len()));
    let passed = harness::run(
        workspace::cargo_command()
            .args(["test", "--workspace", "--exclude", "access-bench", "--locked", "--tests"])
            .args(["--no-fail-fast", "--"])
            .args(&expected)
            .env("PROPTEST_CASES", cases.to_string()),
    )?;
    let missing: Vec<_> = expected
        .iter()
        .filter(|name| !passed.iter().any(|test| test.name.rsplit("::").next() == Some(name)))
        .map(String::as_str)
        .collect();
    ensure!(missing.is_empty(), "These property tests did not run: {}.", missing.join(", "));
    Ok(())
}

/// Returns the names of the property tests in the workspace.
fn find() -> Result<BTreeSet<String>> {
    let top = workspace::directory();
    // With the start of a line, because this file names the macro as well.
    let arguments = [
        "grep",
        "--files-with-matches",
        "-E",
        r"^[[:space:]]*(proptest::)?proptest! \{",
        "--",
        "*.rs",
    ];
    let output = Command::new("git").args(arguments).current_dir(&top).output().context("git")?;
    let mut all = BTreeSet::new();
    for file in String::from_utf8(output.stdout)?.lines() {
        let source = fs::read_to_string(top.join(file)).with_context(|| file.to_owned())?;
        let tests = functions(&source).with_context(|| file.to_owned())?;
        ensure!(!tests.is_empty(), "{file}: no property test was found");
        all.extend(tests);
    }
    Ok(all)
}

/// Returns the names of the functions in the `proptest!` blocks of a source.
///
/// # Errors
///
/// Fails if a block is not closed where rustfmt would close it, and if a test fixes its number of
/// cases, because `PROPTEST_CASES` would not change it.
fn functions(source: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if !["proptest! {", "proptest::proptest! {"].contains(&code.trim_end()) {
            continue;
        }
        let end = format!("{}}}", &line[..line.len() - code.len()]);
        loop {
            let line = lines.next().context("a `proptest!` block does not end")?;
            if line == end {
                break;
            }
            ensure!(!line.contains("with_cases("), "a property test fixes its number of cases");
            let name = line.trim_start().strip_prefix("fn ").and_then(|rest| rest.split_once('('));
            names.extend(name.map(|(name, _)| name.to_owned()));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a sample source. It does not contain the macro's name literally, because `find`
    /// would list the samples as tests.
    fn with_macro(source: &str) -> String {
        source.replace("MACRO", "proptest!")
    }

    #[test]
    fn functions_are_those_of_the_macro() {
        let source = "\
fn other() {}
MACRO {
    #[test]
    fn one(bytes in any_bytes()) {
        if true {
        }
    }

    #[test]
    fn two(
        text in \"[{}]\",
    ) {}
}
fn no_property(it: u8) {}
mod inner {
    proptest::MACRO {
        fn three(x in 0..1) {}
    }
    fn neither() {}
}
";
        assert_eq!(functions(&with_macro(source)).unwrap(), ["one", "two", "three"]);
        for (refused, part) in [
            ("MACRO {\n    #![proptest_config(Config::with_cases(9))]\n}\n", "fixes its number"),
            ("MACRO {\n", "does not end"),
        ] {
            let error = functions(&with_macro(refused)).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
