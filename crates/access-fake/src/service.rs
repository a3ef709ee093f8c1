//! The handle of a service, through which tests inspect and change it without requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::api;
use crate::encoding::encoded;
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
        let kind = Kind::ALL.into_iter().find(|kind| kind.collections().0 == parents);
        let kind = kind.ok_or_else(|| format!("there are no {parents}"))?;
        self.lock().add(kind, parent);
        Ok(())
    }

    /// Adds a manually managed listing unless it exists.
    pub fn put_listing(&self, listing: &str) {
        self.lock().add(Kind::Role, listing);
    }

    /// Sets the `management` field of a listing's roles, and whether only the
    /// infrastructure-as-code provider can write them. Adds the listing unless it exists.
    pub fn manage_listing(&self, listing: &str, management: Option<Value>, provider_only: bool) {
        let mut state = self.lock();
        let stored = state.add(Kind::Role, listing);
        (stored.management, stored.provider_only) = (management, provider_only);
    }

    /// Adds an integration with its first owner, the founder, unless it exists.
    pub fn put_integration(&self, integration: &str) {
        self.lock().add(Kind::Owner, integration);
    }

    /// Returns a role, or `None` if it does not exist or is deleted.
    pub fn role(&self, listing: &str, role: &str) -> Option<Value> {
        self.object(&role_name(listing, role))
    }

    /// Returns the roles of a listing, sorted by ID.
    pub fn roles(&self, listing: &str) -> Vec<Value> {
        self.objects(Kind::Role, listing)
    }

    /// Adds or replaces a role, as [`Self::put`] does.
    ///
    /// # Errors
    ///
    /// Those of [`Self::put`].
    pub fn put_role(&self, listing: &str, role: &str, fields: &Value) -> Result<(), String> {
        self.put(&role_name(listing, role), fields)
    }

    /// Changes fields of a role, as [`Self::change`] does.
    ///
    /// # Errors
    ///
    /// Those of [`Self::change`].
    pub fn change_role(&self, listing: &str, role: &str, fields: &Value) -> Result<(), String> {
        self.change(&role_name(listing, role), fields)
    }

    /// Removes a role completely. Returns whether it existed.
    pub fn remove_role(&self, listing: &str, role: &str) -> bool {
        self.remove(&role_name(listing, role))
    }

    /// Deletes a role like DELETE, by setting its `deleteTime`. Returns whether it existed.
    pub fn delete_role(&self, listing: &str, role: &str) -> bool {
        let now = self.lock().stamp();
        self.role(listing, role).is_some()
            && self.change_role(listing, role, &json!({ "deleteTime": now })).is_ok()
    }

    /// Returns an owner of an integration.
    pub fn owner(&self, integration: &str, owner: &str) -> Option<Value> {
        self.object(&owner_name(integration, owner))
    }

    /// Returns the owners of an integration, sorted by ID.
    pub fn owners(&self, integration: &str) -> Vec<Value> {
        self.objects(Kind::Owner, integration)
    }

    /// Adds or replaces an owner, as [`Self::put`] does: `{"owner": "users/x"}`.
    ///
    /// # Errors
    ///
    /// Those of [`Self::put`].
    pub fn put_owner(&self, integration: &str, owner: &str, fields: &Value) -> Result<(), String> {
        self.put(&owner_name(integration, owner), fields)
    }

    /// Removes an owner. Returns whether it existed.
    pub fn remove_owner(&self, integration: &str, owner: &str) -> bool {
        self.remove(&owner_name(integration, owner))
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

    /// Returns the objects of a parent, by ID.
    fn objects(&self, kind: Kind, parent: &str) -> Vec<Value> {
        let state = self.lock();
        let Some(stored) = state.collections.get(&(kind, parent.to_owned())) else {
            return Vec::new();
        };
        let collection = collection_name(kind, parent);
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
        let response = api::respond(&mut state, request, now);
        encoded(response, &state.world)
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

fn role_name(listing: &str, role: &str) -> String {
    format!("{}/{role}", collection_name(Kind::Role, listing))
}

fn owner_name(integration: &str, owner: &str) -> String {
    format!("{}/{owner}", collection_name(Kind::Owner, integration))
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
