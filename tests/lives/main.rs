//! Simulated lives: the real provider, on one thread with a simulated host, service and clock.
//!
//! A life is a list of steps that a seed determines: edits, runs of terraform, changes by others, faults of
//! the network, deaths of processes. After every run the oracle judges what happened. A life that fails is
//! reduced to its shortest form and printed as a list.
//!
//! - `life`, `configuration`, `fate`, `odds`: a life as data
//! - `world`, `link`: the service and the network that it is played on
//! - `host`, `provider`: Terraform's walks, and the provider that they call
//! - `play`, `oracle`: playing and judging
//! - `fidelity`: the same lives on a real terraform
//!
//! `cargo xtask lives` plays many. `LIVES_COUNT`, `LIVES_MINUTES` and `LIVES_SEED` are its variables.
//!
//! proptest-state-machine would draw steps by preconditions on a model, which these steps do not have: one that
//! is not possible does nothing, so lives are drawn and shortened without the model, also for a real host.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails loudly, and prints what it does"
)]

mod configuration;
mod fate;
mod fidelity;
mod host;
mod life;
mod link;
mod odds;
mod oracle;
mod play;
mod provider;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other test binary uses the rest")]
mod support;
mod world;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use host::State;
use life::Life;
use oracle::Verdict;
use play::play;
use provider::Schemas;
use support::number;

/// The lives of the normal suite, about 20 s of them: the same ones on every machine, so that a failure has a
/// cause in the change that is tested. `cargo xtask lives` begins with another seed each time.
const LIVES: u64 = 1000;

/// Calls a function with 0, 1, 2 … on a few threads, until it returns false.
fn on_threads(threads: u64, work: impl Fn(u64) -> bool + Sync) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| while work(next.fetch_add(1, Ordering::Relaxed)) {});
        }
    });
}

#[test]
fn lives_keep_every_rule() {
    let first = number("LIVES_SEED").unwrap_or(1);
    let limit = number("LIVES_MINUTES").map(|minutes| Duration::from_secs(60 * minutes));
    let count = number("LIVES_COUNT").or(limit.is_none().then_some(LIVES)).unwrap_or(u64::MAX);
    let (sums, has_failed) = (Mutex::new([0; 3]), AtomicBool::new(false));
    let (began, schemas) = (Instant::now(), Schemas::load());
    on_threads(number("LIVES_THREADS").unwrap_or(2), |at| {
        let is_over = limit.is_some_and(|limit| began.elapsed() >= limit);
        if is_over || at >= count || has_failed.load(Ordering::Relaxed) {
            return false;
        }
        let seed = first + at;
        let life = Life::draw(seed);
        let (player, result) = play(&schemas, &life, seed);
        let of_life = [1, player.runs, player.successes];
        sums.lock().unwrap().iter_mut().zip(of_life).for_each(|(sum, more)| *sum += more);
        if let Err(verdict) = result {
            println!("seed {seed}: {}; looking for the shortest life", verdict.rule);
            println!("{}", shortest(&schemas, life, seed, verdict));
            has_failed.store(true, Ordering::Relaxed);
        }
        true
    });
    let [lives, runs, successes] = sums.into_inner().unwrap();
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{lives} lives from seed {first} on, {runs} runs of which {successes} succeeded, {seconds:.1} s"
    );
    assert!(!has_failed.into_inner(), "a life failed");
    assert!(successes * 3 > runs, "lives in which little succeeds show little");
}

/// Returns the report of the shortest life that breaks the same rule.
fn shortest(schemas: &Arc<Schemas>, mut life: Life, seed: u64, mut verdict: Verdict) -> String {
    let rule = verdict.rule;
    let fails = |life: Life| {
        let found = play(schemas, &life, seed).1.err()?;
        (found.rule == rule).then_some((life, found))
    };
    while let Some(shorter) = life.simpler().into_iter().find_map(fails) {
        (life, verdict) = shorter;
    }
    format!("seed {seed} breaks the rule \"{rule}\":\n{life}  {}", verdict.text)
}

#[test]
fn life_repeats_from_its_seed() {
    let schemas = Schemas::load();
    for seed in 1..8 {
        let outcome = || {
            let (player, _) = play(&schemas, &Life::draw(seed), seed);
            let requests = player.last.map(|run| run.seen.map(|seen| seen.requests));
            // The private state has random numbers.
            let values = |state: State| state.into_values().map(|it| it.value).collect::<Vec<_>>();
            (player.workspaces.map(|workspace| values(workspace.state)), requests)
        };
        assert_eq!(outcome(), outcome(), "seed {seed}");
    }
}

#[test]
fn simulated_host_does_what_a_real_one_does() {
    let first = number("FIDELITY_SEED").unwrap_or(1);
    let lives = number("FIDELITY_LIVES").unwrap_or(5);
    let (schemas, runs) = (Schemas::load(), AtomicU64::new(0));
    // A life waits for processes half of its time.
    on_threads(4, |at| {
        if at < lives {
            runs.fetch_add(fidelity::compare(&schemas, first + at), Ordering::Relaxed);
        }
        at < lives
    });
    println!("{} runs of {lives} lives compared", runs.into_inner());
}
