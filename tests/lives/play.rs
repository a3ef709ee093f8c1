//! Plays a life: two workspaces, their users and others, on one simulated service.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::configuration::{Address, Block, Configuration, Kind, Object, Quality};
use crate::host::{Action, Plan, Setting, Slot, State, Walk};
use crate::life::{Command, Deed, Flag, Life, Mode, Number, Step};
use crate::oracle::{self, Run, Verdict};
use crate::provider::Schemas;
use crate::world::{Oddity, Services};

/// A workspace.
#[derive(Default)]
pub(crate) struct Workspace {
    pub(crate) configuration: Configuration,
    pub(crate) state: State,
    /// The resources whose outputs are in the state.
    late: BTreeSet<String>,
    /// The configuration of the last apply that succeeded.
    last: Configuration,
}

/// A life in progress.
pub(crate) struct Player {
    schemas: Arc<Schemas>,
    pub(crate) services: Arc<Services>,
    pub(crate) workspaces: [Workspace; 2],
    /// One line for each request, and one for each run: the same in each repetition of a life.
    pub(crate) trace: Vec<String>,
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
        let mut player = Player {
            schemas: Arc::clone(schemas),
            services: Arc::new(Services::new(&life.world)),
            workspaces: Default::default(),
            trace: Vec::new(),
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
            sleep(Duration::from_secs(20)).await;
        }
        if life.settles { self.settle().await } else { Ok(()) }
    }

    fn step<'p>(
        &'p mut self,
        step: &'p Step,
    ) -> Pin<Box<dyn Future<Output = Result<(), Verdict>> + 'p>> {
        Box::pin(async move {
            match step {
                Step::Run(workspace, command) => {
                    let run = self.run(*workspace, command).await?;
                    self.last = Some(run);
                }
                Step::Of(workspace, Deed::Import(address)) => {
                    self.import(*workspace, *address).await?;
                }
                Step::Of(workspace, deed) => self.workspaces[*workspace].edit(deed),
                Step::Outside(outside) => self.services.happen(outside),
            }
            Ok(())
        })
    }

    async fn walk(&self, workspace: Number, command: &Command, phase: usize, plan: Plan) -> Walk {
        let (schemas, services) = (&self.schemas, &self.services);
        let setting = Setting { schemas, services, workspace, command, phase };
        Walk::start(&setting, plan).await
    }

    /// Runs terraform.
    async fn run(&mut self, workspace: Number, command: &Command) -> Result<Run, Verdict> {
        self.runs += 1;
        if command.mode == Mode::Destroy {
            self.workspaces[workspace].configuration.removed.clear();
        }
        let mut run = self.begin(workspace, command);
        let plan = self.plan(workspace, command, &mut run).await;
        self.record(workspace, &run, 0);
        if let Some(plan) = plan.filter(|_| command.mode != Mode::Plan) {
            if let Some(between) = &command.between {
                self.step(between).await?;
                sleep(Duration::from_secs(20)).await;
            }
            run.present = self.services.objects();
            // Terraform refuses a saved plan if the state has changed since.
            run.has_failed = self.workspaces[workspace].state != run.before;
            if !run.has_failed {
                self.apply(workspace, command, &plan, &mut run).await;
                self.record(workspace, &run, 1);
                run.plan = Some(plan);
            }
        }
        oracle::judge(&self.services, &self.workspaces[workspace].state, &run)?;
        self.successes += u64::from(!run.has_failed);
        self.workspaces[workspace].follow(&run);
        if command.salt.is_multiple_of(2) && oracle::is_quiet_after(&self.services, &run) {
            self.expect_quiet(workspace).await?;
        }
        Ok(run)
    }

    fn begin(&self, workspace: Number, command: &Command) -> Run {
        let Workspace { state, configuration, .. } = &self.workspaces[workspace];
        Run::new(command.clone(), state.clone(), configuration.clone())
    }

    /// Plans. `None` if the plan failed.
    async fn plan(&self, workspace: Number, command: &Command, run: &mut Run) -> Option<Plan> {
        let begin = self.workspaces[workspace].beginning();
        let has_moved = |at: &Address| !self.workspaces[workspace].state.contains_key(at);
        let leaves_out = |target| begin.prior_state.keys().any(|at| *at != target && has_moved(at));
        if command.target.is_some_and(leaves_out) {
            // "Moved resource instances excluded by targeting"
            run.has_failed = true;
            return None;
        }
        // A destroy plans the configuration first, for the refresh, unless there is nothing to destroy.
        let is_empty = begin.prior_state.is_empty() && begin.known.is_empty();
        let is_destroy = command.mode == Mode::Destroy;
        let only_destroys = is_destroy && (command.has(Flag::NoRefresh) || is_empty);
        let known = begin.known.clone();
        let walk = self.walk(workspace, command, 0, begin).await;
        let mut plan = if only_destroys {
            walk.plan_destroy().await
        } else {
            walk.plan(command.mode == Mode::RefreshOnly).await
        };
        run.add(0, &walk);
        if is_destroy && !only_destroys {
            // Terraform discards every warning of the refresh before a destroy.
            run.found.notes.retain(|note| note.is_error);
            if let Some(refreshed) = plan {
                let calm = Command { fates: [None, None], ..command.clone() };
                let begin = Plan { known, changes: Vec::new(), ..refreshed };
                let walk = self.walk(workspace, &calm, 0, begin).await;
                plan = walk.plan_destroy().await;
                run.add(0, &walk);
            }
        }
        run.has_failed = plan.is_none();
        plan
    }

    async fn apply(&mut self, workspace: Number, command: &Command, plan: &Plan, run: &mut Run) {
        let begin = plan.in_apply(command.target);
        let known = begin.known.clone();
        let walk = self.walk(workspace, command, 1, begin).await;
        walk.apply(plan).await;
        run.has_failed = walk.has_failed();
        let of = &mut self.workspaces[workspace];
        of.state = walk.state.borrow().clone();
        let is_whole = !run.has_failed && command.target.is_none();
        match command.mode {
            Mode::Apply if is_whole => of.late = plan.configuration.late_names(None),
            Mode::Apply => of.late = known,
            Mode::Destroy if is_whole => of.late.clear(),
            _ => {}
        }
        run.add(1, &walk);
    }

    /// `terraform import`.
    async fn import(&mut self, workspace: Number, address: Address) -> Result<(), Verdict> {
        let Workspace { configuration, state, .. } = &self.workspaces[workspace];
        let block = configuration.blocks.get(&address);
        if block.is_none_or(|block| block.is(Quality::Late)) || state.contains_key(&address) {
            return Ok(());
        }
        let mut run = self.begin(workspace, &Command::plain(Mode::Plan, 0));
        let begin = Plan::beginning(configuration.clone(), BTreeSet::new(), state.clone());
        let walk = self.walk(workspace, &run.command, 0, begin).await;
        run.has_failed = !walk.import_one(address).await;
        run.add(0, &walk);
        self.record(workspace, &run, 0);
        oracle::judge(&self.services, &self.workspaces[workspace].state, &run)?;
        if !run.has_failed {
            self.workspaces[workspace].state = walk.state.borrow().clone();
        }
        Ok(())
    }

    fn record(&mut self, workspace: Number, run: &Run, phase: usize) {
        let (mode, failed) = (run.command.mode, run.has_failed);
        self.trace.push(format!("workspace {workspace}: {mode:?} {phase} failed: {failed}"));
        let requests = run.seen[phase].requests.iter();
        self.trace.extend(requests.map(|(_, method, path)| format!("{method} {path}")));
    }

    /// Plans again, and expects no change.
    async fn expect_quiet(&mut self, workspace: Number) -> Result<(), Verdict> {
        let mut run = self.begin(workspace, &Command::plain(Mode::Plan, 1));
        let command = run.command.clone();
        let plan = self.plan(workspace, &command, &mut run).await;
        let changes = plan.iter().flat_map(|plan| &plan.changes);
        let changed: Vec<String> = changes
            .filter(|change| change.action != Action::NoOp)
            .map(|change| format!("{}: {:?}", change.address, change.action))
            .collect();
        if plan.is_none() || !changed.is_empty() {
            let text = format!("{changed:?}\n{}", oracle::texts(&run.found.notes));
            return Err(oracle::verdict("quiet", text));
        }
        let parents: BTreeSet<_> = (run.configuration.blocks.values())
            .map(|block| (block.region(), block.object.kind == Kind::Role, block.object.parent))
            .collect();
        let count = run.seen[0].requests.len();
        if count > 5 * parents.len() && !self.services.world.has(Oddity::SmallPages) {
            let text = format!("{count} requests for {} parents", parents.len());
            return Err(oracle::verdict("cost of a quiet plan", text));
        }
        oracle::judge(&self.services, &self.workspaces[workspace].state, &run)
    }

    /// The way out of everything: forget every object, import those that the configuration names, and
    /// apply. It must succeed, and be quiet, whatever happened before.
    async fn settle(&mut self) -> Result<(), Verdict> {
        // With spellings of its own, the service returns owners that no import by their configured name finds.
        if !self.services.world.is_truthful() || self.services.world.has(Oddity::Spellings) {
            return Ok(());
        }
        for workspace in 0..2 {
            for address in self.workspaces[workspace].simplify(&self.services) {
                self.import(workspace, address).await?;
            }
            if self.run(workspace, &Command::plain(Mode::Apply, 0)).await?.has_failed {
                return Err(oracle::verdict("way out", "the last apply failed".to_owned()));
            }
            self.expect_quiet(workspace).await?;
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
                    configuration.moved = moves.then_some((*from, *to)).into_iter().collect();
                }
            }
            Deed::Shift(kind) => shift(configuration, *kind),
            Deed::ImportBlock(address) => drop(configuration.imports.insert(*address)),
            Deed::Forget(address) => drop(state.remove(address)),
            Deed::MoveState(from, to) if !state.contains_key(to) => {
                if let Some(slot) = state.remove(from) {
                    state.insert(*to, slot);
                }
            }
            Deed::Taint(address) | Deed::Untaint(address) => {
                if let Some(Slot { current: Some(current), .. }) = state.get_mut(address) {
                    current.is_tainted = matches!(deed, Deed::Taint(_));
                }
            }
            Deed::Rename(..) | Deed::MoveState(..) | Deed::Import(_) => {}
        }
    }

    /// Returns the state with the addresses of `moved` blocks, and what is known, when a plan begins.
    fn beginning(&self) -> Plan {
        let mut state = self.state.clone();
        for (from, to) in &self.configuration.moved {
            if !self.configuration.blocks.contains_key(from)
                && !state.contains_key(to)
                && let Some(slot) = state.remove(from)
            {
                state.insert(*to, slot);
            }
        }
        Plan::beginning(self.configuration.clone(), self.late.clone(), state)
    }

    /// Changes the configuration as users do after a run.
    fn follow(&mut self, run: &Run) {
        if run.has_failed {
            // They correct what is refused, most of the time.
            if !run.command.salt.is_multiple_of(3) {
                self.configuration.clone_from(&self.last);
            }
        } else if run.command.mode == Mode::Apply {
            let Configuration { moved, imports, removed, .. } = &mut self.configuration;
            moved.clear();
            imports.clear();
            removed.clear();
            self.last.clone_from(&self.configuration);
        }
    }

    /// Empties the state, and leaves blocks that can be imported or created. Returns the addresses of those
    /// that exist.
    fn simplify(&mut self, services: &Services) -> Vec<Address> {
        self.state.clear();
        let blocks = std::mem::take(&mut self.configuration.blocks);
        self.configuration = Configuration::default();
        let (mut names, mut existing) = (BTreeSet::new(), Vec::new());
        for (address, mut block) in blocks {
            block.qualities.remove(Quality::Late);
            block.qualities.remove(Quality::MustExist);
            block.fixed_id = None;
            let Object { kind, parent, .. } = block.object;
            let found = services.find(block.region(), block.object).len();
            let is_ambiguous = kind == Kind::Owner && found > 1;
            let has_manager = kind == Kind::Owner && parent == 2;
            let is_new = names.insert((block.region(), block.object));
            if parent < 3 && !has_manager && !is_ambiguous && is_new {
                self.configuration.blocks.insert(address, block);
                existing.extend((found > 0).then_some(address));
            }
        }
        existing
    }
}

/// Gives each block the object of the next one, as if an element of a list were removed.
fn shift(configuration: &mut Configuration, kind: Kind) {
    let of_kind = configuration.blocks.iter().filter(|(address, _)| address.kind == kind);
    let (addresses, objects): (Vec<Address>, Vec<Object>) =
        of_kind.map(|(address, block)| (*address, block.object)).unzip();
    for (address, next) in addresses.iter().zip(objects.iter().skip(1)) {
        configuration.blocks.entry(*address).and_modify(|block: &mut Block| block.object = *next);
    }
    if let Some(last) = addresses.last() {
        configuration.blocks.remove(last);
    }
}
