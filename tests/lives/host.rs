//! Terraform, as far as the provider notices it: states, the walk of a plan and the walk of an apply.
//! `src/object/terraform.md` lists each rule with the versions on which it was seen.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use futures_util::future::join_all;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::configuration::{Address, Block, Configuration, Quality};
use crate::fate::Fate;
use crate::life::{Command, Flag, Number};
use crate::link::Shared;
use crate::provider::{Findings, Gone, Planned, Provider, Schemas};
use crate::world::Services;

/// An object of a state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instance {
    pub(crate) value: Value,
    pub(crate) private: Bytes,
    pub(crate) is_tainted: bool,
    pub(crate) region: u8,
}

/// The objects of one address.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slot {
    pub(crate) current: Option<Instance>,
    pub(crate) deposed: BTreeMap<u32, Instance>,
}

impl Slot {
    fn is_empty(&self) -> bool {
        self.current.is_none() && self.deposed.is_empty()
    }

    /// Returns all objects, the current one first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Instance> + Clone {
        self.current.iter().chain(self.deposed.values())
    }
}

/// A state by address.
pub(crate) type State = BTreeMap<Address, Slot>;

/// What an apply does with an address, or with one of its deposed objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    NoOp,
    Create,
    Update,
    Replace {
        create_first: bool,
    },
    Destroy,
    /// A `removed` block: the object stays.
    Forget,
}

/// A planned change.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) address: Address,
    pub(crate) deposed: Option<u32>,
    pub(crate) action: Action,
    /// The object before the change, after its refresh.
    pub(crate) prior: Option<Instance>,
    pub(crate) planned: Value,
    private: Bytes,
}

/// A plan: what an apply needs.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) changes: Vec<Change>,
    /// The state after the refresh.
    pub(crate) prior_state: State,
    pub(crate) configuration: Configuration,
    /// The resources whose outputs are known.
    pub(crate) known: BTreeSet<String>,
}

impl Plan {
    /// Returns what a walk begins with: no changes yet.
    pub(crate) fn beginning(
        configuration: Configuration,
        known: BTreeSet<String>,
        prior_state: State,
    ) -> Self {
        Self { changes: Vec::new(), prior_state, configuration, known }
    }

    /// Returns what its apply begins with.
    pub(crate) fn in_apply(&self, target: Option<Address>) -> Self {
        let late = self.configuration.late_names(target);
        let known = late.into_iter().chain(self.known.iter().cloned()).collect();
        Self::beginning(self.configuration.clone(), known, self.prior_state.clone())
    }
}

/// One walk of the graph, with a provider process for each region.
pub(crate) struct Walk {
    /// By region; only of the regions that are in use.
    providers: [Option<Provider>; 2],
    schemas: Arc<Schemas>,
    pub(crate) shared: Arc<Shared>,
    command: Command,
    phase: usize,
    configuration: Configuration,
    known: BTreeSet<String>,
    pub(crate) state: RefCell<State>,
    pub(crate) found: Rc<RefCell<Findings>>,
    changes: RefCell<Vec<Change>>,
    permits: Semaphore,
    random: RefCell<Rng>,
    is_stopping: Cell<bool>,
    has_failed: Cell<bool>,
}

/// The walk has failed at a node.
struct Failed;

type Node<'w> = Pin<Box<dyn Future<Output = ()> + 'w>>;

/// What a walk needs besides its state and its configuration.
pub(crate) struct Setting<'s> {
    pub(crate) schemas: &'s Arc<Schemas>,
    pub(crate) services: &'s Arc<Services>,
    pub(crate) workspace: Number,
    pub(crate) command: &'s Command,
    /// 0 in a plan, 1 in an apply.
    pub(crate) phase: usize,
}

