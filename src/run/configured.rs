//! The access of resources to the run.
//!
//! Resources exist before the provider is configured, and `validate` never configures it. They share a
//! [`Configured`] that has a run from ConfigureProvider on.

use std::sync::{Arc, PoisonError, RwLock};

use access_client::StopSignal;
use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::Run;
use crate::config::{self, Configuration, ProviderConfig};
use crate::environment;

/// The access of resources to the run. Clones share it.
#[derive(Clone)]
pub(crate) struct Configured(Arc<RwLock<Option<Arc<Run>>>>);

impl Configured {
    /// Returns the access to a provider that ConfigureProvider has not reached yet.
    pub(crate) fn new() -> Self {
        Self(Arc::default())
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
        let run = match configuration {
            Configuration::Unknown(unknown) => Run::of_unknown(&unknown),
            Configuration::Ready(settings) => Run::new(*settings),
        };
        let run = Arc::new(run.map_err(failed).ok()?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(run);
        Some(())
    }

    /// Returns the run, for a plan or a refresh: without the service if arguments of the provider are
    /// unknown. `None` if Terraform has not configured the provider.
    pub(crate) fn run(&self) -> Option<Arc<Run>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the run for an operation that needs the service.
    ///
    /// # Errors
    ///
    /// Returns a sentence about why there is none.
    pub(crate) fn require(&self) -> Result<Arc<Run>, String> {
        let run = self.run().ok_or(
            "Terraform called the provider before configuring it. This is a bug in the provider or in the \
             host.",
        )?;
        match &run.unknown {
            None => Ok(run),
            Some(reason) => Err(format!(
                "This operation needs the service, but {reason}. Use known values, or apply what they come from \
                 first (`-target`)."
            )),
        }
    }
}

/// Returns arguments of the provider as the beginning of a sentence, with its verb.
pub(super) fn with_verb(arguments: &[&str]) -> String {
    let (noun, verb) = if arguments.len() == 1 { ("argument", "is") } else { ("arguments", "are") };
    format!("provider {noun} `{}` {verb}", arguments.join("`, `"))
}
