//! Runs the jobs of the workflow as GitHub does: events, conditions, the secrets that a job gets,
//! and a fresh clone for each job.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::site::Site;
use crate::support::Outcome;

/// The repository of the site at the forge.
const REPOSITORY: &str = "example/access";

/// What starts a run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum Event {
    /// A pull request of this branch of this repository.
    PullRequest {
        repository: &'static str,
        branch: &'static str,
    },
    Push,
    Schedule,
}

impl Event {
    /// A pull request of a branch of the repository itself.
    pub(in super::super) fn pull_request(branch: &'static str) -> Self {
        Self::PullRequest { repository: REPOSITORY, branch }
    }

    fn name(self) -> &'static str {
        match self {
            Self::PullRequest { .. } => "pull_request",
            Self::Push => "push",
            Self::Schedule => "schedule",
        }
    }

    /// Returns the context `github`.
    fn contexts(self) -> Contexts {
        let mut contexts = BTreeMap::from([
            ("github.event_name", self.name()),
            ("github.repository", REPOSITORY),
            ("github.token", "forge-token"),
        ]);
        if let Self::PullRequest { repository, .. } = self {
            contexts.insert("github.event.pull_request.head.repo.full_name", repository);
            contexts.insert("github.event.pull_request.number", "7");
        }
        contexts.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Returns the group of a workflow in which the runs of this event wait for each other.
    pub(in super::super) fn group(self, workflow: &Value) -> String {
        interpolate(text_of(&workflow["concurrency"]["group"]), &self.contexts())
    }

    fn is_fork(self) -> bool {
        matches!(self, Self::PullRequest { repository, .. } if repository != REPOSITORY)
    }
}

/// What a job has done.
pub(in super::super) struct Job {
    pub(in super::super) succeeded: bool,
    /// What its steps have printed.
    pub(in super::super) output: String,
}

/// A workflow in a repository, and what an administrator has set for it.
pub(in super::super) struct Runner<'a> {
    pub(in super::super) site: &'a Site,
    pub(in super::super) workflow: &'static str,
    pub(in super::super) variables: BTreeMap<&'static str, String>,
    /// Of the repository: every job gets them, unless a fork has started it.
    pub(in super::super) secrets: BTreeMap<&'static str, String>,
    /// Of the environment `access`.
    pub(in super::super) environment_secrets: BTreeMap<&'static str, String>,
}

/// The contexts of expressions, such as `github.event_name`.
type Contexts = BTreeMap<String, String>;

impl Runner<'_> {
    /// Runs a job, and fails the test if a condition skips the job.
    #[track_caller]
    pub(in super::super) fn job(&self, event: Event, name: &str) -> Job {
        let text = fs::read_to_string(self.site.home.join("repository").join(self.workflow));
        let workflow: Value =
            serde_yaml_ng::from_str(&text.expect("the workflow")).expect("a workflow of YAML");
        let job = &workflow["jobs"][name];
        let mut contexts = self.contexts(event, job);
        let mut environment = self.site.variables.clone();
        environment
            .retain(|name, _| !name.starts_with("ACCESS_") && !name.starts_with("PROVIDER_"));
        let mut environment: BTreeMap<String, String> =
            environment.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        environment.insert("GITHUB_EVENT_NAME".to_owned(), event.name().to_owned());
        if !matches!(event, Event::PullRequest { .. }) {
            environment.insert("GITHUB_REF".to_owned(), "refs/heads/main".to_owned());
        }
        add(&mut environment, &workflow["env"], &contexts);
        for (name, value) in &environment {
            contexts.insert(format!("env.{name}"), value.clone());
        }
        assert!(holds(&job["if"], &contexts), "{name} is skipped");
        self.site.ends("", "rm -rf runner .terraform-access env output; mkdir runner", 0);
        self.site.tool("terraform", "exit 127");

        let mut result = Job { succeeded: true, output: String::new() };
        for step in job["steps"].as_array().expect("steps") {
            let may_run = result.succeeded || text_of(&step["if"]).contains("always()");
            let outcome = if !(may_run && holds(&step["if"], &contexts)) {
                "skipped"
            } else if self.step(event, step, &mut environment, &contexts, &mut result.output) {
                "success"
            } else {
                result.succeeded = false;
                "failure"
            };
            if let Some(id) = step["id"].as_str() {
                contexts.insert(format!("steps.{id}.outcome"), outcome.to_owned());
            }
        }
        result
    }

    /// Runs a step, and returns whether it has succeeded.
    fn step(
        &self,
        event: Event,
        step: &Value,
        environment: &mut BTreeMap<String, String>,
        contexts: &Contexts,
        output: &mut String,
    ) -> bool {
        let with = |name: &str| text_of(&step["with"][name]);
        let commands = match text_of(&step["uses"]).split('@').next().expect("an action") {
            "" => text_of(&step["run"]).to_owned(),
            "actions/checkout" => {
                let branch = match event {
                    Event::PullRequest { branch, .. } => branch,
                    Event::Push | Event::Schedule => "main",
                };
                format!("git clone --quiet --branch {branch} ../origin.git .")
            }
            "actions/upload-artifact" => format!(
                "rm -rf ../artifacts && mkdir ../artifacts && cp -r {} ../artifacts/{}",
                with("path"),
                with("name")
            ),
            "actions/download-artifact" => {
                format!("mkdir -p {0} && cp -r ../artifacts/{1}/. {0}", with("path"), with("name"))
            }
            "hashicorp/setup-terraform" => "cp ../host ../bin/terraform".to_owned(),
            other => panic!("the harness does not know {other}"),
        };
        let mut own = environment.clone();
        add(&mut own, &step["env"], contexts);
        // The default shell of GitHub's runners.
        let mut command = self.site.program("bash", "runner");
        command.args(["-e", "-c", &commands]).env_clear().envs(&own);
        let outcome = Outcome::of(&mut command);
        output.push_str(&outcome.output());
        let set = fs::read_to_string(self.site.home.join("env")).unwrap_or_default();
        let set = set.lines().filter_map(|line| line.split_once('='));
        environment.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
        outcome.code == 0
    }

    fn contexts(&self, event: Event, job: &Value) -> Contexts {
        let mut contexts = event.contexts();
        let of_environment = (job["environment"] == "access").then_some(&self.environment_secrets);
        let secrets = (!event.is_fork()).then_some(&self.secrets);
        for (name, value) in secrets.into_iter().chain(of_environment).flatten() {
            contexts.insert(format!("secrets.{name}"), value.clone());
        }
        for (name, value) in &self.variables {
            contexts.insert(format!("vars.{name}"), value.clone());
        }
        contexts
    }
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Adds the variables of an `env` to an environment. What is not set is empty, as on GitHub.
fn add(environment: &mut BTreeMap<String, String>, variables: &Value, contexts: &Contexts) {
    for (name, value) in variables.as_object().into_iter().flatten() {
        environment.insert(name.clone(), interpolate(text_of(value), contexts));
    }
}

