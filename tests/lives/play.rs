//! Plays a life: two workspaces, their users and others, on one simulated service.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::configuration::{Address, Block, Configuration, Kind, Object};
use crate::host::{Action, Plan, Setting, Slot, State, Walk};
use crate::life::{Command, Edit, Life, Mode, Number, Step};
use crate::oracle::{self, Run, Verdict};
use crate::provider::{Findings, Note, Schemas};
use crate::world::{Fate, Seen, Services};

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
    /// The requests and the diagnostics of the last run, and whether it succeeded.
    pub(crate) last_requests: Vec<(u8, String, String)>,
    pub(crate) last_notes: Vec<Note>,
    pub(crate) last_succeeded: bool,
    pub(crate) runs: u64,
    pub(crate) successes: u64,
}

/// Plays a life on a runtime of its own, whose clock never waits.
pub(crate) fn play(
    schemas: &Arc<Schemas>,
    life: &Life,
    seed: u64,
) -> (Player, Result<(), (usize, Verdict)>) {
    fastrand::seed(seed);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime");
    runtime.block_on(async {
        let mut player = Player {
            schemas: Arc::clone(schemas),
            services: Arc::new(Services::new(&life.world)),
            workspaces: Default::default(),
            trace: Vec::new(),
            last_requests: Vec::new(),
            last_notes: Vec::new(),
            last_succeeded: false,
            runs: 0,
            successes: 0,
        };
        let mut result = Ok(());
        for (number, step) in life.steps.iter().enumerate() {
            if let Err(verdict) = player.step(step).await {
                result = Err((number, verdict));
                break;
            }
            tokio::time::sleep(Duration::from_secs(20)).await;
        }
        if result.is_ok() && life.settles {
            result = player.settle().await.map_err(|verdict| (life.steps.len(), verdict));
        }
        (player, result)
    })
}

