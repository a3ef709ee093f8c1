//! The handle of a service, through which tests inspect and change it without requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State as AxumState;
use axum::http;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::api;
use crate::fault::{Action, Fault};
use crate::handler;
use crate::names::{owner_name, role_name};
use crate::owner::Owner;
use crate::request::ApiRequest;
use crate::request_log::Request;
use crate::response::ApiResponse;
use crate::role::{Role, changed};
use crate::slot::Slot;
use crate::state::{Key, Rank, State};
use crate::store::existing;
use crate::world::World;

/// A handle of a service. Clones are handles of the same service.
///
/// Changes through the handle bypass the API: permissions and faults do not apply, the log does not
/// contain them, and reads return them without lag. Objects are JSON as in the API, with every
/// field.
#[derive(Clone)]
pub struct Service {
    state: Arc<Mutex<State>>,
    /// The time until which the service does not listen.
    pause: watch::Sender<Option<Instant>>,
}

impl Service {
    /// Creates a service with the default keys, listings and integrations.
    pub fn new(world: World) -> Self {
        let state = Arc::new(Mutex::new(State::seeded(world)));
        Self { state, pause: watch::Sender::new(None) }
    }

    /// Creates a service whose clock begins at a time and follows the clock of tokio, which a test can
    /// pause.
    pub fn beginning_at(world: World, time: SystemTime) -> Self {
        let state = Arc::new(Mutex::new(State::seeded_at(world, time)));
        Self { state, pause: watch::Sender::new(None) }
    }

