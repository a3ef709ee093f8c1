//! Which messages the lives have shown, and which oddities they have combined with which
//! operations.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use terraform_provider_access::{Declaration, Severity, declarations};

use crate::life::Life;
use crate::odds::Odd as _;
use crate::provider::Schemas;
use crate::support::{number, text_of};
use crate::world::{Oddity, World};
use crate::{marks, play_all};

/// Counting takes a part of the time of playing, so only this test counts.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// How often something has to be reached in 10,000 lives.
const ENOUGH: u64 = 5;

const OPERATIONS: [&str; 6] = ["read", "plan", "import", "create", "update", "destroy"];

/// A form of a message: the complete one, or the line that replaces it after a few objects. It is
/// recognised by all its text.
struct Form {
    name: String,
    is_short: bool,
    /// Whether it is the next step in other messages.
    is_step: bool,
    /// The text between its facts, in order.
    parts: Vec<String>,
}

impl Form {
    /// Returns the length of its own text, if the text of a diagnostic contains all of it.
    fn length_in(&self, text: &str) -> Option<usize> {
        let mut rest = text;
        for part in &self.parts {
            let (_, after) = rest.split_once(part.as_str())?;
            rest = after;
        }
        let length = self.parts.iter().map(String::len).sum();
        (length > 0).then_some(length)
    }
}

static FORMS: LazyLock<Vec<Form>> =
    LazyLock::new(|| declarations().iter().flat_map(forms_of).collect());

fn forms_of(declared: &Declaration) -> Vec<Form> {
    let Declaration { name, severity, summary, fact, next, short } = *declared;
    let is_step = severity == Severity::Failure;
    let parts = [summary, fact, next].into_iter().flat_map(parts_of).collect();
    let complete = Form { name: name.to_owned(), is_short: false, is_step, parts };
    // The short form of all failures ends with the step for all objects.
    let begin = if is_step { "for all: " } else { "" };
    let parts = parts_of(&format!("{begin}{short}"));
    let shortened = Form { name: format!("{name}, short"), is_short: true, is_step, parts };
    [complete].into_iter().chain((!short.is_empty()).then_some(shortened)).collect()
}

/// Returns the texts between the facts of a template.
fn parts_of(template: &str) -> Vec<String> {
    let parts = template.split(['{', '}']).step_by(2).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// Counts an operation in a world.
pub(crate) fn operation(world: &World, operation: &str) {
    if COUNTS.load(Ordering::Relaxed) {
        world
            .iter()
            .for_each(|oddity| marks::count("operation", format!("{operation} × {oddity:?}")));
    }
}

/// Counts a message.
pub(crate) fn message(text: &str) {
    if COUNTS.load(Ordering::Relaxed) {
        let is_short = !text.trim_end().contains('\n');
        for is_step in [false, true] {
            let forms = FORMS.iter().filter(|it| (it.is_short, it.is_step) == (is_short, is_step));
            let shown = forms.filter_map(|form| Some((form.length_in(text)?, form)));
            let shown: Vec<_> = shown.collect();
            // Others have a part of the same text.
            let longest = shown.iter().map(|(length, _)| *length).max();
            let named = shown.iter().filter(|(length, _)| Some(*length) == longest);
            named.for_each(|(_, form)| marks::count("message", form.name.clone()));
        }
    }
}

/// Plays 10,000 lives, or as many as `LIVES_COUNT` says. Fails if they miss what `unreached.txt`
/// does not list.
pub(crate) fn measure() {
    COUNTS.store(true, Ordering::Relaxed);
    let schemas = Schemas::load();
    let first = number("LIVES_SEED").unwrap_or(1);
    let count = number("LIVES_COUNT").unwrap_or(10_000);
    play_all(&schemas, |at| (at < count).then(|| (Life::draw(first + at), first + at)));
    let listed = text_of("tests/lives/unreached.txt");
    let lines = listed.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let listed: BTreeMap<_, _> = lines.filter_map(|line| line.split_once(": ")).collect();
    let messages = FORMS.iter().map(|form| ("message", form.name.clone()));
    let pairs = Oddity::ALL.iter().flat_map(|(oddity, ..)| {
        OPERATIONS.map(|operation| ("operation", format!("{operation} × {oddity:?}")))
    });
    let mut missed = Vec::new();
    for (kind, name) in messages.chain(pairs) {
        let times = marks::of(kind).get(&name).copied().unwrap_or(0);
        println!("{times:8} times: {name}");
        let is_listed = listed.contains_key(name.as_str());
        if is_listed && times > 10 * ENOUGH {
            println!("         which unreached.txt lists");
        }
        if !is_listed && times < ENOUGH {
            missed.push(name);
        }
    }
    assert!(
        missed.is_empty(),
        "reached less than {ENOUGH} times, and not in unreached.txt: {missed:#?}"
    );
}
