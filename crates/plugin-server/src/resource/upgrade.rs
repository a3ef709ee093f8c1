//! States that the host has stored.

use tf_provider::{Diagnostics, Resource};

use crate::dynamic::{Input, TypedResource};

/// A resource that is told of its stored states.
///
/// Hosts call UpgradeResourceState for each of them in every command, also where they refresh nothing.
///
/// Registered by [`Registration::stored_states`](crate::Registration::stored_states).
pub trait ResourceWithStoredStates: Resource {
    /// Takes notice of a stored state, as it is after its upgrade.
    fn record_stored(&self, state: Self::State<'_>);
}

pub(crate) trait DynStoredStates: Send + Sync {
    fn record(&self, diags: &mut Diagnostics, state: &Input<'_>);
}

impl<R: ResourceWithStoredStates + 'static> DynStoredStates for TypedResource<R> {
    fn record(&self, diags: &mut Diagnostics, state: &Input<'_>) {
        if let Some(state) = state.read::<Self>(diags) {
            self.0.record_stored(state);
        }
    }
}
