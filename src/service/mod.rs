//! The configured provider: the service that it calls, and what a run has found there.
//!
//! Resources exist before the provider is configured, and `validate` never configures it. They
//! share a [`Connection`] that becomes usable with ConfigureProvider.

mod causes;
mod key;
mod lists;
mod plans;
mod states;
mod writes;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use access_client::api::{IntegrationOwner, ListingRole};
use access_client::{Client, Error, ErrorKind, Invalid, Object, StopSignal};
use plugin_server::{CallContext, Report as _};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

pub(crate) use causes::{Cause, Causes};
pub(crate) use key::Key;
pub(crate) use lists::{InList, Incomplete, List, Parent, Parents, Purpose};
pub(crate) use plans::{Claim, Contradiction, Creation, Plans};
pub(crate) use states::{Refresh, States};
pub(crate) use writes::{Held, Writes, is_one_object};

use crate::config::{self, Configuration, ProviderConfig, Settings, Unknown};
use crate::environment;
use crate::repository::OwnRepository;

/// An object of the API whose lists a run shares.
pub(crate) trait Listable: Object {
    /// Returns the findings of the run about the objects of this type.
    fn parents(session: &Session) -> &Parents<Self>;
}

impl Listable for ListingRole {
    fn parents(session: &Session) -> &Parents<Self> {
        &session.roles
    }
}

impl Listable for IntegrationOwner {
    fn parents(session: &Session) -> &Parents<Self> {
        &session.owners
    }
}

/// A configured provider, and what this run has found.
///
/// While arguments of the provider are unknown, it plans without the service: it compares the plans
/// of resources, and every request fails.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// The base address, as private state records it; `None` while arguments are unknown.
    pub(crate) base_url: Option<String>,
    pub(crate) detects_drift: bool,
    abandons: bool,
    /// The repository that is recorded on roles.
    pub(crate) repository: OwnRepository,
    pub(crate) plans: Plans,
    pub(crate) writes: Writes,
    pub(crate) states: States,
    pub(crate) causes: Causes,
    /// Whether a check of a plan has failed for a cause that concerns every object. The plans of
    /// this run then check no further.
    checks_have_failed: AtomicBool,
    pub(crate) roles: Parents<ListingRole>,
    pub(crate) owners: Parents<IntegrationOwner>,
}

impl Session {
    /// Returns a name with the base address, as complete messages show it: configurations of
    /// several regions have objects of the same name.
    pub(crate) fn with_base_url(&self, name: impl fmt::Display) -> String {
        match &self.base_url {
            Some(base_url) => format!("{name} (at {base_url})"),
            None => name.to_string(),
        }
    }

    /// Returns whether all arguments of the provider are known.
    pub(crate) fn has_settings(&self) -> bool {
        self.base_url.is_some()
    }

    /// Returns the repository that is recorded on roles, unless arguments are unknown.
    pub(crate) fn known_repository(&self) -> Option<&OwnRepository> {
        Some(&self.repository).filter(|_| self.has_settings())
    }

    /// Returns whether the plan of a create checks what exists: not after an apply call, which
    /// follows at once, nor after a failure that would meet every object.
    pub(crate) fn checks_in_plans(&self) -> bool {
        let have_failed = self.checks_have_failed.load(Ordering::Relaxed);
        self.detects_drift && !self.plans.have_ended() && !have_failed
    }

    /// Records a failed check of a plan. Returns whether an earlier one has failed for every
    /// object.
    pub(crate) fn record_failed_check(&self, error: &Error) -> bool {
        let ends = error.kind() == ErrorKind::Server || error.shared_cause().is_some();
        ends && self.checks_have_failed.swap(true, Ordering::Relaxed)
    }

    /// Returns whether a destroy leaves the object at the service. `policy` is that of its
    /// resource.
    pub(crate) fn abandons(&self, policy: &Value<String>) -> bool {
        policy.as_ref_option().map_or(self.abandons, |policy| policy == "abandon")
    }

    /// Begins a create, an update or a delete: ends the plans, waits until no other call writes the
    /// object, and holds off others until the guards are dropped.
    pub(crate) async fn begin_write(&self, keys: &[Key]) -> Held {
        self.plans.end();
        self.writes.hold(keys).await
    }

