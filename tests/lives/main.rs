//! Simulated lives: the real provider, on one thread with a simulated host, service and clock.
//!
//! A life is a list of steps that a seed determines: edits, runs of terraform, changes by others, faults of
//! the network, deaths of processes. After every run the oracle judges what happened. A life that fails is
//! reduced to its shortest form and printed as a list.
//!
//! - `life`, `configuration`, `world`: a life as data, and the service and network that it is played on
//! - `host`, `provider`: Terraform's walks, and the provider that they call
//! - `play`, `oracle`, `shrink`: playing, judging and shortening
//! - `fidelity`: the same lives on a real terraform
//!
//! `cargo xtask lives` plays many. `LIVES_COUNT`, `LIVES_MINUTES` and `LIVES_SEED` are its variables.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails loudly, and prints what it does"
)]

mod configuration;
mod fidelity;
mod host;
mod life;
mod oracle;
mod play;
mod provider;
mod shrink;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other test binary uses the rest")]
mod support;
mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use life::Life;
use provider::Schemas;

/// The time of the normal suite, and its lives: the same ones on a fast machine, so that a failure has a
/// cause in the change that is tested. `cargo xtask lives` begins with another seed each time.
const TIME: Duration = Duration::from_secs(20);
const LIVES: u64 = 300;

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
    let minutes = number("LIVES_MINUTES").map(|minutes| Duration::from_secs(60 * minutes));
    let is_normal = minutes.is_none() && number("LIVES_COUNT").is_none();
    let count = if is_normal { Some(LIVES) } else { number("LIVES_COUNT") };
    let limit = minutes.or(is_normal.then_some(TIME));
    let threads = number("LIVES_THREADS").unwrap_or(2);
    let (began, next) = (Instant::now(), AtomicU64::new(0));
    let [runs, successes, lives] = [(); 3].map(|()| AtomicU64::new(0));
    let failures = std::sync::Mutex::new(Vec::new());
    let most = number("LIVES_FAILURES").unwrap_or(1) as usize;
    let schemas = schemas();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let is_over = limit.is_some_and(|limit| began.elapsed() >= limit);
                    if is_over
                        || count.is_some_and(|count| at >= count)
                        || failures.lock().unwrap().len() >= most
                    {
                        break;
                    }
                    let life = Life::draw(first + at);
                    let (player, result) = play::play(&schemas, &life, first + at);
                    runs.fetch_add(player.runs, Ordering::Relaxed);
                    successes.fetch_add(player.successes, Ordering::Relaxed);
                    lives.fetch_add(1, Ordering::Relaxed);
                    if let Err((_, verdict)) = result {
                        println!(
                            "seed {}: {}; looking for the shortest life",
                            first + at,
                            verdict.rule
                        );
                        let text = shrink::report(&schemas, &life, first + at, verdict);
                        println!("{text}");
                        failures.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let [runs, successes, lives] = [runs, successes, lives].map(AtomicU64::into_inner);
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{lives} lives from seed {first} on, {runs} runs of which {successes} succeeded, {seconds:.1} s"
    );
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} lives failed", failures.len());
    assert!(successes * 3 > runs, "lives in which little succeeds show little");
}

#[test]
fn life_repeats_from_its_seed() {
    let schemas = schemas();
    for seed in 1..8 {
        let life = Life::draw(seed);
        let traces = [(); 2].map(|()| play::play(&schemas, &life, seed).0.trace);
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
