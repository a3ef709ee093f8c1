//! Simulated lives: the real provider, on one thread with a simulated host, service and clock.
//!
//! A life is a list of steps that a seed determines: edits, runs of terraform, changes by others,
//! faults of the network, deaths of processes. After every run the oracle judges what happened. A
//! life that fails is reduced to its shortest form, printed, and written to a file. Moved to
//! `kept`, it is played first from then on.
//!
//! - `life`, `configuration`, `fate`, `odds`: a life as data; `kept`: lives that failed; `small`:
//!   all small lives
//! - `world`, `link`: the service and the network that it is played on
//! - `host`, `provider`: Terraform's walks, and the provider that they call
//! - `play`, `facts`, `oracle`: playing and judging; `marks`: how often each excuse was needed
//! - `fidelity`: the same lives on a real terraform
//!
//! The suite plays the kept lives. `cargo xtask lives` plays others, and runs the tests here that are
//! ignored otherwise: at night, and after a change of a rule.
//!
//! proptest-state-machine would draw steps by preconditions on a model, which these steps do not
//! have: one that is not possible does nothing, so lives are drawn and shortened without the model,
//! also for a real host.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails loudly, and prints what it does"
)]

mod configuration;
mod facts;
mod fate;
mod fidelity;
mod host;
mod kept;
mod life;
mod link;
mod marks;
mod odds;
mod oracle;
mod play;
mod provider;
mod small;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other test binary uses the rest")]
mod support;
mod world;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use configuration::{Block, Kind};
use host::State;
use life::Life;
use oracle::Verdict;
use play::play;
use provider::Schemas;
use support::number;

/// Calls a function with 0, 1, 2 … on a few threads, until it returns false.
fn on_threads(threads: u64, work: impl Fn(u64) -> bool + Sync) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| while work(next.fetch_add(1, Ordering::Relaxed)) {});
        }
    });
}

/// How many lives may fail before the others are not played any more.
const FAILURES: usize = 50;

/// Plays lives on a few threads. Fails with the shortest life for each rule that was broken.
/// Returns the runs, and those of them that succeeded.
fn play_all(schemas: &Arc<Schemas>, lives: impl Fn(u64) -> Option<(Life, u64)> + Sync) -> [u64; 2] {
    let sums = Mutex::new([0; 3]);
    let failures = Mutex::new(Vec::new());
    let began = Instant::now();
    on_threads(number("LIVES_THREADS").unwrap_or(2), |at| {
        let is_over = failures.lock().unwrap().len() >= FAILURES;
        let Some((life, seed)) = lives(at).filter(|_| !is_over) else { return false };
        let (player, result) = play(schemas, &life, seed);
        let of_life = [1, player.runs, player.successes];
        sums.lock().unwrap().iter_mut().zip(of_life).for_each(|(sum, more)| *sum += more);
        if let Err(verdict) = result {
            failures.lock().unwrap().push((life, seed, verdict));
        }
        true
    });
    let [lives, runs, successes] = sums.into_inner().unwrap();
    let seconds = began.elapsed().as_secs_f64();
    println!("{lives} lives, {runs} runs of which {successes} succeeded, {seconds:.1} s");
    let mut broken: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for failure in failures.into_inner().unwrap() {
        broken.entry(failure.2.rule).or_default().push(failure);
    }
    for (rule, mut failures) in broken.clone() {
        println!("\nBroken by {} lives: {rule}", failures.len());
        failures.sort_by_key(|(life, ..)| life.steps.len());
        let (life, seed, verdict) = failures.remove(0);
        let (life, verdict) = shortest(schemas, life, seed, verdict);
        let path = kept::write(&life, seed, &verdict);
        println!("{life}  {}\n{path} has this life.", verdict.text);
    }
    if !broken.is_empty() {
        print_excuses();
    }
    assert!(broken.is_empty(), "broken: {:#?}", broken.keys());
    [runs, successes]
}

/// An excuse that a million lives never use is deleted.
fn print_excuses() {
    for (reason, uses) in marks::excuses() {
        println!("{uses:8} times excused: {reason}");
    }
}

