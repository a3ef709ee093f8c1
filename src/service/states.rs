//! The objects that the states of a run name, by object. Terraform plans the create of a tainted
//! resource without its state, so what it passed before is the only trace of the object that the
//! resource has.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Key;

/// The objects that the states of a run name.
#[derive(Default)]
pub(crate) struct States(Mutex<HashMap<Key, InState>>);

/// An object that a state names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InState {
    pub(crate) name: String,
    pub(crate) refresh: Refresh,
}

/// How far the refresh of an object has come in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refresh {
    /// Terraform has passed the state for an upgrade only.
    NotCalled,
    Called,
    Done {
        /// Whether a destroy leaves access behind that was granted through the object.
        has_grants: bool,
    },
}

impl States {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, InState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an object that a state names. An upgrade does not undo what a refresh has recorded.
    pub(crate) fn record(&self, keys: Vec<Key>, name: &str, refresh: Refresh) {
        let mut states = self.lock();
        for key in keys {
            let object = InState { name: name.to_owned(), refresh };
            let known = states.entry(key).or_insert_with(|| object.clone());
            if refresh != Refresh::NotCalled {
                *known = object;
            }
        }
    }

    /// Discards an object that a read has found deleted.
    pub(crate) fn forget(&self, keys: &[Key]) {
        let mut states = self.lock();
        for key in keys {
            states.remove(key);
        }
    }

    /// Returns whether a refresh of this run was called for one of these objects.
    pub(crate) fn is_refreshed(&self, keys: &[Key]) -> bool {
        self.find(keys).is_some_and(|object| object.refresh != Refresh::NotCalled)
    }

    /// Returns the first of these objects that a state names.
    pub(crate) fn find(&self, keys: &[Key]) -> Option<InState> {
        let states = self.lock();
        keys.iter().find_map(|key| states.get(key).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_counts_more_than_an_upgrade_until_the_object_is_gone() {
        let states = States::default();
        let name = "listings/github/roles/x";
        let keys = || vec![Key::Name(name.to_owned())];
        let refresh = || states.find(&keys()).map(|object| object.refresh);
        assert_eq!(refresh(), None);
        let done = Refresh::Done { has_grants: true };
        for (recorded, expected) in [
            (Refresh::NotCalled, Refresh::NotCalled),
            (Refresh::Called, Refresh::Called),
            (Refresh::NotCalled, Refresh::Called),
            (done, done),
            (Refresh::NotCalled, done),
        ] {
            states.record(keys(), name, recorded);
            assert_eq!(refresh(), Some(expected), "after {recorded:?}");
        }
        states.forget(&keys());
        assert_eq!(refresh(), None);
    }

    #[test]
    fn object_is_found_by_each_of_its_keys() {
        let ada =
            Key::Principal { integration: "github".to_owned(), owner: "users/ada".to_owned() };
        let [one, other] =
            ["1", "2"].map(|id| Key::Name(format!("integrations/github/owners/{id}")));
        let states = States::default();
        states.record(vec![ada.clone(), one.clone()], "one", Refresh::Called);
        states.record(vec![other.clone()], "other", Refresh::NotCalled);
        let unknown = || Key::Name("integrations/github/owners/3".to_owned());
        // The keys that are looked for; the object, and whether its refresh was called.
        for (keys, found, is_refreshed) in [
            (vec![ada.clone(), one.clone()], Some("one"), true),
            (vec![ada.clone()], Some("one"), true),
            (vec![one.clone()], Some("one"), true),
            // The first key that a state names decides.
            (vec![unknown(), one.clone()], Some("one"), true),
            (vec![other.clone(), ada.clone()], Some("other"), false),
            (vec![ada.clone(), other.clone()], Some("one"), true),
            (vec![unknown()], None, false),
            (vec![], None, false),
        ] {
            let name = states.find(&keys).map(|object| object.name);
            assert_eq!(name.as_deref(), found, "{keys:?}");
            assert_eq!(states.is_refreshed(&keys), is_refreshed, "{keys:?}");
        }
        states.forget(&[ada.clone(), one.clone()]);
        assert_eq!(states.find(&[ada, one]), None);
        assert!(states.find(&[other]).is_some(), "another object stays");
    }
}
