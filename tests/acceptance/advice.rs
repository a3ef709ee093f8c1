//! The advice of errors, followed to its end: until the plan is empty, or the thing is undone.
//!
//! The rows have each way that an error names: how to provoke it, the steps, and the end. The
//! steps are taken from the text that was printed. Blocks, commands, variables and arguments are parsed
//! out of it, with only the address replaced. What the text says in prose is an edit, and the words must
//! be in the text.

mod rows;

use std::sync::Mutex;
use std::thread;

use self::rows::{CHANGES, RESPONSES};
use crate::support::fixtures::Configuration;
use crate::support::{Service, Workspace};

/// A situation in which an error was printed.
struct Scene {
    service: Service,
    workspace: Workspace,
    configuration: String,
    errors: Vec<String>,
}

impl Scene {
    /// Returns what an apply of a configuration prints.
    fn of_apply(service: Service, workspace: Workspace, configuration: impl Configuration) -> Self {
        let configuration = configuration.to_string();
        let errors = workspace.apply_of(&configuration).errors();
        Self { service, workspace, configuration, errors }
    }

    /// Returns what a plan of a configuration prints.
    fn of_plan(service: Service, workspace: Workspace, configuration: impl Configuration) -> Self {
        let configuration = configuration.to_string();
        let errors = workspace.plan_of(&configuration).errors();
        Self { service, workspace, configuration, errors }
    }
}

