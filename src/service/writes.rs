//! The writes of a run, by object: what this process has written, deleted, or failed to create.
//! They are facts, whatever a read that lags returns.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use access_client::time::{is_before, is_different, is_same};
use tokio::sync::OwnedMutexGuard;

use super::Key;

/// Holds off other writes of an object until it is dropped.
pub(crate) type Held = Vec<OwnedMutexGuard<()>>;

/// The writes of a run.
pub(crate) struct Writes {
    /// Distinguishes the writes of this process from those of others.
    process: String,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    written: HashMap<Key, Written>,
    deleted: HashMap<Key, Deleted>,
    /// Objects whose create was refused or has failed.
    wanted: HashSet<Key>,
    locks: HashMap<Key, Arc<tokio::sync::Mutex<()>>>,
    /// Held while an object of this name is being deleted.
    delete_locks: HashMap<Key, Arc<tokio::sync::Mutex<()>>>,
    count: u64,
}

/// An object that this process has written.
struct Written {
    /// The identifier of the last write.
    write_id: String,
    create_time: Option<String>,
}

/// An object that this process has deleted.
struct Deleted {
    create_time: Option<String>,
    /// The number of writes and deletes of this process up to this one.
    count: u64,
    /// Whether this process has made a later object of that name. A read that lags may still return
    /// the deleted one.
    is_made_again: bool,
}

impl Writes {
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Self { process: format!("{}-{now:x}", std::process::id()), inner: Mutex::default() }
    }

    /// Locks the writes, also after a call has panicked: each change is complete by itself.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other call writes the object. An owner has two keys: the service may store
    /// its principal in another spelling, so that two resources share only the name. A principal is
    /// locked before a name, by everybody, so no two calls wait for each other.
    pub(crate) async fn hold(&self, keys: &[Key]) -> Held {
        let mut held = Held::new();
        for key in keys {
            let mutex = Arc::clone(self.lock().locks.entry(key.clone()).or_default());
            held.push(mutex.lock_owned().await);
        }
        held
    }

    /// Waits until no other call deletes the object of this name, and holds off other deletes of
    /// it. Within the lock of an object, so a create may wait for the delete of an object that it
    /// does not know by name.
    pub(crate) async fn hold_delete(&self, name: &Key) -> OwnedMutexGuard<()> {
        let mutex = Arc::clone(self.lock().delete_locks.entry(name.clone()).or_default());
        mutex.lock_owned().await
    }

    /// Records a write that reached the service. Returns its identifier, for private state.
    /// `create_time` is that of an object which may be new.
    pub(crate) fn record_write(&self, keys: &[Key], create_time: Option<&str>) -> String {
        let inner = &mut *self.lock();
        inner.count += 1;
        let write_id = format!("{}-{}", self.process, inner.count);
        for key in keys {
            let written =
                Written { write_id: write_id.clone(), create_time: create_time.map(str::to_owned) };
            inner.written.insert(key.clone(), written);
            if let Some(deleted) = inner.deleted.get_mut(key) {
                deleted.is_made_again = true;
                if !is_before(deleted.create_time.as_deref(), create_time) {
                    inner.deleted.remove(key);
                }
            }
            inner.wanted.remove(key);
        }
        write_id
    }

    /// Returns whether this process has written the object, and has not deleted it since.
    pub(crate) fn is_written(&self, key: &Key) -> bool {
        self.lock().written.contains_key(key)
    }

    /// Returns whether this process has written the object after the write with this identifier.
    pub(crate) fn is_written_since(&self, key: &Key, write_id: Option<&str>) -> bool {
        self.lock().written.get(key).is_some_and(|last| Some(last.write_id.as_str()) != write_id)
    }

    /// Records a delete that the service has confirmed. `create_time` tells the deleted object from
    /// a later one of its name.
    pub(crate) fn record_delete(&self, keys: &[Key], create_time: Option<&str>) {
        let inner = &mut *self.lock();
        inner.count += 1;
        for key in keys {
            inner.written.remove(key);
            let create_time = create_time.map(str::to_owned);
            let deleted = Deleted { create_time, count: inner.count, is_made_again: false };
            inner.deleted.insert(key.clone(), deleted);
        }
    }

    /// Returns the number of writes and deletes of this process so far.
    pub(crate) fn count(&self) -> u64 {
        self.lock().count
    }

    /// Returns whether this process has deleted this very object after so many writes and deletes.
    pub(crate) fn is_deleted_since(
        &self,
        count: u64,
        key: &Key,
        create_time: Option<&str>,
    ) -> bool {
        self.lock().deleted.get(key).is_some_and(|deleted| {
            deleted.count > count && is_one_object(deleted.create_time.as_deref(), create_time)
        })
    }

    /// Returns whether this process has written this very object, and not deleted it since.
    pub(crate) fn has_written_object(&self, key: &Key, create_time: Option<&str>) -> bool {
        let inner = self.lock();
        let written = inner.written.get(key);
        written.is_some_and(|it| is_one_object(it.create_time.as_deref(), create_time))
    }

    /// Returns whether this process has deleted an object, and has not written it again.
    pub(crate) fn has_deleted(&self, key: &Key) -> bool {
        self.lock().deleted.get(key).is_some_and(|deleted| !deleted.is_made_again)
    }

    /// Returns whether this process has deleted the object with this `create_time`. A read that
    /// returns it lags. So does a read that returns an older object of the name, or one without the
    /// time: it may be the deleted object.
    pub(crate) fn is_deleted(&self, key: &Key, create_time: Option<&str>) -> bool {
        self.lock().deleted.get(key).is_some_and(|it| match (&it.create_time, create_time) {
            (Some(deleted), Some(found)) => {
                is_same(deleted, found) || is_before(Some(found), Some(deleted))
            }
            (_, None) | (None, _) => !it.is_made_again,
        })
    }

    /// Records that a create was refused or has failed: a configuration wants the object.
    pub(crate) fn record_wanted(&self, keys: impl IntoIterator<Item = Key>) {
        self.lock().wanted.extend(keys);
    }

    /// Returns whether a create of one of these objects has failed in this run, and none has
    /// succeeded since.
    pub(crate) fn is_wanted(&self, keys: &[Key]) -> bool {
        let inner = self.lock();
        keys.iter().any(|key| inner.wanted.contains(key))
    }
}

