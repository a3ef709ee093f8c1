//! The states that the host has loaded in this process.
//!
//! In a plan without a refresh, a state that is loaded is all that the provider receives of a tainted
//! object: its replacement is planned as a create without a prior state. No read has shown that
//! the object still exists, so it is compared with the one that the existence check returns.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::mutex::lock;

/// The objects of loaded states, with what identifies each of them.
#[derive(Default)]
pub(crate) struct LoadedStates {
    objects: Mutex<HashMap<String, BTreeSet<String>>>,
    is_ignored: AtomicBool,
}

impl LoadedStates {
    /// Records the object of a loaded state. The marks distinguish it from another object of this
    /// name, such as its creation time.
    pub(crate) fn record(&self, name: String, marks: impl IntoIterator<Item = String>) {
        lock(&self.objects).entry(name).or_default().extend(marks);
    }

    /// Ends the use of loaded states, which are for plans without a refresh. With one, a read shows each
    /// object that a resource has, and a state that is loaded and not read is one that Terraform forgets
    /// (`removed` with `destroy = false`). An apply loads states for other reasons, and asks its plan.
    pub(crate) fn ignore(&self) {
        self.is_ignored.store(true, Ordering::Relaxed);
    }

    /// Returns whether a loaded state names one of these objects.
    pub(crate) fn name_any(&self, names: &[String]) -> bool {
        let objects = lock(&self.objects);
        !self.is_ignored.load(Ordering::Relaxed)
            && names.iter().any(|name| objects.contains_key(name))
    }

    /// Returns whether a loaded state has the object with all of these marks. Without marks nothing
    /// identifies it.
    pub(crate) fn contain(&self, name: &str, marks: &[&str]) -> bool {
        let objects = lock(&self.objects);
        let known = objects.get(name).filter(|_| !self.is_ignored.load(Ordering::Relaxed));
        !marks.is_empty()
            && known.is_some_and(|known| marks.iter().all(|mark| known.contains(*mark)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaded_state_has_an_object_with_all_its_marks_until_states_are_read_or_written() {
        let states = LoadedStates::default();
        states.record("x".to_owned(), ["t".to_owned(), "u".to_owned()]);
        let cases: [(&str, &[&str], bool); 5] = [
            ("x", &["t"], true),
            ("x", &["t", "u"], true),
            ("x", &["t", "other"], false),
            ("x", &[], false),
            ("y", &["t"], false),
        ];
        for (name, marks, contained) in cases {
            assert_eq!(states.contain(name, marks), contained, "{name} {marks:?}");
        }
        assert!(states.name_any(&["y".to_owned(), "x".to_owned()]));
        assert!(!states.name_any(&["y".to_owned()]));
        states.ignore();
        assert!(!states.contain("x", &["t"]));
        assert!(!states.name_any(&["x".to_owned()]));
    }
}