impl Player {
    /// Does one step.
    fn step<'p>(
        &'p mut self,
        step: &'p Step,
    ) -> Pin<Box<dyn Future<Output = Result<(), Verdict>> + 'p>> {
        Box::pin(async move {
            match step {
                Step::Run(workspace, command) => {
                    return self.run(*workspace, command).await.map(drop);
                }
                Step::Import(workspace, address, false) => {
                    return self.import(*workspace, *address).await;
                }
                Step::Outside(what, region, object) => {
                    self.services.happen(*what, *region, *object)
                }
                step => self.edit(step),
            }
            Ok(())
        })
    }

    /// Does a step that needs no provider.
    fn edit(&mut self, step: &Step) {
        let workspace = match step {
            Step::Put(of, ..) | Step::Edit(of, ..) | Step::Remove(of, _) | Step::Shift(of, _) => of,
            Step::Rename(of, ..) | Step::Import(of, ..) | Step::Forget(of, _) => of,
            Step::MoveState(of, ..) | Step::Taint(of, _) | Step::Untaint(of, _) => of,
            Step::Outside(..) | Step::Run(..) => return,
        };
        let Workspace { configuration, state, .. } = &mut self.workspaces[*workspace];
        match step {
            Step::Put(_, address, block) => {
                configuration.blocks.insert(*address, block.clone());
            }
            Step::Edit(_, address, edit) => {
                if let Some(block) = configuration.blocks.get_mut(address) {
                    edit.apply(block);
                }
            }
            Step::Remove(_, address) => drop(configuration.blocks.remove(address)),
            Step::Rename(_, from, to, moves) if !configuration.blocks.contains_key(to) => {
                if let Some(block) = configuration.blocks.remove(from) {
                    configuration.blocks.insert(*to, block);
                    configuration.moved = moves.then_some((*from, *to)).into_iter().collect();
                }
            }
            Step::Shift(_, kind) => shift(configuration, *kind),
            Step::Import(_, address, _) => drop(configuration.imports.insert(*address)),
            Step::Forget(_, address) => drop(state.remove(address)),
            Step::MoveState(_, from, to) if !state.contains_key(to) => {
                if let Some(slot) = state.remove(from) {
                    state.insert(*to, slot);
                }
            }
            Step::Taint(_, address) | Step::Untaint(_, address) => {
                if let Some(Slot { current: Some(current), .. }) = state.get_mut(address) {
                    current.is_tainted = matches!(step, Step::Taint(..));
                }
            }
            _ => {}
        }
    }

    fn setting<'s>(&'s self, workspace: Number, command: &'s Command, phase: usize) -> Setting<'s> {
        Setting { schemas: &self.schemas, services: &self.services, workspace, command, phase }
    }

    /// Returns the state with the addresses of `moved` blocks, and the values that are known at plan.
    fn moved_state(&self, workspace: Number) -> (State, Configuration) {
        let Workspace { state, configuration, .. } = &self.workspaces[workspace];
        let mut state = state.clone();
        for (from, to) in &configuration.moved {
            if !configuration.blocks.contains_key(from)
                && !state.contains_key(to)
                && let Some(slot) = state.remove(from)
            {
                state.insert(*to, slot);
            }
        }
        (state, configuration.clone())
    }

    /// Runs terraform. Returns whether it succeeded.
    async fn run(&mut self, workspace: Number, command: &Command) -> Result<bool, Verdict> {
        self.runs += 1;
        let mut run = Run {
            command: command.clone(),
            before: self.workspaces[workspace].state.clone(),
            configuration: self.workspaces[workspace].configuration.clone(),
            plan: None,
            present: Vec::new(),
            seen: Default::default(),
            found: Findings::default(),
            has_failed: false,
        };
        let plan = self.plan(workspace, command, &mut run).await;
        self.record(workspace, command, 0, &run.seen[0], plan.is_some());
        run.has_failed = plan.is_none();
        if let Some(plan) = plan.filter(|_| command.mode != Mode::Plan) {
            if let Some(between) = &command.between {
                self.step(between).await?;
                tokio::time::sleep(Duration::from_secs(20)).await;
            }
            run.present = oracle::present(&self.services);
            self.apply(workspace, command, &plan, &mut run).await;
            self.record(workspace, command, 1, &run.seen[1], !run.has_failed);
            run.plan = Some(plan);
        }
        self.last_requests = run.seen.iter().flat_map(|seen| seen.requests.clone()).collect();
        self.last_notes.clone_from(&run.found.notes);
        self.last_succeeded = !run.has_failed;
        oracle::judge(&self.services, &self.workspaces[workspace].state, &run)?;
        let succeeded = !run.has_failed;
        if succeeded && command.mode == Mode::Apply {
            let Workspace { configuration, last, .. } = &mut self.workspaces[workspace];
            configuration.moved.clear();
            configuration.imports.clear();
            last.clone_from(configuration);
        } else if !succeeded && !command.salt.is_multiple_of(3) {
            // Users correct what is refused, most of the time.
            let Workspace { configuration, last, .. } = &mut self.workspaces[workspace];
            configuration.clone_from(last);
        }
        self.successes += u64::from(succeeded);
        if succeeded
            && command.salt.is_multiple_of(2)
            && oracle::is_quiet_after(&self.services, &run)
        {
            self.expect_quiet(workspace).await?;
        }
        Ok(succeeded)
    }

    /// Plans. `None` if the plan failed.
    async fn plan(&self, workspace: Number, command: &Command, run: &mut Run) -> Option<Plan> {
        let (state, configuration) = self.moved_state(workspace);
        let known = self.workspaces[workspace].late.clone();
        // A destroy plans the configuration first, for the refresh, unless there is nothing to destroy.
        let is_empty = state.is_empty() && known.is_empty();
        let setting = self.setting(workspace, command, 0);
        let walk = Walk::start(&setting, configuration, known, state).await;
        let refreshes_only = command.mode == Mode::RefreshOnly;
        let only_destroys = command.mode == Mode::Destroy && (!command.refresh || is_empty);
        let mut plan =
            if only_destroys { walk.plan_destroy().await } else { walk.plan(refreshes_only).await };
        run.add(0, walk);
        if command.mode == Mode::Destroy && !only_destroys {
            // Terraform discards every warning of the refresh before a destroy.
            run.found.notes.retain(|note| note.is_error);
            let refreshed = plan?;
            let known = self.workspaces[workspace].late.clone();
            let calm = Command { fates: [None, None], ..command.clone() };
            let setting = self.setting(workspace, &calm, 0);
            let walk =
                Walk::start(&setting, refreshed.configuration, known, refreshed.prior_state).await;
            plan = walk.plan_destroy().await;
            run.add(0, walk);
        }
        plan
    }

    async fn apply(&mut self, workspace: Number, command: &Command, plan: &Plan, run: &mut Run) {
        let known = plan.configuration.known_in_apply(plan, command.target);
        let setting = self.setting(workspace, command, 1);
        let configuration = plan.configuration.clone();
        let walk =
            Walk::start(&setting, configuration, known.clone(), plan.prior_state.clone()).await;
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
        run.add(1, walk);
    }

    /// `terraform import`.
    async fn import(&mut self, workspace: Number, address: Address) -> Result<(), Verdict> {
        let configuration = self.workspaces[workspace].configuration.clone();
        let is_possible = configuration.blocks.get(&address).is_some_and(|block| !block.is_late)
            && !self.workspaces[workspace].state.contains_key(&address);
        if !is_possible {
            return Ok(());
        }
        let command = Command::plain(Mode::Plan);
        let setting = self.setting(workspace, &command, 0);
        let state = self.workspaces[workspace].state.clone();
        let walk = Walk::start(&setting, configuration, BTreeSet::new(), state).await;
        let imported = walk.import_one(address).await;
        let state = walk.state.borrow().clone();
        let mut run = Run::of_import(&self.workspaces[workspace], command);
        run.add(0, walk);
        self.record(workspace, &run.command, 0, &run.seen[0], imported);
        oracle::judge(&self.services, &self.workspaces[workspace].state, &run)?;
        if imported {
            self.workspaces[workspace].state = state;
        }
        Ok(())
    }

    fn record(
        &mut self,
        workspace: Number,
        command: &Command,
        phase: usize,
        seen: &Seen,
        succeeded: bool,
    ) {
        self.trace.push(format!("workspace {workspace}: {:?} {phase} {succeeded}", command.mode));
        self.trace.extend(seen.requests.iter().map(|(_, method, path)| format!("{method} {path}")));
    }

    /// Plans again, and expects no change.
    async fn expect_quiet(&mut self, workspace: Number) -> Result<(), Verdict> {
        let command = Command { salt: 1, ..Command::plain(Mode::Plan) };
        let mut run = Run::of_import(&self.workspaces[workspace], command.clone());
        let plan = self.plan(workspace, &command, &mut run).await;
        let changes = plan.iter().flat_map(|plan| &plan.changes);
        let changed: Vec<String> = changes
            .filter(|change| change.action != Action::NoOp)
            .map(|change| format!("{}: {:?}", change.address, change.action))
            .collect();
        if plan.is_none() || !changed.is_empty() {
            return Err(oracle::verdict(
                "quiet",
                format!("{changed:?}\n{}", oracle::texts(&run.found.notes)),
            ));
        }
        let parents: BTreeSet<_> = (run.configuration.blocks.values())
            .map(|block| (block.region, block.object.kind == Kind::Role, block.object.parent))
            .collect();
        let count = run.seen[0].requests.len();
        if count > 5 * parents.len() && !self.services.world.small_pages {
            let text = format!("{count} requests for {} parents", parents.len());
            return Err(oracle::verdict("cost of a quiet plan", text));
        }
        oracle::judge(&self.services, &self.workspaces[workspace].state, &run)
    }

    /// The way out of everything: forget every object, import those that the configuration names, and
    /// apply. It must succeed, and be quiet, whatever happened before.
    async fn settle(&mut self) -> Result<(), Verdict> {
        // With spellings of its own, the service returns owners that no import by their configured name finds.
        if !self.services.world.is_truthful() || self.services.world.canonical_owners {
            return Ok(());
        }
        for workspace in 0..2 {
            let Workspace { configuration, state, .. } = &mut self.workspaces[workspace];
            state.clear();
            configuration.moved.clear();
            configuration.imports.clear();
            let mut names = BTreeSet::new();
            configuration.blocks.retain(|address, block| {
                block.is_late = false;
                block.must_exist = false;
                block.fixed_id = None;
                let parent_exists = block.object.parent < 3;
                let is_alone = block.object.kind == Kind::Role
                    || block.object.parent != 2
                    || address.kind == Kind::Owners;
                parent_exists && is_alone && names.insert((block.region, block.object))
            });
            let existing: Vec<Address> = (configuration.blocks.iter())
                .filter(|(_, block)| !self.services.find(block.region, block.object).is_empty())
                .map(|(address, _)| *address)
                .collect();
            let ambiguous = |block: &Block| {
                block.object.kind == Kind::Owner
                    && self.services.find(block.region, block.object).len() > 1
            };
            self.workspaces[workspace].configuration.blocks.retain(|_, block| !ambiguous(block));
            for address in existing {
                self.import(workspace, address).await?;
            }
            let command = Command::plain(Mode::Apply);
            if !self.run(workspace, &command).await? {
                return Err(oracle::verdict("way out", "the last apply failed".to_owned()));
            }
            self.expect_quiet(workspace).await?;
        }
        Ok(())
    }
}

