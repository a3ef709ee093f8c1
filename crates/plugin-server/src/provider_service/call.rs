//! How a provider's code is run: in a task of its own, with a token, a log span and a net below.

use std::any::Any;
use std::future::Future;
use std::time::Instant;

use bytes::Bytes;
use tf_provider::Diagnostics;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::ProviderService;
use crate::context::{CallContext, ClientCapabilities};
use crate::diagnostic::{BUG, error};
use crate::pb::tfplugin6 as pb;

/// What a call is about, for the log and for the provider's code.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub(crate) rpc: &'static str,
    pub(crate) type_name: String,
    pub(crate) private: Bytes,
    pub(crate) client: ClientCapabilities,
}

impl About {
    pub(crate) fn new(rpc: &'static str, type_name: &str) -> Self {
        Self { rpc, type_name: type_name.to_owned(), ..Self::default() }
    }

    pub(crate) fn private(mut self, private: &Bytes) -> Self {
        self.private = private.clone();
        self
    }

    pub(crate) fn client(mut self, client: Option<&pb::ClientCapabilities>) -> Self {
        if let Some(client) = client {
            self.client = ClientCapabilities {
                deferral_allowed: client.deferral_allowed,
                write_only_attributes_allowed: client.write_only_attributes_allowed,
            };
        }
        self
    }
}

/// The word that the running call is put off, where the provider has said so.
pub(super) fn deferred() -> Option<pb::Deferred> {
    let reason = pb::deferred::Reason::ProviderConfigUnknown.into();
    CallContext::current()?.is_deferred().then_some(pb::Deferred { reason })
}

/// Cancels the call's token when the host's side of the call is gone.
struct HostGone(CancellationToken);

impl Drop for HostGone {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl ProviderService {
    /// Runs the work of a call to its end, and returns what it returned and its diagnostics.
    ///
    /// The work goes on when the host drops the call, since half a create is worse than one that
    /// nobody hears of; its token tells it. A panic becomes an error and `None`.
    pub(crate) async fn run<T, F>(&self, about: About, work: F) -> (Option<T>, Diagnostics)
    where
        T: Send + 'static,
        F: Future<Output = (Option<T>, Diagnostics)> + Send + 'static,
    {
        let stop = self.lifecycle.call_token();
        let guard = HostGone(stop.clone());
        let counted = self.lifecycle.call();
        let span = tracing::info_span!(
            "call",
            tf_rpc = about.rpc,
            tf_resource_type = about.type_name.as_str()
        );
        let (rpc, name) = (about.rpc, about.type_name.clone());
        let context =
            CallContext::new(about.rpc, about.type_name, about.private, about.client, stop);
        let task = context.scope(
            async move {
                let start = Instant::now();
                tracing::trace!("call received");
                let (answer, diags) = work.await;
                tracing::debug!(
                    tf_req_duration_ms =
                        u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                    diagnostic_error_count = diags.errors.len(),
                    diagnostic_warning_count = diags.warnings.len(),
                    "call answered"
                );
                // The count includes the time in which nobody waits any more.
                drop(counted);
                (answer, diags)
            }
            .instrument(span),
        );
        let result = self.work.spawn(task).await;
        drop(guard);
        result.unwrap_or_else(|crash| {
            let mut diags = Diagnostics::default();
            let reason = match crash.try_into_panic() {
                Ok(panic) => panic_text(&*panic),
                Err(_) => "the call was cut off".to_owned(),
            };
            let on = if name.is_empty() { String::new() } else { format!(" on {name}") };
            error(
                &mut diags,
                "Provider crashed",
                format!("{rpc}{on} ended in a crash: {reason}. {BUG}"),
            );
            (None, diags)
        })
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned())
}
