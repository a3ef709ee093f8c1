//! The context of a call, which the provider's code can read.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

tokio::task_local! {
    static CURRENT: CallContext;
}

/// The call that the current task handles.
///
/// tf-provider's traits do not have an argument for it, so it is a task-local value. Tasks that the
/// provider spawns do not inherit it: pass them the values that they need.
#[derive(Clone, Debug)]
pub struct CallContext {
    info: Arc<CallInfo>,
    stop: CancellationToken,
}

/// The properties of a call that are taken from its request.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallInfo {
    pub(crate) type_name: String,
    private: Bytes,
    deferral_allowed: bool,
}

impl CallInfo {
    pub(crate) fn of(type_name: &str) -> Self {
        Self { type_name: type_name.to_owned(), ..Self::default() }
    }

    pub(crate) fn private(mut self, private: &Bytes) -> Self {
        self.private = private.clone();
        self
    }

    pub(crate) fn deferral_allowed(mut self, is_allowed: bool) -> Self {
        self.deferral_allowed = is_allowed;
        self
    }
}

impl CallContext {
    pub(crate) fn new(info: CallInfo, stop: CancellationToken) -> Self {
        Self { info: Arc::new(info), stop }
    }

    /// Returns the call that the current task handles; `None` outside of a call.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Runs `future` as part of this call.
    pub(crate) fn scope<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, future)
    }

    /// Deserializes the prior private data. Returns `None` if it is empty or is not of this type.
    ///
    /// tf-provider's `plan_create` does not have an argument for it. When a replacement is planned,
    /// this is the private data of the first plan, and thus of the object to replace.
    #[must_use]
    pub fn read_private<T: DeserializeOwned>(&self) -> Option<T> {
        rmp_serde::from_slice(&self.info.private).ok()
    }

    /// Returns whether the host accepts that a plan is deferred. Terraform from 1.9 on accepts it in
    /// each plan inside an apply, and in other plans only with `-allow-deferral`. OpenTofu never
    /// does.
    #[must_use]
    pub fn deferral_allowed(&self) -> bool {
        self.info.deferral_allowed
    }
}

/// Returns the token that is cancelled when the host stops the call that the current task handles.
/// Outside of a call, the returned token is never cancelled.
///
/// A cancelled call still has to return the state with everything that was created, and an error
/// that names the rest.
#[must_use]
pub fn stop_token() -> CancellationToken {
    CallContext::current().map_or_else(CancellationToken::new, |call| call.stop)
}
