//! What a running call knows about itself.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

tokio::task_local! {
    static CURRENT: CallContext;
}

/// The call that the current task serves.
///
/// tf-provider's traits have no argument for this, so it travels with the task. A task that
/// provider code spawns by itself is outside of it: take what it needs along, or run it within
/// [`CallContext::scope`].
#[derive(Clone, Debug)]
pub struct CallContext {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    rpc: &'static str,
    type_name: String,
    private: Bytes,
    client: ClientCapabilities,
    deferred: AtomicBool,
    stop: CancellationToken,
}

/// What the host says it understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// The host accepts an answer that puts the change off.
    pub deferral_allowed: bool,
    /// The host knows attributes that are sent and never stored (Terraform 1.11).
    pub write_only_attributes_allowed: bool,
}

impl CallContext {
    pub(crate) fn new(
        rpc: &'static str,
        type_name: String,
        private: Bytes,
        client: ClientCapabilities,
        stop: CancellationToken,
    ) -> Self {
        let deferred = AtomicBool::new(false);
        Self { inner: Arc::new(Inner { rpc, type_name, private, client, deferred, stop }) }
    }

    /// The call that the current task serves; `None` outside of one.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Runs `future` as part of this call.
    pub fn scope<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, future)
    }

    /// The name of the call as the protocol has it, such as `ApplyResourceChange`.
    #[must_use]
    pub fn rpc(&self) -> &'static str {
        self.inner.rpc
    }

    /// The full name of the resource type, data source or function; empty for the provider's own.
    #[must_use]
    pub fn type_name(&self) -> &str {
        &self.inner.type_name
    }

    /// The private data as the host sent it.
    ///
    /// The one place to see, while a replacement is planned as a create, what the object that is
    /// to be replaced had.
    #[must_use]
    pub fn private(&self) -> &[u8] {
        &self.inner.private
    }

    /// The private data as the provider wrote it; `None` where there is none that reads so.
    #[must_use]
    pub fn read_private<T: DeserializeOwned>(&self) -> Option<T> {
        rmp_serde::from_slice(&self.inner.private).ok()
    }

    /// What the host says it understands.
    #[must_use]
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.inner.client
    }

    /// Puts the change off, because the provider's own configuration is not known yet. `false` where
    /// the host does not accept that.
    ///
    /// For reads, plans, imports and data sources; the host asks again once it knows more. What is
    /// returned then may be as it was, unknown, or for imports and data sources nothing at all.
    #[must_use]
    pub fn defer(&self) -> bool {
        let allowed = self.inner.client.deferral_allowed;
        self.inner.deferred.fetch_or(allowed, Ordering::Relaxed);
        allowed
    }

    pub(crate) fn is_deferred(&self) -> bool {
        self.inner.deferred.load(Ordering::Relaxed)
    }

    /// The token that is cancelled when the host wants this call to come to an end.
    ///
    /// A cancelled call still has to answer: what was made has to be in the state it returns, along
    /// with an error that says what was left undone.
    #[must_use]
    pub fn stop_token(&self) -> CancellationToken {
        self.inner.stop.clone()
    }

    /// Waits until the host wants this call to come to an end.
    pub async fn cancelled(&self) {
        self.inner.stop.cancelled().await;
    }
}

/// The token of the call that the current task serves, and one that nobody cancels outside of a
/// call.
///
/// See [`CallContext::stop_token`].
#[must_use]
pub fn stop_token() -> CancellationToken {
    CallContext::current().map_or_else(CancellationToken::new, |call| call.stop_token())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn context_is_there_within_a_call_only() {
        assert!(CallContext::current().is_none());
        let stop = CancellationToken::new();
        let call = CallContext::new(
            "ReadResource",
            "pantry_jar".into(),
            Bytes::new(),
            ClientCapabilities::default(),
            stop.clone(),
        );
        call.scope(async {
            assert_eq!(CallContext::current().unwrap().rpc(), "ReadResource");
            assert!(!stop_token().is_cancelled());
            stop.cancel();
            assert!(stop_token().is_cancelled());
        })
        .await;
        assert!(!stop_token().is_cancelled());
    }
}
