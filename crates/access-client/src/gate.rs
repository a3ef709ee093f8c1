//! The gate: when a request may be sent, decided for all calls of a client together.
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
    /// Creates an open gate. `limit` is `max_retry_wait`, `rate` the configured requests a second.
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
            // An outage that began meanwhile holds this call as well.
            if permit.probe || !self.outages.is_active() {
                return Ok(permit);
            }
        }
    }

    /// Waits for the moment that the rate limit allows. Waits before a further attempt count against
    /// the call's patience, and so do those for a gate that was closed meanwhile. The first place in
    /// the queue does not, because the queue moves; but a gate that is closed for longer than the
    /// call may wait fails at once.
    async fn wait_for_turn(
        &self,
        budget: &mut Budget,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        let mut counts = budget.attempts > 0;
        loop {
            let turn = self.throttle.admit(budget.patience).map_err(|wait| Failure::Throttled {
                message: "an earlier response asked all calls to wait".to_owned(),
                wait: Some(Wait { asked: wait, exceeds: Some(budget.patience) }),
            })?;
            let wait = turn.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                return Ok(());
            }
            if counts {
                budget.patience = budget.patience.saturating_sub(wait);
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

    /// Returns whether a failed call has to wait at the gate, and needs no backoff of its own.
    pub(crate) fn is_closed(&self) -> bool {
        self.outages.is_active() || self.throttle.is_closed()
    }

    /// Records a 429; returns the wait that now holds for all calls.
    pub(crate) fn throttled(&self, permit: Permit<'_>, retry_after: Option<Duration>) -> Duration {
        // The service works, or it could not have refused the request.
        permit.succeeded();
        self.throttle.refused(retry_after)
    }

    /// Records a response of a service that works.
    pub(crate) fn succeeded(&self, permit: Permit<'_>) {
        permit.succeeded();
        self.throttle.accepted();
    }
}

/// Waits, unless it is interrupted.
pub(crate) async fn sleep(wait: Duration, stop: &CancellationToken) -> Result<(), Failure> {
    tokio::select! {
        () = tokio::time::sleep(wait) => Ok(()),
        () = stop.cancelled() => Err(Failure::Interrupted),
    }
}
