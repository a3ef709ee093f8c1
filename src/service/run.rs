//! The findings of one run about one resource type, and the warnings that it reports once.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use access_client::{Identifier, SharedCause};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::checks::RecentChecks;
use super::conflicts::Conflicts;
use super::list_cache::ListCache;
use super::mutex::lock;

/// The findings of one run about the objects of one resource type.
pub(crate) struct Run<T> {
    /// The start of the run.
    pub(crate) started: Instant,
    /// The lists of this run.
    pub(crate) lists: ListCache<T>,
    /// The plans and writes of each object.
    pub(crate) conflicts: Conflicts,
    /// Existence checks made while planning. The apply that follows in the same process uses them.
    pub(crate) checks: RecentChecks<T>,
    /// Whether this run has warned that drift detection is unavailable.
    pub(crate) unavailable_warning: Once,
    /// Lists with skipped entries that this run has warned about, by parent.
    pub(crate) skipped_warnings: OncePer,
    /// Parents whose list failed in an existence check, which this run has warned about.
    pub(crate) unlisted_warnings: OncePer,
    /// Parents that this run has warned about because all their objects are destroyed.
    pub(crate) emptied_warnings: OncePer,
    /// Whether this run has warned about a stale read.
    pub(crate) stale_warning: Once,
    read_backs: Mutex<HashMap<Identifier, Arc<OnceCell<ReadBack<T>>>>>,
}

/// The result of reading an object back right after it was written.
#[derive(Clone, Debug)]
pub(crate) enum ReadBack<T> {
    /// The object as it was written.
    Current(T),
    /// An older version of it: reads work, and lag.
    Older,
    /// No object: reads do not exist, are forbidden, or lag.
    Nothing,
}

impl<T> Default for Run<T> {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            lists: ListCache::default(),
            conflicts: Conflicts::default(),
            checks: RecentChecks::default(),
            unavailable_warning: Once::default(),
            skipped_warnings: OncePer::default(),
            unlisted_warnings: OncePer::default(),
            emptied_warnings: OncePer::default(),
            stale_warning: Once::default(),
            read_backs: Mutex::default(),
        }
    }
}

impl<T: Clone> Run<T> {
    /// Returns the result of the one read-back under this parent. Calls `read` for it if this run
    /// has not read back yet. `None` if the read was interrupted: a later write then tries again.
    pub(crate) async fn read_back<F>(
        &self,
        parent: &Identifier,
        read: impl FnOnce() -> F,
    ) -> Option<ReadBack<T>>
    where
        F: Future<Output = Option<ReadBack<T>>>,
    {
        let cell = Arc::clone(lock(&self.read_backs).entry(parent.clone()).or_default());
        cell.get_or_try_init(|| async { read().await.ok_or(()) }).await.ok().cloned()
    }
}

/// Something reported once per run.
#[derive(Default)]
pub(crate) struct Once(AtomicBool);

impl Once {
    /// Claims the report. Returns whether it had not been claimed before.
    pub(crate) fn claim(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}

/// Something reported once per run for each object or parent.
#[derive(Default)]
pub(crate) struct OncePer(Mutex<HashSet<String>>);

impl OncePer {
    /// Claims the report about this name. Returns whether it had not been claimed before.
    pub(crate) fn claim(&self, name: &str) -> bool {
        lock(&self.0).insert(name.to_owned())
    }
}

/// Failures whose cause hits every object alike, such as a wrong key: the first one is reported in
/// full, further ones in one line.
#[derive(Default)]
pub(crate) struct SharedFailures(Mutex<HashMap<SharedCause, Instant>>);

/// The time in which failures of one cause count as one. A host that keeps the provider running
/// gets a complete error again after it.
const SAME_FAILURE_PERIOD: Duration = Duration::from_secs(30);

impl SharedFailures {
    /// Records a failure. Returns whether it is the first of its cause in [`SAME_FAILURE_PERIOD`].
    pub(crate) fn record(&self, cause: SharedCause) -> bool {
        let now = Instant::now();
        let last = lock(&self.0).insert(cause, now);
        last.is_none_or(|last| now.duration_since(last) > SAME_FAILURE_PERIOD)
    }
}
