//! A life as data: what users, outsiders and the network do, step by step. A seed gives one life, and the
//! steps of a life can be left out one by one, so a long one is reduced to the shortest that still fails.

use std::fmt;

use fastrand::Rng;

use crate::configuration::{Address, Block, Kind, Object};
use crate::world::{Fate, World};

/// The runs of terraform in a life, apart from edits and events between them.
const RUNS: usize = 7;

/// Everything that happens to two workspaces on one service.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Life {
    pub(crate) world: World,
    pub(crate) steps: Vec<Step>,
    /// Whether both workspaces take the way out at the end.
    pub(crate) settles: bool,
}

/// The number of a workspace: 0 or 1.
pub(crate) type Number = usize;

/// One step. Steps that are not possible, such as a taint of an address without an object, do nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Put(Number, Address, Block),
    Edit(Number, Address, Edit),
    Remove(Number, Address),
    /// Renames an address, with or without a `moved` block.
    Rename(Number, Address, Address, bool),
    /// Gives each block of a kind the object of the next address, as an index of `count` that is removed.
    Shift(Number, Kind),
    /// Adds an `import` block or runs `terraform import`.
    Import(Number, Address, bool),
    /// `state rm`.
    Forget(Number, Address),
    /// `state mv`.
    MoveState(Number, Address, Address),
    Taint(Number, Address),
    Untaint(Number, Address),
    Outside(Outside, u8, Object),
    Run(Number, Command),
}

/// A change of one block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    Object(Object),
    FixedId(Option<u8>),
    Text(u8),
    Resources(Option<u8>),
    Adopts(bool),
    MustExist(bool),
    Abandon(Option<bool>),
    CreateFirst(bool),
    Late(bool),
    Region(u8),
}

/// What somebody else does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Create,
    Change,
    Delete,
    /// Deletes it and creates another one of that name.
    Remake,
}

/// What terraform is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Plan,
    Apply,
    RefreshOnly,
    Destroy,
}

/// A run of terraform.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    pub(crate) mode: Mode,
    pub(crate) target: Option<Address>,
    pub(crate) replace: Option<Address>,
    pub(crate) refresh: bool,
    pub(crate) minimal_refresh: bool,
    pub(crate) parallelism: u8,
    /// `ACCESS_DELETION_POLICY=abandon`, in the plan and in the apply.
    pub(crate) abandon: [bool; 2],
    /// `drift_detection = "off"`.
    pub(crate) off: bool,
    /// What happens between plan and apply: while a plan is saved, or waits for its approval.
    pub(crate) between: Option<Box<Step>>,
    /// What the network does to requests of the plan, and of the apply.
    pub(crate) fates: [Option<Fate>; 2],
    /// Orders nodes, and draws latencies and faults.
    pub(crate) salt: u64,
}

impl Command {
    /// A run without options, faults and events.
    pub(crate) fn plain(mode: Mode) -> Self {
        Self {
            mode,
            target: None,
            replace: None,
            refresh: true,
            minimal_refresh: false,
            parallelism: 10,
            abandon: [false; 2],
            off: false,
            between: None,
            fates: [None, None],
            salt: 0,
        }
    }

    /// Returns whether the service and the network behave.
    pub(crate) fn is_calm(&self) -> bool {
        self.fates.iter().all(Option::is_none)
    }
}

fn one_in(random: &mut Rng, chance: u8) -> bool {
    random.u8(..chance) == 0
}

impl Life {
    /// Draws a life.
    pub(crate) fn draw(seed: u64) -> Self {
        let random = &mut Rng::with_seed(seed);
        let world = World::draw(random);
        let mut steps = Vec::new();
        for number in 0..random.usize(1..7) {
            let workspace = usize::from(one_in(random, 4));
            let address = Address::draw(random);
            let block = Block::draw(workspace, address.kind, random);
            steps.push(Step::Put(
                workspace,
                Address { number: number as u8 % 6, ..address },
                block,
            ));
        }
        for _ in 0..RUNS {
            for _ in 0..random.usize(1..4) {
                steps.push(draw_event(random));
            }
            steps.push(draw_run(&world, random));
        }
        Self { world, steps, settles: true }
    }
}

fn draw_workspace(random: &mut Rng) -> Number {
    usize::from(one_in(random, 4))
}

fn draw_event(random: &mut Rng) -> Step {
    let (workspace, address) = (draw_workspace(random), Address::draw(random));
    let other = Address { number: random.u8(..6), ..address };
    match random.u8(..40) {
        0..=5 => Step::Put(workspace, address, Block::draw(workspace, address.kind, random)),
        6..=17 => Step::Edit(workspace, address, draw_edit(workspace, address.kind, random)),
        18..=20 => Step::Remove(workspace, address),
        21..=23 => Step::Rename(workspace, address, other, random.bool()),
        24 => Step::Shift(workspace, address.kind),
        25..=27 => Step::Import(workspace, address, random.bool()),
        28 => Step::Forget(workspace, address),
        29 => Step::MoveState(workspace, address, other),
        30 | 31 => Step::Taint(workspace, address),
        32 => Step::Untaint(workspace, address),
        _ => draw_outside(random),
    }
}

