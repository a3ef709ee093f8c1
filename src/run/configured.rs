//! The access of resources to the run.
//!
//! Resources exist before the provider is configured, and `validate` never configures it. They share a
//! [`Configured`] that becomes usable with ConfigureProvider.

use std::sync::{Arc, PoisonError, RwLock};

use access_client::StopSignal;
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::Run;
use crate::config::{self, Configuration, ProviderConfig};
use crate::environment;

/// The progress of the configuration.
enum Progress {
    Unconfigured,
    /// These provider arguments are known only after apply.
    Unknown(Vec<&'static str>, Arc<Run>),
    Ready(Arc<Run>),
}

/// The access of resources to the run. Clones share their state.
#[derive(Clone)]
pub(crate) struct Configured(Arc<RwLock<Progress>>);

impl Configured {
    /// Returns the access to a provider that ConfigureProvider has not reached yet.
    pub(crate) fn new() -> Self {
        Self(Arc::new(RwLock::new(Progress::Unconfigured)))
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
            diags.report_error(summary, format!("No request can be sent: {reason}."));
        };
        let state = match configuration {
            Configuration::Unknown(unknown) => {
                let run = Run::of_unknown(&unknown).map_err(failed).ok()?;
                Progress::Unknown(unknown.arguments, Arc::new(run))
            }
            Configuration::Ready(settings) => {
                Progress::Ready(Arc::new(Run::new(*settings).map_err(failed).ok()?))
            }
        };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = state;
        Some(())
    }

    /// Returns the run, for a plan or a refresh: without the service if arguments of the provider are
    /// unknown. `None` if Terraform has not configured the provider.
    pub(crate) fn run(&self) -> Option<Arc<Run>> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            Progress::Ready(run) | Progress::Unknown(_, run) => Some(Arc::clone(run)),
            Progress::Unconfigured => None,
        }
    }

    /// Returns the run for an operation that needs the service.
    ///
    /// # Errors
    ///
    /// Returns a sentence about why there is none.
    pub(crate) fn require(&self) -> Result<Arc<Run>, String> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            Progress::Ready(run) => Ok(Arc::clone(run)),
            Progress::Unknown(arguments, _) => Err(format!(
                "The {} known only after apply, and this operation needs the service. Use known values, or apply \
                 what they come from first (`-target`).",
                with_verb(arguments)
            )),
            Progress::Unconfigured => Err(
                "Terraform called the provider before configuring it. This is a bug in the provider or in the \
                 host."
                    .to_owned(),
            ),
        }
    }
}

/// Returns arguments of the provider as the beginning of a sentence, with its verb.
pub(super) fn with_verb(arguments: &[&str]) -> String {
    let (noun, verb) = if arguments.len() == 1 { ("argument", "is") } else { ("arguments", "are") };
    format!("provider {noun} `{}` {verb}", arguments.join("`, `"))
}
