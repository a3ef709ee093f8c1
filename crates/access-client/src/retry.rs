//! When a failed attempt is worth another one, and how long to wait before it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The first backoff; each further one is twice as long, up to [`LONGEST`].
const FIRST: Duration = Duration::from_millis(250);
/// The longest single backoff.
const LONGEST: Duration = Duration::from_secs(20);

/// Retries that the quota starts with: as many as one call makes by default.
const START: f64 = 8.0;
/// What each call adds. With [`START`] a service that answers nothing gets at most 1.5 requests a
/// call from 20 calls on, and 1.1 in the long run.
const PER_CALL: f64 = 0.1;

/// The backoff before a further attempt: exponential, with full jitter, so that calls that failed
/// together do not come back together. `attempt` counts from 1; `random` is from 0 to 1.
pub(crate) fn backoff(attempt: u32, random: f64) -> Duration {
    let doubled = FIRST.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1).min(16)));
    doubled.min(LONGEST).mul_f64(random.clamp(0.0, 1.0))
}

/// The retries that all calls of a client share.
///
/// Failures only: a service that is down must not get a multiple of its load. 429 is not counted,
/// for the shared wait covers it.
pub(crate) struct Quota(Mutex<f64>);

impl Quota {
    /// A full quota.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(START))
    }

    /// A call begins.
    pub(crate) fn call_begins(&self) {
        self.change(PER_CALL);
    }

    /// Takes a retry, where there is one left.
    pub(crate) fn take(&self) -> bool {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let enough = *left >= 1.0;
        if enough {
            *left -= 1.0;
        }
        enough
    }

    /// A call ended well after these retries: the service is there, they were not wasted.
    pub(crate) fn give_back(&self, retries: u32) {
        self.change(f64::from(retries));
    }

    fn change(&self, by: f64) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *left = (*left + by).min(START);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_its_limit() {
        let full: Vec<_> = (1..=9).map(|attempt| backoff(attempt, 1.0).as_millis()).collect();
        assert_eq!(full, [250, 500, 1000, 2000, 4000, 8000, 16000, 20000, 20000]);
        assert_eq!(backoff(3, 0.5).as_millis(), 500);
        assert_eq!(backoff(u32::MAX, 0.0), Duration::ZERO);
    }

    #[test]
    fn quota_gives_a_dead_service_at_most_one_and_a_half_requests_a_call() {
        for calls in [20, 100, 1000] {
            let quota = Quota::new();
            let mut requests = 0;
            for _ in 0..calls {
                quota.call_begins();
                requests += 1;
                requests += (0..8).take_while(|_| quota.take()).count();
            }
            assert!(requests * 2 <= calls * 3, "{requests} requests for {calls} calls");
        }
    }

    #[test]
    fn quota_lets_a_lone_call_retry_and_is_not_used_up_by_a_shaky_service() {
        let quota = Quota::new();
        for _ in 0..1000 {
            quota.call_begins();
            assert!((0..8).all(|_| quota.take()));
            quota.give_back(8);
        }
    }
}
