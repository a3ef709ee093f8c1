//! The observed state of the service, shared by all calls of a client, and the queue of
//! `max_requests_per_second`.
//!
//! `governor` was considered for the queue, which is a single timestamp here.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::Failure;

/// The time after which a service that has never responded is given up.
const FIRST_RESPONSE_WITHIN: Duration = Duration::from_secs(15);

/// The time after which a service is given up that has only ever failed (5xx). Nothing shows that
/// it is the right address, so waiting longer is not worth it. An outage shorter than a minute
/// fails no call, so the time cannot be shorter either.
const FIRST_SUCCESS_WITHIN: Duration = Duration::from_secs(60);

/// The part of [`FIRST_RESPONSE_WITHIN`] that no backoff uses: without time for a response, the
/// last attempt is in vain.
const LAST_ATTEMPT: Duration = Duration::from_secs(1);

/// The time for which calls to a service that was given up fail without a request. Terraform makes
/// ten calls at a time: if each waited for the service again, a plan of a hundred objects would
/// take ten times as long as one of ten.
const GIVEN_UP_FOR: Duration = Duration::from_secs(30);

/// The time for each attempt after that.
const LATE_ATTEMPT: Duration = Duration::from_secs(3);

/// The state of the service. It uses tokio's clock, so that tests can pause the time.
pub(crate) struct Health {
    max_retry_wait: Duration,
    interval: Duration,
    state: Mutex<State>,
}

/// What the responses of this process have shown.
#[derive(Default)]
struct State {
    /// The first attempt of the client.
    began: Option<Instant>,
    responded: bool,
    /// The last failure without a response, and its time, of a service that has never responded.
    silence: Option<(Instant, Failure)>,
    /// Whether a read has succeeded.
    has_been_read: bool,
    /// Whether any response showed that the service works.
    worked: bool,
    /// The first failure after the last success. The time of the last success itself would make an
    /// outage of the idle time before it.
    failing_since: Option<Instant>,
    /// The time before which no request is sent, and the response that requested it.
    closed_until: Option<(Instant, Failure)>,
    /// The next free place in the queue of `max_requests_per_second`.
    next: Option<Instant>,
}

impl Health {
    /// Creates the state of an unknown service. `rate` is the configured number of requests per
    /// second.
    pub(crate) fn new(max_retry_wait: Duration, rate: Option<f64>) -> Self {
        let interval = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Self { max_retry_wait, interval, state: Mutex::default() }
    }

    /// Returns the rest of the wait that a response requested for all calls, and that response.
    pub(crate) fn closed(&self) -> Option<(Duration, Failure)> {
        let state = self.lock();
        let (until, failure) = state.closed_until.as_ref()?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then(|| (left, failure.clone()))
    }

    /// Returns whether a response requested a wait for all calls that is not over.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed().is_some()
    }

    /// Reserves the next place in the queue. The caller waits until then before it sends.
    pub(crate) fn reserve(&self) -> Instant {
        let now = Instant::now();
        let mut state = self.lock();
        let at = state.next.map_or(now, |next| next.max(now));
        state.next = Some(at + self.interval);
        at
    }

    /// Records that a request is sent.
    pub(crate) fn record_attempt(&self) {
        self.lock().began.get_or_insert_with(Instant::now);
    }

    /// Records any response of the service.
    pub(crate) fn record_response(&self) {
        self.lock().responded = true;
    }

    /// Records a failure without a response.
    pub(crate) fn record_silence(&self, failure: &Failure) {
        let mut state = self.lock();
        if !state.responded {
            state.silence = Some((Instant::now(), failure.clone()));
        }
    }

    /// Returns the failure with which calls fail without a request, because the service has never
    /// responded and was given up.
    pub(crate) fn given_up(&self) -> Option<Failure> {
        let state = self.lock();
        let began = state.began.filter(|_| !state.responded)?;
        let (at, failure) = state.silence.as_ref()?;
        // The last attempt of the time has failed as well.
        let is_over = *at >= began + (FIRST_RESPONSE_WITHIN - LAST_ATTEMPT);
        (is_over && at.elapsed() < GIVEN_UP_FOR).then(|| failure.clone())
    }

    /// Records that a read has succeeded.
    pub(crate) fn record_read(&self) {
        self.lock().has_been_read = true;
    }

    /// Returns whether a read has succeeded.
    pub(crate) fn has_been_read(&self) -> bool {
        self.lock().has_been_read
    }

    /// Records a response that shows that the service works.
    pub(crate) fn record_success(&self) {
        let mut state = self.lock();
        state.worked = true;
        state.failing_since = None;
    }

    /// Records a failure that can affect other calls as well.
    pub(crate) fn record_failure(&self) {
        self.lock().failing_since.get_or_insert_with(Instant::now);
    }

    /// Makes all calls wait, because a response requested it.
    pub(crate) fn close(&self, wait: Duration, response: &Failure) {
        let until = Instant::now() + wait;
        let mut state = self.lock();
        if state.closed_until.as_ref().is_none_or(|(known, _)| *known < until) {
            state.closed_until = Some((until, response.clone()));
        }
    }

    /// Returns whether the service has failed for `max_retry_wait` without a success.
    pub(crate) fn is_down(&self) -> bool {
        self.lock().failing_since.is_some_and(|since| since.elapsed() >= self.max_retry_wait)
    }

    /// Returns the time that is left for the backoffs of a service that has never worked, after an
    /// attempt that was sent at `sent_at` has failed; `None` if the service has worked.
    pub(crate) fn unproven_left(&self, sent_at: Instant) -> Option<Duration> {
        let state = self.lock();
        match state.first_response_left() {
            Some(left) => Some(left.saturating_sub(LAST_ATTEMPT)),
            None if state.worked => None,
            // The time counts from the sending of the attempt. A service may need half a minute to
            // respond with 504, and an attempt that was sent within the minute shows nothing about
            // its end.
            None => {
                let failing = |since| sent_at.saturating_duration_since(since);
                let elapsed = state.failing_since.map_or(Duration::ZERO, failing);
                Some(FIRST_SUCCESS_WITHIN.saturating_sub(elapsed))
            }
        }
    }

    /// Returns the time that an attempt may wait for the first response of the service; `None`
    /// after it.
    pub(crate) fn first_response_limit(&self) -> Option<Duration> {
        let left = self.lock().first_response_left()?;
        Some(if left.is_zero() { LATE_ATTEMPT } else { left.max(LAST_ATTEMPT) })
    }

    /// Locks the state, also after a call has panicked.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the time that is left for the first response of the service; `None` after it.
    fn first_response_left(&self) -> Option<Duration> {
        let elapsed = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        (!self.responded).then(|| FIRST_RESPONSE_WITHIN.saturating_sub(elapsed))
    }
}
