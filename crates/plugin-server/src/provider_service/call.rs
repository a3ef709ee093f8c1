//! The handling of a call. The provider's code runs in a task of its own with a cancellation token
//! and a log span, and a panic becomes a diagnostic.

use std::any::Any;
use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use tf_provider::Diagnostics;
use tokio::runtime::Handle;
use tonic::{Request, Response, Status};
use tracing::Instrument as _;

use crate::context::{CallContext, CallInfo};
use crate::diagnostic::{BUG, error};
use crate::lifecycle::Lifecycle;
use crate::registry::{Registered, Registry};

/// The implementation of the service `tfplugin6.Provider`.
#[derive(Clone)]
pub(crate) struct ProviderService {
    pub(super) registry: Arc<Registry>,
    pub(super) lifecycle: Arc<Lifecycle>,
    /// The runtime on which the provider's code runs.
    work: Handle,
}

impl ProviderService {
    pub(crate) fn new(registry: Arc<Registry>, lifecycle: Arc<Lifecycle>, work: Handle) -> Self {
        Self { registry, lifecycle, work }
    }
}

/// A request of the protocol, and its handling by the provider.
pub(super) trait Rpc: Sized + Send + 'static {
    /// The name of the call in the protocol.
    const RPC: &'static str;
    /// The summary of the error if the provider returns neither a value nor an error.
    const FAILURE: &'static str;
    /// Whether a response with errors contains values as well.
    const VALUES_WITH_ERRORS: bool = false;
    /// The registered entry that the call is for, such as a resource type.
    type Entry: Registered;
    type Response: CallResponse;

    /// Returns the properties of the call, with the name of the entry, which is "" for the
    /// provider.
    fn info(&self) -> CallInfo;

    /// Returns the response to a call that fails, without its diagnostics.
    fn failed(&self) -> Self::Response {
        Self::Response::default()
    }

    /// Calls the provider. `None` is a failure.
    fn serve(
        self,
        entry: &Self::Entry,
        diags: &mut Diagnostics,
    ) -> impl Future<Output = Option<Self::Response>> + Send;
}

/// A response that carries diagnostics.
pub(super) trait CallResponse: Default + Send + 'static {
    fn set_diagnostics(&mut self, diags: Diagnostics);
}

/// Adds the error of a call for which the provider returned neither a value nor an error.
pub(super) fn nothing_returned(diags: &mut Diagnostics, summary: &'static str) {
    if diags.errors.is_empty() {
        error(
            diags,
            summary,
            format!("The provider returned neither a result nor an error. {BUG}"),
        );
    }
}

impl ProviderService {
    /// Handles one call.
    pub(super) async fn run<C: Rpc>(
        &self,
        request: Request<C>,
    ) -> Result<Response<C::Response>, Status> {
        let request = request.into_inner();
        let mut failed = request.failed();
        let info = request.info();
        let entry = match C::Entry::find(&self.registry, &info.type_name) {
            Ok(entry) => entry,
            Err(diags) => {
                failed.set_diagnostics(diags);
                return Ok(Response::new(failed));
            }
        };
        let (response, diags) = self
            .run_work(C::RPC, info, async move {
                let mut diags = Diagnostics::default();
                let response = request.serve(&entry, &mut diags).await;
                if response.is_none() {
                    nothing_returned(&mut diags, C::FAILURE);
                }
                (response, diags)
            })
            .await;
        let response = response.filter(|_| C::VALUES_WITH_ERRORS || diags.errors.is_empty());
        let mut response = response.unwrap_or(failed);
        response.set_diagnostics(diags);
        Ok(Response::new(response))
    }

    /// Runs the provider's part of a call to its end, and returns its result and its diagnostics.
    ///
    /// The work continues when the host drops the call, because an incomplete create is worse than
    /// a lost response. Its token is cancelled then. A panic becomes an error and `None`.
    pub(super) async fn run_work<T>(
        &self,
        rpc: &'static str,
        info: CallInfo,
        work: impl Future<Output = (Option<T>, Diagnostics)> + Send + 'static,
    ) -> (Option<T>, Diagnostics)
    where
        T: Send + 'static,
    {
        let stop = self.lifecycle.call_token();
        // Cancels the token once the host has dropped the call.
        let cancel_on_drop = stop.clone().drop_guard();
        let counted = self.lifecycle.call();
        let name = info.type_name.clone();
        let span =
            tracing::info_span!("call", tf_rpc = rpc, tf_resource_type = info.type_name.as_str());
        let context = CallContext::new(info, stop);
        let task = context.scope(
            async move {
                let start = Instant::now();
                tracing::trace!("call received");
                let (returned, diags) = work.await;
                tracing::debug!(
                    tf_req_duration_ms =
                        u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                    diagnostic_error_count = diags.errors.len(),
                    diagnostic_warning_count = diags.warnings.len(),
                    "call served"
                );
                // A call that the host has dropped counts until its work is done.
                drop(counted);
                (returned, diags)
            }
            .instrument(span),
        );
        let result = self.work.spawn(task).await;
        // Work that other calls wait for as well, such as a shared list, may go on after this call.
        // A stop of the provider still reaches it.
        cancel_on_drop.disarm();
        result.unwrap_or_else(|stopped| {
            let mut diags = Diagnostics::default();
            let reason = match stopped.try_into_panic() {
                Ok(panic) => panic_message(&*panic),
                Err(_) => "the call was cut off".to_owned(),
            };
            let on = if name.is_empty() { String::new() } else { format!(" on {name}") };
            let detail = format!("{rpc}{on} ended in a crash: {reason}. {BUG}");
            error(&mut diags, "Provider crashed", detail);
            (None, diags)
        })
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned())
}
