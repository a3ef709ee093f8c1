//! Terraform, as far as the provider notices it: states, the walk of a plan and the walk of an
//! apply. `src/resource/terraform.md` lists each rule with the versions on which it was seen.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use futures_util::FutureExt as _;
use futures_util::future::{LocalBoxFuture, join_all};
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep};

use crate::configuration::{Address, Block, Configuration, Quality};
use crate::fate::Fate;
use crate::life::{Command, Flag, Host, Mode, Number};
use crate::link::Shared;
use crate::oracle::played;
use crate::provider::{Inside, Planned, Provider, ProviderClient, Schemas};
use crate::world::Services;

/// An object of a state, or of the service.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Instance {
    pub(crate) value: Value,
    pub(crate) private: Bytes,
    pub(crate) is_tainted: bool,
    /// OpenTofu stores `destroy = false`, for objects whose blocks are gone.
    pub(crate) outlives: bool,
}

/// An address, with a key if it is the place of a deposed object.
pub(crate) type Place = (Address, Option<u32>);

pub(crate) type State = BTreeMap<Place, Instance>;

pub(crate) fn has_object(state: &State, address: Address) -> bool {
    state.keys().any(|(at, _)| *at == address)
}

/// What an apply does with an object. `Forget` is for `removed` blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    NoOp,
    Create,
    Update,
    Replace { create_first: bool },
    Destroy,
    Forget,
}

#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) place: Place,
    pub(crate) action: Action,
    /// The object as it was planned: after its refresh, but for one that Terraform 1.11 plans
    /// before.
    pub(crate) prior: Option<Instance>,
    planned: Planned,
    /// Whether the host forgets the object where it would destroy it.
    pub(crate) forgets: bool,
}

/// A plan: what an apply needs. Without changes, what a walk begins with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) changes: Vec<Change>,
    /// The state after the refresh.
    pub(crate) prior_state: State,
    pub(crate) configuration: Configuration,
}

/// What a walk is for.
pub(crate) struct Setting {
    pub(crate) schemas: Arc<Schemas>,
    pub(crate) services: Arc<Services>,
    pub(crate) client: Arc<ProviderClient>,
    pub(crate) workspace: Number,
    pub(crate) command: Command,
    /// 0 in a plan, 1 in an apply.
    pub(crate) phase: usize,
}

impl Setting {
    fn fate(&self) -> Option<&Fate> {
        self.command.fates[self.phase].as_ref()
    }
}

/// One walk of the graph, with a process of its own.
pub(crate) struct Walk {
    setting: Setting,
    begin: Plan,
    pub(crate) state: RefCell<State>,
    changes: RefCell<Vec<Change>>,
    provider: Provider,
    pub(crate) shared: Arc<Shared>,
    permits: Semaphore,
    random: RefCell<Rng>,
    is_stopping: Cell<bool>,
    /// How many calls each address has begun, if their order is given.
    begun: RefCell<BTreeMap<Address, usize>>,
    began: Instant,
}

/// The orders of two calls for each of two addresses, as far as both have as many.
const ORDERS: [[u8; 4]; 6] =
    [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0], [1, 1, 0, 0]];

/// The time between two calls whose order is given: a call without faults is shorter.
const SLOT: Duration = Duration::from_secs(5);

/// A call, a node or a walk has failed.
#[derive(Debug)]
pub(crate) struct Failed;

type Node<'w> = LocalBoxFuture<'w, Result<(), Failed>>;

impl Walk {
    pub(crate) async fn start(setting: Setting, mut begin: Plan) -> Self {
        let state = std::mem::take(&mut begin.prior_state);
        let salt = setting.command.salt.wrapping_add(setting.phase as u64 + 1);
        let shared = Shared::new(setting.fate().cloned(), salt);
        let provider = Provider::start(&setting, &shared).await;
        Self {
            permits: Semaphore::new(setting.command.parallelism()),
            setting,
            begin,
            provider,
            shared,
            state: RefCell::new(state),
            changes: RefCell::default(),
            random: RefCell::new(Rng::with_seed(!salt)),
            is_stopping: Cell::new(false),
            begun: RefCell::default(),
            began: Instant::now(),
        }
    }

    /// Writes an object to the state; `None` removes it.
    fn set(&self, place: Place, new: Option<Instance>) {
        let mut state = self.state.borrow_mut();
        drop(match new {
            Some(new) => state.insert(place, new),
            None => state.remove(&place),
        });
    }

