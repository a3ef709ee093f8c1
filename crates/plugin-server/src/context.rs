//! The context of a call, which the provider's code can read.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::pb::tfplugin6 as pb;

tokio::task_local! {
    static CURRENT: CallContext;
}

/// The call that the current task handles.
///
/// tf-provider's traits do not have an argument for it, so it is a task-local value. Tasks that the
/// provider spawns do not inherit it: pass them the values that they need, or run them within
/// [`CallContext::scope`].
#[derive(Clone, Debug)]
pub struct CallContext {
    inner: Arc<Inner>,
}

/// What the clones of a context share.
#[derive(Debug)]
struct Inner {
    rpc: &'static str,
    info: CallInfo,
    deferred: AtomicBool,
    stop: CancellationToken,
}

/// The properties of a call that are taken from its request.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallInfo {
    pub(crate) type_name: String,
    private: Bytes,
    planned_private: Bytes,
    pub(crate) client: pb::ClientCapabilities,
    action: Option<ResourceAction>,
}

impl CallInfo {
    pub(crate) fn of(type_name: &str) -> Self {
        Self { type_name: type_name.to_owned(), ..Self::default() }
    }

    pub(crate) fn private(mut self, private: &Bytes) -> Self {
        self.private = private.clone();
        self
    }

    pub(crate) fn planned_private(mut self, private: &Bytes) -> Self {
        self.planned_private = private.clone();
        self
    }

    pub(crate) fn client(mut self, client: Option<&pb::ClientCapabilities>) -> Self {
        self.client = client.cloned().unwrap_or_default();
        self
    }

    pub(crate) fn action(mut self, action: ResourceAction) -> Self {
        self.action = Some(action);
        self
    }
}

/// The action of a plan or an apply on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceAction {
    /// There is no prior state: the resource is created. A replacement is planned a second time as
    /// a create, with the private data that its first plan returned.
    Create,
    /// There are a prior and a planned state: the resource is updated, or its first plan results in
    /// a replacement.
    Update,
    /// There is no planned state: the resource is destroyed.
    Destroy,
}

impl ResourceAction {
    /// Returns the action by which of the two states is null. If both are, there is nothing left to
    /// plan: a destroy.
    pub(crate) fn of(prior_is_null: bool, planned_is_null: bool) -> Self {
        match (prior_is_null, planned_is_null) {
            (_, true) => Self::Destroy,
            (true, false) => Self::Create,
            (false, false) => Self::Update,
        }
    }
}

impl CallContext {
    pub(crate) fn new(rpc: &'static str, info: CallInfo, stop: CancellationToken) -> Self {
        let deferred = AtomicBool::new(false);
        Self { inner: Arc::new(Inner { rpc, info, deferred, stop }) }
    }

    /// Returns the call that the current task handles; `None` outside of a call.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Runs `future` as part of this call.
    pub fn scope<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, future)
    }

    /// Returns the name of the call in the protocol, such as `ApplyResourceChange`.
    #[must_use]
    pub fn rpc(&self) -> &'static str {
        self.inner.rpc
    }

    /// Returns the action of a plan or an apply on the resource; `None` in every other call.
    #[must_use]
    pub fn resource_action(&self) -> Option<ResourceAction> {
        self.inner.info.action
    }

    /// Deserializes the prior private data. Returns `None` if it is empty or is not of this type.
    ///
    /// tf-provider's `plan_create` does not have an argument for it. When a replacement is planned,
    /// this is the private data of the first plan, and thus of the object to replace.
    #[must_use]
    pub fn read_private<T: DeserializeOwned>(&self) -> Option<T> {
        rmp_serde::from_slice(&self.inner.info.private).ok()
    }

    /// Deserializes the private data that the first plan of this change returned.
    ///
    /// Terraform 1.16 and later plans again before it applies, and sends these data with that plan,
    /// in which the prior private data of a create are empty. Returns `None` in other calls, from
    /// other hosts, and if the data are not of this type.
    #[must_use]
    pub fn planned_private<T: DeserializeOwned>(&self) -> Option<T> {
        rmp_serde::from_slice(&self.inner.info.planned_private).ok()
    }

    /// Defers the change, because the provider's configuration is not known yet. Returns `false` if
    /// the host does not accept deferred changes.
    ///
    /// Applies to reads, plans, imports and data sources. The host repeats the call when the
    /// configuration is known. A deferred call may return its values unchanged or unknown; an
    /// import or a data source may also return `None`.
    #[must_use]
    pub fn defer(&self) -> bool {
        let allowed = self.inner.info.client.deferral_allowed;
        self.inner.deferred.fetch_or(allowed, Ordering::Relaxed);
        allowed
    }

    pub(crate) fn is_deferred(&self) -> bool {
        self.inner.deferred.load(Ordering::Relaxed)
    }

    /// Returns the token that is cancelled when the host stops this call.
    ///
    /// A cancelled call still has to return the state with everything that was created, and an
    /// error that names the rest.
    #[must_use]
    pub fn stop_token(&self) -> CancellationToken {
        self.inner.stop.clone()
    }

    /// Waits until the host stops this call.
    pub async fn cancelled(&self) {
        self.inner.stop.cancelled().await;
    }
}

/// Returns the cancellation token of the call that the current task handles. Outside of a call, the
/// returned token is never cancelled.
///
/// See [`CallContext::stop_token`].
#[must_use]
pub fn stop_token() -> CancellationToken {
    CallContext::current().map_or_else(CancellationToken::new, |call| call.stop_token())
}