    /// Returns a session that has found nothing yet.
    fn new(settings: Settings) -> Result<Self, Invalid> {
        let Settings { client, detects_drift, abandons, repository } = settings;
        let base_url = Some(client.base_url.to_string());
        let client = Client::new(client)?;
        Ok(Self { base_url, detects_drift, abandons, repository, ..Self::without_settings(client) })
    }

    /// Returns a session that plans without the service, because arguments are unknown.
    fn of_unknown(Unknown { arguments, abandons }: &Unknown) -> Result<Self, Invalid> {
        let reason = format!("the {} known only after apply", subject_of(arguments));
        let client = Client::without_settings(reason)?;
        Ok(Self { abandons: *abandons, ..Self::without_settings(client) })
    }

    fn without_settings(client: Client) -> Self {
        Self {
            client,
            base_url: None,
            detects_drift: false,
            abandons: false,
            repository: OwnRepository::default(),
            plans: Plans::default(),
            writes: Writes::new(),
            states: States::default(),
            causes: Causes::default(),
            checks_have_failed: AtomicBool::new(false),
            roles: Parents::default(),
            owners: Parents::default(),
        }
    }
}

/// Returns arguments of the provider as the subject of a sentence, with its verb.
fn subject_of(arguments: &[&str]) -> String {
    let (noun, verb) = if arguments.len() == 1 { ("argument", "is") } else { ("arguments", "are") };
    format!("provider {noun} `{}` {verb}", arguments.join("`, `"))
}

/// The progress of the configuration.
enum State {
    Unconfigured,
    /// These provider arguments are known only after apply.
    Unknown(Vec<&'static str>, Arc<Session>),
    Ready(Arc<Session>),
}

/// The access of resources to the configured provider. Clones share their state.
#[derive(Clone)]
pub(crate) struct Connection(Arc<RwLock<State>>);

impl Connection {
    /// Returns a connection that ConfigureProvider has not reached yet.
    pub(crate) fn new() -> Self {
        Self(Arc::new(RwLock::new(State::Unconfigured)))
    }

    /// Configures the provider by a provider block and the environment. Sends no request. Returns
    /// `None` with errors in `diags`.
    pub(crate) fn configure(
        &self,
        config: &ProviderConfig,
        terraform_version: &str,
        stop: StopSignal,
        diags: &mut Diagnostics,
    ) -> Option<()> {
        let directory = environment::working_directory();
        let variable = &environment::variable;
        let configuration =
            config::configure(config, terraform_version, variable, &directory, stop, diags)?;
        let failed = |reason| {
            let summary = "Could not set up the connection to the service";
            diags.report_error(summary, format!("{reason}."));
        };
        let state = match configuration {
            Configuration::Unknown(unknown) => {
                let session = Session::of_unknown(&unknown).map_err(failed).ok()?;
                State::Unknown(unknown.arguments, Arc::new(session))
            }
            Configuration::Ready(settings) => {
                State::Ready(Arc::new(Session::new(*settings).map_err(failed).ok()?))
            }
        };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = state;
        Some(())
    }

    /// Returns the run, for a plan or a refresh: without the service if arguments of the provider
    /// are unknown. If the host accepts a deferral then, defers the change of the running call.
    pub(crate) fn session_or_defer(&self) -> Option<Arc<Session>> {
        match self.require() {
            Ok(session) => Some(session),
            Err(None) => None,
            Err(Some(_)) => self.session(),
        }
    }

    /// Returns the run, if Terraform has configured the provider. It also calls one that it has not.
    pub(crate) fn session(&self) -> Option<Arc<Session>> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(session) | State::Unknown(_, session) => Some(Arc::clone(session)),
            State::Unconfigured => None,
        }
    }

    /// Returns the run, or the detail of an error for users: `None` if the call is deferred
    /// instead.
    pub(crate) fn require(&self) -> Result<Arc<Session>, Option<String>> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(session) => Ok(Arc::clone(session)),
            State::Unknown(..) if CallContext::current().is_some_and(|call| call.defer()) => {
                Err(None)
            }
            State::Unknown(arguments, _) => Err(Some(format!(
                "The {} known only after apply, and this operation needs the service. Use known \
                 values, or apply what they come from first (`-target`).",
                subject_of(arguments)
            ))),
            State::Unconfigured => Err(Some(
                "Terraform called the provider before configuring it. This is a bug in the provider \
                 or in the host."
                    .to_owned(),
            )),
        }
    }
}
