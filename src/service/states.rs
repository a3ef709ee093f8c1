//! The objects that the states of a run name, by object. Terraform plans the create of a tainted resource
//! without its state, so that what it passed before is the only trace of the object that the resource has.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Key;

/// The objects that the states of a run name.
#[derive(Default)]
pub(crate) struct States(Mutex<HashMap<Key, InState>>);

/// An object that a state names.
#[derive(Clone)]
pub(crate) struct InState {
    pub(crate) name: String,
    /// Whether its destroy leaves it at the service.
    pub(crate) is_abandoned: bool,
    /// State and private state as they arrived, in the type of the resource. `None` if Terraform has
    /// passed the object for an upgrade only, which has no private state.
    stored: Option<Arc<dyn Any + Send + Sync>>,
}

impl InState {
    /// Returns an object whose state Terraform has passed for an upgrade.
    pub(crate) fn upgraded(name: String, is_abandoned: bool) -> Self {
        Self { name, is_abandoned, stored: None }
    }

    pub(crate) fn with_stored(self, stored: impl Any + Send + Sync) -> Self {
        Self { stored: Some(Arc::new(stored)), ..self }
    }

    /// Returns state and private state, if this run has read or planned the object.
    pub(crate) fn as_stored<S: 'static>(&self) -> Option<&S> {
        self.stored.as_ref()?.downcast_ref()
    }
}

impl States {
    /// Records an object that a state names. What a read has returned is not replaced by an upgrade.
    pub(crate) fn record(&self, keys: Vec<Key>, object: &InState) {
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in keys {
            let known = states.entry(key).or_insert_with(|| object.clone());
            if object.stored.is_some() {
                *known = object.clone();
            }
        }
    }

    /// Discards an object that a read has found deleted.
    pub(crate) fn forget(&self, keys: &[Key]) {
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().for_each(|key| drop(states.remove(key)));
    }

    /// Returns the first of these objects that a state names.
    pub(crate) fn find(&self, keys: &[Key]) -> Option<InState> {
        let states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().find_map(|key| states.get(key).cloned())
    }
}
