//! Existence checks, and the time for which they count.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use super::mutex::lock;

/// The result of an existence check before a create.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Existence<T> {
    /// The object exists.
    Exists(Box<T>),
    /// The service returned 404 for the object, or a complete list without it.
    NotFound,
    /// GET returned 404, and no list shows whether that means that there is no GET.
    NotReturned,
    /// The check could not be made. Contains the response that prevented it.
    Unknown(String),
}

/// Existence checks that a plan made moments ago, by object.
///
/// Terraform plans each create again right before it applies it. The create then uses the check of
/// that plan. A saved plan is applied by another process, so an old check is never used.
pub(crate) struct RecentChecks<T> {
    recent: Mutex<HashMap<String, (Instant, Existence<T>)>>,
    /// Objects that a GET has returned: evidence, which does not expire.
    read: Mutex<HashSet<String>>,
}

/// The time for which a check counts. Terraform calls ApplyResourceChange within milliseconds of
/// the plan.
const CHECK_LIFETIME: Duration = Duration::from_secs(5);

impl<T> Default for RecentChecks<T> {
    fn default() -> Self {
        Self { recent: Mutex::default(), read: Mutex::default() }
    }
}

impl<T> RecentChecks<T> {
    /// Stores the result of a check that began at `started`.
    pub(crate) fn store(&self, key: &str, started: Instant, existence: Existence<T>) {
        lock(&self.recent).insert(key.to_owned(), (started, existence));
    }

    /// Records that the GET of a check returned the object.
    pub(crate) fn record_read(&self, name: String) {
        lock(&self.read).insert(name);
    }

    /// Returns whether the GET of a check of this run returned the object.
    pub(crate) fn is_read(&self, name: &str) -> bool {
        lock(&self.read).contains(name)
    }

    /// Returns the start and the result of a check if it is recent, and discards it: it counts for
    /// one create.
    pub(crate) fn take(&self, key: &str) -> Option<(Instant, Existence<T>)> {
        let (started, existence) = lock(&self.recent).remove(key)?;
        (started.elapsed() <= CHECK_LIFETIME).then_some((started, existence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn check_counts_once_and_for_a_few_seconds() {
        let checks = RecentChecks::default();
        let started = Instant::now();
        checks.store("x", started, Existence::Exists(Box::new(1)));
        assert_eq!(checks.take("y"), None);
        assert_eq!(checks.take("x"), Some((started, Existence::Exists(Box::new(1)))));
        assert_eq!(checks.take("x"), None);
        checks.store("x", Instant::now(), Existence::<u8>::NotFound);
        tokio::time::advance(CHECK_LIFETIME + Duration::from_millis(1)).await;
        assert_eq!(checks.take("x"), None);
    }
}
