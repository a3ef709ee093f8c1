//! The handle on a service: what tests see and change without a request.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tokio::sync::watch;

use crate::api;
use crate::data_file::DataFile;
use crate::fault::{Action, Fault};
use crate::owner::Owner;
use crate::request::ApiRequest;
use crate::request_log::Request;
use crate::response::ApiResponse;
use crate::role::{Role, changed};
use crate::slot::Slot;
use crate::state::{Key, Rank, State};
use crate::store::{owner_name, present, role_name};
use crate::world::World;

/// A handle on one service; clones are handles on the same one.
///
/// What is changed here is changed out of band: no caller, no fault, no log, and reads show it at
/// once however much they lag otherwise. Objects are JSON as the API has them, with every field.
#[derive(Clone)]
pub struct Service {
    state: Arc<Mutex<State>>,
    /// The time until which nothing listens.
    error: watch::Sender<Option<Instant>>,
}

impl Service {
    /// A service with the default keys, listings and integrations.
    pub fn new(world: World) -> Self {
        Self::of(State::seeded(world))
    }

    /// A service that goes on with what the file has, and writes every change to it. Without the
    /// file it starts like [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, or has something else in it.
    pub fn open(world: World, file: &Path) -> io::Result<Self> {
        let mut state = State::seeded(world);
        let data = DataFile::new(file.to_owned());
        if let Some(store) = data.load()? {
            state.store = store;
        }
        data.save(&state.store)?;
        state.data = Some(data);
        Ok(Self::of(state))
    }

