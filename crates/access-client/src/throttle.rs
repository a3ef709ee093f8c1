//! The pace of requests, for all calls of a client.
//!
//! A 429 to one call slows them all: nothing is sent before the requested wait is over, and then
//! requests follow one another at an interval instead of all at once. The interval is learned: each
//! 429 makes it longer, each success a little shorter, so that it stays close to the rate that the
//! service allows. A limit from the configuration is an interval that never gets shorter.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How much longer a 429 makes the interval. Not much, because one excess causes several 429s.
const LONGER: f64 = 1.3;
/// How much shorter a success makes it: about one 429 in thirty requests pays for the search.
const SHORTER: f64 = 0.99;
/// The longest learned interval: a service that allows less sends `Retry-After`.
const LONGEST: Duration = Duration::from_secs(5);
/// Below this a learned interval no longer matters and is dropped.
const SHORTEST: Duration = Duration::from_millis(1);
/// The wait after a 429 without `Retry-After`.
const UNASKED: Duration = Duration::from_secs(1);

/// The pace. Times are tokio's, so that tests can pause them.
pub(crate) struct Throttle {
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// No request is sent before this, because of a 429.
    closed_until: Option<Instant>,
    /// The next free moment in the queue.
    next: Option<Instant>,
    /// The learned interval between requests; zero if nothing has been refused.
    interval: Duration,
    /// Requests admitted since `window`, from which the first interval is learned.
    admitted: u32,
    window: Option<Instant>,
    /// When the interval was last made longer.
    slowed: Option<Instant>,
}

impl Throttle {
    /// Creates a pace of at most `rate` requests a second, if given.
    pub(crate) fn new(rate: Option<f64>) -> Self {
        let limit = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Self { limit, state: Mutex::default() }
    }

    /// Takes the next free moment. The caller waits until then before it sends.
    ///
    /// # Errors
    ///
    /// The wait that a 429 asked for, if it is longer than `patience`; no moment is taken then. The
    /// place in the queue does not count, because the queue moves.
    pub(crate) fn admit(&self, patience: Duration) -> Result<Instant, Duration> {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let open = state.closed_until.map_or(now, |until| until.max(now));
        if open - now > patience {
            return Err(open - now);
        }
        let at = state.next.map_or(open, |next| next.max(open));
        let interval = state.interval.max(self.limit);
        // Without an interval there is no schedule: the next one may follow at once.
        state.next = (!interval.is_zero()).then(|| at + interval);
        let second = Duration::from_secs(1);
        if state.window.is_none_or(|window| now.duration_since(window) > second) {
            state.window = Some(now);
            state.admitted = 0;
        }
        state.admitted += 1;
        Ok(at)
    }

    /// Returns whether a 429 holds all requests at present: a call that waited for a moment in the
    /// queue has to take another one.
    pub(crate) fn is_closed(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed_until.is_some_and(|until| until > Instant::now())
    }

    /// Learns from a 429; returns the wait that now holds.
    pub(crate) fn refused(&self, retry_after: Option<Duration>) -> Duration {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = retry_after.unwrap_or(UNASKED);
        // Requests that were in flight together are refused together, which counts once.
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
        let until = now + wait;
        state.closed_until = Some(state.closed_until.map_or(until, |known| known.max(until)));
        wait
    }

    /// Learns from a response other than a 429.
    pub(crate) fn accepted(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.interval = state.interval.mul_f64(SHORTER);
        if state.interval < SHORTEST {
            state.interval = Duration::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A service that allows so many requests a second, after a burst of as many.
    struct Limited {
        rate: f64,
        tokens: Mutex<(f64, Instant)>,
    }

    impl Limited {
        fn allows(&self) -> bool {
            let mut tokens = self.tokens.lock().unwrap();
            let now = Instant::now();
            let refilled = tokens.0 + (now - tokens.1).as_secs_f64() * self.rate;
            *tokens = (refilled.min(self.rate), now);
            let allowed = tokens.0 >= 1.0;
            if allowed {
                tokens.0 -= 1.0;
            }
            allowed
        }
    }

    /// Requests and seconds that `calls` calls take, ten at a time as Terraform makes them.
    async fn run(calls: u32, rate: f64, retry_after: Option<Duration>) -> (u32, f64) {
        let throttle = Arc::new(Throttle::new(None));
        let service = Arc::new(Limited { rate, tokens: Mutex::new((rate, Instant::now())) });
        let left = Arc::new(AtomicU32::new(calls));
        let requests = Arc::new(AtomicU32::new(0));
        let started = Instant::now();
        let mut workers = Vec::new();
        for _ in 0..10 {
            let (throttle, service) = (Arc::clone(&throttle), Arc::clone(&service));
            let (left, requests) = (Arc::clone(&left), Arc::clone(&requests));
            workers.push(tokio::spawn(async move {
                while left
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
                    .is_ok()
                {
                    loop {
                        let at = throttle.admit(Duration::from_secs(120)).unwrap();
                        tokio::time::sleep_until(at).await;
                        requests.fetch_add(1, Ordering::SeqCst);
                        // The service's own time.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        if service.allows() {
                            throttle.accepted();
                            break;
                        }
                        throttle.refused(retry_after);
                    }
                }
            }));
        }
        for worker in workers {
            worker.await.unwrap();
        }
        (requests.load(Ordering::SeqCst), started.elapsed().as_secs_f64())
    }

    #[tokio::test(start_paused = true)]
    async fn throttle_finds_the_rate_of_a_limited_service() {
        for (rate, retry_after) in
            [(5.0, Some(1)), (5.0, None), (5.0, Some(0)), (50.0, Some(1)), (1.0, Some(1))]
        {
            let (requests, seconds) = run(400, rate, retry_after.map(Duration::from_secs)).await;
            let ideal = 400.0 / rate;
            assert!(
                f64::from(requests) <= 400.0 * 1.3,
                "{rate}/s {retry_after:?}: {requests} requests"
            );
            assert!(
                seconds <= ideal * 1.5,
                "{rate}/s {retry_after:?}: {seconds} s, ideal {ideal} s"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn throttle_adds_no_wait_if_nothing_is_refused() {
        let throttle = Throttle::new(None);
        for _ in 0..1000 {
            assert_eq!(throttle.admit(Duration::ZERO), Ok(Instant::now()));
            throttle.accepted();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn throttle_keeps_the_configured_rate() {
        let throttle = Throttle::new(Some(10.0));
        let started = Instant::now();
        for request in 0..20 {
            let at = throttle.admit(Duration::from_secs(60)).unwrap();
            assert_eq!(at - started, Duration::from_millis(100) * request);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn throttle_refuses_to_wait_beyond_the_callers_patience() {
        let throttle = Throttle::new(None);
        throttle.refused(Some(Duration::from_secs(60)));
        assert_eq!(throttle.admit(Duration::from_secs(59)), Err(Duration::from_secs(60)));
        assert!(throttle.admit(Duration::from_secs(60)).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn throttle_queues_calls_without_patience() {
        let throttle = Throttle::new(Some(1.0));
        let started = Instant::now();
        for place in 0..5 {
            assert_eq!(throttle.admit(Duration::ZERO), Ok(started + Duration::from_secs(place)));
        }
    }
}
