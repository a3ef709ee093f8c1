//! The gate, which decides for all calls of a client when a request may be sent.
//!
//! Two reasons close it: an outage ([`Outages`]) and a rate limit ([`Throttle`]).

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::{Failure, Wait};
use crate::outage::{Budget, Outages, Permit};
use crate::throttle::Throttle;

/// The gate of a client.
pub(crate) struct Gate {
    outages: Outages,
    throttle: Throttle,
}

impl Gate {
    /// Creates an open gate. `limit` is `max_retry_wait`, `rate` the configured number of requests
    /// per second.
    pub(crate) fn new(limit: Duration, rate: Option<f64>) -> Self {
        Self { outages: Outages::new(limit), throttle: Throttle::new(rate) }
    }

    /// Waits until the call may send a request.
    ///
    /// # Errors
    ///
    /// The failure that closes the gate for longer than the call may wait; [`Failure::Interrupted`].
    pub(crate) async fn enter(
        &self,
        budget: &mut Budget,
        stop: &CancellationToken,
    ) -> Result<Permit<'_>, Failure> {
        if stop.is_cancelled() {
            return Err(Failure::Interrupted);
        }
        loop {
            let permit = self.outages.enter(budget, stop).await?;
            self.wait_for_turn(budget, stop).await?;
            // An outage that began in the meantime delays this call as well.
            if permit.probe || !self.outages.is_active() {
                return Ok(permit);
            }
        }
    }

    /// Waits until the rate limit admits the request. Waits before a further attempt count against
    /// the call's `wait_left`, and so do those for a gate that was closed in the meantime. The
    /// first place in the queue does not count, because the queue moves. If the gate is closed for
    /// longer than the call may wait, the call fails at once.
    async fn wait_for_turn(
        &self,
        budget: &mut Budget,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        let mut counts = budget.attempts > 0;
        loop {
            let turn =
                self.throttle.admit(budget.wait_left).map_err(|wait| Failure::Throttled {
                    message: "an earlier response requested a wait for all calls".to_owned(),
                    wait: Some(Wait { asked: wait, exceeds: Some(budget.wait_left) }),
                })?;
            let wait = turn.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                return Ok(());
            }
            if counts {
                budget.wait_left = budget.wait_left.saturating_sub(wait);
            }
            sleep(wait, stop).await?;
            if !self.throttle.is_closed() {
                return Ok(());
            }
            counts = true;
        }
    }

    /// Returns whether an outage makes all calls wait.
    pub(crate) fn is_outage(&self) -> bool {
        self.outages.is_active()
    }

    /// Returns whether a failed call has to wait at the gate, so that it does not need a backoff.
    pub(crate) fn is_closed(&self) -> bool {
        self.outages.is_active() || self.throttle.is_closed()
    }

    /// Records a 429 and returns the wait that now applies to all calls.
    pub(crate) fn record_429(&self, permit: Permit<'_>, retry_after: Option<Duration>) -> Duration {
        // A service that refuses a request with 429 works, so that this is not an outage.
        permit.succeeded();
        self.throttle.slow_down(retry_after)
    }

    /// Records a response that shows that the service works.
    pub(crate) fn record_success(&self, permit: Permit<'_>) {
        permit.succeeded();
        self.throttle.speed_up();
    }
}

/// Waits, unless it is interrupted.
pub(crate) async fn sleep(wait: Duration, stop: &CancellationToken) -> Result<(), Failure> {
    tokio::select! {
        () = tokio::time::sleep(wait) => Ok(()),
        () = stop.cancelled() => Err(Failure::Interrupted),
    }
}
