//! A life as data: what users, outsiders and the network do, step by step. A seed gives one life,
//! and the steps of a life can be left out one by one, so a long one is reduced to the shortest
//! that still fails.

use std::fmt;

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::configuration::{Address, Blank, Block, Kind, Object, Quality};
use crate::fate::Fate;
use crate::odds::{Odd as _, Odds, odd, with};
use crate::world::{Oddity, World};

/// Everything that happens to two workspaces on one service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Life {
    pub(crate) world: World,
    pub(crate) steps: Vec<Step>,
    /// Whether both workspaces take the way out at the end.
    pub(crate) settles: bool,
    /// Whether the provider loses the state of an object whose read fails: a defect that has to be
    /// found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_planted_defect: bool,
}

/// The number of a workspace: 0 or 1.
pub(crate) type Number = usize;

/// One step. Steps that are not possible, such as a taint of an address without an object, do
/// nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Step {
    Of(Number, Deed),
    Outside(Outside),
    Run(Number, Command),
}

/// What the user of a workspace does between runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Deed {
    Put(Address, Block),
    Edit(Address, Edit),
    /// Deletes a block, and puts a `removed` block in its place or not.
    Remove(Address, bool),
    /// Renames an address, with or without a `moved` block.
    Rename(Address, Address, bool),
    /// Gives each block of a kind the object of the next address, as an index of `count` that is
    /// removed.
    Shift(Kind),
    ImportBlock(Address),
    Import(Address),
    /// `state rm`.
    Forget(Address),
    /// `state mv`.
    MoveState(Address, Address),
    Taint(Address),
    Untaint(Address),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Edit {
    Object(Object),
    FixedId(Option<u8>),
    Text(u8),
    Resources(Option<u8>),
    Blank(Option<Blank>),
    Toggle(Quality),
}

/// What somebody else does to an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outside {
    pub(crate) what: Event,
    pub(crate) object: Object,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Event {
    Create,
    Change,
    Delete,
    /// Deletes it and creates another one of that name.
    Remake,
}

/// What terraform is run for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mode {
    #[default]
    Plan,
    Apply,
    RefreshOnly,
    Destroy,
}

/// The program that runs a command, as far as providers notice the difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) enum Host {
    OpenTofu,
    /// And its predecessors since 1.9.
    Terraform11,
    #[default]
    Terraform12,
    /// The first whose plan inside the apply receives the private state of the first plan.
    Terraform16,
}

impl Host {
    const ALL: [Self; 4] =
        [Self::OpenTofu, Self::Terraform11, Self::Terraform12, Self::Terraform16];
}

