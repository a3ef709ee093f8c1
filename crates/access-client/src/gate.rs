//! What the calls of a client share: the wait after a 429, and the knowledge that the service is
//! down or was never reached.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::Failure;

/// The time after which a service is given up to which there has been no connection at all: its
/// address is probably wrong.
const FIRST_CONNECTION_WITHIN: Duration = Duration::from_secs(15);

/// The part of [`FIRST_CONNECTION_WITHIN`] that no backoff uses: without time to connect, the last
/// attempt is in vain.
const LAST_ATTEMPT: Duration = Duration::from_secs(2);

/// The state that calls share. It uses tokio's clock, so that tests can pause the time.
#[derive(Default)]
pub(crate) struct Gate(Mutex<State>);

#[derive(Default)]
struct State {
    /// The first attempt of the client.
    began: Option<Instant>,
    is_connected: bool,
    /// The failure of the service that was given up because it was never reached.
    unreached: Option<Failure>,
    /// The number of responses that show that the service works.
    successes: u64,
    /// Whether a call has used up its wait, and none has succeeded since.
    is_shut: bool,
    /// The time before which no request is sent, and the response that requested it.
    paused_until: Option<(Instant, Failure)>,
}

impl Gate {
    /// Returns the rest of the wait that a response requested for all calls, and that response.
    pub(crate) fn pause_left(&self) -> Option<(Duration, Failure)> {
        let state = self.lock();
        let (until, failure) = state.paused_until.as_ref()?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then(|| (left, failure.clone()))
    }

    /// Makes all calls wait, because a response requested it.
    pub(crate) fn pause(&self, wait: Duration, response: &Failure) {
        let until = Instant::now() + wait;
        let mut state = self.lock();
        if state.paused_until.as_ref().is_none_or(|(known, _)| *known < until) {
            state.paused_until = Some((until, response.clone()));
        }
    }

    /// Records that a request is sent.
    pub(crate) fn record_attempt(&self) {
        self.lock().began.get_or_insert_with(Instant::now);
    }

    /// Records that there was a connection to the service.
    pub(crate) fn record_connection(&self) {
        self.lock().is_connected = true;
    }

    /// Records a response that shows that the service works.
    pub(crate) fn record_success(&self) {
        let mut state = self.lock();
        state.is_connected = true;
        state.successes += 1;
        state.is_shut = false;
    }

    /// Returns the number of successes, for [`shut`](Self::shut).
    pub(crate) fn successes(&self) -> u64 {
        self.lock().successes
    }

    /// Shuts the gate: until a success, each further call is sent once. Not if there was a success
    /// since a call that has used up its wait began: then it is the object of that call that fails,
    /// and not the service.
    pub(crate) fn shut(&self, successes_before: u64) {
        let mut state = self.lock();
        state.is_shut |= state.successes == successes_before;
    }

    /// Returns whether each call is sent once.
    pub(crate) fn is_shut(&self) -> bool {
        self.lock().is_shut
    }

    /// Returns the time that is left for the backoffs of a service to which there has been no
    /// connection; `None` after the first one.
    pub(crate) fn unreached_left(&self) -> Option<Duration> {
        self.lock().first_connection_left().map(|left| left.saturating_sub(LAST_ATTEMPT))
    }

    /// Returns the longest time that an attempt to connect may take; `None` after the first
    /// connection.
    pub(crate) fn connect_limit(&self) -> Option<Duration> {
        self.lock().first_connection_left().map(|left| left.max(LAST_ATTEMPT))
    }

    /// Gives up the service, because there was no connection in time.
    pub(crate) fn give_up(&self, failure: &Failure) {
        self.lock().unreached = Some(failure.clone());
    }

    /// Returns the failure with which calls fail without a request, because the service was given
    /// up.
    pub(crate) fn given_up(&self) -> Option<Failure> {
        self.lock().unreached.clone()
    }

    /// Locks the state, also after a call has panicked.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the time that is left for the first connection; `None` after it.
    fn first_connection_left(&self) -> Option<Duration> {
        let elapsed = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        (!self.is_connected).then(|| FIRST_CONNECTION_WITHIN.saturating_sub(elapsed))
    }
}