    /// Handles a request as the server does, without a connection. Faults that reset a connection or
    /// refuse one never return.
    pub async fn handle(&self, request: http::Request<Bytes>) -> http::Response<Bytes> {
        let response = handler::serve(AxumState(self.clone()), request.map(Body::from)).await;
        let (parts, body) = response.into_parts();
        // The body is in memory, unless a fault cuts it off.
        http::Response::from_parts(parts, to_bytes(body, usize::MAX).await.unwrap_or_default())
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

    /// Adds a manually managed listing unless it exists.
    pub fn put_listing(&self, listing: &str) {
        self.change(|state| {
            state.store.listings.entry(listing.to_owned()).or_default();
        });
    }

    /// Sets the `management` field of a listing's roles, and whether only the
    /// infrastructure-as-code provider can write them. Adds the listing unless it exists.
    pub fn manage_listing(&self, listing: &str, management: Option<Value>, provider_only: bool) {
        self.change(|state| {
            let stored = state.store.listings.entry(listing.to_owned()).or_default();
            stored.management = management;
            stored.provider_only = provider_only;
        });
    }

    /// Adds an integration with its first owner, the founder, unless it exists.
    pub fn put_integration(&self, integration: &str) {
        self.change(|state| {
            let stamp = state.stamp();
            state.store.add_integration(integration, &stamp);
        });
    }

    /// Removes an integration with its owners. Returns whether it existed.
    pub fn remove_integration(&self, integration: &str) -> bool {
        self.change(|state| state.store.integrations.remove(integration).is_some())
    }

    /// Returns a role, or `None` if it does not exist or is deleted.
    pub fn role(&self, listing: &str, role: &str) -> Option<Value> {
        let state = self.lock();
        let stored = state.store.listings.get(listing)?;
        let current = stored.roles.get(role)?.current().filter(|role| !role.is_deleted())?;
        Some(current.full(&role_name(listing, role), stored.management.as_ref()))
    }

    /// Returns the roles of a listing, sorted by ID.
    pub fn roles(&self, listing: &str) -> Vec<Value> {
        let state = self.lock();
        let Some(stored) = state.store.listings.get(listing) else { return Vec::new() };
        existing(&stored.roles)
            .filter(|(_, role)| !role.is_deleted())
            .map(|(id, role)| role.full(&role_name(listing, id), stored.management.as_ref()))
            .collect()
    }

    /// Adds or replaces a role. Omitted fields are empty, except `displayName` (the role's ID) and
    /// the times (now).
    ///
    /// # Errors
    ///
    /// The listing does not exist, or a field is unknown or has another type.
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
            let stored = state.store.listings.get_mut(listing).ok_or("listing not found")?;
            stored.roles.insert(role.to_owned(), Slot::of(new));
            Ok(())
        })
    }

    /// Changes fields of a role, including `manager` and the times; null clears a field. Sets
    /// `updateTime` to now unless the change contains it.
    ///
    /// # Errors
    ///
    /// The role does not exist, or a field is unknown or has another type.
    pub fn change_role(&self, listing: &str, role: &str, fields: &Value) -> Result<(), String> {
        self.change(|state| {
            let update_time = state.stamp();
            let slot = state
                .store
                .listings
                .get_mut(listing)
                .and_then(|stored| stored.roles.get_mut(role))
                .ok_or("role not found")?;
            let current = slot.current().ok_or("role not found")?;
            let new = changed(&Role { update_time, ..current.clone() }, fields)?;
            *slot = Slot::of(new);
            Ok(())
        })
    }

    /// Removes a role completely. Returns whether it existed.
    pub fn remove_role(&self, listing: &str, role: &str) -> bool {
        self.change(|state| {
            let roles = state.store.listings.get_mut(listing).map(|stored| &mut stored.roles);
            roles.and_then(|roles| roles.remove(role)).is_some_and(|slot| slot.current().is_some())
        })
    }

    /// Deletes a role like DELETE, by setting its `deleteTime`. Returns whether it existed.
    pub fn delete_role(&self, listing: &str, role: &str) -> bool {
        self.change(|state| {
            let stamp = state.stamp();
            let roles = state.store.listings.get_mut(listing).map(|stored| &mut stored.roles);
            let Some(slot) = roles.and_then(|roles| roles.get_mut(role)) else { return false };
            let Some(current) = slot.current().filter(|role| !role.is_deleted()) else {
                return false;
            };
            *slot = Slot::of(Role { delete_time: Some(stamp), ..current.clone() });
            true
        })
    }

    /// Returns an owner of an integration.
    pub fn owner(&self, integration: &str, owner: &str) -> Option<Value> {
        let state = self.lock();
        let current = state.store.integrations.get(integration)?.owners.get(owner)?.current()?;
        Some(current.full(&owner_name(integration, owner)))
    }

    /// Returns the owners of an integration, sorted by ID.
    pub fn owners(&self, integration: &str) -> Vec<Value> {
        let state = self.lock();
        let Some(stored) = state.store.integrations.get(integration) else { return Vec::new() };
        existing(&stored.owners)
            .map(|(id, owner)| owner.full(&owner_name(integration, id)))
            .collect()
    }

    /// Adds or replaces an owner: `{"owner": "users/x"}`. Omitted times are now.
    ///
    /// # Errors
    ///
    /// The integration does not exist, or a field is unknown or has another type.
    pub fn put_owner(&self, integration: &str, owner: &str, fields: &Value) -> Result<(), String> {
        self.change(|state| {
            let stamp = state.stamp();
            let blank =
                Owner { owner: String::new(), create_time: stamp.clone(), update_time: stamp };
            let new = changed(&blank, fields)?;
            let stored =
                state.store.integrations.get_mut(integration).ok_or("integration not found")?;
            stored.owners.insert(owner.to_owned(), Slot::of(new));
            Ok(())
        })
    }

    /// Removes an owner. Returns whether it existed.
    pub fn remove_owner(&self, integration: &str, owner: &str) -> bool {
        self.change(|state| {
            let owners =
                state.store.integrations.get_mut(integration).map(|stored| &mut stored.owners);
            owners
                .and_then(|owners| owners.remove(owner))
                .is_some_and(|slot| slot.current().is_some())
        })
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

    /// Ends the lag of all objects: further reads return the current values.
    pub fn end_lags(&self) {
        self.lock().store.end_lags();
    }

    /// Adds a fault after the existing ones.
    pub fn add_fault(&self, fault: Fault) {
        self.lock().faults.add(fault);
    }

    /// Closes all connections and refuses new ones for some time.
    pub(crate) fn refuse_connections(&self, time: Duration) {
        self.pause.send_replace(Instant::now().checked_add(time));
    }

    /// Returns the faults in the order in which they apply.
    pub fn faults(&self) -> Vec<Fault> {
        self.lock().faults.list()
    }

    /// Removes every fault, and sends the responses that they [hold](Action::Hold).
    pub fn clear_faults(&self) {
        self.lock().faults.clear();
    }

    /// Returns a receiver of the times until which the service does not listen.
    pub(crate) fn pauses(&self) -> watch::Receiver<Option<Instant>> {
        self.pause.subscribe()
    }

    /// Returns a number for a new connection.
    pub(crate) fn number_connection(&self) -> u64 {
        let mut state = self.lock();
        state.connections += 1;
        state.connections
    }

    /// Returns the time for which connections stay open without a request.
    pub(crate) fn idle_time(&self) -> Option<Duration> {
        let state = self.lock();
        if state.world.close_after_response {
            return Some(Duration::ZERO);
        }
        state.world.idle_close_ms.map(Duration::from_millis)
    }

    /// Returns the number of requests after which an HTTP/2 connection refuses further ones.
    pub(crate) fn goaway_after(&self) -> Option<u64> {
        self.lock().world.goaway_after
    }

    /// Returns the time of the service's clock.
    pub(crate) fn now(&self) -> SystemTime {
        self.lock().now()
    }

    /// Logs a request and selects its delay and its fault.
    pub(crate) fn begin(&self, request: &ApiRequest, connection: u64) -> StartedRequest {
        let mut state = self.lock();
        let key = state.key(request.key.as_deref()).map(|key| key.name.clone());
        let entry = Request::new(request, key, connection, state.started.elapsed());
        let number = state.log.add(entry);
        let now = Instant::now().into_std();
        let decision = state.faults.decide(&request.method, &request.path, &request.query, now);
        let wait = Duration::from_millis(state.world.latency_ms) + decision.delay;
        let fault = decision.action.map(|action| AppliedFault {
            action,
            rest: decision.rest,
            until_removal: state.faults.until_removal(),
        });
        StartedRequest { number, wait, fault }
    }

    /// Processes a request.
    pub(crate) fn process(&self, request: &ApiRequest) -> ApiResponse {
        // The clock of tokio, which tests pause.
        let now = Instant::now().into_std();
        api::respond(&mut self.lock(), request, now)
    }

    /// Records the response to a request.
    pub(crate) fn finish(&self, number: usize, status: u16) {
        let mut state = self.lock();
        let since_start = state.started.elapsed();
        state.log.finish(number, status, since_start);
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A second panic here would hide the first one. The state is consistent, because changes do
        // not panic halfway.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// The time until the fault ends.
    pub(crate) rest: Option<Duration>,
    /// Closed when the fault is removed.
    pub(crate) until_removal: watch::Receiver<()>,
}