odd! {
    /// What is unusual about a run.
    pub(crate) enum Flag {
        NoRefresh: 10, "-refresh=false";
        MinimalRefresh: 15, "-minimal-refresh";
        Off: 15, "drift_detection = \"off\"";
        Abandons: 10, "ACCESS_DELETION_POLICY=abandon in the apply";
        /// The variable is set in the plan and not in the apply, or the reverse.
        ChangesPolicy: 30, "the other policy in the plan";
        OneByOne: 3, "-parallelism=1";
        TwoAtOnce: 4, "-parallelism=2";
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Command {
    pub(crate) mode: Mode,
    pub(crate) target: Option<Address>,
    pub(crate) replace: Option<Address>,
    pub(crate) flags: Odds<Flag>,
    pub(crate) host: Host,
    /// What happens between plan and apply: while a plan is saved, or waits for its approval.
    pub(crate) between: Option<Box<Step>>,
    /// What the network does to requests of the plan, and of the apply.
    pub(crate) fates: [Option<Fate>; 2],
    /// Orders nodes, and draws latencies and faults.
    pub(crate) salt: u64,
    /// Lets the calls for the first two addresses of a kind follow each other in one of six orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) order: Option<u8>,
}

impl Command {
    pub(crate) fn plain(mode: Mode, salt: u64) -> Self {
        Self { mode, salt, ..Self::default() }
    }

    pub(crate) fn has(&self, flag: Flag) -> bool {
        self.flags.has(flag)
    }

    /// Returns whether the deletion policy of the environment is `abandon` in the plan (0) or the
    /// apply (1).
    pub(crate) fn abandons(&self, phase: usize) -> bool {
        self.has(Flag::Abandons) != (phase == 0 && self.has(Flag::ChangesPolicy))
    }

    pub(crate) fn parallelism(&self) -> usize {
        if self.has(Flag::OneByOne) {
            1
        } else if self.has(Flag::TwoAtOnce) {
            2
        } else {
            10
        }
    }

    pub(crate) fn targets(&self, address: Address) -> bool {
        self.target.is_none_or(|target| target == address)
    }

    /// Returns whether the service and the network behave.
    pub(crate) fn is_calm(&self) -> bool {
        self.fates.iter().all(Option::is_none)
    }

    fn draw(workspace: Number, world: &World, random: &mut Rng) -> Self {
        let mode = match random.u8(..14) {
            0 => Mode::Plan,
            1 => Mode::RefreshOnly,
            2 => Mode::Destroy,
            _ => Mode::Apply,
        };
        let rare = |random: &mut Rng| one_in(random, 12).then(|| Address::draw(random));
        let (target, mut replace, mut flags) = (rare(random), rare(random), Odds::draw(random));
        let mut host = Host::ALL[random.usize(..Host::ALL.len())];
        // Terraform refuses these options together.
        if mode == Mode::RefreshOnly {
            flags.remove(Flag::NoRefresh);
        }
        if mode == Mode::RefreshOnly || flags.has(Flag::NoRefresh) {
            flags.remove(Flag::MinimalRefresh);
        }
        if flags.has(Flag::MinimalRefresh) {
            host = Host::Terraform16;
        }
        if matches!(mode, Mode::RefreshOnly | Mode::Destroy) {
            replace = None;
        }
        let between = one_in(random, 6).then(|| {
            Box::new(match random.u8(..8) {
                0..4 => Step::Outside(Outside::draw(random)),
                // Which makes the plan stale.
                4 => Step::Run(workspace, Self::plain(Mode::Apply, random.u64(..))),
                _ => Step::Run(1 - workspace, Self::plain(Mode::Apply, random.u64(..))),
            })
        });
        let mut fate = |chance| {
            let is_met = world.has(Oddity::Faults) && one_in(random, chance);
            is_met.then(|| Fate::draw(random))
        };
        let fates = [fate(5), fate(3)];
        let salt = random.u64(..);
        Self { mode, target, replace, flags, host, between, fates, salt, order: None }
    }

    fn simpler(&self) -> Vec<Self> {
        let mut all = vec![
            Self::plain(Mode::Apply, self.salt),
            with(self, |it| it.fates[0] = None),
            with(self, |it| it.fates[1] = None),
            with(self, |it| it.between = None),
            with(self, |it| it.target = None),
            with(self, |it| it.replace = None),
            with(self, |it| it.host = Host::default()),
            with(self, |it| it.salt = 0),
        ];
        all.extend(self.flags.simpler().into_iter().map(|flags| Self { flags, ..self.clone() }));
        let between = self.between.iter().flat_map(|step| step.simpler());
        all.extend(between.map(|step| Self { between: Some(Box::new(step)), ..self.clone() }));
        all
    }
}

fn one_in(random: &mut Rng, chance: u8) -> bool {
    random.u8(..chance) == 0
}

fn draw_workspace(random: &mut Rng) -> Number {
    usize::from(one_in(random, 4))
}

impl Life {
    pub(crate) fn draw(seed: u64) -> Self {
        let random = &mut Rng::with_seed(seed);
        let world = World::of_seed(random);
        // In one of four lives, most objects have one parent: its list is requested after three
        // reads.
        let crowd = one_in(random, 4).then(|| if random.bool() { Kind::Role } else { Kind::Owner });
        let mut steps = Vec::new();
        for _ in 0..random.usize(if crowd.is_some() { 5..10 } else { 1..7 }) {
            let (workspace, address) = (draw_workspace(random), Address::draw(random));
            let block = Block::draw(workspace, address.kind, random);
            steps.push(Step::Of(workspace, Deed::Put(address, block)));
        }
        for _run in 0..random.usize(1..8) {
            for _edit in 0..random.usize(1..4) {
                let mut new = match crowd.filter(|_| one_in(random, 3)) {
                    Some(kind) => Step::draw_for_all(kind, &world, random),
                    None => Step::draw_some(&world, random),
                };
                if let [Step::Outside(outside)] = &mut new[..] {
                    outside.aim(&steps, random);
                }
                steps.extend(new);
            }
            let workspace = draw_workspace(random);
            let mut command = Command::draw(workspace, &world, random);
            if let Some(Step::Outside(outside)) = command.between.as_deref_mut() {
                outside.aim(&steps, random);
            }
            for fate in command.fates.iter_mut().flatten() {
                if let Fate::Meanwhile { outside, .. } = fate {
                    outside.aim(&steps, random);
                }
            }
            if let Some(&Step::Of(_, Deed::Edit(_, Edit::Object(object)))) = steps.last()
                && one_in(random, 4)
            {
                // Somebody else takes the new name after it was planned.
                let outside = Outside { what: Event::Create, object };
                command.between = Some(Box::new(Step::Outside(outside)));
            }
            let is_repeated = matches!(command.fates[1], Some(Fate::Writes(_)));
            if is_repeated {
                // After failed writes: keep the edits (see `follow`), apply without a refresh, then
                // refresh.
                command.salt -= command.salt % 3;
                let role = |number| Address { kind: Kind::Role, number };
                let edit = Edit::Text(random.u8(..4));
                let edit = |number| Step::Of(workspace, Deed::Edit(role(number), edit.clone()));
                steps.extend((0..6).map(edit));
            }
            steps.push(Step::Run(workspace, command));
            if is_repeated {
                let mut again = Command::plain(Mode::Apply, random.u64(..));
                again.flags.toggle(Flag::NoRefresh);
                let look = Command::plain(Mode::RefreshOnly, random.u64(..));
                steps.extend([again, look].map(|command| Step::Run(workspace, command)));
            }
        }
        if let Some(kind) = crowd {
            steps.iter_mut().for_each(|step| step.crowd(kind));
        }
        Self { world, steps, settles: true, has_planted_defect: false }
    }

    /// Returns lives that differ from this one by one thing less, the shortest first.
    pub(crate) fn simpler(&self) -> Vec<Self> {
        let mut all = vec![with(self, |it| it.settles = false)];
        for at in (0..self.steps.len()).rev() {
            all.push(with(self, |it| drop(it.steps.remove(at))));
        }
        for (at, step) in self.steps.iter().enumerate() {
            let steps = step.simpler().into_iter();
            all.extend(steps.map(|step| with(self, |it| it.steps[at] = step)));
        }
        let worlds = self.world.simpler().into_iter();
        all.extend(worlds.map(|world| Self { world, ..self.clone() }));
        all.retain(|simpler| simpler != self);
        all
    }
}

impl Outside {
    pub(crate) fn draw(random: &mut Rng) -> Self {
        let all = [Event::Create, Event::Change, Event::Delete, Event::Remake];
        let what = random.choice(all).expect("one of all");
        let (workspace, kind) = (draw_workspace(random), Address::draw(random).kind);
        let object = Object::draw(workspace, kind, random);
        Self { what, object }
    }

    /// Lets it happen, half of the time, to an object of one of the blocks so far.
    fn aim(&mut self, steps: &[Step], random: &mut Rng) {
        let blocks = steps.iter().filter_map(|step| match step {
            Step::Of(_, Deed::Put(_, block)) => Some(block),
            _ => None,
        });
        if let Some(block) = random.choice(blocks.collect::<Vec<_>>()).filter(|_| random.bool()) {
            self.object = block.object;
        }
    }
}

impl Step {
    fn draw(world: &World, random: &mut Rng) -> Self {
        let of = draw_workspace(random);
        let at = Address::draw(random);
        let other = Address { number: random.u8(..6), ..at };
        let deed = match random.u8(..40) {
            0..=5 => Deed::Put(at, Block::draw(of, at.kind, random)),
            6..=17 => Deed::Edit(at, Edit::draw(of, at.kind, world, random)),
            18..=20 => Deed::Remove(at, one_in(random, 3)),
            21..=23 => Deed::Rename(at, other, random.bool()),
            24 => Deed::Shift(at.kind),
            25 => Deed::Import(at),
            26 | 27 => Deed::ImportBlock(at),
            28 => Deed::Forget(at),
            29 => Deed::MoveState(at, other),
            30 | 31 => Deed::Taint(at),
            32 => Deed::Untaint(at),
            _ => return Self::Outside(Outside::draw(random)),
        };
        Self::Of(of, deed)
    }

    /// Draws a step, or some that belong together.
    fn draw_some(world: &World, random: &mut Rng) -> Vec<Self> {
        let of = draw_workspace(random);
        let all = Address { kind: Kind::Owners, number: 0 };
        let integration = Object { kind: Kind::Owners, parent: 2, id: 0 };
        let single = |number: u8| {
            let block = Block::draw(of, Kind::Owner, &mut Rng::with_seed(number.into()));
            let object = Object { kind: Kind::Owner, parent: 2, id: number };
            (Address { kind: Kind::Owner, number }, Block { object, ..block })
        };
        let deeds = match random.u8(..60) {
            // From the list of owners to single ones, and back.
            0 => {
                let singles = (0..3).map(single).map(|(at, block)| Deed::Put(at, block));
                [Deed::Remove(all, random.bool())].into_iter().chain(singles).collect()
            }
            1 => {
                let block = Block { object: integration, ..Block::draw(of, Kind::Owners, random) };
                let singles = (0..3).map(|number| Deed::Remove(single(number).0, false));
                singles.chain([Deed::Put(all, block)]).collect()
            }
            // The import of what somebody else records.
            2 | 3 => {
                let at = Address::draw(random);
                let block = Block::draw(of, at.kind, random);
                let outside = Outside { what: Event::Create, object: block.object };
                let imports = vec![Deed::Put(at, block), Deed::ImportBlock(at)];
                let imports = imports.into_iter().map(|deed| Self::Of(of, deed));
                return [Self::Outside(outside)].into_iter().chain(imports).collect();
            }
            // A rename to what somebody else has.
            4..=6 => {
                let at = Address::draw(random);
                let (what, object) = (Event::Create, Object::draw(of, at.kind, random));
                let outside = Self::Outside(Outside { what, object });
                return vec![outside, Self::Of(of, Deed::Edit(at, Edit::Object(object)))];
            }
            _ => return vec![Self::draw(world, random)],
        };
        let deeds: Vec<Deed> = deeds;
        deeds.into_iter().map(|deed| Self::Of(of, deed)).collect()
    }

    /// Draws a step that happens to every address of a kind in the first workspace, or to every
    /// object that they name: after three objects, messages are one line each.
    fn draw_for_all(kind: Kind, world: &World, random: &mut Rng) -> Vec<Self> {
        let edit = Edit::draw(0, kind, world, random);
        let all = [Event::Create, Event::Change, Event::Delete, Event::Remake];
        let what = random.choice(all).expect("one of all");
        let (case, parent) = (random.u8(..8), random.u8(..4));
        let step = |number| {
            let at = Address { kind, number };
            let object = Object { kind, parent, id: 2 + number };
            let deed = match (case, &edit) {
                (0, _) => Deed::Remove(at, false),
                (1, _) => Deed::Taint(at),
                (2, _) => Deed::ImportBlock(at),
                (3, _) => Deed::Forget(at),
                (4, _) => {
                    let object = Object { parent: 0, ..object };
                    return Self::Outside(Outside { what, object });
                }
                (_, Edit::Object(_)) => Deed::Edit(at, Edit::Object(object)),
                _ => Deed::Edit(at, edit.clone()),
            };
            Self::Of(0, deed)
        };
        (0..6).map(step).collect()
    }

    /// Gives the block or the object of this step the first parent and this kind, and puts every
    /// block into the first workspace. Each address begins with an object of its own. Other steps
    /// stay as drawn.
    fn crowd(&mut self, kind: Kind) {
        match self {
            Self::Of(of, Deed::Put(at, block)) => {
                (*of, at.kind) = (0, kind);
                block.object = Object { kind, parent: 0, id: 2 + at.number };
            }
            Self::Outside(Outside { object, .. }) => {
                *object = Object { kind, parent: 0, ..*object }
            }
            _ => {}
        }
    }

    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Run(of, command) => {
                command.simpler().into_iter().map(|command| Self::Run(*of, command)).collect()
            }
            Self::Of(of, Deed::Put(at, block)) => {
                let blocks = block.simpler().into_iter();
                blocks.map(|block| Self::Of(*of, Deed::Put(*at, block))).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Edit {
    fn draw(workspace: Number, kind: Kind, world: &World, random: &mut Rng) -> Self {
        match random.u8(..30) {
            0..=9 => Self::Object(Object::draw(workspace, kind, random)),
            10 | 11 => Self::FixedId(random.bool().then(|| random.u8(..3))),
            12 | 13 => Self::Text(random.u8(..4)),
            14 | 15 => Self::Resources(random.bool().then(|| random.u8(..4))),
            16..=18 if world.has(Oddity::Blanks) => {
                Self::Blank((!one_in(random, 4)).then(|| Blank::draw(kind, random)))
            }
            _ => Self::Toggle(random.choice(Quality::ALL).expect("one of all").0),
        }
    }

    pub(crate) fn apply(&self, block: &mut Block) {
        match self {
            Self::Object(object) => block.object = *object,
            Self::FixedId(id) => block.fixed_id = *id,
            Self::Text(text) => block.text = *text,
            Self::Resources(bits) => block.resources = *bits,
            Self::Blank(blank) => block.blank.clone_from(blank),
            Self::Toggle(quality) => block.qualities.toggle(*quality),
        }
    }
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  service with reads{}", self.world)?;
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
            Self::Of(of, deed) => write!(f, "workspace {of}: {deed}"),
            Self::Outside(Outside { what, object }) => {
                write!(f, "somebody else: {what:?} {object}")
            }
            Self::Run(of, command) => write!(f, "workspace {of}: {command}"),
        }
    }
}

/// The commands among the deeds are shown as they are run.
impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put(at, block) => write!(f, "write {at}: {block}"),
            Self::Edit(at, Edit::Object(object)) => write!(f, "edit {at} to name {object}"),
            Self::Edit(at, edit) => write!(f, "edit {at}: {edit:?}"),
            Self::Remove(at, false) => write!(f, "delete the block {at}"),
            Self::Remove(at, true) => write!(f, "replace the block {at} with a `removed` block"),
            Self::Rename(from, to, moved) => {
                let moved = if *moved { "with" } else { "without" };
                write!(f, "rename {from} to {to} {moved} `moved`")
            }
            Self::Shift(kind) => write!(f, "shift the indices of all {kind:?}s"),
            Self::ImportBlock(at) => write!(f, "add an `import` block for {at}"),
            Self::Import(at) => write!(f, "terraform import {at}"),
            Self::Forget(at) => write!(f, "terraform state rm {at}"),
            Self::MoveState(from, to) => write!(f, "terraform state mv {from} {to}"),
            Self::Taint(at) => write!(f, "terraform taint {at}"),
            Self::Untaint(at) => write!(f, "terraform untaint {at}"),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "terraform {}", format!("{:?}", self.mode).to_lowercase())?;
        self.target.iter().try_for_each(|at| write!(f, " -target={at}"))?;
        self.replace.iter().try_for_each(|at| write!(f, " -replace={at}"))?;
        write!(f, "{}, by {:?}", self.flags, self.host)?;
        for (fate, phase) in self.fates.iter().zip(["plan", "apply"]) {
            fate.iter().try_for_each(|fate| write!(f, "; in the {phase}: {fate:?}"))?;
        }
        self.between.iter().try_for_each(|step| write!(f, "; between plan and apply: {step}"))
    }
}
