//! When the next request may be sent: one gate for all calls of a client.
//!
//! A 429 to one call slows them all: nothing is sent before the wait it asks for is over, and then
//! requests follow one another at an interval instead of all at once. The interval is learned:
//! each 429 makes it longer, each success a little shorter, so that it swings about the rate that
//! the service allows. A limit from the configuration is an interval that never gets shorter.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How much longer a 429 makes the interval. Gentle, for several 429s arrive for one excess.
const LONGER: f64 = 1.3;
/// How much shorter a success makes it: about one 429 in thirty requests pays for the search.
const SHORTER: f64 = 0.99;
/// The longest learned interval: a service that allows less says so by Retry-After.
const LONGEST: Duration = Duration::from_secs(5);
/// Below this a learned interval no longer matters and is dropped.
const SHORTEST: Duration = Duration::from_millis(1);
/// The wait after a 429 that does not ask for one.
const UNASKED: Duration = Duration::from_secs(1);

/// The gate. Times are tokio's, so that tests can pause them.
pub(crate) struct Throttle {
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// No request before this.
    next: Option<Instant>,
    /// The learned interval between requests; zero while nothing was refused.
    interval: Duration,
    /// Requests let through since `window`, to learn the first interval from.
    admitted: u32,
    window: Option<Instant>,
    /// When the interval was last made longer.
    slowed: Option<Instant>,
}

impl Throttle {
    /// A gate that lets at most `rate` requests a second through, if given.
    pub(crate) fn new(rate: Option<f64>) -> Self {
        let limit = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Self { limit, state: Mutex::default() }
    }

    /// Takes the next free moment. The caller waits until then before it sends.
    ///
    /// # Errors
    ///
    /// The wait, where it is longer than `patience`; no moment is taken then.
    pub(crate) fn admit(&self, patience: Duration) -> Result<Instant, Duration> {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let at = state.next.map_or(now, |next| next.max(now));
        let wait = at - now;
        if wait > patience {
            return Err(wait);
        }
        let interval = state.interval.max(self.limit);
        // An unlimited gate keeps no schedule: the next one may follow at once.
        state.next = (!interval.is_zero()).then(|| at + interval).or(state.next);
        let second = Duration::from_secs(1);
        if state.window.is_none_or(|window| now.duration_since(window) > second) {
            state.window = Some(now);
            state.admitted = 0;
        }
        state.admitted += 1;
        Ok(at)
    }

    /// Learns from a 429; returns the wait that now holds.
    pub(crate) fn refused(&self, retry_after: Option<Duration>) -> Duration {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = retry_after.unwrap_or(UNASKED);
        // Requests that were on their way together are refused together: that is one lesson.
        let lesson = state.slowed.is_none_or(|slowed| {
            now.duration_since(slowed) > state.interval * 2 + Duration::from_millis(50)
        });
        if lesson {
            state.interval = if state.interval.is_zero() {
                // What went through in the last second is about what the service allows.
                Duration::from_secs(1) / state.admitted.max(1)
            } else {
                state.interval.mul_f64(LONGER)
            }
            .min(LONGEST);
            state.slowed = Some(now);
        }
        state.next = Some(state.next.map_or(now + wait, |next| next.max(now + wait)));
        wait
    }

    /// Learns from an answer that is no 429.
    pub(crate) fn accepted(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.interval = state.interval.mul_f64(SHORTER);
        if state.interval < SHORTEST {
            state.interval = Duration::ZERO;
        }
    }
}
