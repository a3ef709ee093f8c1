//! Random edits of a configuration under faulty responses and kills. Afterwards the imports that the
//! provider's errors ask for and two applies bring configuration, state and service to agreement.
//! Nothing is lost, and nothing exists twice.
//!
//! `CHAOS_RUNS` is the number of runs, and `CHAOS_SEED` the seed of the first. Each further run has
//! the next number. `cargo xtask chaos` sets both.
#![cfg(target_os = "linux")]

mod stack;
mod switches;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use access_fake::{Action, Fault};
use fastrand::Rng;

use crate::support::process::{children_of, kill_host, kill_outright, start_apply};
use crate::support::{Service, Workspace, number};
use stack::Stack;

/// The share of requests that go wrong.
const FAULTS: f64 = 0.2;

/// Requests without a response end soon.
const IMPATIENT: &str = "provider \"access\" {
  request_timeout = \"400ms\"
  max_retry_wait  = \"3s\"
}
";

/// Every request gets its response, however busy the machine is.
const PATIENT: &str = "provider \"access\" {}\n";

/// The seed of the first run unless `CHAOS_SEED` is set: a run of the normal suite can be repeated. The
/// schedule draws other seeds (.github/workflows/long.yml).
const SEED: u64 = 1000;

#[test]
#[allow(clippy::print_stdout, reason = "the seed has to be known when a run hangs")]
fn chaos_ends_in_agreement_after_imports_and_two_applies() {
    // One, because the simulated lives (tests/lives) cover what needs no real process.
    let runs = number("CHAOS_RUNS").unwrap_or(1);
    let first = number("CHAOS_SEED").unwrap_or(SEED);
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

/// Runs once. A failure names the seed; `cargo xtask chaos --runs 1 --seed <seed>` repeats the run.
/// Kills depend on the machine's speed as well, so that it may take a few attempts.
fn chaos(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let service = Service::full();
    let canonical_owners = switches::draw_for_the_run(&service, &mut random);
    let workspace = service.workspace();
    let mut stack = Stack::new(canonical_owners);
    for phase in 0..2 {
        for _ in 0..random.usize(1..4) {
            if phase == 0 {
                stack.grow_and_change(&mut random);
            } else {
                stack.shrink(&mut random);
            }
            stack.write(&workspace, IMPATIENT);
            add_faults(&service, &mut random);
            switches::draw_for_an_apply(&service, &mut random);
            apply_and_maybe_kill(&workspace, &mut random);
        }
        service.respond_normally();
        service.latency(Duration::ZERO);
        switches::calm(&service);
        stack.write(&workspace, PATIENT);
        // A create that was killed leaves a role that no state contains.
        stack.import_orphans(&service, &workspace, seed);
        // The first may still report what it finds. The second may not.
        workspace.apply();
        let second = workspace.apply();
        assert_eq!(second.code, 0, "seed {seed}: {}", second.output());
        let plan = workspace.plan();
        assert_eq!(plan.code, 0, "seed {seed}: {}", plan.output());
        stack.assert_agreement(&service, &workspace, seed);
    }
}

fn add_faults(service: &Service, random: &mut Rng) {
    service.respond_normally();
    service.latency(Duration::from_millis(random.u64(..20)));
    let respond = |status, processed| Action::Respond {
        status,
        headers: [].into(),
        body: "{\"message\":\"chaos\"}".to_owned(),
        processed,
    };
    let actions = [
        respond(429, false),
        respond(500, false),
        respond(503, true),
        respond(502, true),
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
    // Not for POST: if the service assigns the ID, only its response contains it.
    let another = r#"{"name":"listings/github/roles/another","displayName":"Another"}"#;
    for method in ["GET", "PATCH"] {
        service.fault(Fault::respond(200, another).on(method).sometimes(share, random.u64(..)));
    }
}

/// Applies to the end, or until the plugin or terraform is killed.
fn apply_and_maybe_kill(workspace: &Workspace, random: &mut Rng) {
    if random.bool() {
        workspace.apply();
        return;
    }
    let mut terraform = start_apply(workspace);
    std::thread::sleep(Duration::from_millis(random.u64(100..1_200)));
    let plugins = if random.u8(..3) == 0 {
        kill_host(&mut terraform, workspace)
    } else {
        children_of(terraform.id())
    };
    plugins.into_iter().for_each(kill_outright);
    terraform.wait_with_output().expect("terraform ends");
}
