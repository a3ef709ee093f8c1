//! The configured provider: the service that it calls, and what one run has found there.
//!
//! Resources exist before the provider is configured, and `validate` never configures it. They share a
//! [`Connection`] that becomes usable with ConfigureProvider.

mod lists;
mod notices;
mod registry;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use access_client::Client;
use access_client::api::{IntegrationOwner, ListingRole};
use plugin_server::CallContext;
use tokio::time::Instant;

pub(crate) use lists::{List, Parent, Parents};
pub(crate) use notices::{Notice, Notices};
pub(crate) use registry::{Contradiction, Key, Origin, Registry};

use crate::config::{Configuration, DeletionPolicy, DriftDetection, Settings};
use crate::object::{Entity, PrivateState};
use crate::repository::Repository;

/// A configured provider, and what this run has found.
pub(crate) struct Run {
    pub(crate) client: Client,
    /// The base address, as private state records it.
    pub(crate) base_url: String,
    pub(crate) drift_detection: DriftDetection,
    /// The deletion policy of resources without one of their own.
    pub(crate) deletion_policy: DeletionPolicy,
    /// The repository that is recorded on roles.
    pub(crate) repository: Repository,
    pub(crate) started: Instant,
    pub(crate) registry: Registry,
    pub(crate) notices: Notices,
    pub(crate) roles: Findings<ListingRole>,
    pub(crate) owners: Findings<IntegrationOwner>,
}

/// What a run has found about the objects of one type.
pub(crate) struct Findings<E: Entity> {
    pub(crate) parents: Parents<E>,
    /// The objects that the states of this run name.
    in_state: Mutex<HashMap<Key, InState<E>>>,
}

/// An object that a state names.
pub(crate) struct InState<E: Entity> {
    pub(crate) name: String,
    pub(crate) private: PrivateState<E::Private>,
    pub(crate) policy: DeletionPolicy,
}

impl<E: Entity> Clone for InState<E> {
    fn clone(&self) -> Self {
        let Self { name, private, policy } = self;
        Self { name: name.clone(), private: private.clone(), policy: *policy }
    }
}

impl<E: Entity> Default for Findings<E> {
    fn default() -> Self {
        Self { parents: Parents::default(), in_state: Mutex::default() }
    }
}

impl<E: Entity> Findings<E> {
    /// Records an object that a state names. Terraform plans the create of a tainted resource without
    /// its state. This is then the only trace of the object that the resource has.
    pub(crate) fn record_in_state(&self, keys: Vec<Key>, object: &InState<E>) {
        let mut in_state = self.in_state.lock().unwrap_or_else(PoisonError::into_inner);
        in_state.extend(keys.into_iter().map(|key| (key, object.clone())));
    }

    /// Discards an object that a read has found deleted.
    pub(crate) fn forget(&self, keys: &[Key]) {
        let mut in_state = self.in_state.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().for_each(|key| drop(in_state.remove(key)));
    }

    /// Returns the first of these objects that a state names.
    pub(crate) fn in_state(&self, keys: &[Key]) -> Option<InState<E>> {
        let in_state = self.in_state.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().find_map(|key| in_state.get(key).cloned())
    }
}

impl Run {
    /// Returns a name with the base address, as complete messages show it: configurations of several
    /// regions have objects of one name.
    pub(crate) fn at(&self, name: impl fmt::Display) -> String {
        format!("{name} (at {})", self.base_url)
    }

    /// Returns whether refreshes and plans read.
    pub(crate) fn detects_drift(&self) -> bool {
        self.drift_detection != DriftDetection::Off
    }

    /// Returns whether any read has succeeded in this run.
    pub(crate) fn reads_work(&self) -> bool {
        self.roles.parents.reads_work() || self.owners.parents.reads_work()
    }

    fn new(settings: Settings) -> Result<Self, String> {
        let base_url = settings.client.base_url.to_string();
        Ok(Self {
            client: Client::new(settings.client).map_err(|error| error.to_string())?,
            base_url,
            drift_detection: settings.drift_detection,
            deletion_policy: settings.deletion_policy,
            repository: settings.repository,
            started: Instant::now(),
            registry: Registry::new(),
            notices: Notices::default(),
            roles: Findings::default(),
            owners: Findings::default(),
        })
    }
}

/// The progress of the configuration.
enum State {
    Unconfigured,
    /// These provider arguments are known only after apply.
    Unknown(Vec<&'static str>),
    Ready(Arc<Run>),
}

/// The access of resources to the configured provider. Clones share one state.
#[derive(Clone)]
pub(crate) struct Connection(Arc<RwLock<State>>);

impl Connection {
    /// Returns a connection that is not configured yet.
    pub(crate) fn new() -> Self {
        Self(Arc::new(RwLock::new(State::Unconfigured)))
    }

    /// Sets the configuration.
    ///
    /// # Errors
    ///
    /// The reason why no client can be set up, which concerns no single argument.
    pub(crate) fn configure(&self, configuration: Configuration) -> Result<(), String> {
        let state = match configuration {
            Configuration::Unknown(arguments) => State::Unknown(arguments),
            Configuration::Ready(settings) => State::Ready(Arc::new(Run::new(*settings)?)),
        };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = state;
        Ok(())
    }

    /// Returns the run. If the provider's arguments are not known yet and the host accepts a deferral,
    /// defers the change of the running call.
    pub(crate) fn run_or_defer(&self) -> Option<Arc<Run>> {
        self.require().ok()
    }

    /// Returns the run.
    ///
    /// # Errors
    ///
    /// The detail of an error for users; `None` if the call is deferred instead.
    pub(crate) fn require(&self) -> Result<Arc<Run>, Option<String>> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(run) => Ok(Arc::clone(run)),
            State::Unknown(_) if CallContext::current().is_some_and(|call| call.defer()) => {
                Err(None)
            }
            State::Unknown(arguments) => Err(Some(format!(
                "The provider argument `{}` is known only after apply, and this operation needs the \
                 service. Set the argument to a known value, or apply what it comes from first \
                 (`-target`).",
                arguments.join("`, `")
            ))),
            State::Unconfigured => Err(Some(
                "Terraform called the provider before configuring it. This is a bug in the provider \
                 or in the host."
                    .to_owned(),
            )),
        }
    }
}
