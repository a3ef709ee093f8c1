//! What one run knows: the configured provider, and what this process has found and done. A run is one
//! process of the provider.

mod configured;
mod key;
mod lists;
mod plans;
mod writes;

use std::sync::atomic::{AtomicBool, Ordering};

use access_client::{Client, Error, Identifier, Invalid, Object, Retries};

pub(crate) use configured::Configured;
pub(crate) use key::{Key, Keys};
pub(crate) use lists::{Incomplete, List, Lists};
pub(crate) use plans::{Claim, Contradiction, Plans};
pub(crate) use writes::{Held, Writes};

use crate::config::{Settings, Unknown};
use crate::repository::ConfiguredRepository;
use crate::say::Said;

/// A configured provider, and what this process has found and done.
///
/// While arguments of the provider are unknown, it plans without the service: it compares the plans of
/// resources, and every request fails.
pub(crate) struct Run {
    pub(crate) client: Client,
    /// The base address, as private state records it; `None` while arguments are unknown.
    pub(crate) base_url: Option<String>,
    /// Why no request is sent: arguments of the provider are unknown.
    pub(crate) unknown: Option<String>,
    pub(crate) detects_drift: bool,
    /// Whether destroys leave objects at the service.
    pub(crate) abandons: bool,
    /// The repository that is recorded on roles.
    pub(crate) repository: ConfiguredRepository,
    pub(crate) plans: Plans,
    pub(crate) writes: Writes,
    pub(crate) lists: Lists,
    pub(crate) said: Said,
    /// Whether a look of a plan has failed for a cause that concerns every object. The plans of this
    /// run then look no more.
    looks_have_failed: AtomicBool,
}

impl Run {
    /// Returns whether all arguments of the provider are known.
    pub(crate) fn has_settings(&self) -> bool {
        self.unknown.is_none()
    }

    /// Returns the repository that is recorded on roles, unless arguments are unknown.
    pub(crate) fn known_repository(&self) -> Option<&ConfiguredRepository> {
        Some(&self.repository).filter(|_| self.has_settings())
    }

    /// Returns whether the plan of a create looks for what exists: not after an apply call, which
    /// follows at once, nor after a failure that would meet every object.
    pub(crate) fn looks_in_plans(&self) -> bool {
        let have_failed = self.looks_have_failed.load(Ordering::Relaxed);
        self.detects_drift && !self.plans.have_ended() && !have_failed
    }

    /// Records that a look of a plan has failed.
    pub(crate) fn record_failed_look(&self, error: &Error) {
        if error.affects_every_object() {
            self.looks_have_failed.store(true, Ordering::Relaxed);
        }
    }

    /// Begins a create, an update or a delete: ends the comparison of plans, waits until no other call
    /// is about the object, and holds off others until the guards are dropped.
    pub(crate) async fn hold(&self, keys: impl IntoIterator<Item = &Key>) -> Held {
        self.plans.end();
        self.writes.hold(keys).await
    }

    /// Records a request that may have written the object, and its parent's list is older than that.
    pub(crate) fn touch<E: Object>(&self, keys: &Keys, parent: &Identifier) {
        self.lists.outdate::<E>(parent, self.writes.touch(keys));
    }

    /// Returns the list of a parent that shows this run's writes of these objects.
    ///
    /// # Errors
    ///
    /// Returns the failure of the list.
    pub(crate) async fn list<E: Object>(
        &self,
        parent: &Identifier,
        keys: &Keys,
        retries: Retries,
    ) -> Result<std::sync::Arc<List<E>>, Incomplete<E>> {
        self.lists.list(parent, self.list_request(self.writes.last(keys), retries)).await
    }

    /// Returns the list of a parent that shows all writes of this run.
    ///
    /// # Errors
    ///
    /// Returns the failure of the list.
    pub(crate) async fn latest_list<E: Object>(
        &self,
        parent: &Identifier,
    ) -> Result<std::sync::Arc<List<E>>, Incomplete<E>> {
        let since = self.lists.last_write::<E>(parent);
        self.lists.list(parent, self.list_request(since, Retries::All)).await
    }

    /// Returns an object from the list of its parent, which shows this run's writes of the object; `None` if
    /// the list is whole and lacks it.
    ///
    /// # Errors
    ///
    /// Returns why the list does not show whether the object exists.
    pub(crate) async fn find_in_list<E: Object>(
        &self,
        name: &E::Name,
        keys: &Keys,
        retries: Retries,
    ) -> Result<Option<E>, Error> {
        self.lists.find::<E>(name, self.list_request(self.writes.last(keys), retries)).await
    }

    /// Returns the list of a parent that shows what is gone, after a read that has missed an object of a
    /// state: reads may lag behind a create.
    ///
    /// # Errors
    ///
    /// Returns the failure of the list.
    pub(crate) async fn later_list<E: Object>(
        &self,
        parent: &Identifier,
    ) -> Result<std::sync::Arc<List<E>>, Incomplete<E>> {
        let request = self.list_request(self.lists.last_write::<E>(parent), Retries::All);
        let not_before = Some(self.lists.record_missed());
        self.lists.list(parent, lists::ListRequest { not_before, ..request }).await
    }

    fn list_request(&self, since: u64, retries: Retries) -> lists::ListRequest<'_> {
        let (client, writes) = (&self.client, self.writes.count());
        lists::ListRequest { client, retries, since, writes, not_before: None }
    }

    /// Returns a run that has found nothing yet.
    fn new(settings: Settings) -> Result<Self, Invalid> {
        let Settings { client, detects_drift, abandons, repository } = settings;
        let base_url = Some(client.base_url.to_string());
        let client = Client::new(client)?;
        Ok(Self { base_url, detects_drift, abandons, repository, ..Self::without_settings(client) })
    }

    /// Returns a run that plans without the service, because arguments are unknown.
    fn of_unknown(Unknown { arguments, abandons }: &Unknown) -> Result<Self, Invalid> {
        let reason = format!("the {} known only after apply", configured::with_verb(arguments));
        let client = Client::without_settings(reason.clone())?;
        let unknown = Some(format!("no request was sent, because {reason}"));
        Ok(Self { unknown, abandons: *abandons, ..Self::without_settings(client) })
    }

    fn without_settings(client: Client) -> Self {
        Self {
            client,
            base_url: None,
            unknown: None,
            detects_drift: false,
            abandons: false,
            repository: ConfiguredRepository::default(),
            plans: Plans::default(),
            writes: Writes::new(),
            lists: Lists::default(),
            said: Said::default(),
            looks_have_failed: AtomicBool::new(false),
        }
    }
}
