//! The configured service, as resources see it.
//!
//! Resources exist before the provider is configured, and `validate` never configures it. They
//! share a [`Connection`] that becomes usable with ConfigureProvider.

mod checks;
mod conflicts;
mod handoff;
mod list_cache;
mod loaded_states;
mod mutex;
mod run;
pub(crate) mod saved_plan;

use std::sync::{Arc, PoisonError, RwLock};

use access_client::Client;
use access_client::api::{IntegrationOwner, ListingRole};
use plugin_server::CallContext;
use plugin_server::Report as _;
use tf_provider::Diagnostics;

pub(crate) use checks::Existence;
pub(crate) use conflicts::{Conflict, Conflicts, Keys};
pub(crate) use list_cache::{PageSink, Purpose, WholeList};
pub(crate) use run::{Once, ReadBack, Run, SharedFailures};

use crate::config::{Configuration, DeletionPolicy, DriftDetection, Settings};
use crate::repository::Repository;
use handoff::Handoff;

/// The manager that the service records for callers such as this provider.
pub(crate) const MANAGER: &str = "TERRAFORM";

/// A configured service, and what this run has learned about it.
pub(crate) struct Service {
    /// The HTTP client.
    pub(crate) client: Client,
    /// The base address, as private state records it.
    pub(crate) base_url: String,
    /// The detection of changes made outside Terraform.
    pub(crate) drift_detection: DriftDetection,
    /// The deletion policy of resources without one of their own.
    pub(crate) deletion_policy: DeletionPolicy,
    /// The repository that is recorded on roles.
    pub(crate) repository: Repository,
    /// This run's roles.
    pub(crate) roles: Run<ListingRole>,
    /// This run's owners.
    pub(crate) owners: Run<IntegrationOwner>,
    /// Whether this run has warned that the service did not record the manager.
    pub(crate) manager_warning: Once,
    /// Whether this run has warned that drift detection is off.
    pub(crate) off_warning: Once,
    /// Notes of the plan for the apply of the same Terraform process.
    pub(crate) handoff: Handoff,
    /// Failures that hit every object alike.
    pub(crate) shared_failures: SharedFailures,
}

/// The progress of the configuration.
enum State {
    Unconfigured,
    Unknown(Vec<&'static str>),
    Ready(Arc<Service>),
}

/// The access of a resource to the service. Clones share one state.
#[derive(Clone)]
pub(crate) struct Connection(Arc<RwLock<State>>);

/// The reason why there is no service yet.
pub(crate) enum NotReady {
    /// The provider was never configured.
    Unconfigured,
    /// These provider arguments are known only after apply.
    Unknown(Vec<&'static str>),
}

impl Connection {
    /// Returns a connection that is not configured yet.
    pub(crate) fn new() -> Self {
        Self(Arc::new(RwLock::new(State::Unconfigured)))
    }

    /// Sets the configuration. Adds errors that concern no single argument to `diags`.
    pub(crate) fn configure(
        &self,
        configuration: Configuration,
        diags: &mut Diagnostics,
    ) -> Option<()> {
        let state = match configuration {
            Configuration::Unknown(arguments) => State::Unknown(arguments),
            Configuration::Ready(settings) => {
                State::Ready(Arc::new(Service::new(*settings, diags)?))
            }
        };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = state;
        Some(())
    }

    /// Returns the service.
    ///
    /// # Errors
    ///
    /// The reason why there is no service yet.
    pub(crate) fn service(&self) -> Result<Arc<Service>, NotReady> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(service) => Ok(Arc::clone(service)),
            State::Unknown(arguments) => Err(NotReady::Unknown(arguments.clone())),
            State::Unconfigured => Err(NotReady::Unconfigured),
        }
    }

    /// Defers the change of the running call if the provider's arguments are not known yet and the
    /// host accepts a deferral. Returns whether the call is deferred.
    pub(crate) fn defer_if_unknown(&self) -> bool {
        let unknown = matches!(self.service(), Err(NotReady::Unknown(_)));
        unknown && CallContext::current().is_some_and(|call| call.defer())
    }

    /// Returns the service. Without one, defers the change of the running call if that is possible.
    pub(crate) fn service_or_defer(&self) -> Option<Arc<Service>> {
        self.defer_if_unknown();
        self.service().ok()
    }

    /// Returns the service, or adds an error with this summary. Adds none if the call is deferred.
    pub(crate) fn require(&self, summary: &str, diags: &mut Diagnostics) -> Option<Arc<Service>> {
        if self.defer_if_unknown() {
            return None;
        }
        let detail = match self.service() {
            Ok(service) => return Some(service),
            Err(NotReady::Unknown(arguments)) => format!(
                "The provider argument `{}` is known only after apply, and this operation needs \
                 the service. Set the argument to a known value, or apply what it comes from \
                 first (`-target`).",
                arguments.join("`, `")
            ),
            Err(NotReady::Unconfigured) => {
                "Terraform called the provider before configuring it. This is a bug in the \
                 provider or in the host."
                    .to_owned()
            }
        };
        diags.report_error(summary.to_owned(), detail);
        None
    }
}

impl Service {
    /// Returns a name with the base address, as complete errors show it: configurations of several
    /// regions have objects of one name.
    pub(crate) fn at(&self, name: &dyn std::fmt::Display) -> String {
        format!("{name} (at {})", self.base_url)
    }

    /// Records that Terraform reads the objects of its state: this plan has a refresh.
    pub(crate) fn begin_refresh(&self) {
        self.roles.conflicts.loaded_states.ignore();
        self.owners.conflicts.loaded_states.ignore();
    }

    fn new(settings: Settings, diags: &mut Diagnostics) -> Option<Self> {
        let base_url = settings.client.base_url.to_string();
        let client = match Client::new(settings.client) {
            Ok(client) => client,
            Err(error) => {
                diags.report_error(
                    "Could not set up the connection to the service",
                    format!("{error}."),
                );
                return None;
            }
        };
        Some(Self {
            client,
            base_url,
            drift_detection: settings.drift_detection,
            deletion_policy: settings.deletion_policy,
            repository: settings.repository,
            roles: Run::default(),
            owners: Run::default(),
            manager_warning: Once::default(),
            off_warning: Once::default(),
            handoff: Handoff::default(),
            shared_failures: SharedFailures::default(),
        })
    }
}