    /// Runs nodes in a random order, a few at a time, until all have ended or the host dies.
    async fn run(&self, mut nodes: Vec<Node<'_>>) -> Result<(), Failed> {
        self.random.borrow_mut().shuffle(&mut nodes);
        let death = async {
            self.shared.event.notified().await;
            match self.setting.fate() {
                Some(Fate::HostDies { .. }) => return,
                Some(Fate::Interrupt { .. }) => {
                    self.is_stopping.set(true);
                    self.provider.stop().await;
                }
                _ => {}
            }
            std::future::pending().await
        };
        tokio::select! {
            biased;
            () = death => Err(Failed),
            results = join_all(nodes) => results.into_iter().collect(),
        }
    }

    /// Waits for one of the places of `-parallelism`. Nothing new begins after an interrupt.
    async fn permit(&self, address: Address) -> Result<SemaphorePermit<'_>, Failed> {
        let pause = match self.setting.command.order {
            Some(order) => self.time_until_turn(address, order),
            None => Duration::from_millis(self.random.borrow_mut().u64(0..20)),
        };
        sleep(pause).await;
        let permit = self.permits.acquire().await.map_err(|_| Failed)?;
        if self.is_stopping.get() { Err(Failed) } else { Ok(permit) }
    }

    /// Returns the time until the next call of an address may begin, in one of the orders.
    fn time_until_turn(&self, address: Address, order: u8) -> Duration {
        let mut begun = self.begun.borrow_mut();
        let count = begun.entry(address).or_default();
        *count += 1;
        let turns = ORDERS[usize::from(order)].into_iter().zip(1..);
        let own = turns.filter(|(number, _)| *number == address.number);
        let slot = own.map(|(_, slot)| slot).nth(*count - 1).unwrap_or(5);
        (SLOT * slot).saturating_sub(self.began.elapsed())
    }

    /// Passes a stored object to the provider, as every command does, and returns it.
    async fn stored(&self, place: Place) -> Result<Option<Instance>, Failed> {
        let instance = self.state.borrow().get(&place).cloned();
        if let Some(instance) = &instance {
            self.provider.upgrade(place.0, &instance.value).await?;
        }
        Ok(instance)
    }

    // Plans.

    /// Plans every address: an apply; with `Mode::RefreshOnly` only its refresh; with
    /// `Mode::Destroy` the destroy of everything, without reading it again.
    pub(crate) async fn plan(&self, mode: Mode) -> Option<Plan> {
        let mut places: BTreeSet<Place> = self.state.borrow().keys().copied().collect();
        if mode != Mode::Destroy {
            let known: Vec<Address> = places.iter().map(|place| place.0).collect();
            let all = self.begin.configuration.blocks.keys().copied().chain(known);
            places.extend(all.map(|address| (address, None)));
        }
        places.retain(|place| self.setting.command.targets(place.0));
        let nodes = places.into_iter().map(|place| self.plan_object(place, mode).boxed_local());
        self.run(nodes.collect()).await.ok()?;
        Some(Plan {
            changes: self.changes.take(),
            prior_state: self.state.borrow().clone(),
            ..self.begin.clone()
        })
    }

    async fn plan_object(&self, place: Place, mode: Mode) -> Result<(), Failed> {
        let (address, key) = place;
        let _permit = self.permit(address).await?;
        let block = self.begin.configuration.blocks.get(&address);
        let block = block.filter(|_| key.is_none() && mode != Mode::Destroy);
        let command = &self.setting.command;
        // Only plans for changes import, and only to an address without any object, also a deposed
        // one.
        let imports = self.begin.configuration.imports.contains(&address)
            && matches!(command.mode, Mode::Plan | Mode::Apply)
            && !has_object(&self.state.borrow(), address);
        let mut current = self.stored(place).await?;
        let outlives = self.outlives(address, mode, current.as_ref());
        let forgets =
            (self.begin.configuration.forgets(address) || outlives) && mode != Mode::RefreshOnly;
        let has_lost_block = block.is_none() && key.is_none() && !forgets && mode != Mode::Destroy;
        // This version plans the destroy before it reads the object.
        let mut unread = None;
        if let Some(stored) = current.clone()
            && has_lost_block
            && command.host == Host::Terraform11
        {
            unread = Some(self.change_to_destroy(place, stored).await?);
        }
        let is_minimal = command.has(Flag::MinimalRefresh);
        let reads = mode != Mode::Destroy
            && !command.has(Flag::NoRefresh)
            && (!forgets || command.host == Host::OpenTofu)
            && (!is_minimal || block.is_some());
        if let Some(block) = block.filter(|_| imports) {
            current = Some(self.import(address, block).await?);
        } else if let Some(stored) = current.clone().filter(|_| reads) {
            if let Some(block) = block.filter(|_| is_minimal) {
                let change = self.plan_change(address, block, current, None).await?;
                if change.action == Action::NoOp {
                    return Ok(());
                }
            }
            current = self.provider.read(address, stored).await?;
            self.set(place, current.clone());
        }
        // Terraform plans these destroys here too, and discards them.
        if mode == Mode::RefreshOnly && (!has_lost_block || command.host == Host::OpenTofu) {
            return Ok(());
        }
        let change = match (block, current, unread) {
            (Some(block), current, _) => self.plan_change(address, block, current, None).await?,
            (None, None, _) => return Ok(()),
            (None, Some(_), Some(unread)) => unread,
            (None, Some(prior), None) if forgets => {
                let prior = Some(prior);
                Change {
                    place,
                    action: Action::Forget,
                    prior,
                    planned: Planned::default(),
                    forgets,
                }
            }
            (None, Some(prior), None) => self.change_to_destroy(place, prior).await?,
        };
        if mode != Mode::RefreshOnly {
            self.changes.borrow_mut().push(change);
        }
        Ok(())
    }

    async fn change_to_destroy(&self, place: Place, prior: Instance) -> Result<Change, Failed> {
        let planned = self.plan_destroy(place.0, &prior).await?;
        Ok(Change { place, action: Action::Destroy, prior: Some(prior), planned, forgets: false })
    }

    /// Returns whether `destroy = false` lets the host forget the object of a place instead of
    /// destroying it, if it does not replace it.
    fn outlives(&self, address: Address, mode: Mode, current: Option<&Instance>) -> bool {
        let block = self.begin.configuration.blocks.get(&address);
        let is_configured = block.is_some_and(|block| block.is(Quality::Outlives));
        match self.setting.command.host {
            Host::OpenTofu if block.is_none() => current.is_some_and(|it| it.outlives),
            Host::OpenTofu | Host::Terraform16 => is_configured && mode == Mode::Destroy,
            _ => false,
        }
    }

    async fn plan_destroy(&self, address: Address, prior: &Instance) -> Result<Planned, Failed> {
        self.provider.plan(address, prior, &Value::Null, self.inside_apply(None)).await
    }

    /// Imports and reads an object, as an `import` block and the command do.
    pub(crate) async fn import(&self, address: Address, block: &Block) -> Result<Instance, Failed> {
        let imported = self.provider.import(address, block.object.import_id()).await?;
        let instance = self.provider.read(address, imported).await?.ok_or(Failed)?;
        self.set((address, None), Some(instance.clone()));
        Ok(instance)
    }

    fn config(&self, address: Address, block: &Block) -> Value {
        block.value(self.setting.schemas.empty(address))
    }

    /// Plans a configured address. `first` is the plan whose apply this is.
    async fn plan_change(
        &self,
        address: Address,
        block: &Block,
        current: Option<Instance>,
        first: Option<&Change>,
    ) -> Result<Change, Failed> {
        let config = self.config(address, block);
        self.provider.validate(address, &config).await?;
        // Terraform hides a tainted object.
        let prior = current.clone().filter(|current| !current.is_tainted).unwrap_or_default();
        let inside = self.inside_apply(first);
        let mut planned = self.provider.plan(address, &prior, &config, inside).await?;
        let differs = |name: &String| planned.value[name] != prior.value[name];
        let is_forced = first.is_none() && self.setting.command.replace == Some(address);
        let host = self.setting.command.host;
        let forgets =
            block.is(Quality::Outlives) && matches!(host, Host::OpenTofu | Host::Terraform16);
        // OpenTofu forgets before it creates, in any order.
        let create_first = block.is(Quality::CreateFirst) && !(forgets && host == Host::OpenTofu);
        let replace = Action::Replace { create_first };
        let mut action = match (prior.value.is_null(), planned.value == prior.value) {
            (true, _) => Action::Create,
            _ if is_forced || planned.requires_replace.iter().any(differs) => replace,
            (false, true) => Action::NoOp,
            (false, false) => Action::Update,
        };
        if action == replace {
            // Terraform discards the warnings of the second plan.
            let provider = self.provider.without_warnings();
            let nothing = Instance { private: planned.private, ..Instance::default() };
            planned = provider.plan(address, &nothing, &config, Inside::default()).await?;
        }
        if current.as_ref().is_some_and(|current| current.is_tainted) {
            action = replace;
        }
        Ok(Change { place: (address, None), action, prior: current, planned, forgets })
    }

    /// Returns what the host passes to a plan inside an apply; nothing in a plan. `first` is the plan whose
    /// apply this is.
    fn inside_apply(&self, first: Option<&Change>) -> Inside {
        let host = self.setting.command.host;
        let passed = first.filter(|_| host == Host::Terraform16);
        Inside {
            deferral_allowed: self.setting.phase == 1 && host != Host::OpenTofu,
            planned_private: passed.map_or_else(Bytes::new, |first| first.planned.private.clone()),
        }
    }

    // Applies.

    /// Applies a plan, whose state is this walk's.
    pub(crate) async fn apply(&self, plan: &Plan) -> Result<(), Failed> {
        let changes = plan.changes.iter();
        self.run(changes.map(|change| self.apply_change(change).boxed_local()).collect()).await
    }

    async fn apply_change(&self, change: &Change) -> Result<(), Failed> {
        match change.action {
            Action::NoOp => {}
            Action::Forget => self.set(change.place, None),
            Action::Destroy => self.destroy(change, change.place).await?,
            Action::Create | Action::Update => self.write(change, None).await?,
            Action::Replace { create_first: false } => {
                self.destroy_or_forget(change, change.place).await?;
                self.write(change, None).await?;
            }
            Action::Replace { create_first: true } => {
                let deposed = (change.place.0, Some(self.random.borrow_mut().u32(..)));
                self.write(change, Some(deposed)).await?;
                self.destroy_or_forget(change, deposed).await?;
            }
        }
        let block = self.begin.configuration.blocks.get(&change.place.0);
        let outlives = block.is_some_and(|block| block.is(Quality::Outlives))
            && self.setting.command.host == Host::OpenTofu;
        if let Some(current) = self.state.borrow_mut().get_mut(&change.place) {
            current.outlives = outlives;
        }
        Ok(())
    }

    async fn destroy_or_forget(&self, change: &Change, place: Place) -> Result<(), Failed> {
        if change.forgets {
            self.set(place, None);
            return Ok(());
        }
        self.destroy(change, place).await
    }

    /// Destroys an object, with the private state of its plan. A deposed object is planned again
    /// inside the apply, from the state.
    async fn destroy(&self, change: &Change, place: Place) -> Result<(), Failed> {
        let (address, key) = place;
        let _permit = self.permit(address).await?;
        let Some(stored) = self.stored(place).await? else { return Ok(()) };
        let (prior, planned) = match &change.prior {
            Some(prior) if key.is_none() => {
                let private = change.planned.private.clone();
                (prior, Planned { private, ..Planned::default() })
            }
            _ => (&stored, self.plan_destroy(address, &stored).await?),
        };
        self.provider.apply(address, &prior.value, &Value::Null, &planned).await.1?;
        self.set(place, None);
        Ok(())
    }

    /// Creates or updates. `deposed` is the place to which the current object is moved meanwhile.
    async fn write(&self, change: &Change, deposed: Option<Place>) -> Result<(), Failed> {
        let place @ (address, _) = change.place;
        let _permit = self.permit(address).await?;
        let Some(block) = self.begin.configuration.blocks.get(&address) else { return Ok(()) };
        if let Some(deposed) = deposed {
            self.move_object(place, deposed);
        }
        let current = self.stored(place).await?;
        // If this plan fails, Terraform does not restore the deposed object.
        let again = self.plan_change(address, block, current.clone(), Some(change)).await?;
        let config = self.config(address, block);
        self.compare(change, &again);
        let prior = current.map_or(Value::Null, |current| current.value);
        if again.planned.value == prior {
            return Ok(());
        }
        let (new, result) = self.provider.apply(address, &prior, &config, &again.planned).await;
        if new.is_some() {
            self.set(place, new);
        } else if let Some(deposed) = deposed {
            // If the create fails, it does.
            self.move_object(deposed, place);
        }
        result
    }

    fn move_object(&self, from: Place, to: Place) {
        let object = self.state.borrow_mut().remove(&from);
        self.state.borrow_mut().extend(object.map(|object| (to, object)));
    }

    /// Checks that the plan inside the apply agrees with the first one.
    fn compare(&self, first: &Change, again: &Change) {
        let blame =
            |text| self.shared.blame(played::PLANS_AGREE, format!("{}: {text}", first.place.0));
        let unknown = plugin_server::testkit::unknown();
        for (name, value) in first.planned.value.as_object().into_iter().flatten() {
            let now = &again.planned.value[name];
            if *value != unknown && now != value {
                blame(format!("{name}: {value} became {now}"));
            }
        }
        let expected = match first.action {
            Action::Replace { .. } => Action::Create,
            action => action,
        };
        if ![expected, Action::NoOp].contains(&again.action) {
            blame(format!("{:?} became {:?}", first.action, again.action));
        }
    }
}
