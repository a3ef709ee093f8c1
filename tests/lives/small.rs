//! Small lives: two addresses of one kind, two names, two runs, each fault once at each request
//! of the second run, and each order of calls.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::configuration::{Address, Block, Kind, Object, Quality};
use crate::fate::{End, Failure, Fate};
use crate::life::{Command, Deed, Event, Flag, Host, Life, Mode, Outside, Step};
use crate::odds::Odds;
use crate::play::play;
use crate::provider::Schemas;
use crate::support::number;
use crate::world::World;

/// What the two addresses name: nothing, the first or the second name.
type Names = [Option<u8>; 2];

/// Everything about a small life but its fault and the order of its calls.
#[derive(Clone, Copy, Debug)]
struct Shape {
    kind: Kind,
    names: [Names; 2],
    quality: Option<Quality>,
    mode: Mode,
    /// Whether somebody else creates the second name between the runs.
    is_taken: bool,
}

/// The lives of one shape and one order of calls: one without a fault, and one for each fault of
/// each request.
struct Family {
    shape: Shape,
    order: u8,
    /// The requests of the plan and of the apply without a fault.
    requests: [u8; 2],
}

/// Plays each life of each shape, or of so many only one.
pub(crate) fn play_all() {
    let every = number("SMALL_EVERY").unwrap_or(41) as usize;
    let schemas = Schemas::load();
    let shapes: Vec<_> = shapes().into_iter().step_by(every).collect();
    let families = Mutex::new(Vec::new());
    crate::on_threads(number("LIVES_THREADS").unwrap_or(2), |at| {
        let Some(shape) = shapes.get(at as usize) else { return false };
        let found = shape.families(&schemas);
        families.lock().unwrap().extend(found);
        true
    });
    let families = families.into_inner().unwrap();
    let total: usize = families.iter().map(|family| family.lives().count()).sum();
    println!(
        "{total} small lives: {} shapes, {} orders. One of {every} is played.",
        shapes.len(),
        families.len()
    );
    let lives = Mutex::new(families.iter().flat_map(Family::lives).step_by(every));
    crate::play_all(&schemas, |_| Some((lives.lock().unwrap().next()?, 0)));
}

impl Family {
    fn lives(&self) -> impl Iterator<Item = Life> {
        let phases = self.requests.iter().enumerate();
        let faults = phases.flat_map(|(phase, requests)| {
            let all = (1..=*requests).flat_map(|at| faults(self.shape.kind, at));
            all.map(move |fault| {
                let mut fates = [None, None];
                fates[phase] = Some(fault);
                fates
            })
        });
        [[None, None]].into_iter().chain(faults).map(|fates| self.shape.life(self.order, fates))
    }
}

fn shapes() -> Vec<Shape> {
    let name = [None, Some(0), Some(1)];
    let names = name.iter().flat_map(|first| name.map(|second| [*first, second]));
    let names: Vec<Names> = names.collect();
    let qualities =
        [None, Some(Quality::CreateFirst), Some(Quality::Adopts), Some(Quality::Outlives)];
    let mut all = Vec::new();
    for kind in [Kind::Role, Kind::Owner] {
        for first in &names {
            for second in &names {
                for quality in qualities {
                    for (mode, is_taken) in
                        [(Mode::Apply, false), (Mode::Apply, true), (Mode::Destroy, false)]
                    {
                        let names = [*first, *second];
                        all.push(Shape { kind, names, quality, mode, is_taken });
                    }
                }
            }
        }
    }
    // With the names exchanged, a life is the same one.
    let first_name = |shape: &Shape| shape.names.iter().flatten().flatten().next().copied();
    all.retain(|shape| first_name(shape).is_none_or(|name| name == 0));
    all
}