/// Returns a text with the value of its expression, if it has one.
fn interpolate(text: &str, contexts: &Contexts) -> String {
    match text.split_once("${{") {
        Some((before, rest)) => {
            let (expression, after) = rest.split_once("}}").expect("the end of an expression");
            format!("{before}{}{after}", evaluate(expression, contexts))
        }
        None => text.to_owned(),
    }
}

/// Evaluates an expression with `||`, `&&`, `==`, `!=`, names and quoted texts.
fn evaluate(expression: &str, contexts: &Contexts) -> String {
    let either = |text: &str, operator: &str| {
        text.split_once(operator).map(|(one, other)| (one.to_owned(), other.to_owned()))
    };
    if let Some((one, other)) = either(expression, "||") {
        let one = evaluate(&one, contexts);
        return if is_true(&one) { one } else { evaluate(&other, contexts) };
    }
    if let Some((one, other)) = either(expression, "&&") {
        let one = evaluate(&one, contexts);
        return if is_true(&one) { evaluate(&other, contexts) } else { one };
    }
    for (operator, is_equal) in [("==", true), ("!=", false)] {
        if let Some((one, other)) = either(expression, operator) {
            let same = evaluate(&one, contexts) == evaluate(&other, contexts);
            return (same == is_equal).to_string();
        }
    }
    match expression.trim() {
        "always()" => "true".to_owned(),
        text if text.starts_with('\'') => text.trim_matches('\'').to_owned(),
        name => contexts.get(name).cloned().unwrap_or_default(),
    }
}

/// Returns whether a condition holds, which may be absent, or a boolean of YAML.
fn holds(condition: &Value, contexts: &Contexts) -> bool {
    match condition {
        Value::Null => true,
        Value::Bool(holds) => *holds,
        condition => is_true(&evaluate(text_of(condition), contexts)),
    }
}

fn is_true(value: &str) -> bool {
    !value.is_empty() && value != "false"
}

#[test]
fn expressions_are_evaluated_as_on_github() {
    let contexts = Contexts::from([("a.b".to_owned(), "x".to_owned())]);
    for (condition, expected) in
        [(Value::Null, true), (false.into(), false), (true.into(), true), ("a.c".into(), false)]
    {
        assert_eq!(holds(&condition, &contexts), expected, "{condition}");
    }
    for (expression, expected) in [
        ("a.b == 'x'", "true"),
        ("a.b != 'x' || a.c == ''", "true"),
        ("always() && a.b == 'y'", "false"),
        ("a.c || a.b", "x"),
        ("a.c", ""),
    ] {
        assert_eq!(evaluate(expression, &contexts), expected, "{expression}");
    }
}
