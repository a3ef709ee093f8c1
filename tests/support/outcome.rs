//! The outcome of a terraform run, from its machine-readable output (`-json`).

use std::collections::BTreeSet;
use std::process::Output;

use serde_json::Value;

pub(crate) struct Outcome {
    /// Exit code: for plans 0 is no changes, 2 is changes, 1 an error.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    arguments: String,
    messages: Vec<Value>,
}

impl Outcome {
    /// Parses the messages of a run. Lines that are not JSON are only in `stdout`.
    pub(crate) fn new(arguments: &[&str], output: &Output) -> Self {
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self {
            code: output.status.code().unwrap_or(-1),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            arguments: arguments.join(" "),
            messages,
            stdout,
        }
    }

    /// Fails the test with the output of terraform unless the exit code is this one.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "terraform {}:\n{}", self.arguments, self.output());
        self
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.exits(0)
    }

    /// Fails the test unless a plan has changes, among them this action.
    #[track_caller]
    pub(crate) fn plans(self, address: &str, action: &str) -> Self {
        let outcome = self.exits(2);
        assert_eq!(outcome.action(address), action, "{address}: {}", outcome.output());
        outcome
    }

    /// Returns the planned action of a resource: "create", "update", "delete", "replace", or
    /// "no-op".
    pub(crate) fn action(&self, address: &str) -> &str {
        self.messages
            .iter()
            .filter(|message| message["type"] == "planned_change")
            .find(|message| message["change"]["resource"]["addr"] == address)
            .and_then(|message| message["change"]["action"].as_str())
            .unwrap_or("no-op")
    }

    /// Summaries and details of the errors, one text each.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.diagnostics("error").map(text).collect()
    }

    /// Summaries and details of the warnings, without those about development overrides.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.diagnostics("warning")
            .map(text)
            .filter(|warning| !warning.contains("development overrides"))
            .collect()
    }

    /// Returns the text of the only error. Fails the test unless there is exactly one.
    #[track_caller]
    pub(crate) fn only_error(&self) -> String {
        let mut errors = self.errors();
        assert_eq!(errors.len(), 1, "one error: {}", self.output());
        errors.remove(0)
    }

    #[track_caller]
    pub(crate) fn without_warnings(self) -> Self {
        assert_eq!(self.warnings(), Vec::<String>::new(), "terraform {}", self.arguments);
        self
    }

    /// Fails the test unless some warning contains all of these parts.
    #[track_caller]
    pub(crate) fn warns(self, parts: impl Parts) -> Self {
        let (warnings, parts) = (self.warnings(), parts.parts());
        assert!(holds(&warnings, &parts), "a warning with {parts:?} among {warnings:#?}");
        self
    }

    /// Fails the test if some warning contains all of these parts.
    #[track_caller]
    pub(crate) fn does_not_warn(self, parts: impl Parts) -> Self {
        let (warnings, parts) = (self.warnings(), parts.parts());
        assert!(!holds(&warnings, &parts), "no warning with {parts:?}: {warnings:#?}");
        self
    }

    /// Fails the test unless it ended with the exit code 1 and one error contains all of these parts.
    #[track_caller]
    pub(crate) fn fails_with(self, parts: impl Parts) -> Self {
        let outcome = self.exits(1);
        let (errors, parts) = (outcome.errors(), parts.parts());
        assert!(holds(&errors, &parts), "an error with {parts:?} among {errors:#?}");
        outcome
    }

    /// Returns the outcome without the warnings, which an apply repeats from its plan.
    pub(crate) fn errors_only(mut self) -> Self {
        self.messages.retain(|message| message["diagnostic"]["severity"] != "warning");
        self
    }

    /// Returns the lines of errors and warnings that the provider has written. Of several warnings with one
    /// summary Terraform shows the first.
    pub(crate) fn provider_lines(&self) -> Vec<String> {
        let mut warnings = self.warnings();
        let mut summaries = BTreeSet::new();
        warnings.retain(|warning| summaries.insert(warning.lines().next().map(str::to_owned)));
        let texts = self.errors().into_iter().chain(warnings);
        let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
        lines.filter(|line| !line.trim().is_empty()).collect()
    }

    /// Returns the source lines that errors refer to.
    pub(crate) fn blamed_lines(&self) -> Vec<String> {
        self.diagnostics("error")
            .filter_map(|diagnostic| diagnostic["snippet"]["code"].as_str())
            .map(|line| line.trim().to_owned())
            .collect()
    }

    pub(crate) fn output(&self) -> String {
        format!("exit code {}\n{}\n{}", self.code, self.stdout, self.stderr)
    }

    fn diagnostics<'a>(&'a self, severity: &'a str) -> impl Iterator<Item = &'a Value> {
        self.messages
            .iter()
            .filter(|message| message["type"] == "diagnostic")
            .map(|message| &message["diagnostic"])
            .filter(move |diagnostic| diagnostic["severity"] == severity)
    }
}

fn holds(texts: &[String], parts: &[&str]) -> bool {
    texts.iter().any(|text| parts.iter().all(|part| text.contains(part)))
}

/// One part of a text, or several.
pub(crate) trait Parts {
    fn parts(&self) -> Vec<&str>;
}

impl Parts for &str {
    fn parts(&self) -> Vec<&str> {
        vec![self]
    }
}

impl<const N: usize> Parts for [&str; N] {
    fn parts(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Parts for &[&str] {
    fn parts(&self) -> Vec<&str> {
        self.to_vec()
    }
}

fn text(diagnostic: &Value) -> String {
    let part = |name: &str| diagnostic[name].as_str().unwrap_or_default().to_owned();
    format!("{}\n{}", part("summary"), part("detail"))
}
