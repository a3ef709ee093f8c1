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

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use life::Life;
use oracle::Verdict;
use play::play;
use provider::Schemas;

/// The lives of the normal suite: the same ones on every machine, so that a failure has a cause in the
/// change that is tested. `cargo xtask lives` begins with another seed each time.
const LIVES: u64 = 100;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect(name))
}

fn schemas() -> Arc<Schemas> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    Arc::new(runtime.block_on(Schemas::load()))
}

#[test]
fn lives_keep_every_rule() {
    let first = number("LIVES_SEED").unwrap_or(1);
    let limit = number("LIVES_MINUTES").map(|minutes| Duration::from_secs(60 * minutes));
    let count = number("LIVES_COUNT").or(limit.is_none().then_some(LIVES)).unwrap_or(u64::MAX);
    let most = number("LIVES_FAILURES").unwrap_or(1) as usize;
    let (began, next) = (Instant::now(), AtomicU64::new(0));
    let [runs, successes, lives] = [(); 3].map(|()| AtomicU64::new(0));
    let failures = Mutex::new(0);
    let schemas = schemas();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let is_over = limit.is_some_and(|limit| began.elapsed() >= limit);
            if is_over || at >= count || *failures.lock().unwrap() >= most {
                break;
            }
            let life = Life::draw(first + at);
            let (player, result) = play(&schemas, &life, first + at);
            runs.fetch_add(player.runs, Ordering::Relaxed);
            successes.fetch_add(player.successes, Ordering::Relaxed);
            lives.fetch_add(1, Ordering::Relaxed);
            if let Err(verdict) = result {
                println!("seed {}: {}; looking for the shortest life", first + at, verdict.rule);
                println!("{}", shortest(&schemas, life, first + at, verdict));
                *failures.lock().unwrap() += 1;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..number("LIVES_THREADS").unwrap_or(2) {
            scope.spawn(work);
        }
    });
    let [runs, successes, lives] = [&runs, &successes, &lives].map(|it| it.load(Ordering::Relaxed));
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{lives} lives from seed {first} on, {runs} runs of which {successes} succeeded, {seconds:.1} s"
    );
    assert_eq!(*failures.lock().unwrap(), 0, "lives failed");
    assert!(successes * 3 > runs, "lives in which little succeeds show little");
}

/// Returns the report of the shortest life that breaks the same rule.
fn shortest(schemas: &Arc<Schemas>, mut life: Life, seed: u64, mut verdict: Verdict) -> String {
    let fails = |life: Life| {
        let found = play(schemas, &life, seed).1.err();
        found.filter(|found| found.rule == verdict.rule).map(|found| (life, found))
    };
    while let Some(shorter) = life.simpler().into_iter().find_map(&fails) {
        (life, _) = shorter;
    }
    if let Err(last) = play(schemas, &life, seed).1 {
        verdict = last;
    }
    format!("seed {seed} breaks the rule \"{}\":\n{life}  {}", verdict.rule, verdict.text)
}

#[test]
fn life_repeats_from_its_seed() {
    let schemas = schemas();
    for seed in 1..8 {
        let life = Life::draw(seed);
        let traces = [(); 2].map(|()| play(&schemas, &life, seed).0.trace);
        assert_eq!(traces[0], traces[1], "seed {seed}");
    }
}

#[test]
fn simulated_host_does_what_a_real_one_does() {
    let first = number("FIDELITY_SEED").unwrap_or(1);
    let lives = number("FIDELITY_LIVES").unwrap_or(5);
    let schemas = schemas();
    let next = AtomicU64::new(first);
    let runs = std::thread::scope(|scope| {
        // A life waits for processes half of its time.
        let play = || {
            let seeds = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
            let seeds = seeds.take_while(|seed| *seed < first + lives);
            seeds.map(|seed| fidelity::compare(&schemas, seed)).sum::<usize>()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(play)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a life that agrees")).sum::<usize>()
    });
    println!("{runs} runs of {lives} lives compared");
}
