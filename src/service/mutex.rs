//! Locks the mutexes of the run.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after another call panicked with the lock held: each change of the data is
/// one insertion or removal, so the data is consistent.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
