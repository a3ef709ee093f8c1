//! The configured service, as resources see it.
//!
//! Resources exist before the provider is configured, and `validate` never configures it; what
//! they share is a [`Connection`] that becomes usable with ConfigureProvider.

use std::collections::HashSet;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use access_client::Client;
use access_client::api::{IntegrationOwner, ListingRole};
use plugin_server::CallContext;
use tf_provider::Diagnostics;
use tokio::sync::OnceCell;

use crate::config::{Configuration, DriftDetection, Settings};
use crate::diagnostic::{Attempt, Report};
use crate::listed::Listed;
use crate::repository::Repository;

/// The manager that the service records for callers such as this provider.
pub(crate) const MANAGER: &str = "TERRAFORM";

/// A service that can be asked, and what this run has learned of it.
pub(crate) struct Service {
    /// The HTTP client.
    pub(crate) client: Client,
    /// How changes made outside the configuration are found.
    pub(crate) drift_detection: DriftDetection,
    /// The repository that is recorded on roles.
    pub(crate) repository: Repository,
    /// Whether roles can be read.
    pub(crate) role_reads: Evidence,
    /// Whether owners can be read.
    pub(crate) owner_reads: Evidence,
    /// Roles that were listed.
    pub(crate) listed_roles: Listed<ListingRole>,
    /// Owners that were listed.
    pub(crate) listed_owners: Listed<IntegrationOwner>,
    /// Said already: the service did not recognise the caller.
    pub(crate) manager_warning: Once,
    /// What this run creates, by name.
    created: Mutex<HashSet<String>>,
}

/// What is known of the service so far.
enum State {
    Unconfigured,
    Unknown(Vec<&'static str>),
    Ready(Arc<Service>),
}

/// The way from a resource to the service. Clones share one state.
#[derive(Clone)]
pub(crate) struct Connection(Arc<RwLock<State>>);

/// Why there is no service to ask.
pub(crate) enum NotReady {
    /// The provider was never configured.
    Unconfigured,
    /// These provider arguments are known only after apply.
    Unknown(Vec<&'static str>),
}

impl Connection {
    /// A connection that is not configured yet.
    pub(crate) fn new() -> Self {
        Self(Arc::new(RwLock::new(State::Unconfigured)))
    }

    /// Takes a configuration; errors that no argument is to blame for go to `diags`.
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

    /// The service, where it can be asked.
    pub(crate) fn service(&self) -> Result<Arc<Service>, NotReady> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(service) => Ok(Arc::clone(service)),
            State::Unknown(arguments) => Err(NotReady::Unknown(arguments.clone())),
            State::Unconfigured => Err(NotReady::Unconfigured),
        }
    }

    /// Puts the running call off where the provider's arguments are not known yet and the host accepts
    /// that; says whether it did.
    pub(crate) fn defer_if_unknown(&self) -> bool {
        let unknown = matches!(self.service(), Err(NotReady::Unknown(_)));
        unknown && CallContext::current().is_some_and(|call| call.defer())
    }

    /// The service, or an error that says why there is none; neither where the call is put off.
    pub(crate) fn require(&self, summary: &str, diags: &mut Diagnostics) -> Option<Arc<Service>> {
        if self.defer_if_unknown() {
            return None;
        }
        let detail = match self.service() {
            Ok(service) => return Some(service),
            Err(NotReady::Unknown(arguments)) => format!(
                "The provider's `{}` is known only after apply, and this needs the service. Set it \
                 to a known value, or apply what it comes from first (-target).",
                arguments.join("`, `")
            ),
            Err(NotReady::Unconfigured) => {
                "The provider was asked before it was configured. This is a bug in the provider."
                    .to_owned()
            }
        };
        diags.report_error(summary.to_owned(), detail, None);
        None
    }
}

impl Service {
    fn new(settings: Settings, diags: &mut Diagnostics) -> Option<Self> {
        let client = match Client::new(settings.client) {
            Ok(client) => client,
            Err(error) => {
                diags.report_error(
                    "Could not set up the connection to the service".to_owned(),
                    format!("{error}."),
                    None,
                );
                return None;
            }
        };
        Some(Self {
            client,
            drift_detection: settings.drift_detection,
            repository: settings.repository,
            role_reads: Evidence::default(),
            owner_reads: Evidence::default(),
            listed_roles: Listed::default(),
            listed_owners: Listed::default(),
            manager_warning: Once::default(),
            created: Mutex::default(),
        })
    }

    /// Notes that an object is about to be created. `None` with an error where that was so before:
    /// two resources for one object would both look, find nothing, and overwrite each other.
    pub(crate) fn begin_create(
        &self,
        attempt: &Attempt<'_>,
        diags: &mut Diagnostics,
    ) -> Option<()> {
        let mut created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        if created.insert(attempt.name.to_string()) {
            return Some(());
        }
        diags.report_error(
            attempt.summary(),
            format!(
                "{}: another resource of this configuration creates the same. Nothing was changed by \
                 this one. Keep one of the two.",
                attempt.name
            ),
            None,
        );
        None
    }
}

/// Whether the service answers reads of one resource type: found out once per run.
///
/// A GET that answers 200 for one object shows that the operation exists; only then does a later
/// 404 mean that an object is gone rather than that there are no reads.
#[derive(Default)]
pub(crate) struct Evidence {
    seen: OnceCell<bool>,
    absent: AtomicBool,
    /// Said already: drift cannot be seen.
    pub(crate) blind_warning: Once,
    /// Said already: what a create overwrites cannot be seen.
    pub(crate) blind_create_warning: Once,
}

impl Evidence {
    /// A read was answered with an object.
    pub(crate) fn saw_read(&self) {
        // Somebody may have asked before, in vain: one lagging answer stays the answer of the run.
        _ = self.seen.set(true);
    }

    /// A read was answered with 405 or 501: the operation does not exist.
    pub(crate) fn saw_absence(&self) {
        self.absent.store(true, Ordering::Relaxed);
    }

    /// Whether a read was answered with 405 or 501 in this run.
    pub(crate) fn is_absent(&self) -> bool {
        self.absent.load(Ordering::Relaxed)
    }

    /// Whether reads work: by `ask` if nobody knows yet. Those that come meanwhile wait for it.
    pub(crate) async fn gather(&self, ask: impl Future<Output = bool>) -> bool {
        !self.is_absent() && *self.seen.get_or_init(|| ask).await
    }
}

/// Something to be said once per run.
#[derive(Default)]
pub(crate) struct Once(AtomicBool);

impl Once {
    /// Whether this is the first time.
    pub(crate) fn first(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}
