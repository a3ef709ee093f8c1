//! The advice of every error, followed to its end: until the plan is empty, or the thing is undone.
//!
//! [`ROWS`] has a row for each way that an error names: how to provoke it, the steps, and the end. The
//! steps are taken from the text that was printed. Blocks, commands, variables and arguments are parsed
//! out of it, with only the address replaced. What the text says in prose is an edit, and the words must
//! be in the text. A message is a function of `src/say` or of a `say.rs`; one that is in no row, and not
//! among the [`EXCEPTIONS`], fails a test.

mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};
use std::{fs, thread};

use self::rows::ROWS;
use crate::support::fixtures::Configuration;
use crate::support::{Outcome, Service, Workspace, in_repository};

/// Messages whose advice no row follows, with the reason. What is no error is not listed.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("call::invalid_state", "no edit of a configuration leads to it: protocol::cases"),
    ("create::made_in_replacement", "two names have to collide in an apply: protocol::renames"),
    ("delete::wanted", "two creates have to collide in an apply: protocol::creates"),
    ("requests::certificate", "needs an authority of its own: access-client"),
    ("requests::certificate_of_authority", "needs an authority of its own: access-client"),
    ("requests::not_tls", "needs a server of another protocol: access-client"),
    ("requests::proxy", "needs a proxy: acceptance::network"),
    ("requests::interrupted", "the advice is to run Terraform again: chaos"),
    ("requests::too_large", "only the service's operators can do something"),
    ("requests::not_offered", "each operation adds the ways without it"),
    ("requests::not_found", "each operation adds what may be missing"),
    ("requests::refused_without_a_reason", "only the service's operators can do something"),
    ("listing_role::written_unreadable", "the response has no role: protocol::creates"),
    ("integration_owner::may_exist", "the connection has to break in the POST: protocol::creates"),
    (
        "integration_owner::may_exist_as_other",
        "the connection has to break in the POST: protocol::creates",
    ),
    (
        "integration_owner::may_be_listed",
        "the connection has to break in the POST: protocol::owners",
    ),
    (
        "integration_owner::answered_with_existing",
        "the service has to merge two spellings: protocol::creates",
    ),
    ("integration_owners::never_empty", "reads have to lag: protocol::owners"),
    ("integration_owners::list_unreadable", "only the service's operators can do something"),
];

/// The messages that are no errors: their steps are words, and nothing is undone.
const WARNINGS: &[&str] = &["Message::warning(", "Message::ownership(", "Message::run("];

/// A message: the function that builds it.
struct Function {
    source: String,
    /// The parts of its texts that are the same for every object.
    words: Vec<String>,
}

/// The messages by name, such as `create::exists`.
static MESSAGES: LazyLock<BTreeMap<String, Function>> = LazyLock::new(|| {
    let entries = |folder: &str| fs::read_dir(in_repository(folder)).expect("a folder");
    let shared = entries("src/say").map(|entry| entry.expect("a file").path());
    let of_resources = entries("src").map(|entry| entry.expect("a file").path().join("say.rs"));
    let mut messages = BTreeMap::new();
    for path in shared.chain(of_resources.filter(|path| path.is_file())) {
        let module =
            if path.ends_with("say.rs") { path.parent().expect("a folder") } else { &path };
        let module = module.file_stem().expect("a name").to_string_lossy();
        let text = fs::read_to_string(&path).expect("a source");
        for function in text
            .split("\nfn ")
            .flat_map(|it| it.split("\npub(super) fn "))
            .flat_map(|it| it.split("\npub(crate) fn "))
            .skip(1)
        {
            let source = function.split("\n}\n").next().unwrap_or_default();
            let (signature, body) = source.split_once(" {\n").unwrap_or((source, ""));
            let returns_message =
                ["-> Message", "-> Advice"].iter().any(|it| signature.ends_with(it));
            let words = literal_parts(body);
            if returns_message && !words.is_empty() {
                let name = signature.split(['(', '<']).next().unwrap_or_default();
                let function = Function { source: body.to_owned(), words };
                messages.insert(format!("{module}::{name}"), function);
            }
        }
    }
    assert!(messages.len() > 50, "only {} messages were found", messages.len());
    messages
});

