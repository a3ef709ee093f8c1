//! Client-side rate limiting, for all calls of a client.
//!
//! A 429 to one call slows all calls down: requests are not sent before the requested wait is over,
//! and then at intervals. The interval adapts to the rate that the service allows: each 429 makes
//! it longer, each success a little shorter. A limit from the configuration is a lower bound of the
//! interval.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The factor by which a 429 extends the interval. It is small, because one excess causes several
/// 429s.
const INCREASE: f64 = 1.3;
/// The factor by which a success reduces the interval. It results in about one 429 in thirty
/// requests.
const DECREASE: f64 = 0.99;
/// The longest interval. A service that allows fewer requests sends `Retry-After`.
const MAX_INTERVAL: Duration = Duration::from_secs(5);
/// A shorter interval has no effect and is discarded.
const MIN_INTERVAL: Duration = Duration::from_millis(1);
/// The wait after a 429 without a `Retry-After` header.
const DEFAULT_WAIT: Duration = Duration::from_secs(1);

/// The rate limiter. It uses tokio's clock, so that tests can pause the time.
pub(crate) struct Throttle {
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The time before which no request is sent, because of a 429.
    closed_until: Option<Instant>,
    /// The next free moment in the queue.
    next: Option<Instant>,
    /// The adapted interval between requests; zero before the first 429.
    interval: Duration,
    /// The number of requests admitted since `window`, which determines the first interval.
    admitted: u32,
    window: Option<Instant>,
    /// The time at which the interval was last extended.
    slowed: Option<Instant>,
}

impl Throttle {
    /// Creates a limiter of at most `rate` requests per second, if given.
    pub(crate) fn new(rate: Option<f64>) -> Self {
        let limit = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Self { limit, state: Mutex::default() }
    }

    /// Reserves the next free time. The caller waits until then before it sends.
    ///
    /// # Errors
    ///
    /// Returns the wait that a 429 requested, if it is longer than `wait_left`. Nothing is reserved
    /// then. The place in the queue does not count, because the queue moves.
    pub(crate) fn admit(&self, wait_left: Duration) -> Result<Instant, Duration> {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let open = state.closed_until.map_or(now, |until| until.max(now));
        if open - now > wait_left {
            return Err(open - now);
        }
        let at = state.next.map_or(open, |next| next.max(open));
        let interval = state.interval.max(self.limit);
        // Without an interval the next request may follow at once.
        state.next = (!interval.is_zero()).then(|| at + interval);
        let second = Duration::from_secs(1);
        if state.window.is_none_or(|window| now.duration_since(window) > second) {
            state.window = Some(now);
            state.admitted = 0;
        }
        state.admitted += 1;
        Ok(at)
    }

    /// Returns whether a 429 delays all requests. A call that waited in the queue has to reserve
    /// another time.
    pub(crate) fn is_closed(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed_until.is_some_and(|until| until > Instant::now())
    }

    /// Extends the interval and delays all requests after a 429. Returns the wait that now applies.
    pub(crate) fn slow_down(&self, retry_after: Option<Duration>) -> Duration {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = retry_after.unwrap_or(DEFAULT_WAIT);
        // Requests that were in flight at the same time are refused together. They count once.
        let counts = state.slowed.is_none_or(|slowed| {
            now.duration_since(slowed) > state.interval * 2 + Duration::from_millis(50)
        });
        if counts {
            state.interval = if state.interval.is_zero() {
                // The number of requests that succeeded in the last second is about what the
                // service allows.
                Duration::from_secs(1) / state.admitted.max(1)
            } else {
                state.interval.mul_f64(INCREASE)
            }
            .min(MAX_INTERVAL);
            state.slowed = Some(now);
        }
        let until = now + wait;
        state.closed_until = Some(state.closed_until.map_or(until, |known| known.max(until)));
        wait
    }

    /// Reduces the interval after a response other than a 429.
    pub(crate) fn speed_up(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.interval = state.interval.mul_f64(DECREASE);
        if state.interval < MIN_INTERVAL {
            state.interval = Duration::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A service that allows `rate` requests per second, after a burst of as many.
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

    /// Returns the requests and seconds that `calls` calls take, ten at a time as Terraform sends
    /// them.
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
                        // The response time of the service.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        if service.allows() {
                            throttle.speed_up();
                            break;
                        }
                        throttle.slow_down(retry_after);
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
    async fn throttle_adds_no_wait_without_a_429() {
        let throttle = Throttle::new(None);
        for _ in 0..1000 {
            assert_eq!(throttle.admit(Duration::ZERO), Ok(Instant::now()));
            throttle.speed_up();
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
    async fn throttle_refuses_to_wait_beyond_the_callers_limit() {
        let throttle = Throttle::new(None);
        throttle.slow_down(Some(Duration::from_secs(60)));
        assert_eq!(throttle.admit(Duration::from_secs(59)), Err(Duration::from_secs(60)));
        assert!(throttle.admit(Duration::from_secs(60)).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn throttle_queues_calls_without_wait_left() {
        let throttle = Throttle::new(Some(1.0));
        let started = Instant::now();
        for place in 0..5 {
            assert_eq!(throttle.admit(Duration::ZERO), Ok(started + Duration::from_secs(place)));
        }
    }
}