    fn of(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)), error: watch::Sender::new(None) }
    }

    /// The settings.
    pub fn world(&self) -> World {
        self.lock().world.clone()
    }

    /// Changes settings while the service runs.
    pub fn change_world(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.lock().world);
    }

    /// Adds an API key. The name is what the log shows.
    pub fn put_key(&self, name: &str, secret: &str, rank: Rank) {
        let key = Key { name: name.to_owned(), secret: secret.to_owned(), rank };
        let mut state = self.lock();
        state.keys.retain(|other| other.secret != secret);
        state.keys.push(key);
    }

    /// Makes an API key invalid.
    pub fn remove_key(&self, secret: &str) {
        self.lock().keys.retain(|key| key.secret != secret);
    }

    /// Adds a listing that is managed manually, unless it is there already.
    pub fn put_listing(&self, listing: &str) {
        self.change(|state| {
            state.store.listings.entry(listing.to_owned()).or_default();
        });
    }

    /// Sets what the roles of a listing answer as `management`, and whether only the
    /// infrastructure-as-code provider may write them. Adds the listing where it is missing.
    pub fn manage_listing(&self, listing: &str, management: Option<Value>, provider_only: bool) {
        self.change(|state| {
            let kept = state.store.listings.entry(listing.to_owned()).or_default();
            kept.management = management;
            kept.provider_only = provider_only;
        });
    }

    /// Removes a listing with its roles. False where there was none.
    pub fn remove_listing(&self, listing: &str) -> bool {
        self.change(|state| state.store.listings.remove(listing).is_some())
    }

    /// Adds an integration with its first owner, the founder, unless it is there already.
    pub fn put_integration(&self, integration: &str) {
        self.change(|state| {
            let stamp = state.stamp();
            state.store.add_integration(integration, &stamp);
        });
    }

    /// Removes an integration with its owners. False where there was none.
    pub fn remove_integration(&self, integration: &str) -> bool {
        self.change(|state| state.store.integrations.remove(integration).is_some())
    }

    /// A role; none where it is missing or deleted.
    pub fn role(&self, listing: &str, role: &str) -> Option<Value> {
        let state = self.lock();
        let kept = state.store.listings.get(listing)?;
        let current = kept.roles.get(role)?.current().filter(|role| !role.is_deleted())?;
        Some(current.full(&role_name(listing, role), kept.management.as_ref()))
    }

    /// The roles of a listing, sorted by ID.
    pub fn roles(&self, listing: &str) -> Vec<Value> {
        let state = self.lock();
        let Some(kept) = state.store.listings.get(listing) else { return Vec::new() };
        present(&kept.roles)
            .filter(|(_, role)| !role.is_deleted())
            .map(|(id, role)| role.full(&role_name(listing, id), kept.management.as_ref()))
            .collect()
    }

    /// Adds or replaces a role. What the fields leave out is empty, but `displayName` (the role's
    /// ID) and the times (now).
    ///
    /// # Errors
    ///
    /// The listing does not exist, or a field is none of a role or of another type.
    pub fn put_role(&self, listing: &str, role: &str, fields: &Value) -> Result<(), String> {
        self.change(|state| {
            let stamp = state.stamp();
            let blank = Role {
                display_name: role.to_owned(),
                create_time: stamp.clone(),
                update_time: stamp,
                ..Role::default()
            };
            let new = changed(&blank, fields)?;
            let kept = state.store.listings.get_mut(listing).ok_or("no such listing")?;
            kept.roles.insert(role.to_owned(), Slot::of(new));
            Ok(())
        })
    }

    /// Changes fields of a role by hand, `manager` and the times included; null clears one. The
    /// `updateTime` is the change's, unless it gives one.
    ///
    /// # Errors
    ///
    /// The role does not exist, or a field is none of a role or of another type.
    pub fn change_role(&self, listing: &str, role: &str, fields: &Value) -> Result<(), String> {
        self.change(|state| {
            let update_time = state.stamp();
            let slot = state
                .store
                .listings
                .get_mut(listing)
                .and_then(|kept| kept.roles.get_mut(role))
                .ok_or("no such role")?;
            let current = slot.current().ok_or("no such role")?;
            let new = changed(&Role { update_time, ..current.clone() }, fields)?;
            *slot = Slot::of(new);
            Ok(())
        })
    }

    /// Removes a role without a trace. False where there was none.
    pub fn remove_role(&self, listing: &str, role: &str) -> bool {
        self.change(|state| {
            let roles = state.store.listings.get_mut(listing).map(|kept| &mut kept.roles);
            roles.and_then(|roles| roles.remove(role)).is_some_and(|slot| slot.current().is_some())
        })
    }

    /// Deletes a role as DELETE does: what is left of it has a `deleteTime`. False where there was
    /// none.
    pub fn delete_role(&self, listing: &str, role: &str) -> bool {
        self.change(|state| {
            let stamp = state.stamp();
            let roles = state.store.listings.get_mut(listing).map(|kept| &mut kept.roles);
            let Some(slot) = roles.and_then(|roles| roles.get_mut(role)) else { return false };
            let Some(current) = slot.current().filter(|role| !role.is_deleted()) else {
                return false;
            };
            *slot = Slot::of(Role { delete_time: Some(stamp), ..current.clone() });
            true
        })
    }

    /// An owner of an integration.
    pub fn owner(&self, integration: &str, owner: &str) -> Option<Value> {
        let state = self.lock();
        let current = state.store.integrations.get(integration)?.owners.get(owner)?.current()?;
        Some(current.full(&owner_name(integration, owner)))
    }

    /// The owners of an integration, sorted by ID.
    pub fn owners(&self, integration: &str) -> Vec<Value> {
        let state = self.lock();
        let Some(kept) = state.store.integrations.get(integration) else { return Vec::new() };
        present(&kept.owners).map(|(id, owner)| owner.full(&owner_name(integration, id))).collect()
    }

    /// Adds or replaces an owner: `{"owner": "users/x"}`, with times where they are not to be now.
    ///
    /// # Errors
    ///
    /// The integration does not exist, or a field is none of an owner or of another type.
    pub fn put_owner(&self, integration: &str, owner: &str, fields: &Value) -> Result<(), String> {
        self.change(|state| {
            let stamp = state.stamp();
            let blank =
                Owner { owner: String::new(), create_time: stamp.clone(), update_time: stamp };
            let new = changed(&blank, fields)?;
            let kept =
                state.store.integrations.get_mut(integration).ok_or("no such integration")?;
            kept.owners.insert(owner.to_owned(), Slot::of(new));
            Ok(())
        })
    }

    /// Changes fields of an owner by hand.
    ///
    /// # Errors
    ///
    /// The owner does not exist, or a field is none of an owner or of another type.
    pub fn change_owner(
        &self,
        integration: &str,
        owner: &str,
        fields: &Value,
    ) -> Result<(), String> {
        self.change(|state| {
            let update_time = state.stamp();
            let slot = state
                .store
                .integrations
                .get_mut(integration)
                .and_then(|kept| kept.owners.get_mut(owner))
                .ok_or("no such owner")?;
            let current = slot.current().ok_or("no such owner")?;
            let new = changed(&Owner { update_time, ..current.clone() }, fields)?;
            *slot = Slot::of(new);
            Ok(())
        })
    }

    /// Removes an owner. False where there was none.
    pub fn remove_owner(&self, integration: &str, owner: &str) -> bool {
        self.change(|state| {
            let owners = state.store.integrations.get_mut(integration).map(|kept| &mut kept.owners);
            owners
                .and_then(|owners| owners.remove(owner))
                .is_some_and(|slot| slot.current().is_some())
        })
    }

    /// Everything that is kept, as JSON.
    pub fn snapshot(&self) -> Value {
        self.lock().store.full()
    }

    /// The requests in the order in which they came; those to the admin pages are not among them.
    pub fn requests(&self) -> Vec<Request> {
        self.lock().log.all()
    }

    /// Empties the log of requests.
    pub fn clear_requests(&self) {
        self.lock().log.forget();
    }

    /// Adds a fault after the existing ones. A [`Refuse`](Action::Refuse) from now on is not
    /// added but happens.
    pub fn add_fault(&self, fault: Fault) {
        match fault.action {
            Action::Refuse { milliseconds } if fault.from_now => {
                self.refuse_connections(Duration::from_millis(milliseconds));
            }
            _ => self.lock().faults.add(fault, Instant::now()),
        }
    }

    /// Closes all connections and refuses new ones for some time.
    pub fn refuse_connections(&self, time: Duration) {
        self.error.send_replace(Instant::now().checked_add(time));
    }

    /// The faults in the order in which they are tried.
    pub fn faults(&self) -> Vec<Fault> {
        self.lock().faults.list()
    }

    /// Removes every fault.
    pub fn clear_faults(&self) {
        self.lock().faults.clear();
    }

    /// Why the last change could not be written to the data file; none where it was.
    pub fn save_error(&self) -> Option<String> {
        self.lock().save_error.clone()
    }

    /// Returns the times until which nothing listens.
    pub(crate) fn pauses(&self) -> watch::Receiver<Option<Instant>> {
        self.error.subscribe()
    }

    /// Returns a number for a new connection.
    pub(crate) fn number_connection(&self) -> u64 {
        let mut state = self.lock();
        state.connections += 1;
        state.connections
    }

    /// Returns how long connections stay open without a request.
    pub(crate) fn idle_time(&self) -> Option<Duration> {
        let state = self.lock();
        if state.world.close_after_response {
            return Some(Duration::ZERO);
        }
        state.world.idle_close_ms.map(Duration::from_millis)
    }

    /// Returns the time of the service's clock.
    pub(crate) fn now(&self) -> SystemTime {
        self.lock().now()
    }

    /// Logs a call, and decides how long it waits and which fault it meets.
    pub(crate) fn begin(&self, request: &ApiRequest, connection: u64) -> StartedRequest {
        let mut state = self.lock();
        let key = state.key(request.key.as_deref()).map(|key| key.name.clone());
        let entry = Request::new(request, key, connection, state.started.elapsed());
        let number = state.log.add(entry);
        let decision =
            state.faults.decide(&request.method, &request.path, &request.query, Instant::now());
        let wait = Duration::from_millis(state.world.latency_ms) + decision.delay;
        StartedRequest { number, wait, action: decision.action, rest: decision.rest }
    }

    /// Does what the call asks for.
    pub(crate) fn process(&self, request: &ApiRequest) -> ApiResponse {
        api::respond(&mut self.lock(), request, Instant::now())
    }

    /// Notes the answer to a call.
    pub(crate) fn finish(&self, number: usize, status: u16) {
        let mut state = self.lock();
        let since_start = state.started.elapsed();
        state.log.finish(number, status, since_start);
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        state.save();
        result
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere must not hide behind another one here; the state is whole either way,
        // for nothing panics half way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is in the log.
pub(crate) struct StartedRequest {
    /// Its number there.
    pub(crate) number: usize,
    /// How long it waits.
    pub(crate) wait: Duration,
    /// The fault that it meets.
    pub(crate) action: Option<Action>,
    /// How much longer the fault lasts.
    pub(crate) rest: Option<Duration>,
}
