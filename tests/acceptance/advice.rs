//! The advice of every error, followed to its end: until the plan is empty, or the thing is undone.
//!
//! [`ROWS`] has a row for each way that an error names: how to provoke it, the steps, and the end.
//! The steps are taken from the text that was printed. Blocks, commands, variables and arguments
//! are parsed out of it, with only the address replaced. What the text says in prose is an edit,
//! and the words must be in the text. An error that is in no row, and not among the [`EXCEPTIONS`],
//! fails a test.

mod rows;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread;

use terraform_provider_access::{Declaration, Severity, declarations};

use self::rows::ROWS;
use crate::support::fixtures::Configuration;
use crate::support::{Outcome, Service, Workspace};

/// Errors whose advice no row follows, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("InvalidState", "no edit of a configuration leads to it: protocol::cases"),
    ("OlderObject", "the service has to go back in time: protocol::deletes"),
    ("Wanted", "two creates have to collide in an apply: protocol::creates"),
    (
        "NotConfigured",
        "the value of a provider argument comes from the same apply: acceptance::configure",
    ),
    ("PrincipalAsId", "needs identities, which this host may lack: protocol::identity"),
    ("SameOwner", "the service has to merge two spellings: acceptance::integration_owners"),
    ("NeverEmpty", "reads have to lag: acceptance::integration_owners"),
    ("Certificate", "needs an authority of its own: access-client"),
    ("NotTls", "needs a server of another protocol: access-client"),
    ("Proxy", "needs a proxy: acceptance::network"),
    ("Interrupted", "the advice is to run Terraform again: chaos"),
    ("UnreachableHere", "the advice is to run Terraform again, as of ServerFailed"),
    ("NotFoundByGatewayHere", "the advice is to run Terraform again, as of ServerFailed"),
    ("UnreadableHere", "only the service's operators can do something"),
    ("TooLarge", "only the service's operators can do something"),
    ("NotOffered", "each operation adds the ways without it: DeleteNotOffered, NeededNotOffered"),
    ("NotFoundHere", "each operation adds what may be missing"),
    ("NotFound", "each operation adds what may be missing: NeededNotFound, IntegrationMissing"),
    ("MayExist", "the connection has to break in the POST: protocol::creates"),
    ("MayExistAsOther", "the connection has to break in the POST: protocol::creates"),
    ("ListedMayExist", "the connection has to break in the POST: protocol::owners"),
    ("OwnerConflict", "no read shows what the service refuses: protocol::creates"),
    ("ListedOwnerConflict", "no read shows what the service refuses: protocol::owners"),
    ("ListContains", "the GET and the list have to contradict each other: protocol::reads"),
    ("ListFailed", "the list has to fail while the GET returns 404: protocol::reads"),
    ("CreatedUnreadable", "the response has no role: protocol::creates"),
    ("UpdatedUnreadable", "the response has no role: protocol::updates"),
];

/// A situation in which an error was printed.
struct Scene {
    service: Service,
    workspace: Workspace,
    configuration: String,
    outcome: Outcome,
}

impl Scene {
    /// Returns what an apply of a configuration prints.
    fn of_apply(service: Service, workspace: Workspace, configuration: impl Configuration) -> Self {
        let configuration = configuration.to_string();
        let outcome = workspace.apply_of(&configuration);
        Self { service, workspace, configuration, outcome }
    }

    /// Returns what a plan of a configuration prints.
    fn of_plan(service: Service, workspace: Workspace, configuration: impl Configuration) -> Self {
        let configuration = configuration.to_string();
        let outcome = workspace.plan_of(&configuration);
        Self { service, workspace, configuration, outcome }
    }
}

