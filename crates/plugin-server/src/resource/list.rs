//! List resources.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tokio::sync::mpsc;

use super::identity::ResourceWithIdentity;
use crate::dynamic::{Family, Input, TypedResource, encode};

/// A resource whose existing objects can be listed (`terraform query`, Terraform 1.14).
///
/// Registered by [`Registration::list_resource`](crate::Registration::list_resource).
#[async_trait]
pub trait ListResource: ResourceWithIdentity + Sized {
    /// The configuration of a `list` block.
    type ListConfig<'a>: Serialize + Deserialize<'a> + Send;

    /// Returns the attributes of the `config` of a `list` block. Called once, at registration.
    fn list_schema(&self, diags: &mut Diagnostics) -> Option<Schema>;

    /// Validates the configuration, which may contain unknown values.
    async fn validate_list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: Self::ListConfig<'a>,
    ) -> Option<()> {
        let _ = (diags, config);
        Some(())
    }

    /// Sends the existing objects to `stream`, until it returns `Break`.
    ///
    /// If the host drops the stream, exits or stops the provider, the call is cancelled: see
    /// [`stop_token`](crate::stop_token). A listing that waits for pages
    /// of a service should wait for the cancellation as well.
    ///
    /// # Errors
    ///
    /// Errors in `diags` end the listing. Warnings are shown at its end. `None` is an error.
    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: Self::ListConfig<'a>,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()>;
}

/// One object of a listing.
#[non_exhaustive]
pub struct ListResult<'a, R: ListResource> {
    /// The name that the user sees.
    pub display_name: String,
    /// The identity. It must not contain unknown values.
    pub identity: R::Identity<'a>,
    /// The state; required if [`ListResultsStream::include_resource`] returns `true`.
    pub resource: Option<R::State<'a>>,
}

impl<'a, R: ListResource> ListResult<'a, R> {
    /// Returns an object without its state.
    #[must_use]
    pub fn new(display_name: impl Into<String>, identity: R::Identity<'a>) -> Self {
        Self { display_name: display_name.into(), identity, resource: None }
    }

    /// Sets the state.
    #[must_use]
    pub fn with_resource(mut self, state: Option<R::State<'a>>) -> Self {
        self.resource = state;
        self
    }
}

/// The stream on which a listing sends its results to the host.
#[derive(Debug)]
pub struct ListResultsStream<'s, R> {
    sender: &'s mpsc::Sender<Listed>,
    remaining: u64,
    include_resource: bool,
    of: PhantomData<fn() -> R>,
}

/// One object of a listing, as bytes.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) display_name: String,
    pub(crate) identity: Vec<u8>,
    pub(crate) resource: Option<Vec<u8>>,
    pub(crate) diags: Diagnostics,
}

impl<R: ListResource> ListResultsStream<'_, R> {
    /// Returns whether the host requests the state of each object in addition to its identity.
    #[must_use]
    pub fn include_resource(&self) -> bool {
        self.include_resource
    }

    /// Returns the number of further objects that the host requests, from which page sizes can be
    /// derived.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Sends one object. Returns `Break` if the host does not request more: the limit is reached,
    /// or the host has dropped the stream. Neither is an error.
    pub async fn send(&mut self, result: ListResult<'_, R>) -> ControlFlow<()> {
        if self.remaining == 0 {
            return ControlFlow::Break(());
        }
        let mut diags = Diagnostics::default();
        let identity = encode(&mut diags, &result.identity).unwrap_or_default();
        let resource = match result.resource {
            Some(state) if self.include_resource => encode(&mut diags, &state),
            _ => None,
        };
        let listed = Listed { display_name: result.display_name, identity, resource, diags };
        self.remaining -= 1;
        if self.sender.send(listed).await.is_err() || self.remaining == 0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[async_trait]
pub(crate) trait DynListResource: Send + Sync {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()>;
    async fn list(
        &self,
        diags: &mut Diagnostics,
        config: &Input<'_>,
        limit: u64,
        include_resource: bool,
        sender: &mpsc::Sender<Listed>,
    ) -> Option<()>;
}

/// The list configurations of a resource.
struct ListConfigOf<R>(PhantomData<R>);

impl<R: ListResource> Family for ListConfigOf<R> {
    type Of<'a> = R::ListConfig<'a>;
}

#[async_trait]
impl<R: ListResource + 'static> DynListResource for TypedResource<R> {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()> {
        let config = config.read::<ListConfigOf<R>>(diags)?;
        self.0.validate_list(diags, config).await
    }

    async fn list(
        &self,
        diags: &mut Diagnostics,
        config: &Input<'_>,
        limit: u64,
        include_resource: bool,
        sender: &mpsc::Sender<Listed>,
    ) -> Option<()> {
        let config = config.read::<ListConfigOf<R>>(diags)?;
        let mut stream =
            ListResultsStream { sender, remaining: limit, include_resource, of: PhantomData };
        self.0.list(diags, config, &mut stream).await
    }
}
