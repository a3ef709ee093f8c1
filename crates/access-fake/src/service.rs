//! The handle of a service, through which tests inspect and change it without requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::api;
use crate::fault::{Action, Fault};
use crate::kind::Kind;
use crate::names::{Target, check_identifier, collection_name};
use crate::object::{full, is_deleted};
use crate::request::ApiRequest;
use crate::request_log::Request;
use crate::response::ApiResponse;
use crate::slot::Slot;
use crate::state::{Key, Rank, State};
use crate::world::World;

/// A handle of a service. Clones are handles of the same service.
///
/// Changes through the handle bypass the API: permissions and faults do not apply, the log does not
/// contain them, and reads return them without lag. Objects are JSON as in the API, with every
/// field.
#[derive(Clone)]
pub struct Service(Arc<Mutex<State>>);

impl Service {
    /// Creates a service with the default keys, listings and integrations.
    pub fn new(world: World) -> Self {
        Self::beginning_at(world, SystemTime::now())
    }

    /// Creates a service whose clock begins at a time and follows the clock of tokio, which a test
    /// can pause.
    pub fn beginning_at(world: World, time: SystemTime) -> Self {
        Self(Arc::new(Mutex::new(State::seeded(world, time))))
    }

    /// Returns the settings.
    pub fn world(&self) -> World {
        self.lock().world.clone()
    }

