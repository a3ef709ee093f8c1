//! Plays a life: two workspaces, their users and others, on one simulated service.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tokio::time::sleep;

use crate::configuration::{Address, Block, Configuration, Kind, Object};
use crate::facts::Run;
use crate::host::{Action, Plan, Setting, State, Walk, has_object};
use crate::life::{Command, Deed, Flag, Host, Life, Mode, Number, Step};
use crate::oracle::{self, Verdict, played};
use crate::provider::{ProviderClient, Schemas};
use crate::world::{Oddity, Services};

/// The time between two steps.
pub(crate) const BETWEEN_STEPS: Duration = Duration::from_secs(10);

#[derive(Clone, Default)]
pub(crate) struct Workspace {
    pub(crate) configuration: Configuration,
    pub(crate) state: State,
    /// The configuration of the last apply that succeeded.
    last: Configuration,
}

pub(crate) struct Player {
    schemas: Arc<Schemas>,
    pub(crate) services: Arc<Services>,
    client: Arc<ProviderClient>,
    pub(crate) workspaces: [Workspace; 2],
    /// The last run that was a step of the life.
    pub(crate) last: Option<Run>,
    pub(crate) runs: u64,
    pub(crate) successes: u64,
}

/// Plays a life on a runtime of its own, whose clock never waits.
pub(crate) fn play(
    schemas: &Arc<Schemas>,
    life: &Life,
    seed: u64,
) -> (Player, Result<(), Verdict>) {
    fastrand::seed(seed);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let mut services = Services::new(&life.world);
        services.has_planted_defect = life.has_planted_defect;
        let mut player = Player {
            schemas: Arc::clone(schemas),
            services: Arc::new(services),
            client: Arc::default(),
            workspaces: Default::default(),
            last: None,
            runs: 0,
            successes: 0,
        };
        let result = player.live(life).await;
        (player, result)
    })
}

impl Player {
    async fn live(&mut self, life: &Life) -> Result<(), Verdict> {
        for step in &life.steps {
            self.step(step).await?;
        }
        if life.settles { self.settle().await } else { Ok(()) }
    }

    /// Does a step, and waits for a moment.
    fn step<'p>(&'p mut self, step: &'p Step) -> LocalBoxFuture<'p, Result<(), Verdict>> {
        let step = async move {
            match step {
                Step::Run(of, command) => self.last = Some(self.run(*of, command).await?),
                Step::Of(of, Deed::Import(address)) => self.import(*of, *address).await?,
                Step::Of(of, deed) => self.workspaces[*of].edit(deed),
                Step::Outside(outside) => drop(self.services.happen(outside)),
            }
            sleep(BETWEEN_STEPS).await;
            Ok(())
        };
        step.boxed_local()
    }

    async fn walk(&self, workspace: Number, command: &Command, phase: usize, plan: Plan) -> Walk {
        let (schemas, services) = (Arc::clone(&self.schemas), Arc::clone(&self.services));
        let (client, command) = (Arc::clone(&self.client), command.clone());
        let setting = Setting { schemas, services, client, workspace, command, phase };
        Walk::start(setting, plan).await
    }

    async fn run(&mut self, workspace: Number, command: &Command) -> Result<Run, Verdict> {
        self.runs += 1;
        if command.mode == Mode::Destroy {
            self.workspaces[workspace].configuration.removed.clear();
        }
        let mut run = self.begin(workspace, command.clone());
        let plan = self.plan(workspace, &mut run).await;
        run.has_failed = plan.is_none();
        if let Some(plan) = plan.filter(|_| command.mode != Mode::Plan) {
            if let Some(between) = &command.between {
                self.step(between).await?;
            }
            run.present = self.services.objects();
            // Terraform refuses a saved plan if the state has changed since.
            run.has_failed = self.workspaces[workspace].state != run.before;
            if !run.has_failed {
                self.apply(workspace, &plan, &mut run).await;
                run.plan = Some(plan);
            }
        }
        self.judge(workspace, &run)?;
        self.successes += u64::from(!run.has_failed);
        self.workspaces[workspace].follow(&run);
        if command.salt.is_multiple_of(2)
            && oracle::next_plan_is_empty(&self.services, &self.workspaces[workspace].state, &run)
        {
            self.expect_empty_plan(workspace).await?;
        }
        Ok(run)
    }

    fn begin(&self, workspace: Number, command: Command) -> Run {
        let Workspace { state, configuration, .. } = &self.workspaces[workspace];
        let (before, configuration) = (state.clone(), configuration.clone());
        Run { command, before, configuration, ..Run::default() }
    }

    fn judge(&self, workspace: Number, run: &Run) -> Result<(), Verdict> {
        oracle::judge(&self.services, &self.workspaces[workspace].state, run)
    }