/// Returns the shortest life that breaks the same rule.
fn shortest(
    schemas: &Arc<Schemas>,
    mut life: Life,
    seed: u64,
    mut verdict: Verdict,
) -> (Life, Verdict) {
    let rule = verdict.rule;
    let fails = |life: Life| {
        let found = play(schemas, &life, seed).1.err()?;
        (found.rule == rule).then_some((life, found))
    };
    while let Some(shorter) = life.simpler().into_iter().find_map(fails) {
        (life, verdict) = shorter;
    }
    (life, verdict)
}

#[test]
fn kept_lives_keep_every_rule() {
    let (schemas, kept) = (Schemas::load(), kept::all());
    play_all(&schemas, |at| kept.get(at as usize).map(|kept| (kept.life.clone(), kept.seed)));
}

/// `cargo xtask lives` begins with another seed each time.
#[test]
#[ignore = "draws lives for minutes: cargo xtask lives"]
fn drawn_lives_keep_every_rule() {
    let schemas = Schemas::load();
    let first = number("LIVES_SEED").unwrap_or(1);
    let limit = number("LIVES_MINUTES").map(|minutes| Duration::from_secs(60 * minutes));
    let count = number("LIVES_COUNT").unwrap_or(u64::MAX);
    let began = Instant::now();
    println!("From seed {first} on:");
    let [runs, successes] = play_all(&schemas, |at| {
        let is_over = limit.is_some_and(|limit| began.elapsed() >= limit);
        (at < count && !is_over).then(|| (Life::draw(first + at), first + at))
    });
    print_excuses();
    assert!(successes * 3 > runs, "lives in which little succeeds show little");
}

#[test]
#[ignore = "is about drawn lives: cargo xtask lives"]
fn blocks_of_lives_set_every_argument() {
    let schemas = Schemas::load();
    let mut random = fastrand::Rng::with_seed(1);
    for kind in [Kind::Role, Kind::Owner, Kind::Owners] {
        let schema = &schemas.resources[kind.resource_type()];
        let blocks = (0..1000).map(|_| Block::draw(0, kind, &mut random));
        let values: Vec<_> = blocks.map(|block| block.value(&schema.empty)).collect();
        for argument in schema.arguments() {
            let is_set = values.iter().any(|value| !value[argument].is_null());
            assert!(is_set, "{argument} of {}", kind.resource_type());
        }
    }
}

/// A run of lives that finds nothing because it is broken is found by this one.
#[test]
#[ignore = "is about drawn lives: cargo xtask lives"]
fn planted_defect_is_found() {
    let schemas = Schemas::load();
    let fails = |seed: &u64| {
        let life = Life { has_planted_defect: true, ..Life::draw(*seed) };
        play(&schemas, &life, *seed).1.is_err()
    };
    let seed = (1..1000).find(fails).expect("one of a thousand lives finds the defect");
    println!("The planted defect is found by life {seed}.");
}

#[test]
#[ignore = "plays thousands of lives: cargo xtask lives --small"]
fn small_lives_keep_every_rule() {
    small::play_all();
}

#[test]
#[ignore = "is about drawn lives: cargo xtask lives"]
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
#[ignore = "needs many runs of a real host: cargo xtask lives --hosts"]
fn simulated_host_does_what_a_real_one_does() {
    let first = number("FIDELITY_SEED").unwrap_or(1);
    let count = number("FIDELITY_LIVES").unwrap_or(1);
    let schemas = Schemas::load();
    let runs = AtomicU64::new(0);
    let mut lives: Vec<_> = kept::all().into_iter().map(|kept| (kept.life, kept.seed)).collect();
    lives.truncate(count as usize / 2);
    lives.extend((first..first + count).map(|seed| (Life::draw(seed), seed)));
    // A life waits for processes half of its time.
    on_threads(4, |at| {
        let Some((life, seed)) = lives.get(at as usize) else { return false };
        runs.fetch_add(fidelity::compare(&schemas, life.clone(), *seed), Ordering::Relaxed);
        true
    });
    println!("{} runs of {} lives compared", runs.into_inner(), lives.len());
}