/// Returns the parts of the string literals of a source that no argument interrupts, if they are long
/// enough to be found.
fn literal_parts(source: &str) -> Vec<String> {
    let joined: String = source.split("\\\n").map(str::trim_start).collect();
    let mut parts = Vec::new();
    let mut rest = joined.as_str();
    while let Some((_, after)) = rest.split_once('"') {
        let mut literal = String::new();
        let mut characters = after.char_indices();
        let mut end = after.len();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some((_, 'n')) => literal.push('\n'),
                    Some((_, escaped)) => literal.push(escaped),
                    None => {}
                },
                '"' => {
                    end = at + 1;
                    break;
                }
                _ => literal.push(character),
            }
        }
        parts.extend(literal.split(['{', '}', '\n']).map(|part| part.trim().to_owned()));
        rest = &after[end..];
    }
    parts.retain(|part| part.len() >= 12);
    parts
}

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
    /// From here on, the text is that of another error of the scene: the one of this message about
    /// this object.
    Of(&'static str, &'static str),
    Apply,
    Destroy,
}

/// An error, and the way out of it. Errors about independent objects share a row, so that they share
/// the starts of Terraform.
struct Row {
    /// The function that builds the error whose text the first steps follow.
    message: &'static str,
    provoke: fn() -> Scene,
    steps: &'static [Step],
    /// The number of objects in the state at the end, when a plan is empty.
    objects: usize,
}

impl Row {
    /// Returns the messages whose texts the steps follow.
    fn messages(&self) -> impl Iterator<Item = &'static str> {
        let others = self.steps.iter().filter_map(|step| match step {
            Step::Of(message, _) => Some(*message),
            _ => None,
        });
        [self.message].into_iter().chain(others)
    }
}

/// Returns the text of the error that this message has printed about this object.
fn printed(outcome: &Outcome, message: &str, object: &str) -> String {
    let function = MESSAGES.get(message).unwrap_or_else(|| panic!("there is no message {message}"));
    let is_it = |text: &String| {
        text.contains(object) && function.words.iter().any(|words| text.contains(words.as_str()))
    };
    outcome.errors().into_iter().find(is_it).unwrap_or_else(|| {
        panic!("{message} is not printed of {object:?}: {:#?}", outcome.errors());
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
    let mut text = printed(&scene.outcome, row.message, "");
    let mut options: Vec<String> = Vec::new();
    for step in row.steps {
        match step {
            Step::Block(kind, addresses) => {
                let block = at_addresses(&block_in(&text, kind), addresses);
                scene.configuration = format!("{}\n{block}", scene.configuration);
            }
            Step::Command(prefix, address) => {
                let words = quoted_with(&text, prefix).split(' ').skip(1);
                let words: Vec<&str> = words
                    .filter(|it| *it != "ADDRESS")
                    .chain([*address])
                    .filter(|it| !it.is_empty())
                    .collect();
                scene.workspace.run(&words).succeeds();
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
            Step::Of(message, object) => text = printed(&scene.outcome, message, object),
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
fn each_message_has_a_row_or_a_reason() {
    let is_error = |function: &Function| !WARNINGS.iter().any(|it| function.source.contains(it));
    let errors = MESSAGES.iter().filter(|(_, function)| is_error(function));
    let names: BTreeSet<&str> = errors.map(|(name, _)| name.as_str()).collect();
    let rows: BTreeSet<&str> = ROWS.iter().flat_map(Row::messages).collect();
    let exceptions: BTreeSet<&str> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    let missing: Vec<_> =
        names.iter().filter(|it| !rows.contains(*it) && !exceptions.contains(*it)).collect();
    assert!(missing.is_empty(), "no row follows {missing:?}");
    let unknown: Vec<_> = rows.union(&exceptions).filter(|it| !names.contains(*it)).collect();
    assert!(unknown.is_empty(), "there is no error {unknown:?}");
    let both: Vec<_> = rows.intersection(&exceptions).collect();
    assert!(both.is_empty(), "rows follow {both:?}");
}

/// A search for a printed sentence finds one function.
#[test]
fn words_of_a_message_are_in_one_place() {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, function) in MESSAGES.iter() {
        for words in function.words.iter().filter(|words| words.len() > 50) {
            places.entry(words).or_default().push(name);
        }
    }
    places.retain(|_, names| names.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}
