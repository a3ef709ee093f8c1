//! Which messages the lives have shown, and which oddities they have combined with which operations.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::life::Life;
use crate::odds::Odd as _;
use crate::provider::Schemas;
use crate::support::{in_repository, number, text_of};
use crate::world::Oddity;
use crate::{marks, play_all};

/// Counting takes as long as playing, so only this test counts.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// How often something has to be reached in 10,000 lives.
const ENOUGH: u64 = 5;

const OPERATIONS: [&str; 6] = ["read", "plan", "import", "create", "update", "destroy"];

/// Counts an operation in a world.
pub(crate) fn operation(world: &crate::world::World, operation: &str) {
    if COUNTS.load(Ordering::Relaxed) {
        world
            .iter()
            .for_each(|oddity| marks::count("operation", format!("{operation} × {oddity:?}")));
    }
}

/// Counts a message, without the names in it.
pub(crate) fn message(text: &str) {
    if COUNTS.load(Ordering::Relaxed) {
        let is_name = |word: &&str| word.contains(|c: char| c.is_ascii_digit() || c == '/');
        let words = text.split_whitespace().filter(|word| !is_name(word));
        marks::count("message", words.collect::<Vec<_>>().join(" "));
    }
}

/// Plays 10,000 lives, or as many as `LIVES_COUNT` says. Fails if they reach less than before: what is not reached is in `unreached.txt`.
pub(crate) fn measure() {
    COUNTS.store(true, Ordering::Relaxed);
    let schemas = Schemas::load();
    let first = number("LIVES_SEED").unwrap_or(1);
    let count = number("LIVES_COUNT").unwrap_or(10_000);
    play_all(&schemas, |at| (at < count).then(|| (Life::draw(first + at), first + at)));
    let known = text_of("tests/lives/unreached.txt");
    let known: BTreeSet<_> = known.lines().filter(|line| !line.starts_with('#')).collect();
    let mut missing = unreached_messages();
    let messages = missing.len();
    missing.extend(unreached_operations());
    println!(
        "{messages} messages and {} combinations are reached less than {ENOUGH} times:",
        missing.len() - messages
    );
    missing.iter().for_each(|line| println!("{line}"));
    let new: Vec<_> = missing.iter().filter(|line| !known.contains(line.as_str())).collect();
    assert!(new.is_empty(), "not in unreached.txt: {new:#?}");
}

fn unreached_operations() -> Vec<String> {
    let counts = marks::of("operation");
    let drawn = Oddity::ALL.iter().filter(|(_, chance, _)| *chance > 0);
    let all = drawn.flat_map(|(oddity, ..)| OPERATIONS.map(|it| format!("{it} × {oddity:?}")));
    all.filter(|pair| counts.get(pair).is_none_or(|count| *count < ENOUGH)).collect()
}

/// Returns the texts in the provider's source that build messages, as far as few messages contain them.
fn unreached_messages() -> Vec<String> {
    let messages = marks::of("message");
    let mut texts = BTreeMap::new();
    let folders = [
        "messages",
        "object",
        "listing_role",
        "integration_owner",
        "integration_owners",
        "service",
    ];
    for folder in folders {
        collect(&in_repository(&format!("src/{folder}")), &mut texts);
    }
    let is_rare = |text: &String| {
        let shown = messages.iter().filter(|(message, _)| message.contains(text.as_str()));
        shown.map(|(_, count)| count).sum::<u64>() < ENOUGH
    };
    texts
        .into_iter()
        .filter(|(text, _)| is_rare(text))
        .map(|(text, file)| format!("{file}: {text}"))
        .collect()
}

/// Collects the longest fixed part of each text of at least four words.
fn collect(path: &Path, texts: &mut BTreeMap<String, String>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder");
        return entries.for_each(|entry| collect(&entry.expect("an entry").path(), texts));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.ends_with(".rs") || ["schema.rs", "tests.rs"].contains(&&*name) {
        return;
    }
    let source = fs::read_to_string(path).expect("a file");
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    for literal in literals(source) {
        let parts = literal.split(['{', '}']).step_by(2);
        let longest = parts.max_by_key(|part| part.len()).unwrap_or_default();
        let is_name = |word: &&str| word.contains(|c: char| c.is_ascii_digit() || c == '/');
        let words: Vec<_> = longest.split_whitespace().filter(|word| !is_name(word)).collect();
        if words.len() >= 4 {
            texts.insert(words.join(" "), name.clone());
        }
    }
}

/// Returns the text literals of a source, but for those of attributes and of `expect`.
fn literals(source: &str) -> Vec<String> {
    let mut all = Vec::new();
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let mut rest = code.as_str();
    while let Some(begin) = rest.find('"') {
        let before = &rest[..begin];
        rest = &rest[begin + 1..];
        let mut end = 0;
        while let Some(at) = rest[end..].find(['"', '\\']) {
            end += at;
            if rest[end..].starts_with('"') {
                break;
            }
            end += 2;
        }
        let literal = rest[..end].replace("\\n", " ").replace("\\\"", "\"").replace("\\\n", "");
        let is_other =
            before.ends_with("expect(") || before.ends_with("= ") && before.contains("reason");
        if !is_other {
            all.push(literal.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        rest = &rest[(end + 1).min(rest.len())..];
    }
    all
}
