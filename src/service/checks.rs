//! Existence checks, and for how long one counts.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The result of an existence check before a create.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Existence<T> {
    /// The object exists.
    Exists(Box<T>),
    /// The service returned 404 for the object, or a complete list without it.
    NotFound,
    /// The check could not be made: what the service returned instead.
    Unknown(String),
}

/// Existence checks that a plan made moments ago, by object.
///
/// Terraform plans each create again right before it applies it. The check of that plan then
/// spares the one of the create. A saved plan is applied by another process, so that nothing
/// old is ever used.
pub(crate) struct RecentChecks<T>(Mutex<HashMap<String, (Instant, Existence<T>)>>);

/// How long a check counts. Terraform calls ApplyResourceChange within milliseconds of the plan.
const LIFETIME: Duration = Duration::from_secs(5);

impl<T> Default for RecentChecks<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> RecentChecks<T> {
    /// Stores the result of a check that began at `started`.
    pub(crate) fn store(&self, key: &str, started: Instant, existence: Existence<T>) {
        let mut checks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        checks.insert(key.to_owned(), (started, existence));
    }

    /// Returns the result of a check if it is recent, and discards it: it counts for one create.
    pub(crate) fn take(&self, key: &str) -> Option<Existence<T>> {
        let mut checks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (started, existence) = checks.remove(key)?;
        (started.elapsed() <= LIFETIME).then_some(existence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn check_counts_once_and_for_a_few_seconds() {
        let checks = RecentChecks::default();
        checks.store("x", Instant::now(), Existence::Exists(Box::new(1)));
        assert_eq!(checks.take("y"), None);
        assert_eq!(checks.take("x"), Some(Existence::Exists(Box::new(1))));
        assert_eq!(checks.take("x"), None);
        checks.store("x", Instant::now(), Existence::<u8>::NotFound);
        tokio::time::advance(LIFETIME + Duration::from_millis(1)).await;
        assert_eq!(checks.take("x"), None);
    }
}
