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

/// A form of a message: the complete one, or the line that replaces it after a few objects.
struct Form {
    name: String,
    is_short: bool,
    /// The fixed text by which it is recognised.
    text: String,
}

static FORMS: LazyLock<Vec<Form>> =
    LazyLock::new(|| declarations().iter().flat_map(forms_of).collect());

fn forms_of(declared: &Declaration) -> Vec<Form> {
    let Declaration { name, severity, summary, fact, next, short } = *declared;
    let text = longest_part([fact, next, summary]).to_owned();
    let complete = Form { name: name.to_owned(), is_short: false, text };
    // The short form of all failures ends with the step for all objects.
    let begin = if severity == Severity::Failure { "for all: " } else { "" };
    let text = format!("{begin}{}", longest_part([short]));
    let shortened = Form { name: format!("{name}, short"), is_short: true, text };
    [complete].into_iter().chain((!short.is_empty()).then_some(shortened)).collect()
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
        let is_short = !text.trim_end().contains('\n');
        let forms = FORMS.iter().filter(|form| form.is_short == is_short);
        let shown = forms.filter(|form| text.contains(&form.text));
        shown.for_each(|form| marks::count("message", form.name.clone()));
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