/// Returns each fault of a request.
fn faults(kind: Kind, at: u8) -> Vec<Fate> {
    let failures = [
        (false, End::Status(401)),
        (false, End::Status(403)),
        (false, End::Status(423)),
        (false, End::Status(500)),
        (true, End::Status(500)),
        (false, End::Status(503)),
        (false, End::Wait(100)),
        (false, End::Page),
        (false, End::Portal),
        (false, End::NotFound),
        (false, End::Echo),
        (false, End::NotConnected),
        (false, End::GoAway),
        (false, End::Reset),
        (true, End::Reset),
        (true, End::Hang),
        (true, End::CutOff),
        (true, End::Garbage),
        (false, End::Unchanged),
    ];
    let failures = failures
        .map(|(processed, end)| Fate::Once { at, failure: Failure { processed, end } })
        .into_iter();
    let deaths = [false, true].into_iter().flat_map(|processed| {
        [Fate::ProviderDies { at, processed }, Fate::HostDies { at, processed }]
    });
    let others = [Event::Create, Event::Delete, Event::Remake].into_iter().flat_map(|what| {
        [0, 1].map(|id| Fate::Meanwhile {
            at,
            outside: Outside { what, object: Object { kind, parent: 0, id } },
        })
    });
    failures.chain(deaths).chain([Fate::Interrupt { at }]).chain(others).collect()
}

impl Shape {
    /// Returns the different orders of calls, by the requests of a life without a fault.
    fn families(&self, schemas: &Arc<Schemas>) -> Vec<Family> {
        let mut known = BTreeSet::new();
        let all = (0..6).filter_map(|order| {
            let (player, _) = play(schemas, &self.life(order, [None, None]), 0);
            let requests = player.last?.seen.map(|seen| seen.requests);
            let counts = requests.each_ref().map(|requests| requests.len() as u8);
            known.insert(requests).then_some(Family { shape: *self, order, requests: counts })
        });
        all.collect()
    }

    fn life(&self, order: u8, fates: [Option<Fate>; 2]) -> Life {
        let mut steps = self.edits([None, None], self.names[0]);
        steps.push(self.run(Mode::Apply, order, [None, None]));
        if self.is_taken {
            let object = Object { kind: self.kind, parent: 0, id: 1 };
            steps.push(Step::Outside(Outside { what: Event::Create, object }));
        }
        steps.extend(self.edits(self.names[0], self.names[1]));
        steps.push(self.run(self.mode, order, fates));
        Life { world: World::default(), steps, settles: false, has_planted_defect: false }
    }

    fn run(&self, mode: Mode, order: u8, fates: [Option<Fate>; 2]) -> Step {
        let mut flags = Odds::default();
        flags.toggle(Flag::OneByOne);
        // Terraform 1.11 takes no notice of `destroy = false`.
        let is_new = self.quality == Some(Quality::Outlives);
        let host = if is_new { Host::Terraform16 } else { Host::default() };
        // After this number, a run that succeeds is followed by a plan, and one that fails by the
        // configuration before it.
        let salt = 2;
        Step::Run(
            0,
            Command { flags, fates, host, order: Some(order), ..Command::plain(mode, salt) },
        )
    }

    fn edits(&self, before: Names, after: Names) -> Vec<Step> {
        let edit = |number: u8| {
            let at = Address { kind: self.kind, number };
            match (before[usize::from(number)], after[usize::from(number)]) {
                (before, after) if before == after => None,
                (_, None) => Some(Deed::Remove(at, false)),
                (_, Some(id)) => {
                    let object = Object { kind: self.kind, parent: 0, id };
                    let mut qualities = Odds::default();
                    self.quality.into_iter().for_each(|quality| qualities.toggle(quality));
                    let block = Block {
                        object,
                        text: 0,
                        resources: None,
                        fixed_id: None,
                        blank: None,
                        qualities,
                    };
                    Some(Deed::Put(at, block))
                }
            }
        };
        (0..2).filter_map(edit).map(|deed| Step::Of(0, deed)).collect()
    }
}