impl Walk {
    /// Starts the processes of a walk.
    pub(crate) async fn start(setting: &Setting<'_>, begin: Plan) -> Self {
        let Plan { configuration, known, prior_state: state, .. } = begin;
        let &Setting { schemas, command, phase, .. } = setting;
        let salt = command.salt.wrapping_add(phase as u64 + 1);
        let shared = Shared::new(command.fates[phase].clone(), salt);
        let found = Rc::default();
        let mut providers = [None, None];
        for region in 0..2 {
            let blocks = configuration.blocks.values().map(Block::region);
            let instances = state.values().flat_map(Slot::all).map(|instance| instance.region);
            if blocks.chain(instances).any(|used| used == region) {
                let provider = Provider::start(setting, region, &shared, &found).await;
                providers[usize::from(region)] = Some(provider);
            }
        }
        Self {
            providers,
            schemas: Arc::clone(schemas),
            shared,
            permits: Semaphore::new(command.parallelism()),
            command: command.clone(),
            phase,
            configuration,
            known,
            state: RefCell::new(state),
            found,
            changes: RefCell::default(),
            random: RefCell::new(Rng::with_seed(!salt)),
            is_stopping: Cell::new(false),
            has_failed: Cell::new(false),
        }
    }

    /// Returns whether the walk met an error.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.get()
    }

    fn provider(&self, address: Address, instance: Option<&Instance>) -> &Provider {
        let configured = self.configuration.blocks.get(&address).map(Block::region);
        let region = configured.or(instance.map(|instance| instance.region)).unwrap_or(0);
        self.providers[usize::from(region)].as_ref().expect("a region in use")
    }

    fn is_targeted(&self, address: Address) -> bool {
        self.command.target.is_none_or(|target| target == address)
    }

    fn fail(&self) -> Failed {
        self.has_failed.set(true);
        Failed
    }

    /// Fails the walk if a call was not answered, or was answered with an error.
    fn check(&self, answer: Result<Planned, Gone>) -> Result<Planned, Failed> {
        answer.ok().filter(|planned| !planned.has_errors).ok_or_else(|| self.fail())
    }

    fn slot(&self, address: Address) -> Slot {
        self.state.borrow().get(&address).cloned().unwrap_or_default()
    }

    fn change_slot<T>(&self, address: Address, change: impl FnOnce(&mut Slot) -> T) -> T {
        let mut state = self.state.borrow_mut();
        let result = change(state.entry(address).or_default());
        state.retain(|_, slot| !slot.is_empty());
        result
    }

    /// Removes an object from the state.
    fn remove(&self, address: Address, deposed: Option<u32>) {
        self.change_slot(address, |slot| match deposed {
            None => slot.current = None,
            Some(key) => drop(slot.deposed.remove(&key)),
        });
    }

    /// Runs nodes in a random order, a few at a time, until all have ended or the host dies.
    async fn run(&self, mut nodes: Vec<Node<'_>>) {
        self.random.borrow_mut().shuffle(&mut nodes);
        let fate = &self.command.fates[self.phase];
        let ends = matches!(fate, Some(Fate::HostDies { .. }));
        let interrupts = matches!(fate, Some(Fate::Interrupt { .. }));
        let event = async {
            self.shared.event.notified().await;
            if interrupts {
                self.is_stopping.set(true);
                join_all(self.providers.iter().flatten().map(Provider::stop)).await;
            }
            if !(ends && self.shared.is_dead()) {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            () = event => self.has_failed.set(true),
            _ = join_all(nodes) => {}
        }
    }

    /// Waits for one of the places of `-parallelism`. Nothing new begins after an interrupt.
    async fn permit(&self) -> Result<tokio::sync::SemaphorePermit<'_>, Failed> {
        let pause = self.random.borrow_mut().u64(0..20);
        sleep(Duration::from_millis(pause)).await;
        let permit = self.permits.acquire().await.map_err(|_| self.fail())?;
        if self.is_stopping.get() { Err(self.fail()) } else { Ok(permit) }
    }

    // Plans.

    /// Plans every address. `refreshes_only` ends each after its refresh.
    pub(crate) async fn plan(&self, refreshes_only: bool) -> Option<Plan> {
        let state = self.state.borrow().clone();
        let addresses = self.configuration.blocks.keys().chain(state.keys()).copied();
        let mut nodes: Vec<Node<'_>> = Vec::new();
        for address in addresses.collect::<BTreeSet<_>>() {
            let deposed = state.get(&address).into_iter().flat_map(|slot| slot.deposed.keys());
            let keys = std::iter::once(None).chain(deposed.map(|key| Some(*key)));
            for key in keys.filter(|_| self.is_targeted(address)) {
                nodes.push(Box::pin(async move {
                    _ = match key {
                        None => self.plan_address(address, refreshes_only).await,
                        Some(key) => self.plan_deposed(address, key, refreshes_only).await,
                    };
                }));
            }
        }
        self.run(nodes).await;
        self.made_plan()
    }

    fn made_plan(&self) -> Option<Plan> {
        (!self.has_failed()).then(|| Plan {
            changes: self.changes.take(),
            prior_state: self.state.borrow().clone(),
            configuration: self.configuration.clone(),
            known: self.known.clone(),
        })
    }

    /// Plans the destroy of everything, without reading it again.
    pub(crate) async fn plan_destroy(&self) -> Option<Plan> {
        let state = self.state.borrow().clone();
        let mut nodes: Vec<Node<'_>> = Vec::new();
        for (address, slot) in state.iter().filter(|(address, _)| self.is_targeted(**address)) {
            let current = slot.current.iter().map(|_| None);
            for key in current.chain(slot.deposed.keys().map(|key| Some(*key))) {
                nodes.push(Box::pin(async move {
                    let Ok(_permit) = self.permit().await else { return };
                    if let Ok(Some(instance)) = self.stored(*address, key).await {
                        _ = self.plan_removal(*address, key, instance).await;
                    }
                }));
            }
        }
        self.run(nodes).await;
        self.made_plan()
    }

    /// Passes a stored object to the provider, as every command does, and returns it.
    async fn stored(&self, address: Address, key: Option<u32>) -> Result<Option<Instance>, Failed> {
        let slot = self.slot(address);
        let instance = match key {
            None => slot.current,
            Some(key) => slot.deposed.get(&key).cloned(),
        };
        if let Some(instance) = &instance {
            let provider = self.provider(address, Some(instance));
            let upgraded = provider.upgrade(address.kind, &instance.value).await;
            upgraded.map_err(|Gone| self.fail())?;
        }
        Ok(instance)
    }

    /// Refreshes an object in the state. Returns it unless it is gone.
    async fn refresh(
        &self,
        address: Address,
        key: Option<u32>,
        instance: Instance,
    ) -> Result<Option<Instance>, Failed> {
        let provider = self.provider(address, Some(&instance));
        let read = provider.read(address.kind, &instance.value, &instance.private).await;
        let read = self.check(read)?;
        let new = (!read.value.is_null()).then(|| Instance {
            value: read.value,
            private: read.private,
            ..instance
        });
        self.change_slot(address, |slot| match (key, new.clone()) {
            (None, new) => slot.current = new,
            (Some(key), Some(new)) => drop(slot.deposed.insert(key, new)),
            (Some(key), None) => drop(slot.deposed.remove(&key)),
        });
        Ok(new)
    }

    async fn plan_address(&self, address: Address, refreshes_only: bool) -> Result<(), Failed> {
        let _permit = self.permit().await?;
        let block = self.configuration.blocks.get(&address);
        let had_object = !self.slot(address).is_empty();
        let mut current = self.stored(address, None).await?;
        if self.configuration.forgets(address) && !refreshes_only {
            return self.plan_forget(address, None, current);
        }
        // Terraform skips the block for an address that has any object, also a deposed one.
        let imports = !had_object && self.configuration.imports.contains(&address);
        if let Some(block) = block.filter(|_| imports) {
            current = Some(self.import(address, block).await?);
        } else if let Some(stored) = current.clone().filter(|_| !self.command.has(Flag::NoRefresh))
        {
            let is_minimal = self.command.has(Flag::MinimalRefresh) && !refreshes_only;
            if let Some(block) = block.filter(|_| is_minimal) {
                let change = self.plan_change(address, block, current, None).await?;
                if change.action == Action::NoOp {
                    return Ok(());
                }
            }
            current = self.refresh(address, None, stored).await?;
        }
        match (block, current) {
            _ if refreshes_only => {}
            (Some(block), current) => {
                let change = self.plan_change(address, block, current, None).await?;
                self.changes.borrow_mut().push(change);
            }
            (None, Some(current)) => self.plan_removal(address, None, current).await?,
            (None, None) => {}
        }
        Ok(())
    }

    async fn plan_deposed(
        &self,
        address: Address,
        key: u32,
        refreshes_only: bool,
    ) -> Result<(), Failed> {
        let _permit = self.permit().await?;
        let mut instance = self.stored(address, Some(key)).await?;
        if self.configuration.forgets(address) && !refreshes_only {
            return self.plan_forget(address, Some(key), instance);
        }
        if let Some(stored) = instance.take_if(|_| !self.command.has(Flag::NoRefresh)) {
            instance = self.refresh(address, Some(key), stored).await?;
        }
        match instance.filter(|_| !refreshes_only) {
            Some(instance) => self.plan_removal(address, Some(key), instance).await,
            None => Ok(()),
        }
    }

    /// Plans to forget an object of a `removed` block. No call passes it but the upgrade.
    fn plan_forget(
        &self,
        address: Address,
        deposed: Option<u32>,
        prior: Option<Instance>,
    ) -> Result<(), Failed> {
        if prior.is_some() {
            let (action, planned, private) = (Action::Forget, Value::Null, Bytes::new());
            let change = Change { address, deposed, action, prior, planned, private };
            self.changes.borrow_mut().push(change);
        }
        Ok(())
    }

    async fn plan_removal(
        &self,
        address: Address,
        deposed: Option<u32>,
        prior: Instance,
    ) -> Result<(), Failed> {
        let provider = self.provider(address, Some(&prior));
        let source = (&prior.value, &prior.private);
        let planned = provider.plan(address.kind, source, &Value::Null, Bytes::new()).await;
        let Planned { value: planned, private, .. } = self.check(planned)?;
        let action = Action::Destroy;
        let change = Change { address, deposed, action, prior: Some(prior), planned, private };
        self.changes.borrow_mut().push(change);
        Ok(())
    }

    /// Imports the object of one address, as `terraform import` does. Returns whether that succeeded.
    pub(crate) async fn import_one(&self, address: Address) -> bool {
        match self.configuration.blocks.get(&address) {
            Some(block) => self.import(address, block).await.is_ok(),
            None => false,
        }
    }

    /// Imports and reads an object, as an `import` block and the command do.
    async fn import(&self, address: Address, block: &Block) -> Result<Instance, Failed> {
        let provider = self.provider(address, None);
        let imported = provider.import(address.kind, block.object.import_id()).await;
        let Planned { value, private, .. } = self.check(imported)?;
        let read = self.check(provider.read(address.kind, &value, &private).await)?;
        if read.value.is_null() {
            return Err(self.fail());
        }
        let instance = Instance {
            value: read.value,
            private: read.private,
            is_tainted: false,
            region: block.region(),
        };
        self.change_slot(address, |slot| slot.current = Some(instance.clone()));
        Ok(instance)
    }

    /// Plans a configured address. `first` is the plan whose apply this is.
    async fn plan_change(
        &self,
        address: Address,
        block: &Block,
        current: Option<Instance>,
        first: Option<&Change>,
    ) -> Result<Change, Failed> {
        let provider = self.provider(address, current.as_ref());
        let config = Configuration::value(block, &self.known, self.schemas.empty(address.kind));
        match provider.validate(address.kind, &config).await {
            Ok(false) => {}
            _ => return Err(self.fail()),
        }
        // Terraform hides a tainted object.
        let nothing = (Value::Null, Bytes::new());
        let usable = current.clone().filter(|instance| !instance.is_tainted);
        let (prior, private) =
            usable.map_or(nothing, |instance| (instance.value, instance.private));
        let passed = first.filter(|_| self.command.has(Flag::PassesPrivate));
        let passed = passed.map_or_else(Bytes::new, |first| first.private.clone());
        let source = (&prior, &private);
        let planned = provider.plan(address.kind, source, &config, passed).await;
        let mut planned = self.check(planned)?;
        let differs = |name: &String| !prior.is_null() && planned.value[name] != prior[name];
        let is_forced = first.is_none() && self.command.replace == Some(address);
        let create_first = block.is(Quality::CreateFirst);
        let replace = Action::Replace { create_first };
        let mut action = match (prior.is_null(), planned.value == prior) {
            (true, _) => Action::Create,
            _ if is_forced || planned.requires_replace.iter().any(differs) => replace,
            (false, true) => Action::NoOp,
            (false, false) => Action::Update,
        };
        if action == replace {
            // Terraform discards the warnings of the second plan.
            let quiet = provider.apart();
            let source = (&Value::Null, &planned.private);
            let second = quiet.plan(address.kind, source, &config, Bytes::new()).await;
            let Findings { mut notes, problems } = quiet.found.take();
            notes.retain(|note| note.is_error);
            self.found.borrow_mut().notes.extend(notes);
            self.found.borrow_mut().problems.extend(problems);
            planned = self.check(second)?;
        }
        if current.as_ref().is_some_and(|instance| instance.is_tainted) {
            action = replace;
        }
        let Planned { value, private, .. } = planned;
        let region = block.region();
        let prior = current.map(|instance| Instance { region, ..instance });
        Ok(Change { address, deposed: None, action, prior, planned: value, private })
    }

    // Applies.

    /// Applies a plan, whose state is this walk's.
    pub(crate) async fn apply(&self, plan: &Plan) {
        let mut nodes: Vec<Node<'_>> = Vec::new();
        for change in &plan.changes {
            nodes.push(Box::pin(async move {
                _ = self.apply_change(change).await;
            }));
        }
        self.run(nodes).await;
    }

    async fn apply_change(&self, change: &Change) -> Result<(), Failed> {
        let address = change.address;
        match (change.action, change.deposed) {
            (Action::NoOp, _) => Ok(()),
            (Action::Forget, key) => {
                self.remove(address, key);
                Ok(())
            }
            (Action::Destroy, Some(key)) => self.destroy_deposed(address, key).await,
            (Action::Destroy, None) => self.destroy(change).await,
            (Action::Create | Action::Update, _) => self.write(change, None).await,
            (Action::Replace { create_first: false }, _) => {
                self.destroy(change).await?;
                self.write(change, None).await
            }
            (Action::Replace { create_first: true }, _) => {
                let key = self.random.borrow_mut().u32(..);
                self.write(change, Some(key)).await?;
                self.destroy_deposed(address, key).await
            }
        }
    }

    /// Destroys the current object of an address, with the private state of its plan.
    async fn destroy(&self, change: &Change) -> Result<(), Failed> {
        let _permit = self.permit().await?;
        let address = change.address;
        let Some(instance) = self.stored(address, None).await? else { return Ok(()) };
        let provider = self.provider(address, Some(&instance));
        let planned = Planned { private: change.private.clone(), ..Planned::default() };
        let prior = change.prior.as_ref().map_or(&Value::Null, |prior| &prior.value);
        self.check(provider.apply(address.kind, prior, &Value::Null, &planned).await)?;
        self.remove(address, None);
        Ok(())
    }

    /// Destroys a deposed object, which Terraform plans again inside the apply, from the state.
    async fn destroy_deposed(&self, address: Address, key: u32) -> Result<(), Failed> {
        let _permit = self.permit().await?;
        let Some(instance) = self.stored(address, Some(key)).await? else { return Ok(()) };
        let provider = self.provider(address, Some(&instance));
        let source = (&instance.value, &instance.private);
        let planned = provider.plan(address.kind, source, &Value::Null, Bytes::new()).await;
        let (planned, prior) = (self.check(planned)?, &instance.value);
        self.check(provider.apply(address.kind, prior, &Value::Null, &planned).await)?;
        self.remove(address, Some(key));
        Ok(())
    }

    /// Creates or updates. `deposes` is the key under which the current object is kept meanwhile.
    async fn write(&self, change: &Change, deposes: Option<u32>) -> Result<(), Failed> {
        let _permit = self.permit().await?;
        let address = change.address;
        let Some(block) = self.configuration.blocks.get(&address) else { return Ok(()) };
        if let Some(key) = deposes {
            self.change_slot(address, |slot| {
                slot.deposed.extend(slot.current.take().map(|current| (key, current)));
            });
        }
        let current = self.stored(address, None).await?;
        // If this plan fails, Terraform does not restore the deposed object.
        let again = self.plan_change(address, block, current.clone(), Some(change)).await?;
        self.compare(change, &again);
        let config = Configuration::value(block, &self.known, self.schemas.empty(address.kind));
        let prior = current.as_ref().map_or(&Value::Null, |current| &current.value);
        if &again.planned == prior {
            return Ok(());
        }
        let planned =
            Planned { value: again.planned, private: again.private, ..Planned::default() };
        let provider = self.provider(address, current.as_ref());
        let applied = provider.apply(address.kind, prior, &config, &planned).await;
        let has_errors = applied.as_ref().map_or(true, |applied| applied.has_errors);
        if let Ok(applied) = applied
            && !(applied.value.is_null() && has_errors)
        {
            if applied.value.is_null() {
                let text = format!("{address}: an apply returned neither a state nor an error");
                self.found.borrow_mut().problems.push(("results", text));
            }
            let is_tainted = has_errors && prior.is_null();
            if is_tainted {
                let text = format!("{address}: a create returned a state and an error");
                self.found.borrow_mut().problems.push(("results", text));
            }
            let new = Instance {
                value: applied.value,
                private: applied.private,
                is_tainted,
                region: block.region(),
            };
            self.change_slot(address, |slot| slot.current = Some(new));
        } else if let Some(key) = deposes {
            // If the create fails, it does.
            self.change_slot(address, |slot| {
                if slot.current.is_none() {
                    slot.current = slot.deposed.remove(&key);
                }
            });
        }
        if has_errors { Err(self.fail()) } else { Ok(()) }
    }

    /// Checks that the plan inside the apply agrees with the first one.
    fn compare(&self, first: &Change, again: &Change) {
        let expected = match first.action {
            Action::Replace { .. } => Action::Create,
            action => action,
        };
        let unknown = plugin_server::testkit::unknown();
        let members = first.planned.as_object().into_iter().flatten();
        let changed = members
            .filter(|(name, value)| **value != unknown && again.planned[name.as_str()] != **value)
            .map(|(name, value)| {
                format!("{name}: {value} became {}", again.planned[name.as_str()])
            });
        let mut all: Vec<String> = changed.collect();
        if again.action != expected && again.action != Action::NoOp {
            all.push(format!("{:?} became {:?}", first.action, again.action));
        }
        let text = |what: String| ("promises", format!("{}: {what}", first.address));
        self.found.borrow_mut().problems.extend(all.into_iter().map(text));
    }
}
