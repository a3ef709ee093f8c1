//! The outcome of a terraform run, from its machine-readable output (`-json`), or of another
//! command.

use std::collections::BTreeSet;
use std::io;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// What a command has returned and printed.
pub(crate) struct Outcome {
    /// Exit code: for plans 0 is no changes, 2 is changes, 1 an error.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The program and its arguments.
    command: String,
    messages: Vec<Value>,
}

impl Outcome {
    /// Runs a command.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output();
        Self::new(command, output)
    }

    /// Runs a command with this standard input.
    pub(crate) fn with_input(command: &mut Command, input: &[u8]) -> Self {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = child.spawn().and_then(|mut child| {
            // A process that ends before it reads is judged by its output.
            _ = child.stdin.take().expect("its input").write_all(input);
            child.wait_with_output()
        });
        Self::new(command, output)
    }

    /// Parses the messages of a run. Lines that are not JSON are only in `stdout`.
    fn new(command: &Command, output: io::Result<Output>) -> Self {
        let words = [command.get_program()].into_iter().chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        let output = output.unwrap_or_else(|error| {
            panic!("{} does not start: {error}. Tests need terraform on PATH, or TERRAFORM_BINARY that names a terraform or tofu", words[0])
        });
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self {
            code: output.status.code().unwrap_or(-1),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            command: words.join(" "),
            messages,
            stdout,
        }
    }

    /// Fails the test with the output of the command unless the exit code is this one.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}:\n{}", self.command, self.output());
        self
    }

    /// Fails the test unless the exit code is 0: for a plan, without changes.
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

    /// Fails the test if there is a warning.
    #[track_caller]
    pub(crate) fn without_warnings(self) -> Self {
        assert_eq!(self.warnings(), [""; 0], "{}", self.command);
        self
    }

    /// Fails the test unless some warning contains all of these parts.
    #[track_caller]
    pub(crate) fn warns<'p>(self, parts: impl AsRef<[&'p str]>) -> Self {
        let (warnings, parts) = (self.warnings(), parts.as_ref());
        assert!(holds(&warnings, parts), "a warning with {parts:?} among {warnings:#?}");
        self
    }

    /// Fails the test if some warning contains this part.
    #[track_caller]
    pub(crate) fn does_not_warn(self, part: &str) -> Self {
        let warnings = self.warnings();
        assert!(!holds(&warnings, &[part]), "no warning with {part:?}: {warnings:#?}");
        self
    }

    /// Fails the test unless it ended with the exit code 1 and one error contains all of these
    /// parts.
    #[track_caller]
    pub(crate) fn fails_with<'p>(self, parts: impl AsRef<[&'p str]>) -> Self {
        let outcome = self.exits(1);
        let (errors, parts) = (outcome.errors(), parts.as_ref());
        assert!(holds(&errors, parts), "an error with {parts:?} among {errors:#?}");
        outcome
    }

    /// Fails the test unless it ended with the exit code 1, an error on standard error that
    /// contains all of these parts, and nothing on standard output.
    #[track_caller]
    pub(crate) fn refuses(self, parts: &[&str]) {
        let outcome = self.exits(1);
        assert_eq!(outcome.stdout, "", "{}", outcome.stderr);
        has_parts(&outcome.stderr, parts);
    }

    /// Returns the outcome without the warnings, which an apply repeats from its plan.
    pub(crate) fn errors_only(mut self) -> Self {
        self.messages.retain(|message| message["diagnostic"]["severity"] != "warning");
        self
    }

    /// Returns the lines of errors and warnings that the provider has written. Of several warnings
    /// with one summary Terraform shows the first.
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

    /// Returns everything that the command has printed, for the message of a test.
    pub(crate) fn output(&self) -> String {
        format!("exit code {}\n{}\n{}", self.code, self.stdout, self.stderr)
    }

    /// Returns the diagnostics of a severity, "error" or "warning".
    fn diagnostics<'a>(&'a self, severity: &'a str) -> impl Iterator<Item = &'a Value> {
        self.messages
            .iter()
            .filter(|message| message["type"] == "diagnostic")
            .map(|message| &message["diagnostic"])
            .filter(move |diagnostic| diagnostic["severity"] == severity)
    }
}

/// Returns whether one of the texts contains all parts.
fn holds(texts: &[String], parts: &[&str]) -> bool {
    texts.iter().any(|text| parts.iter().all(|part| text.contains(part)))
}

/// Fails the test unless a text contains all of these parts.
#[track_caller]
pub(crate) fn has_parts(text: &str, parts: &[impl AsRef<str>]) {
    for part in parts.iter().map(AsRef::as_ref) {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

/// Returns summary and detail of a diagnostic.
fn text(diagnostic: &Value) -> String {
    let part = |name: &str| diagnostic[name].as_str().unwrap_or_default().to_owned();
    format!("{}\n{}", part("summary"), part("detail"))
}