    /// Changes settings while the service runs.
    pub fn change_world(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.lock().world);
    }

    /// Adds an API key. The log contains its name.
    pub fn put_key(&self, name: &str, secret: &str, rank: Rank) {
        let key = Key { name: name.to_owned(), secret: secret.to_owned(), rank };
        let mut state = self.lock();
        state.keys.retain(|other| other.secret != secret);
        state.keys.push(key);
    }

    /// Adds a parent, such as `listings/payroll`, unless it exists.
    ///
    /// # Errors
    ///
    /// No object has such a parent.
    pub fn put_parent(&self, name: &str) -> Result<(), String> {
        let (parents, parent) = name.split_once('/').unwrap_or((name, ""));
        check_identifier(parent).map_err(|error| error.message)?;
        let kind = Kind::of_parent(name).ok_or_else(|| format!("there are no {parents}"))?;
        self.lock().add(kind, parent);
        Ok(())
    }

    /// Sets the `management` field of a listing's roles, and whether only the
    /// infrastructure-as-code provider can write them. Adds the listing unless it exists.
    pub fn manage_listing(&self, listing: &str, management: Option<Value>, provider_only: bool) {
        let mut state = self.lock();
        let stored = state.add(Kind::Role, listing);
        (stored.management, stored.provider_only) = (management, provider_only);
    }

    /// Returns the object of a name, such as `listings/github/roles/admin`, as a GET would without lag;
    /// `None` if it does not exist or was deleted.
    pub fn object(&self, name: &str) -> Option<Value> {
        let target = Target::of_name(name).ok()?;
        let state = self.lock();
        let stored = state.collection(&target)?;
        let current = stored.current(&target).filter(|object| !is_deleted(object))?;
        Some(full(current, name, stored.management.as_ref()))
    }

    /// Returns the objects of a parent, such as `listings/github`, sorted by ID.
    pub fn objects(&self, parent: &str) -> Vec<Value> {
        let Some(kind) = Kind::of_parent(parent) else { return Vec::new() };
        let (_, id) = parent.split_once('/').unwrap_or_default();
        let state = self.lock();
        let Some(stored) = state.collections.get(&(kind, id.to_owned())) else {
            return Vec::new();
        };
        let collection = collection_name(kind, id);
        let existing = stored.existing().filter(|(_, object)| !is_deleted(object));
        let management = stored.management.as_ref();
        existing
            .map(|(id, object)| full(object, &format!("{collection}/{id}"), management))
            .collect()
    }

    /// Changes fields of an object, including those that only the service sets; null clears a field. Sets
    /// `updateTime` to now unless the change contains it.
    ///
    /// # Errors
    ///
    /// The name is not valid, the object does not exist, or a field is unknown or has another type.
    pub fn change(&self, name: &str, fields: &Value) -> Result<(), String> {
        let target = Target::of_name(name)?;
        let mut state = self.lock();
        let now = state.stamp();
        let (_, stored) = state.world_and_collection(&target).map_err(|error| error.message)?;
        let mut current = stored.current(&target).ok_or("not found")?.clone();
        current.insert("updateTime".to_owned(), json!(now));
        *stored.slot(&target) = Slot::of(target.kind.changed(&current, fields)?);
        Ok(())
    }

    /// Adds or replaces an object. Omitted fields are empty, except the times (now), and the `displayName`
    /// or `owner`, which consist of the ID.
    ///
    /// # Errors
    ///
    /// The name is not valid, the parent does not exist, or a field is unknown or has another type.
    pub fn put(&self, name: &str, fields: &Value) -> Result<(), String> {
        let target = Target::of_name(name)?;
        let mut state = self.lock();
        let kind = target.kind;
        let object = kind.made_up(target.id.as_deref().unwrap_or_default(), &state.stamp());
        let (_, stored) = state.world_and_collection(&target).map_err(|error| error.message)?;
        *stored.slot(&target) = Slot::of(kind.changed(&object, fields)?);
        Ok(())
    }

    /// Deletes a role like DELETE, by setting its `deleteTime`. Returns whether it existed.
    pub fn delete(&self, name: &str) -> bool {
        let now = self.lock().stamp();
        self.object(name).is_some() && self.change(name, &json!({ "deleteTime": now })).is_ok()
    }

    /// Removes an object, as if it had never existed. Returns whether it existed.
    pub fn remove(&self, name: &str) -> bool {
        let Ok(target) = Target::of_name(name) else { return false };
        let mut state = self.lock();
        let Ok((_, stored)) = state.world_and_collection(&target) else { return false };
        let removed = target.id.as_ref().and_then(|id| stored.slots.remove(id));
        removed.is_some_and(|slot| slot.current().is_some())
    }

    /// Returns the requests to the API in the order of their arrival, without those to the admin
    /// pages.
    pub fn requests(&self) -> Vec<Request> {
        self.lock().log.all()
    }

    /// Removes all requests from the log.
    pub fn clear_requests(&self) {
        self.lock().log.clear();
    }

    /// Adds a fault after the existing ones.
    pub fn add_fault(&self, fault: Fault) {
        self.lock().faults.add(fault);
    }

    /// Returns the faults in the order in which they apply.
    pub fn faults(&self) -> Vec<Fault> {
        self.lock().faults.list()
    }

    /// Removes every fault, and sends the responses that they [hold](Action::Hold).
    pub fn clear_faults(&self) {
        self.lock().faults.clear();
    }

    /// Returns the time of the service's clock.
    pub(crate) fn now(&self) -> SystemTime {
        self.lock().now()
    }

    /// Logs a request and selects its delay and its fault.
    pub(crate) fn begin(&self, request: &ApiRequest) -> StartedRequest {
        let mut state = self.lock();
        let key = state.key(request.key.as_deref()).map(|key| key.name.clone());
        let entry = Request::new(request, key);
        let number = state.log.add(entry);
        let now = Instant::now().into_std();
        let method = request.method.as_str();
        let action = state.faults.decide(method, &request.path, &request.query, now);
        let wait = Duration::from_millis(state.world.latency_ms);
        let until_removal = state.faults.until_removal();
        let fault = action.map(|action| AppliedFault { action, until_removal });
        StartedRequest { number, wait, fault }
    }

    /// Processes a request.
    pub(crate) fn process(&self, request: &ApiRequest) -> ApiResponse {
        // The clock of tokio, which tests pause.
        let now = Instant::now().into_std();
        let mut state = self.lock();
        api::respond(&mut state, request, now)
    }

    /// Records the response to a request.
    pub(crate) fn finish(&self, number: usize, status: u16) {
        self.lock().log.finish(number, status);
    }

    /// Locks the state, also after a panic.
    fn lock(&self) -> MutexGuard<'_, State> {
        // A second panic here would hide the first one. The state is consistent, because changes do
        // not panic halfway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A logged request that is being processed.
pub(crate) struct StartedRequest {
    /// The number in the log.
    pub(crate) number: usize,
    /// The delay before processing.
    pub(crate) wait: Duration,
    /// The fault that applies.
    pub(crate) fault: Option<AppliedFault>,
}

/// A fault that applies to a request.
pub(crate) struct AppliedFault {
    /// The effect.
    pub(crate) action: Action,
    /// Closed when the fault is removed.
    pub(crate) until_removal: watch::Receiver<()>,
}
