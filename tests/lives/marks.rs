//! Marks: how often something was reached in the lives of this process. What is never reached shows
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Counts by kind ("excuse", "operation") and text.
static COUNTS: Mutex<BTreeMap<(&str, String), u64>> = Mutex::new(BTreeMap::new());

/// Counts one more.
pub(crate) fn count(kind: &'static str, what: impl Into<String>) {
    let mut counts = COUNTS.lock().expect("no panic under the lock");
    *counts.entry((kind, what.into())).or_default() += 1;
}

/// Returns how often each exception of the oracle was needed, also those that never were.
pub(crate) fn excuses() -> Vec<(String, u64)> {
    let used = of("excuse");
    let sources = [include_str!("oracle.rs"), include_str!("facts.rs")];
    let lists = sources.iter().flat_map(|source| source.split("excused([").skip(1));
    let lists = lists.map(|rest| rest.split_once("])").expect("the end of a list").0);
    // Every second part is between quotes.
    let literals = lists.flat_map(|list| list.split('"').skip(1).step_by(2));
    let literals = literals.filter(|literal| literal.contains(' '));
    // Several rules share a reason that is a constant.
    let reasons: BTreeSet<_> = literals.chain(used.keys().map(String::as_str)).collect();
    let counted = |reason: &str| (reason.to_owned(), used.get(reason).copied().unwrap_or(0));
    reasons.into_iter().map(counted).collect()
}

/// Returns the counts of a kind.
pub(crate) fn of(kind: &'static str) -> BTreeMap<String, u64> {
    let counts = COUNTS.lock().expect("no panic under the lock");
    let of_kind = counts.iter().filter(|((of, _), _)| *of == kind);
    of_kind.map(|((_, what), count)| (what.clone(), *count)).collect()
}
