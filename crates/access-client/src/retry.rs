//! The attempts of one call, within its limits.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::backoff::backoff;
use crate::error::Failure;
use crate::gate::{Gate, sleep};
use crate::outage::{Budget, Permit, with_wait};

#[cfg(test)]
mod tests;

/// The most connections that one attempt replaces. A service that closes idle connections closes
/// all of the pool at once, which has about as many as Terraform makes calls at a time.
const MOST_REPLACEMENTS: u32 = 10;

/// The next step after a failed attempt.
#[derive(Debug)]
pub(crate) enum Next {
    /// Send again after a backoff.
    Retry(Failure),
    /// Send again at once, without counting the attempt: the request was lost with a connection that
    /// ended, which is not a failure of the service.
    Replace(Failure),
    /// Send again after the wait that the service requested, which the gate enforces.
    Wait(Failure, Duration),
    /// Give up.
    Stop(Failure),
}

/// The sending of a call's request.
pub(crate) trait Attempt<T> {
    /// Sends the request and reports to the permit. `number` counts from 1; `replaceable` permits
    /// [`Next::Replace`].
    async fn attempt(
        &mut self,
        permit: Permit<'_>,
        number: u32,
        replaceable: bool,
    ) -> Result<T, Next>;

    /// Sends a request without side effects and reports to the permit. It replaces the request of a
    /// call that must not be sent twice.
    async fn probe(&mut self, permit: Permit<'_>);
}

/// The attempts of one call.
pub(crate) struct Retries<'c> {
    gate: &'c Gate,
    stop: &'c CancellationToken,
    budget: Budget,
    /// How many connections that ended may still be replaced without counting the attempt.
    replacements: u32,
    outage: bool,
}

impl<'c> Retries<'c> {
    pub(crate) fn new(gate: &'c Gate, stop: &'c CancellationToken, budget: Budget) -> Self {
        Self { gate, stop, budget, replacements: MOST_REPLACEMENTS, outage: false }
    }

    /// Returns the number of requests that were sent.
    pub(crate) fn attempts(&self) -> u32 {
        self.budget.attempts
    }

    /// Returns whether the call ended because of an outage that all calls share.
    pub(crate) fn ended_by_outage(&self) -> bool {
        self.outage
    }

    /// Sends the request until it succeeds, fails for good, or a limit is reached.
    ///
    /// # Errors
    ///
    /// The last failure of the call, or that of the gate if no request was sent.
    pub(crate) async fn run<T>(&mut self, call: &mut impl Attempt<T>) -> Result<T, Failure> {
        let mut last = None;
        loop {
            let permit = match self.gate.enter(&mut self.budget, self.stop).await {
                Ok(permit) => permit,
                Err(failure) => {
                    self.outage = self.gate.is_outage();
                    return Err(failure.or_own(last));
                }
            };
            if permit.probe && !self.budget.idempotent {
                call.probe(permit).await;
                continue;
            }
            self.budget.attempts += 1;
            let failed = call.attempt(permit, self.budget.attempts, self.replacements > 0).await;
            last = match failed {
                Ok(result) => return Ok(result),
                Err(next) => Some(self.prepare(next).await?),
            };
        }
    }

    /// Prepares a further attempt. Returns the failure of the last one.
    async fn prepare(&mut self, next: Next) -> Result<Failure, Failure> {
        match next {
            Next::Stop(failure) => Err(failure),
            Next::Replace(failure) => {
                self.replacements = self.replacements.saturating_sub(1);
                self.budget.attempts -= 1;
                Ok(failure)
            }
            Next::Wait(failure, wait) if wait > self.budget.wait_left => {
                Err(with_wait(&failure, wait, self.budget.wait_left))
            }
            Next::Retry(failure) | Next::Wait(failure, _) if self.budget.retries == 0 => {
                self.outage = self.gate.is_outage();
                Err(failure)
            }
            Next::Retry(failure) | Next::Wait(failure, _) if self.gate.is_closed() => {
                // The gate makes the call wait.
                Ok(self.count(failure))
            }
            Next::Wait(failure, _) => Ok(self.count(failure)),
            Next::Retry(failure) => {
                let wait = backoff(self.budget.attempts, fastrand::f64());
                if wait > self.budget.wait_left {
                    return Err(failure);
                }
                self.budget.wait_left -= wait;
                sleep(wait, self.stop).await?;
                Ok(self.count(failure))
            }
        }
    }

    /// Counts a failed attempt.
    fn count(&mut self, failure: Failure) -> Failure {
        self.budget.retries -= 1;
        self.replacements = MOST_REPLACEMENTS;
        failure
    }
}