/// Returns whether two responses with the same name show one object: they do not have different
/// times of creation.
pub(crate) fn is_one_object(one: Option<&str>, other: Option<&str>) -> bool {
    !is_different(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role() -> Vec<Key> {
        vec![Key::Name("listings/github/roles/x".to_owned())]
    }

    fn ada(name: Option<&str>) -> Vec<Key> {
        let principal =
            Key::Principal { integration: "github".to_owned(), owner: "users/ada".to_owned() };
        let name = name.map(|name| Key::Name(name.to_owned()));
        std::iter::once(principal).chain(name).collect()
    }

    #[test]
    fn writes_and_deletes_are_facts_until_the_next_one() {
        let writes = Writes::new();
        let [key] = &role()[..] else { panic!("one key") };
        assert!(!writes.is_written(key) && !writes.is_written_since(key, None));
        let first = writes.record_write(&role(), None);
        assert!(writes.is_written(key));
        assert!(!writes.is_written_since(key, Some(&first)));
        assert!(writes.is_written_since(key, None), "the state of another process");
        let second = writes.record_write(&role(), None);
        assert!(writes.is_written_since(key, Some(&first)));
        assert_ne!(first, second);
        let [one, other] = [(); 2].map(|()| Writes::new().record_write(&role(), None));
        assert_ne!(one, other, "the writes of two processes");

        let [first, later] = [Some("2026-01-01T00:00:00Z"), Some("2026-01-02T00:00:00Z")];
        writes.record_delete(&role(), first);
        assert!(writes.has_deleted(key) && !writes.is_written(key));
        for (found, is_deleted) in [
            (first, true),
            (Some("2026-01-01T00:00:00.000+00:00"), true),
            // The object that had the name before it.
            (Some("2025-12-31T00:00:00Z"), true),
            (None, true),
            // Another object of that name.
            (later, false),
        ] {
            assert_eq!(writes.is_deleted(key, found), is_deleted, "{found:?}");
        }
        let count = writes.count();
        for (before, found, is_deleted) in [
            (count - 1, first, true),
            (count - 1, None, true),
            // Another object of that name, and an older delete.
            (count - 1, later, false),
            (count, first, false),
        ] {
            let is_since = writes.is_deleted_since(before, key, found);
            assert_eq!(is_since, is_deleted, "{before} {found:?}");
        }
        writes.record_write(&role(), later);
        assert!(!writes.has_deleted(key));
        for (found, is_deleted) in [(first, true), (later, false), (None, false)] {
            assert_eq!(writes.is_deleted(key, found), is_deleted, "it was made again: {found:?}");
        }
        writes.record_write(&role(), first);
        assert!(!writes.is_deleted(key, first), "it was restored");
        assert!(!writes.is_wanted(&role()));
        writes.record_wanted(role());
        assert!(writes.is_wanted(&role()));
        writes.record_write(&role(), None);
        assert!(!writes.is_wanted(&role()), "a later create has succeeded");
    }

    #[tokio::test]
    async fn calls_of_one_object_wait_for_each_other() {
        let writes = Writes::new();
        let name = "integrations/github/owners/1";
        let held = writes.hold(&ada(Some(name))).await;
        let spelled =
            Key::Principal { integration: "github".to_owned(), owner: "users/id-17".to_owned() };
        let other_spelling = [spelled, Key::Name(name.to_owned())];
        let principal = ada(None);
        let mut same_principal = Box::pin(writes.hold(&principal));
        let mut same_name = Box::pin(writes.hold(&other_spelling));
        assert!(futures_util::poll!(&mut same_principal).is_pending());
        assert!(futures_util::poll!(&mut same_name).is_pending());
        drop(writes.hold(&role()).await);
        drop(held);
        let _both = (same_principal.await, same_name.await);
    }
}
