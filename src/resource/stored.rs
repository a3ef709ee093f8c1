//! A state with its private state: the data that the provider stores with an object in addition to the
//! state that users see.
//!
//! Terraform keeps private state as opaque bytes. plugin-server treats bytes that it cannot read as
//! empty: the provider is then more conservative.

use serde::{Deserialize, Serialize};

use crate::run::{Keys, Run};

/// A state with its private state.
#[derive(Clone, Default)]
pub(crate) struct Stored<S, P> {
    pub(crate) state: S,
    pub(crate) private: Private<P>,
}

/// Private state: the part that all resources have, and the resource's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, bound(deserialize = "P: Default + Deserialize<'de>"))]
pub(crate) struct Private<P> {
    /// The full name. Terraform passes it to the plan of the create that replaces the object.
    pub(crate) name: Option<String>,
    /// The base address under which the object was last seen or written.
    pub(crate) base_url: Option<String>,
    /// Identifies the last write: a destroy of an older state must not delete what was written since.
    pub(crate) write_id: Option<String>,
    pub(crate) own: P,
    /// What the plan of a create creates in place of this object, for the destroy of a destroy-first
    /// replacement. It is never stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) successor: Option<Successor>,
    /// Whether the plan leaves the object at the service: the apply may run under another policy. Like
    /// `successor`, for the destroy only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_left: bool,
}

/// The object that a create makes, as its plan knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Successor {
    /// The known keys of the new object: none if its name is known only after apply.
    pub(crate) keys: Keys,
    /// Whether the create adopts an object that exists.
    pub(crate) adopts: bool,
    /// Whether the create leaves out what the present object may have: `resources` that are not managed.
    pub(crate) leaves_out: bool,
}

/// Where an object was last seen or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastSeen {
    /// At the base address of this run.
    Here,
    Elsewhere,
    /// Private state records no address.
    Unknown,
}

impl<P> Private<P> {
    pub(crate) fn last_seen(&self, run: &Run) -> LastSeen {
        match self.base_url {
            Some(_) if run.base_url == self.base_url => LastSeen::Here,
            Some(_) if run.has_settings() => LastSeen::Elsewhere,
            _ => LastSeen::Unknown,
        }
    }

    /// Returns whether a destroy leaves the object at the service: by the policy of the provider, or
    /// because its plan has left it.
    pub(crate) fn leaves(&self, run: &Run) -> bool {
        self.is_left || run.abandons
    }

    /// Records that the object was seen at this base address.
    pub(crate) fn record_seen(&mut self, run: &Run, name: String) {
        self.name = Some(name);
        self.base_url.clone_from(&run.base_url);
    }

    /// Records a write at this base address.
    pub(crate) fn record_written(&mut self, run: &Run, name: String, write_id: String) {
        self.record_seen(run, name);
        self.write_id = Some(write_id);
    }
}
