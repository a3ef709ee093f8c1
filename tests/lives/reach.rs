//! Which messages the lives have shown, and which oddities they have combined with which operations.

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

/// The name of each message, of its short form, and the fixed text by which it is recognised.
static MESSAGES: LazyLock<Vec<(String, String)>> =
    LazyLock::new(|| declarations().iter().flat_map(forms).collect());

fn forms(declared: &Declaration) -> Vec<(String, String)> {
    let Declaration { name, severity, summary, fact, next, short } = *declared;
    let full = longest_part([fact, next, summary]);
    // Of a failure, the code adds the step for all objects to a short form that all failures have.
    let begin = if severity == Severity::Failure { "for all: " } else { "" };
    let short = longest_part([short]);
    let full = Some((name.to_owned(), full.to_owned()));
    let short = (!short.is_empty()).then(|| (format!("{name}, short"), format!("{begin}{short}")));
    full.into_iter().chain(short).collect()
}

/// Returns the longest text between the facts of templates.
fn longest_part<const N: usize>(templates: [&str; N]) -> &str {
    let parts = templates.into_iter().flat_map(|template| template.split(['{', '}']).step_by(2));
    parts.max_by_key(|part| part.len()).unwrap_or_default()
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
        let shown = MESSAGES.iter().filter(|(_, part)| text.contains(part.as_str()));
        shown.for_each(|(name, _)| marks::count("message", name.clone()));
    }
}

/// Plays 10,000 lives, or as many as `LIVES_COUNT` says. Fails if they miss what `unreached.txt` does not list.
pub(crate) fn measure() {
    COUNTS.store(true, Ordering::Relaxed);
    let schemas = Schemas::load();
    let first = number("LIVES_SEED").unwrap_or(1);
    let count = number("LIVES_COUNT").unwrap_or(10_000);
    play_all(&schemas, |at| (at < count).then(|| (Life::draw(first + at), first + at)));
    let listed = text_of("tests/lives/unreached.txt");
    let lines = listed.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let listed: BTreeMap<_, _> = lines.filter_map(|line| line.split_once(": ")).collect();
    let messages = MESSAGES.iter().map(|(name, _)| ("message", name.clone()));
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