    async fn plan(&self, workspace: Number, run: &mut Run) -> Option<Plan> {
        let command = run.command.clone();
        let begin = self.workspaces[workspace].beginning();
        // "Moved resource instances excluded by targeting"
        let has_moved = |at| !has_object(&self.workspaces[workspace].state, at);
        let mut moved = begin.prior_state.keys().filter(|place| has_moved(place.0));
        let leaves_out = |target| moved.any(|place| place.0 != target);
        if command.target.is_some_and(leaves_out) {
            return None;
        }
        // A destroy plans the configuration first, for the refresh, unless there is nothing to
        // destroy.
        let is_empty = begin.prior_state.is_empty();
        let is_unread = command.flags.has_any(&[Flag::NoRefresh, Flag::MinimalRefresh]);
        let is_refreshed = command.mode == Mode::Destroy && !is_unread && !is_empty;
        let walk = self.walk(workspace, &command, 0, begin).await;
        let plan = walk.plan(if is_refreshed { Mode::Apply } else { command.mode }).await;
        run.seen[0].add(walk.shared.end());
        if !is_refreshed {
            return plan;
        }
        // Terraform discards every warning of the refresh before a destroy.
        run.seen[0].notes.retain(|note| note.is_error);
        let begin = Plan { changes: Vec::new(), ..plan? };
        let calm = Command { fates: [None, None], ..command };
        let walk = self.walk(workspace, &calm, 0, begin).await;
        let plan = walk.plan(Mode::Destroy).await;
        run.seen[0].add(walk.shared.end());
        plan
    }

    async fn apply(&mut self, workspace: Number, plan: &Plan, run: &mut Run) {
        let Command { mode, host, .. } = run.command;
        let begin = Plan { changes: Vec::new(), ..plan.clone() };
        let walk = self.walk(workspace, &run.command, 1, begin).await;
        run.has_failed = walk.apply(plan).await.is_err();
        let of = &mut self.workspaces[workspace];
        of.state = walk.state.borrow().clone();
        // OpenTofu's exit code shows that it has forgotten something.
        let forgets = plan.changes.iter().any(|change| change.action == Action::Forget);
        run.has_failed |= mode == Mode::Destroy && forgets && host == Host::OpenTofu;
        run.seen[1].add(walk.shared.end());
    }

    /// `terraform import`.
    async fn import(&mut self, workspace: Number, address: Address) -> Result<(), Verdict> {
        let Workspace { configuration, state, .. } = &self.workspaces[workspace];
        let block = configuration.blocks.get(&address);
        let Some(block) = block.filter(|_| !has_object(state, address)) else { return Ok(()) };
        let mut run = self.begin(workspace, Command::plain(Mode::Plan, 0));
        run.is_import = true;
        let (prior_state, configuration) = (state.clone(), configuration.clone());
        let begin = Plan { prior_state, configuration, ..Plan::default() };
        let walk = self.walk(workspace, &run.command, 0, begin).await;
        run.has_failed = walk.import(address, block).await.is_err();
        run.seen[0].add(walk.shared.end());
        self.judge(workspace, &run)?;
        if !run.has_failed {
            self.workspaces[workspace].state = walk.state.borrow().clone();
        }
        Ok(())
    }

    /// Plans again, and expects no change.
    async fn expect_empty_plan(&mut self, workspace: Number) -> Result<(), Verdict> {
        let mut run = self.begin(workspace, Command::plain(Mode::Plan, 1));
        let plan = self.plan(workspace, &mut run).await;
        let changes = plan.iter().flat_map(|plan| &plan.changes);
        let changed: Vec<String> = changes
            .filter(|change| change.action != Action::NoOp)
            .map(|change| format!("{}: {:?}", change.place.0, change.action))
            .collect();
        if plan.is_none() || !changed.is_empty() {
            let text = format!("{changed:?}\n{}", run.texts());
            return Err(Verdict { rule: played::NEXT_PLAN_IS_EMPTY, text });
        }
        let parents: BTreeSet<_> = (run.configuration.blocks.values())
            .map(|block| (block.object.kind == Kind::Role, block.object.parent))
            .collect();
        let count = run.seen[0].requests.len();
        let world = &self.services.world;
        let is_costly =
            world.has_any(&[Oddity::SmallPages, Oddity::RateLimit]) || world.has(Oddity::ReadsOmit);
        if count > 6 * parents.len() && !is_costly {
            let text = format!("{count} requests for {} parents", parents.len());
            return Err(Verdict { rule: played::EMPTY_PLAN_IS_CHEAP, text });
        }
        self.judge(workspace, &run)
    }

