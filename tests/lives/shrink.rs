//! Reduces a life that fails to the shortest that breaks the same rule.

use std::sync::Arc;

use crate::life::{Command, Life, Mode, Step};
use crate::oracle::Verdict;
use crate::play::play;
use crate::provider::Schemas;
use crate::world::World;

/// Returns the report of a life that fails.
pub(crate) fn report(schemas: &Arc<Schemas>, life: &Life, seed: u64, verdict: Verdict) -> String {
    let (short, verdict) = shorten(schemas, life.clone(), seed, verdict);
    format!("seed {seed} breaks the rule \"{}\":\n{short}  {}", verdict.rule, verdict.text)
}

fn shorten(
    schemas: &Arc<Schemas>,
    mut life: Life,
    seed: u64,
    mut verdict: Verdict,
) -> (Life, Verdict) {
    let fails = |candidate: &Life, verdict: &mut Verdict| match play(schemas, candidate, seed).1 {
        Err((_, found)) if found.rule == verdict.rule => {
            *verdict = found;
            true
        }
        _ => false,
    };
    if let Err((last, _)) = play(schemas, &life, seed).1 {
        life.steps.truncate(last + 1);
    }
    loop {
        let before = life.clone();
        let candidate = Life { settles: false, ..life.clone() };
        if life.settles && fails(&candidate, &mut verdict) {
            life = candidate;
        }
        for at in (0..life.steps.len()).rev() {
            let mut candidate = life.clone();
            candidate.steps.remove(at);
            if fails(&candidate, &mut verdict) {
                life = candidate;
            }
        }
        for at in 0..life.steps.len() {
            for simpler in simpler_steps(&life.steps[at]) {
                let mut candidate = life.clone();
                candidate.steps[at] = simpler;
                if candidate != life && fails(&candidate, &mut verdict) {
                    life = candidate;
                }
            }
        }
        for world in simpler_worlds(&life.world) {
            let candidate = Life { world, ..life.clone() };
            if candidate != life && fails(&candidate, &mut verdict) {
                life = candidate;
            }
        }
        if life == before {
            return (life, verdict);
        }
    }
}

fn simpler_steps(step: &Step) -> Vec<Step> {
    let mut all = Vec::new();
    match step {
        Step::Run(of, command) => {
            let plain = Command { salt: command.salt, ..Command::plain(Mode::Apply) };
            let from = |change: &dyn Fn(&mut Command)| {
                let mut command = command.clone();
                change(&mut command);
                Step::Run(*of, command)
            };
            all.extend([
                Step::Run(*of, plain),
                from(&|it| it.fates[0] = None),
                from(&|it| it.fates[1] = None),
                from(&|it| it.between = None),
                from(&|it| it.target = None),
                from(&|it| it.replace = None),
                from(&|it| it.abandon = [false; 2]),
                from(&|it| it.refresh = true),
                from(&|it| it.off = false),
                from(&|it| it.minimal_refresh = false),
                from(&|it| it.parallelism = 1),
                from(&|it| it.salt = 0),
            ]);
            if let Some(Step::Run(..)) = command.between.as_deref() {
                for simpler in command.between.iter().flat_map(|step| simpler_steps(step)) {
                    all.push(from(&|it| it.between = Some(Box::new(simpler.clone()))));
                }
            }
        }
        Step::Put(of, address, block) => {
            let from = |change: &dyn Fn(&mut crate::configuration::Block)| {
                let mut block = block.clone();
                change(&mut block);
                Step::Put(*of, *address, block)
            };
            all.extend([
                from(&|it| it.region = 0),
                from(&|it| it.text = 0),
                from(&|it| it.resources = None),
                from(&|it| it.fixed_id = None),
                from(&|it| it.adopts = false),
                from(&|it| it.must_exist = false),
                from(&|it| it.abandon = None),
                from(&|it| it.create_first = false),
                from(&|it| it.is_late = false),
                from(&|it| it.object.parent = 0),
            ]);
        }
        _ => {}
    }
    all
}

fn simpler_worlds(world: &World) -> Vec<World> {
    let from = |change: &dyn Fn(&mut World)| {
        let mut world = world.clone();
        change(&mut world);
        world
    };
    vec![
        World::default(),
        from(&|it| it.has_faults = false),
        from(&|it| it.lag = 0),
        from(&|it| it.absent = None),
        from(&|it| it.lists_absent = false),
        from(&|it| it.returns_deleted = false),
        from(&|it| it.duplicate_owners = false),
        from(&|it| it.canonical_owners = false),
        from(&|it| it.omit_defaults = false),
        from(&|it| it.ignores_caller = false),
        from(&|it| it.small_pages = false),
        from(&|it| it.clock_offset = 0),
        from(&|it| it.patchy_lists = false),
    ]
}
