//! The writes of a run, by object: what this process has written, deleted, or failed to create. They
//! are facts, whatever a read that lags returns.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use access_client::time::is_before;
use tokio::sync::OwnedMutexGuard;

use super::key::{Key, Keys};

/// Holds off other calls for an object until it is dropped.
pub(crate) type Held = Vec<OwnedMutexGuard<()>>;

/// The writes of a run.
pub(crate) struct Writes {
    /// Distinguishes the writes of this process from those of others.
    process: String,
    facts: Mutex<Facts>,
}

#[derive(Default)]
struct Facts {
    /// The number of requests that may have written.
    count: u64,
    /// The count at the last such request for an object.
    touched: HashMap<Key, u64>,
    /// The identifiers of the last writes, of objects that were not deleted since.
    written: HashMap<Key, String>,
    /// The times of creation of objects that were deleted, and not written since.
    deleted: HashMap<Key, Option<String>>,
    /// Objects whose create was refused or has failed.
    wanted: HashSet<Key>,
    /// The objects that were destroyed for the creates of these keys.
    destroyed_for: HashMap<Key, String>,
    locks: HashMap<Key, Arc<tokio::sync::Mutex<()>>>,
}

impl Writes {
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Self { process: format!("{}-{now:x}", std::process::id()), facts: Mutex::default() }
    }

    /// Locks the writes, also after a call has panicked: each change is complete by itself.
    fn lock(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other call is about the object.
    pub(crate) async fn hold(&self, keys: impl IntoIterator<Item = &Key>) -> Held {
        let mut held = Held::new();
        for key in keys {
            let mutex = Arc::clone(self.lock().locks.entry(key.clone()).or_default());
            held.push(mutex.lock_owned().await);
        }
        held
    }

    /// Records a request that may have written the object. Returns the number of such requests.
    pub(crate) fn touch<'k>(&self, keys: impl IntoIterator<Item = &'k Key>) -> u64 {
        let facts = &mut *self.lock();
        facts.count += 1;
        facts.touched.extend(keys.into_iter().map(|key| (key.clone(), facts.count)));
        facts.count
    }

    /// Returns the number of requests that may have written.
    pub(crate) fn count(&self) -> u64 {
        self.lock().count
    }

    /// Returns the count at the last request that may have written the object; 0 without one.
    pub(crate) fn last<'k>(&self, keys: impl IntoIterator<Item = &'k Key>) -> u64 {
        let facts = self.lock();
        keys.into_iter().filter_map(|key| facts.touched.get(key)).max().copied().unwrap_or_default()
    }

    /// Records a write that the service has confirmed. Returns its identifier, for private state.
    pub(crate) fn record_write<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k Key> + Clone,
    ) -> String {
        let count = self.touch(keys.clone());
        let write_id = format!("{}-{count}", self.process);
        let facts = &mut *self.lock();
        for key in keys {
            facts.written.insert(key.clone(), write_id.clone());
            facts.deleted.remove(key);
            facts.wanted.remove(key);
            facts.destroyed_for.remove(key);
        }
        write_id
    }

    /// Returns whether this process has written the object, and has not deleted it since.
    pub(crate) fn is_written(&self, key: &Key) -> bool {
        self.lock().written.contains_key(key)
    }

    /// Returns whether this process has written the object after the write with this identifier.
    pub(crate) fn is_written_since(&self, key: &Key, write_id: Option<&str>) -> bool {
        self.lock().written.get(key).is_some_and(|last| Some(last.as_str()) != write_id)
    }

    /// Records that the object is deleted. `create_time` tells it from a later one of its name.
    pub(crate) fn record_delete<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k Key>,
        create_time: Option<&str>,
    ) {
        let facts = &mut *self.lock();
        for key in keys {
            facts.written.remove(key);
            facts.deleted.insert(key.clone(), create_time.map(str::to_owned));
        }
    }

    /// Returns whether this process has deleted an object, and has not written it again.
    pub(crate) fn has_deleted(&self, key: &Key) -> bool {
        self.lock().deleted.contains_key(key)
    }

    /// Returns whether an object that a read shows is the one that this process has deleted: it is
    /// not newer, as far as its time of creation shows.
    pub(crate) fn is_deleted(&self, key: &Key, create_time: Option<&str>) -> bool {
        let facts = self.lock();
        facts.deleted.get(key).is_some_and(|deleted| !is_before(deleted.as_deref(), create_time))
    }

    /// Records that a create was refused or has failed: a configuration wants the object.
    pub(crate) fn record_wanted<'k>(&self, keys: impl IntoIterator<Item = &'k Key>) {
        self.lock().wanted.extend(keys.into_iter().cloned());
    }

    /// Returns whether a create of the object has failed in this run, and none has succeeded since.
    pub(crate) fn is_wanted<'k>(&self, keys: impl IntoIterator<Item = &'k Key>) -> bool {
        let facts = self.lock();
        keys.into_iter().any(|key| facts.wanted.contains(key))
    }

    /// Records that an object was destroyed for the create of these keys.
    pub(crate) fn record_destroyed_for(&self, keys: &Keys, old: &str) {
        let old = keys.into_iter().map(|key| (key.clone(), old.to_owned()));
        self.lock().destroyed_for.extend(old);
    }

    /// Returns the object that was destroyed for the create of these keys.
    pub(crate) fn destroyed_for(&self, keys: &Keys) -> Option<String> {
        let facts = self.lock();
        keys.into_iter().find_map(|key| facts.destroyed_for.get(key).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role() -> Keys {
        Keys::of_name("listings/github/roles/x")
    }

    fn owner(principal: &str, name: Option<&str>) -> Keys {
        let principal =
            Key::Principal { integration: "github".to_owned(), owner: principal.to_owned() };
        Keys { principal: Some(principal), name: name.map(|name| Key::Name(name.to_owned())) }
    }

    fn ada(name: Option<&str>) -> Keys {
        owner("users/ada", name)
    }

    #[test]
    fn writes_and_deletes_are_facts_until_the_next_one() {
        let writes = Writes::new();
        let role_keys = role();
        let key = role_keys.main().unwrap();
        assert!(!writes.is_written(key) && !writes.is_written_since(key, None));
        assert_eq!(writes.last(&role()), 0);
        let first = writes.record_write(&role());
        assert!(writes.is_written(key));
        assert!(!writes.is_written_since(key, Some(&first)));
        assert!(writes.is_written_since(key, None), "the state of another process");
        let second = writes.record_write(&role());
        assert!(writes.is_written_since(key, Some(&first)));
        assert_ne!(first, second);
        assert_eq!((writes.last(&role()), writes.last(&ada(None))), (2, 0));
        assert_eq!((writes.touch(&ada(None)), writes.last(&role()), writes.count()), (3, 2, 3));
        let both = Keys { name: role().name, ..ada(None) };
        assert_eq!(writes.last(&both), 3, "the later one counts");
        let [one, other] = [(); 2].map(|()| Writes::new().record_write(&role()));
        assert_ne!(one, other, "the writes of two processes");

        let time = Some("2026-01-01T00:00:00Z");
        writes.record_delete(&role(), time);
        assert!(writes.has_deleted(key) && !writes.is_written(key));
        for (found, is_deleted) in [
            (time, true),
            (Some("2026-01-01T00:00:00.000+00:00"), true),
            // The object that had the name before it.
            (Some("2025-12-31T00:00:00Z"), true),
            (None, true),
            // Another object of that name.
            (Some("2026-01-02T00:00:00Z"), false),
        ] {
            assert_eq!(writes.is_deleted(key, found), is_deleted, "{found:?}");
        }
        writes.record_write(&role());
        assert!(!writes.has_deleted(key) && !writes.is_deleted(key, time));
    }

    #[test]
    fn failed_create_wants_its_object_until_one_succeeds() {
        let writes = Writes::new();
        assert!(!writes.is_wanted(&role()));
        writes.record_destroyed_for(&role(), "listings/github/roles/old");
        writes.record_wanted(&role());
        assert!(writes.is_wanted(&role()) && !writes.is_wanted(&ada(None)));
        writes.record_destroyed_for(&Keys::default(), "listings/github/roles/late");
        assert_eq!(writes.destroyed_for(&role()).as_deref(), Some("listings/github/roles/old"));
        assert_eq!(writes.destroyed_for(&ada(None)), None);
        writes.record_write(&role());
        assert!(!writes.is_wanted(&role()));
        assert_eq!(writes.destroyed_for(&role()), None);
    }

    #[tokio::test]
    async fn calls_for_one_object_wait_for_each_other() {
        let writes = Writes::new();
        let name = "integrations/github/owners/1";
        let held = writes.hold(&ada(Some(name))).await;
        let other_principal = owner("users/bob", Some(name));
        let principal = ada(None);
        let mut same_principal = Box::pin(writes.hold(&principal));
        let mut same_name = Box::pin(writes.hold(&other_principal));
        assert!(futures_util::poll!(&mut same_principal).is_pending());
        assert!(futures_util::poll!(&mut same_name).is_pending());
        drop(writes.hold(&role()).await);
        drop(held);
        let _both = (same_principal.await, same_name.await);
    }
}
