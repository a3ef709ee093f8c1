//! `cargo xtask properties`: runs every property test with many more cases than `cargo test` does.
//!
//! The tests are found by their macro, `proptest!`, so that a test is not omitted because of its
//! name. A test that was found and did not run is an error.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use crate::{harness, sources, workspace};

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
    let count: usize = expected.values().sum();
    print_line(&format!("{count} property tests, {cases} cases each"));
    let mut passed: BTreeMap<String, usize> = BTreeMap::new();
    let tests = harness::run(
        workspace::cargo_command()
            .args(["test", "--workspace", "--locked", "--tests", "--no-fail-fast", "--"])
            .args(expected.keys())
            .env("PROPTEST_CASES", cases.to_string()),
    )?;
    for path in tests {
        let name = path.rsplit("::").next().unwrap_or_default();
        *passed.entry(name.to_owned()).or_default() += 1;
    }
    let missing: Vec<_> = expected
        .iter()
        .filter(|(name, count)| passed.get(*name).unwrap_or(&0) < *count)
        .map(|(name, _)| name.as_str())
        .collect();
    ensure!(missing.is_empty(), "These property tests did not run: {}.", missing.join(", "));
    Ok(())
}

/// Returns the name of each property test in the workspace, with the number of tests of that name.
fn find() -> Result<BTreeMap<String, usize>> {
    let top = workspace::directory();
    let mut all = BTreeMap::new();
    for file in sources::tracked(&top)?.iter().filter(|file| file.ends_with(".rs")) {
        let source = fs::read_to_string(top.join(file)).with_context(|| file.clone())?;
        let tests = functions(&source).with_context(|| file.clone())?;
        for name in tests {
            *all.entry(name).or_default() += 1;
        }
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
    }

    #[test]
    fn functions_with_a_fixed_number_of_cases_are_refused() {
        let source = with_macro("MACRO {\n    #![proptest_config(Config::with_cases(9))]\n}\n");
        let error = functions(&source).unwrap_err().to_string();
        assert!(error.contains("fixes its number of cases"), "{error}");
        let error = functions(&with_macro("MACRO {\n")).unwrap_err().to_string();
        assert!(error.contains("does not end"), "{error}");
    }

    #[test]
    fn find_finds_the_tests_of_every_file_that_uses_the_macro() {
        let top = workspace::directory();
        for file in sources::tracked(&top).unwrap().iter().filter(|file| file.ends_with(".rs")) {
            let source = fs::read_to_string(top.join(file)).unwrap();
            let code: String =
                source.lines().filter(|line| !line.trim().starts_with("//")).collect();
            if file.starts_with("crates/xtask/") {
                continue;
            }
            let names = functions(&source).unwrap();
            assert_eq!(names.is_empty(), !code.contains("proptest!"), "{file}: {names:?}");
            assert!(!code.contains("TestRunner"), "{file}: write the property with `proptest!`");
        }
        assert!(find().unwrap().len() > 8);
    }
}
