//! Listing: items on their way to the host.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use tf_provider::Diagnostics;
use tokio::sync::mpsc;

use super::WithList;
use crate::erased::encode;

/// One object that was found, in bytes.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) display_name: String,
    pub(crate) identity: Vec<u8>,
    pub(crate) resource: Option<Vec<u8>>,
    pub(crate) diags: Diagnostics,
}

/// One object that was found.
pub struct ListItem<'a, R: WithList> {
    /// What the user sees.
    pub display_name: String,
    /// Its identity, wholly known.
    pub identity: R::Identity<'a>,
    /// Its whole state; needed only where [`ListSink::wants_resource`] says so.
    pub resource: Option<R::State<'a>>,
}

/// Where a listing sends what it finds.
#[derive(Debug)]
pub struct ListSink<'s, R> {
    sender: &'s mpsc::Sender<Listed>,
    remaining: u64,
    wants_resource: bool,
    of: PhantomData<fn() -> R>,
}

impl<'s, R: WithList> ListSink<'s, R> {
    pub(crate) fn new(sender: &'s mpsc::Sender<Listed>, limit: u64, wants_resource: bool) -> Self {
        Self { sender, remaining: limit, wants_resource, of: PhantomData }
    }

    /// Whether the host wants the state of each object, beside its identity.
    #[must_use]
    pub fn wants_resource(&self) -> bool {
        self.wants_resource
    }

    /// How many more objects the host wants, for page sizes.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Sends one object. `Break` says that no more are wanted: the limit is reached, or the host
    /// went away. That is no error.
    pub async fn send(&mut self, item: ListItem<'_, R>) -> ControlFlow<()> {
        if self.remaining == 0 {
            return ControlFlow::Break(());
        }
        let mut diags = Diagnostics::default();
        let identity = encode(&mut diags, &item.identity).unwrap_or_default();
        let resource = match item.resource {
            Some(state) if self.wants_resource => encode(&mut diags, &state),
            _ => None,
        };
        let listed = Listed { display_name: item.display_name, identity, resource, diags };
        self.remaining -= 1;
        if self.sender.send(listed).await.is_err() || self.remaining == 0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