/// A step of an advice.
enum Step {
    /// Adds the block of this kind that the text shows, for the addresses in place of those of the
    /// example.
    Block(&'static str, &'static [&'static str]),
    /// Runs the command that begins like this in the text, for an address.
    Command(&'static str, &'static str),
    /// Gives the next command this option, which is in the text, with this value.
    Option(&'static str, &'static str),
    /// Sets the argument of the text in the resource with this address.
    Argument(&'static str, &'static str),
    /// Does what these words of the text say: replaces the first text in the configuration by the
    /// second.
    Edit(&'static str, &'static str, &'static str),
    /// What somebody does at the service.
    Service(&'static str, fn(&Service)),
    /// Restores the environment of a workspace: a key, an address.
    Environment(&'static str, &'static str, fn(&Service) -> String),
    /// From here on, the text is that of another error of the scene: the one that contains this.
    Of(&'static str),
    Apply,
    Destroy,
}

/// Errors, and the ways out of them. Errors about independent objects share a row, and with it
/// the starts of Terraform.
struct Row {
    /// A part of the error whose text the first steps follow.
    error: &'static str,
    provoke: fn() -> Scene,
    steps: &'static [Step],
    /// The number of objects in the state at the end, when a plan is empty.
    objects: usize,
}

/// Returns the text of the error that contains this.
fn printed<'o>(errors: &'o [String], part: &str) -> &'o str {
    let error = errors.iter().find(|text| text.contains(part));
    error.unwrap_or_else(|| panic!("no error with {part:?}: {errors:#?}"))
}

/// Returns the block of this kind in a text.
fn block_in(text: &str, kind: &str) -> String {
    let lines = text.lines().skip_while(|line| line.trim_start() != format!("{kind} {{"));
    let mut block: Vec<&str> = Vec::new();
    for line in lines {
        block.push(line.strip_prefix("  ").unwrap_or(line));
        if line == "  }" {
            return block.join("\n");
        }
    }
    panic!("no {kind} block in {text}");
}

/// Returns the block with addresses in place of those of the example, in their order.
fn at_addresses(block: &str, addresses: &[&str]) -> String {
    let mut addresses = addresses.iter();
    let lines = block.lines().map(|line| match line.split_once("access_") {
        Some((before, after)) if after.contains(".example") => {
            format!("{before}{}\n", addresses.next().expect("an address for each of the example"))
        }
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// Returns the texts in backticks.
fn quoted_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn quoted_with<'t>(text: &'t str, prefix: &str) -> &'t str {
    let mut quoted = quoted_in(text);
    quoted.find(|it| it.starts_with(prefix)).unwrap_or_else(|| panic!("no `{prefix}…` in {text}"))
}

/// Returns a configuration whose resource has this line in place of the argument that it sets.
fn with_argument(configuration: &str, address: &str, line: &str) -> String {
    let (kind, name) = address.split_once('.').expect("an address");
    let head = format!("resource \"{kind}\" \"{name}\" {{\n");
    let (before, after) = configuration.split_once(&head).expect("the resource");
    let (body, rest) = after.split_once("\n}").expect("its end");
    let argument = line.split_once(" =").expect("an argument").0;
    let kept = body.lines().filter(|kept| !kept.trim_start().starts_with(&format!("{argument} ")));
    let kept: Vec<&str> = kept.collect();
    format!("{before}{head}{}\n  {line}\n}}{rest}", kept.join("\n"))
}

/// Provokes an error, takes the steps of its text, and checks the end.
fn follow(row: &Row) {
    let mut scene = (row.provoke)();
    let mut text = printed(&scene.errors, row.error);
    let mut options: Vec<String> = Vec::new();
    for step in row.steps {
        match step {
            Step::Block(kind, addresses) => {
                let block = at_addresses(&block_in(text, kind), addresses);
                scene.configuration = format!("{}\n{block}", scene.configuration);
            }
            Step::Command(prefix, address) => {
                let words = quoted_with(text, prefix).split(' ').skip(1);
                let words: Vec<&str> = words
                    .filter(|it| *it != "ADDRESS")
                    .chain([*address])
                    .filter(|it| !it.is_empty())
                    .collect();
                scene.workspace.run(&words).succeeds();
            }
            Step::Option(option, value) => {
                assert!(quoted_with(text, option).starts_with(option), "{option}");
                options.push(format!("{option}{value}"));
            }
            Step::Argument(address, name) => {
                let line = quoted_with(text, &format!("{name} = "));
                scene.configuration = with_argument(&scene.configuration, address, line);
            }
            Step::Edit(words, from, to) => {
                assert!(text.contains(words), "{}: {words:?} is not in {text}", row.error);
                assert!(scene.configuration.contains(from), "{from}: {}", scene.configuration);
                scene.configuration = scene.configuration.replacen(from, to, 1);
            }
            Step::Service(words, change) => {
                assert!(text.contains(words), "{}: {words:?} is not in {text}", row.error);
                change(&scene.service);
            }
            Step::Environment(words, name, value) => {
                assert!(text.contains(words), "{}: {words:?} is not in {text}", row.error);
                let value = value(&scene.service);
                scene.workspace.set(name, &value);
            }
            Step::Of(error) => text = printed(&scene.errors, error),
            Step::Apply | Step::Destroy => {
                let words: Vec<&str> = options.iter().map(String::as_str).collect();
                scene.workspace.configure(&scene.configuration);
                if matches!(step, Step::Apply) {
                    scene.workspace.apply_with(&words).succeeds();
                } else {
                    scene.workspace.destroy_with(&words).succeeds();
                }
                options.clear();
            }
        }
    }
    if !matches!(row.steps.last(), Some(Step::Destroy)) {
        scene.workspace.plan_of(&scene.configuration).exits(0);
    }
    assert_eq!(scene.workspace.state_size(), row.objects, "{}", row.error);
}

#[test]
fn advice_of_each_error_about_a_change_leads_out() {
    follow_all(CHANGES);
}

#[test]
fn advice_of_each_error_about_a_response_or_a_value_leads_out() {
    follow_all(RESPONSES);
}

fn follow_all(rows: &[Row]) {
    let next = Mutex::new(0..rows.len());
    let failed = Mutex::new(Vec::new());
    let take = || next.lock().expect("the rows").next();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(number) = take() {
                    let row = &rows[number];
                    if std::panic::catch_unwind(|| follow(row)).is_err() {
                        failed.lock().expect("no panic").push((number, row.error));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no panic");
    assert!(failed.is_empty(), "rows with these numbers failed, see above: {failed:?}");
}