/// A step of an advice.
enum Step {
    /// Adds the block of this kind that the text shows, for the addresses in place of those of the
    /// example.
    Block(&'static str, &'static [&'static str]),
    /// Runs the command that begins like this in the text, for an address.
    Command(&'static str, &'static str),
    /// Writes what the provider's command prints that begins like this into a file, for an address.
    Print(&'static str, &'static str),
    /// Sets the variable to the value in the text for the next command.
    Variable(&'static str),
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
    Apply,
    Destroy,
}

/// An error, and the way out of it.
struct Row {
    /// The name of its declaration.
    message: &'static str,
    provoke: fn() -> Scene,
    steps: &'static [Step],
    /// The number of objects in the state at the end, when a plan is empty.
    objects: usize,
}

fn declaration(name: &str) -> Declaration {
    let found = declarations().into_iter().find(|declared| declared.name == name);
    found.unwrap_or_else(|| panic!("{name} is not declared"))
}

/// Returns whether a text contains the literal parts of a template, in their order.
fn renders(template: &str, text: &str) -> bool {
    let template = template.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = template.as_str();
    while let Some((literal, after)) = rest.split_once('{') {
        parts.push(literal);
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    parts.push(rest);
    let mut text = text;
    parts.iter().all(|part| {
        let part = part.replace('\u{1}', "{").replace('\u{2}', "}");
        let part = part.trim();
        text.find(part).is_some_and(|at| {
            text = &text[at + part.len()..];
            true
        })
    })
}

/// Returns the error of an outcome that a declaration has rendered.
fn printed(outcome: &Outcome, message: &str) -> String {
    let Declaration { summary, fact, next, .. } = declaration(message);
    let is_it = |error: &String| [summary, fact, next].iter().all(|part| renders(part, error));
    outcome.errors().into_iter().find(is_it).unwrap_or_else(|| {
        panic!("{message} is not printed: {:#?}", outcome.errors());
    })
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
    let text = printed(&scene.outcome, row.message);
    let mut options: Vec<String> = Vec::new();
    let mut variables: Vec<&str> = Vec::new();
    for step in row.steps {
        match step {
            Step::Block(kind, addresses) => {
                let block = at_addresses(&block_in(&text, kind), addresses);
                scene.configuration = format!("{}\n{block}", scene.configuration);
            }
            Step::Command(prefix, address) => {
                let words = quoted_with(&text, prefix).split(' ').skip(1);
                let words: Vec<&str> =
                    words.chain([*address]).filter(|it| !it.is_empty()).collect();
                scene.workspace.run(&words).succeeds();
            }
            Step::Print(prefix, address) => {
                let words = quoted_with(&text, prefix).split(' ').skip(1);
                let words: Vec<&str> =
                    words.map(|word| if word == "ADDRESS" { address } else { word }).collect();
                let blocks = scene.workspace.run_provider(&words).succeeds().stdout;
                scene.configuration = format!("{}\n{blocks}", scene.configuration);
            }
            Step::Variable(name) => {
                let (_, after) = text.split_once(&format!("{name}=")).unwrap_or_else(|| {
                    panic!("no {name} in {text}");
                });
                let value: String = after.chars().take_while(|it| it.is_alphanumeric()).collect();
                scene.workspace.set(name, &value);
                variables.push(name);
            }
            Step::Option(option, value) => {
                assert!(quoted_with(&text, option).starts_with(option), "{option}");
                options.push(format!("{option}{value}"));
            }
            Step::Argument(address, name) => {
                let line = quoted_with(&text, &format!("{name} = "));
                scene.configuration = with_argument(&scene.configuration, address, line);
            }
            Step::Edit(words, from, to) => {
                assert!(text.contains(words), "{}: {words:?} is not in {text}", row.message);
                assert!(scene.configuration.contains(from), "{from}: {}", scene.configuration);
                scene.configuration = scene.configuration.replacen(from, to, 1);
            }
            Step::Service(words, change) => {
                assert!(text.contains(words), "{}: {words:?} is not in {text}", row.message);
                change(&scene.service);
            }
            Step::Environment(words, name, value) => {
                assert!(text.contains(words), "{}: {words:?} is not in {text}", row.message);
                let value = value(&scene.service);
                scene.workspace.set(name, &value);
            }
            Step::Apply | Step::Destroy => {
                let words: Vec<&str> = options.iter().map(String::as_str).collect();
                scene.workspace.configure(&scene.configuration);
                if matches!(step, Step::Apply) {
                    scene.workspace.apply_with(&words).succeeds();
                } else {
                    scene.workspace.destroy_with(&words).succeeds();
                }
                options.clear();
                variables.drain(..).for_each(|name| scene.workspace.set(name, ""));
            }
        }
    }
    if !matches!(row.steps.last(), Some(Step::Destroy)) {
        scene.workspace.plan_of(&scene.configuration).exits(0);
    }
    assert_eq!(scene.workspace.state_size(), row.objects, "{}", row.message);
}

#[test]
fn advice_of_each_error_leads_out() {
    let next = Mutex::new(0..ROWS.len());
    let failed = Mutex::new(Vec::new());
    let take = || next.lock().expect("the rows").next();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(number) = take() {
                    let row = &ROWS[number];
                    if std::panic::catch_unwind(|| follow(row)).is_err() {
                        failed.lock().expect("no panic").push((number, row.message));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no panic");
    assert!(failed.is_empty(), "rows with these numbers failed, see above: {failed:?}");
}

#[test]
fn each_error_has_a_row_or_a_reason() {
    let names = declarations().into_iter().filter(|it| it.severity != Severity::Warning);
    let names: BTreeSet<&str> = names.map(|it| it.name).collect();
    let rows: BTreeSet<&str> = ROWS.iter().map(|row| row.message).collect();
    let exceptions: BTreeSet<&str> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    let missing: Vec<_> =
        names.iter().filter(|it| !rows.contains(*it) && !exceptions.contains(*it)).collect();
    assert!(missing.is_empty(), "no row follows {missing:?}");
    let unknown: Vec<_> = rows.union(&exceptions).filter(|it| !names.contains(*it)).collect();
    assert!(unknown.is_empty(), "there is no error {unknown:?}");
    let both: Vec<_> = rows.intersection(&exceptions).collect();
    assert!(both.is_empty(), "rows follow {both:?}");
}