    /// The way out of everything: forget every object, import those that the configuration names,
    /// and apply. It must succeed, and be quiet, whatever happened before.
    async fn settle(&mut self) -> Result<(), Verdict> {
        if !self.services.world.is_truthful() {
            return Ok(());
        }
        for workspace in 0..2 {
            for address in self.workspaces[workspace].simplify(&self.services) {
                self.import(workspace, address).await?;
            }
            if self.run(workspace, &Command::plain(Mode::Apply, 0)).await?.has_failed {
                let text = "the last apply failed".to_owned();
                return Err(Verdict { rule: played::IMPORTS_LEAD_OUT, text });
            }
            self.expect_empty_plan(workspace).await?;
        }
        Ok(())
    }
}

impl Workspace {
    /// Does what needs no provider.
    fn edit(&mut self, deed: &Deed) {
        let Self { configuration, state, .. } = self;
        match deed {
            Deed::Put(address, block) => {
                configuration.blocks.insert(*address, block.clone());
            }
            Deed::Edit(address, edit) => {
                if let Some(block) = configuration.blocks.get_mut(address) {
                    edit.apply(block);
                }
            }
            Deed::Remove(address, forgets) => {
                if configuration.blocks.remove(address).is_some() && *forgets {
                    configuration.removed.insert(*address);
                }
            }
            Deed::Rename(from, to, moves) if !configuration.blocks.contains_key(to) => {
                if let Some(block) = configuration.blocks.remove(from) {
                    configuration.blocks.insert(*to, block);
                    configuration.moved = moves.then_some((*from, *to));
                }
            }
            Deed::Shift(kind) => shift(configuration, *kind),
            Deed::ImportBlock(address) => drop(configuration.imports.insert(*address)),
            Deed::Forget(address) => state.retain(|place, _| place.0 != *address),
            Deed::MoveState(from, to) => move_objects(state, *from, *to),
            Deed::Taint(address) | Deed::Untaint(address) => {
                if let Some(current) = state.get_mut(&(*address, None)) {
                    current.is_tainted = matches!(deed, Deed::Taint(_));
                }
            }
            Deed::Rename(..) | Deed::Import(_) => {}
        }
    }

    /// Returns the state with the addresses of `moved` blocks, when a plan begins.
    fn beginning(&self) -> Plan {
        let Self { configuration, mut state, .. } = self.clone();
        if let Some((from, to)) = configuration.moved
            && !configuration.blocks.contains_key(&from)
        {
            move_objects(&mut state, from, to);
        }
        Plan { prior_state: state, configuration, ..Plan::default() }
    }

    /// Changes the configuration as users do after a run.
    fn follow(&mut self, run: &Run) {
        if run.has_failed {
            // They correct what is refused, most of the time.
            if !run.command.salt.is_multiple_of(3) {
                self.configuration.clone_from(&self.last);
            }
        } else if run.command.mode == Mode::Apply {
            let blocks = std::mem::take(&mut self.configuration.blocks);
            self.configuration = Configuration { blocks, ..Configuration::default() };
            self.last.clone_from(&self.configuration);
        }
    }

    /// Empties the state, and leaves blocks that can be imported or created. Returns the addresses
    /// of those that exist.
    fn simplify(&mut self, services: &Services) -> Vec<Address> {
        self.state.clear();
        let blocks = std::mem::take(&mut self.configuration.blocks);
        self.configuration = Configuration::default();
        let (mut names, mut existing) = (BTreeSet::new(), Vec::new());
        for (address, mut block) in blocks {
            block.fixed_id = None;
            block.blank = None;
            let Object { kind, parent, .. } = block.object;
            let found = services.find(block.object).len();
            let is_ambiguous = kind == Kind::Owner && found > 1;
            let has_manager = kind == Kind::Owner && parent == 2;
            let is_new = names.insert(block.object);
            if parent < 3 && !has_manager && !is_ambiguous && is_new {
                self.configuration.blocks.insert(address, block);
                existing.extend((found > 0).then_some(address));
            }
        }
        existing
    }
}

/// Moves the objects of an address, unless the other one has an object.
fn move_objects(state: &mut State, from: Address, to: Address) {
    if !has_object(state, to) {
        let moved = |(at, key)| (if at == from { to } else { at }, key);
        *state = std::mem::take(state).into_iter().map(|(at, it)| (moved(at), it)).collect();
    }
}

/// Gives each block the object of the next one, as if an element of a list were removed.
fn shift(configuration: &mut Configuration, kind: Kind) {
    let of_kind = configuration.blocks.iter_mut().filter(|(address, _)| address.kind == kind);
    let (addresses, mut blocks): (Vec<Address>, Vec<&mut Block>) =
        of_kind.map(|(address, block)| (*address, block)).unzip();
    for at in 1..blocks.len() {
        blocks[at - 1].object = blocks[at].object;
    }
    if let Some(last) = addresses.last() {
        configuration.blocks.remove(last);
    }
}
