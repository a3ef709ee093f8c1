//! Random sequences of configurations in two workspaces: renamed addresses with and without
//! `moved`, replacements, `create_before_destroy`, names known only after apply, duplicates, deposed
//! objects, targets, saved plans that are applied later. After each apply that succeeds, everything in
//! the state exists at the service. Nothing that a configuration still wants was deleted by any apply,
//! unless the service itself then refused to create it again.
//!
//! `hosts` does the same for a host that plans each instance twice, which no released Terraform does.
//!
//! `GRAPH_RUNS` sets the number of sequences of the long test, and `GRAPH_SEED` the seed of the
//! first one in both; each sequence after it has the next number.

mod configuration;
mod hosts;
mod sequence;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::number;

/// Sequences of the normal test run. Each takes four seconds of one processor.
const RUNS: u64 = 10;

/// Sequences of the long test.
const MANY_RUNS: u64 = 200;

/// The seed of the first run unless `GRAPH_SEED` is set: a run of the normal suite can be repeated. The
/// schedule draws other seeds (.github/workflows/long.yml).
const SEED: u64 = 1;

#[test]
fn random_sequences_lose_no_object() {
    run(RUNS);
}

#[test]
#[ignore = "tests that take long"]
fn many_random_sequences_lose_no_object() {
    run(number("GRAPH_RUNS").unwrap_or(MANY_RUNS));
}

#[allow(clippy::print_stdout, reason = "the seed has to be known when a run hangs")]
fn run(runs: u64) {
    let first = number("GRAPH_SEED").unwrap_or(SEED);
    println!("{runs} sequences from seed {first} on");
    let next = AtomicU64::new(0);
    let [succeeded, failed] = [AtomicU64::new(0), AtomicU64::new(0)];
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= runs {
                        break;
                    }
                    let applies = sequence::run(first + run);
                    succeeded.fetch_add(applies.succeeded, Ordering::Relaxed);
                    failed.fetch_add(applies.failed, Ordering::Relaxed);
                }
            });
        }
    });
    let [succeeded, failed] = [succeeded, failed].map(AtomicU64::into_inner);
    println!("{succeeded} applies succeeded and {failed} failed");
    assert!(succeeded > failed / 2, "sequences that always fail show little");
}