fn draw_outside(random: &mut Rng) -> Step {
    let outside =
        random.choice([Outside::Create, Outside::Change, Outside::Delete, Outside::Remake]);
    let (workspace, kind) = (draw_workspace(random), Address::draw(random).kind);
    let region = u8::from(one_in(random, 8));
    Step::Outside(outside.unwrap_or(Outside::Change), region, Object::draw(workspace, kind, random))
}

fn draw_edit(workspace: Number, kind: Kind, random: &mut Rng) -> Edit {
    match random.u8(..14) {
        0..=4 => Edit::Object(Object::draw(workspace, kind, random)),
        5 => Edit::FixedId(random.bool().then(|| random.u8(..3))),
        6 => Edit::Text(random.u8(..4)),
        7 => Edit::Resources(random.bool().then(|| random.u8(..4))),
        8 => Edit::Adopts(random.bool()),
        9 => Edit::MustExist(random.bool()),
        10 => Edit::Abandon(random.bool().then(|| random.bool())),
        11 => Edit::CreateFirst(random.bool()),
        12 => Edit::Late(random.bool()),
        _ => Edit::Region(u8::from(one_in(random, 3))),
    }
}

fn draw_run(world: &World, random: &mut Rng) -> Step {
    let workspace = draw_workspace(random);
    let mode = match random.u8(..14) {
        0 => Mode::Plan,
        1 => Mode::RefreshOnly,
        2 => Mode::Destroy,
        _ => Mode::Apply,
    };
    let rare = |random: &mut Rng| one_in(random, 12).then(|| Address::draw(random));
    let abandon = one_in(random, 10);
    let between = one_in(random, 6).then(|| match random.bool() {
        true => draw_outside(random),
        false => Step::Run(
            1 - workspace,
            Command { salt: random.u64(..), ..Command::plain(Mode::Apply) },
        ),
    });
    let mut fate =
        |chance| (world.has_faults && one_in(random, chance)).then(|| Fate::draw(random));
    let fates = [fate(5), fate(3)];
    Step::Run(
        workspace,
        Command {
            mode,
            target: rare(random),
            replace: rare(random),
            refresh: !one_in(random, 10),
            minimal_refresh: one_in(random, 15),
            parallelism: random.choice([1, 2, 10]).unwrap_or(10),
            abandon: [abandon != one_in(random, 30), abandon],
            off: one_in(random, 15),
            between: between.map(Box::new),
            fates,
            salt: random.u64(..),
        },
    )
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  service: {}", self.world)?;
        for (number, step) in self.steps.iter().enumerate() {
            writeln!(f, "  {number:2}. {step}")?;
        }
        if self.settles {
            writeln!(f, "      both: terraform state rm of everything, import what exists, apply")?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put(of, at, block) => write!(f, "workspace {of}: write {at}: {block}"),
            Self::Edit(of, at, Edit::Object(object)) => {
                write!(f, "workspace {of}: edit {at} to name {object}")
            }
            Self::Edit(of, at, edit) => write!(f, "workspace {of}: edit {at}: {edit:?}"),
            Self::Remove(of, at) => write!(f, "workspace {of}: delete the block {at}"),
            Self::Rename(of, from, to, moved) => {
                let moved = if *moved { "with" } else { "without" };
                write!(f, "workspace {of}: rename {from} to {to} {moved} `moved`")
            }
            Self::Shift(of, kind) => {
                write!(f, "workspace {of}: shift the indices of all {kind:?}s")
            }
            Self::Import(of, at, true) => {
                write!(f, "workspace {of}: add an `import` block for {at}")
            }
            Self::Import(of, at, false) => write!(f, "workspace {of}: terraform import {at}"),
            Self::Forget(of, at) => write!(f, "workspace {of}: terraform state rm {at}"),
            Self::MoveState(of, from, to) => {
                write!(f, "workspace {of}: terraform state mv {from} {to}")
            }
            Self::Taint(of, at) => write!(f, "workspace {of}: terraform taint {at}"),
            Self::Untaint(of, at) => write!(f, "workspace {of}: terraform untaint {at}"),
            Self::Outside(what, region, object) => {
                write!(f, "somebody else: {what:?} {object} in region {region}")
            }
            Self::Run(of, command) => write!(f, "workspace {of}: {command}"),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "terraform {}", format!("{:?}", self.mode).to_lowercase())?;
        self.target.iter().try_for_each(|at| write!(f, " -target={at}"))?;
        self.replace.iter().try_for_each(|at| write!(f, " -replace={at}"))?;
        let flags = [
            (!self.refresh, " -refresh=false"),
            (self.minimal_refresh, " -minimal-refresh"),
            (self.off, " with drift_detection = \"off\""),
        ];
        flags.iter().filter(|(is_set, _)| *is_set).try_for_each(|(_, text)| f.write_str(text))?;
        write!(f, " -parallelism={}", self.parallelism)?;
        match self.abandon {
            [false, false] => {}
            [true, true] => f.write_str(" under ACCESS_DELETION_POLICY=abandon")?,
            [plan, apply] => write!(f, " under abandon: plan {plan}, apply {apply}")?,
        }
        for (fate, phase) in self.fates.iter().zip(["plan", "apply"]) {
            fate.iter().try_for_each(|fate| write!(f, "; in the {phase}: {fate}"))?;
        }
        self.between.iter().try_for_each(|step| write!(f, "; between plan and apply: {step}"))
    }
}
