//! Random edits of a configuration under faulty answers and kills. Afterwards two applies bring
//! configuration, state and service to agreement, with nothing lost and nothing doubled.
//!
//! `CHAOS_RUNS` says how many runs there are, and `CHAOS_SEED` the seed of the first; each run after
//! it has the next number. `cargo xtask chaos` sets both.
#![cfg(target_os = "linux")]

mod stack;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use access_fake::{Action, Fault};
use fastrand::Rng;

use crate::support::process::{children_of, kill_outright, start_apply};
use crate::support::{Service, Workspace};
use stack::Stack;

/// The share of requests that go wrong.
const FAULTS: f64 = 0.2;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
#[allow(clippy::print_stdout, reason = "the seed has to be known when a run hangs")]
fn two_applies_after_any_chaos_agree() {
    let runs = number("CHAOS_RUNS").unwrap_or(6);
    let first = number("CHAOS_SEED").unwrap_or_else(|| fastrand::u64(..1 << 48));
    println!("{runs} runs from seed {first} on");
    let next = AtomicU64::new(0);
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= runs {
                        break;
                    }
                    chaos(first + run);
                }
            });
        }
    });
}

/// One run. What it says on failure names the seed, with which it can be had again by
/// `cargo xtask chaos --runs 1 --seed <seed>`. Kills depend on the machine's speed as well: where
/// the first attempt passes, a few more may not.
fn chaos(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let service = Service::full();
    if random.bool() {
        service.omit_defaults();
    }
    if random.bool() {
        service.answer_deleted_roles();
    }
    let workspace = service.workspace();
    let mut stack = Stack::default();
    for phase in 0..2 {
        for _ in 0..random.usize(1..4) {
            if phase == 0 {
                stack.grow_and_change(&workspace, &mut random);
            } else {
                stack.shrink(&mut random);
            }
            stack.write(&workspace);
            make_trouble(&service, &mut random);
            apply_under_fire(&workspace, &mut random);
        }
        service.answer_as_usual();
        service.latency(Duration::ZERO);
        // The first may still be told of what was left behind; the second may not.
        workspace.apply();
        let second = workspace.apply();
        assert_eq!(second.code, 0, "seed {seed}: {}", second.said());
        let plan = workspace.plan();
        assert_eq!(plan.code, 0, "seed {seed}: {}", plan.said());
        stack.is_what_there_is(&service, &workspace, seed);
    }
}

fn make_trouble(service: &Service, random: &mut Rng) {
    service.answer_as_usual();
    service.latency(Duration::from_millis(random.u64(..20)));
    let answer = |status, processed| Action::Respond {
        status,
        headers: [].into(),
        body: "{\"message\":\"chaos\"}".to_owned(),
        processed,
    };
    let actions = [
        answer(429, false),
        answer(500, false),
        answer(503, true),
        answer(502, true),
        Action::Reset,
        Action::ResetAfterProcessing,
        Action::HangAfterProcessing,
        Action::Garbage,
        Action::CutBody { bytes: 9 },
    ];
    let share = FAULTS / f64::from(u32::try_from(actions.len() + 1).expect("a few"));
    for action in actions {
        service.fault(Fault::new(action).sometimes(share, random.u64(..)));
    }
    // Not for POST: where the service chooses the ID, its word for it is all there is.
    for method in ["GET", "PATCH"] {
        service.fault(Fault::new(Action::WrongName).on(method).sometimes(share, random.u64(..)));
    }
}

/// Applies to the end, or to the moment when the plugin or terraform is killed.
fn apply_under_fire(workspace: &Workspace, random: &mut Rng) {
    if random.bool() {
        workspace.apply();
        return;
    }
    let mut terraform = start_apply(workspace);
    std::thread::sleep(Duration::from_millis(random.u64(100..1_200)));
    let plugins = children_of(terraform.id());
    if random.u8(..3) == 0 {
        terraform.kill().expect("terraform is killed, or has ended");
    }
    plugins.into_iter().for_each(kill_outright);
    terraform.wait_with_output().expect("terraform ends");
}