/// Gives each block the object of the next one, as if an element of a list were removed.
fn shift(configuration: &mut Configuration, kind: Kind) {
    let of_kind = || configuration.blocks.keys().filter(move |address| address.kind == kind);
    let addresses: Vec<Address> = of_kind().copied().collect();
    let objects: Vec<Object> = addresses.iter().map(|at| configuration.blocks[at].object).collect();
    for (address, next) in addresses.iter().zip(objects.iter().skip(1)) {
        if let Some(block) = configuration.blocks.get_mut(address) {
            block.object = *next;
        }
    }
    if let Some(last) = addresses.last() {
        configuration.blocks.remove(last);
    }
}

impl Edit {
    fn apply(&self, block: &mut Block) {
        match self {
            Self::Object(object) => block.object = *object,
            Self::FixedId(id) => block.fixed_id = *id,
            Self::Text(text) => block.text = *text,
            Self::Resources(bits) => block.resources = *bits,
            Self::Adopts(adopts) => block.adopts = *adopts,
            Self::MustExist(must) => block.must_exist = *must,
            Self::Abandon(policy) => block.abandon = *policy,
            Self::CreateFirst(first) => block.create_first = *first,
            Self::Late(late) => block.is_late = *late,
            Self::Region(region) => block.region = *region,
        }
    }
}

impl Run {
    /// Keeps what a walk has seen.
    fn add(&mut self, phase: usize, walk: Walk) {
        let seen = walk.shared.take_seen();
        let before = &mut self.seen[phase];
        before.requests.extend(seen.requests);
        before.effects.extend(seen.effects);
        before.lies.extend(seen.lies);
        before.was_disturbed |= seen.was_disturbed;
        before.was_ended |= matches!(
            self.command.fates[phase],
            Some(Fate::HostDies { .. } | Fate::ProviderDies { .. })
        ) && walk.shared.is_dead();
        // A process that has ended sends nothing any more.
        walk.shared.kill();
        let found = walk.found.take();
        self.found.notes.extend(found.notes);
        self.found.problems.extend(found.problems);
    }

    fn of_import(of: &Workspace, command: Command) -> Self {
        Self {
            command,
            before: of.state.clone(),
            configuration: of.configuration.clone(),
            plan: None,
            present: Vec::new(),
            seen: Default::default(),
            found: Findings::default(),
            has_failed: false,
        }
    }
}
