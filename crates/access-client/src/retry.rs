//! The attempts of one call: one exponential backoff, within the limits of the call and of the
//! shared [`Gate`].
//!
//! What is sent again, by the class of the failure and the [`Retries`] of the call:
//!
//! | class | `All` | `Throttled` |
//! |---|---|---|
//! | `Throttled`: 429 | yes | yes |
//! | `Unprocessed`: no connection, a refused stream | yes | no |
//! | `Passing`: 500, 502, 503, 504, or no response | if idempotent: not a POST | no |
//! | `Final`: any other | no | no |
//!
//! `backon`, `tower::retry` and `reqwest-retry` were considered: they repeat one call by a policy.
//! The limits that calls share and the interrupt, which are most of this module, would remain.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::error::Failure;
use crate::gate::Gate;

#[cfg(test)]
mod tests;

/// The first backoff of a call; each further one is twice as long, up to [`MAX_BACKOFF`]. Ten of
/// them take 64 to 119 s with any jitter: more than a minute, and less than the default
/// `max_retry_wait`.
const FIRST_BACKOFF: Duration = Duration::from_millis(250);
const MAX_BACKOFF: Duration = Duration::from_secs(20);
/// The shortest and the longest factor of a backoff.
const MIN_JITTER: f64 = 0.7;
const MAX_JITTER: f64 = 1.3;
/// The wait of all calls after a 429 without `Retry-After`.
const DEFAULT_WAIT: Duration = Duration::from_secs(1);

/// The failures after which the calls of a client are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Retries {
    /// Only a 429. For calls whose result is useful and not necessary.
    Throttled,
    /// Every failure that can pass. The default.
    All,
}

/// The meaning of a failed attempt for the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Another attempt would fail as well.
    Final,
    /// 429: the service did not process the request and works.
    Throttled,
    /// The service cannot have processed the request.
    Unprocessed,
    /// The service may have processed the request.
    Passing,
}

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) failure: Failure,
    pub(crate) class: Class,
}

/// The sending of a call's request.
pub(crate) trait Attempt<T> {
    /// Sends the request. `number` counts from 1.
    async fn attempt(&mut self, number: u32) -> Result<T, Failed>;

    /// Logs that the request will be sent again after this failure and this wait.
    fn announce_retry(&self, failure: &Failure, wait: Duration);
}

/// The rest of a call's limits.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) retries: Retries,
    /// Whether sending the request twice has the same effect as sending it once.
    pub(crate) idempotent: bool,
    /// The rest of `max_retries`.
    pub(crate) retries_left: u32,
    /// The rest of `max_retry_wait`.
    pub(crate) wait_left: Duration,
}

/// The facts after a failed attempt.
struct Facts<'f> {
    limits: &'f Limits,
    class: Class,
    /// The wait that the service requested.
    asked: Option<Duration>,
    /// Whether the gate is shut: each call is sent once.
    is_shut: bool,
    /// The time that is left for a service that was never reached; `None` if it was.
    unreached_left: Option<Duration>,
    backoff: Duration,
}

/// The next step after a failed attempt.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Stop,
    /// Stop, because the call has used up its attempts or its wait.
    UsedUp,
    /// Stop, because the service was never reached, and the time for that is over.
    GiveUp,
    /// Stop, because the service requested a wait that exceeds the rest of `max_retry_wait`.
    Exceeded,
    WaitAndSend(Duration),
}

/// Decides what follows a failed attempt: nothing, if the request may not be repeated or a limit is
/// reached. Otherwise a wait, which uses no more than is left of any limit.
fn decide(facts: &Facts<'_>) -> Next {
    let limits = facts.limits;
    let is_repeatable = match (limits.retries, facts.class) {
        (_, Class::Final) => false,
        (_, Class::Throttled) => true,
        (Retries::Throttled, _) => false,
        (Retries::All, Class::Unprocessed) => true,
        (Retries::All, Class::Passing) => limits.idempotent,
    };
    // A service that responds with 429 is not down.
    let is_shut = facts.is_shut && facts.class != Class::Throttled;
    let left = facts.unreached_left.map_or(limits.wait_left, |left| left.min(limits.wait_left));
    if facts.unreached_left == Some(Duration::ZERO) {
        Next::GiveUp
    } else if !is_repeatable || is_shut {
        Next::Stop
    } else if limits.retries_left == 0 {
        Next::UsedUp
    } else if facts.asked.is_some_and(|asked| asked > limits.wait_left) {
        Next::Exceeded
    } else if left.is_zero() {
        Next::UsedUp
    } else {
        // The rest of the wait is used for a last attempt at its end.
        Next::WaitAndSend(facts.backoff.min(left))
    }
}

/// The attempts of one call.
pub(crate) struct Attempts<'c> {
    gate: &'c Gate,
    stop: &'c CancellationToken,
    limits: Limits,
    /// The number of requests that were sent.
    pub(crate) sent: u32,
    /// Whether the call ended because the service is down.
    pub(crate) ended_by_outage: bool,
}

impl<'c> Attempts<'c> {
    pub(crate) fn new(gate: &'c Gate, stop: &'c CancellationToken, limits: Limits) -> Self {
        Self { gate, stop, limits, sent: 0, ended_by_outage: false }
    }

    /// Sends the request until it succeeds, fails for good, or a limit is reached.
    ///
    /// # Errors
    ///
    /// The last failure of the call, the response that makes all calls wait for longer than this
    /// one may, or [`Failure::Interrupted`].
    pub(crate) async fn run<T>(&mut self, call: &mut impl Attempt<T>) -> Result<T, Failure> {
        let successes_before = self.gate.successes();
        loop {
            if let Some(failure) = self.gate.given_up() {
                return Err(failure);
            }
            self.wait_for_turn().await?;
            self.sent += 1;
            self.gate.record_attempt();
            let Failed { failure, class } = match call.attempt(self.sent).await {
                Ok(result) => {
                    self.gate.record_success();
                    return Ok(result);
                }
                Err(failed) => failed,
            };
            self.record(&failure, class);
            let next = decide(&Facts {
                limits: &self.limits,
                class,
                asked: failure.asked(),
                is_shut: self.gate.is_shut(),
                unreached_left: self.gate.unreached_left(),
                backoff: backoff(self.sent, fastrand::f64()),
            });
            match next {
                Next::WaitAndSend(wait) => {
                    self.limits.retries_left -= 1;
                    call.announce_retry(&failure, failure.asked().unwrap_or_default().max(wait));
                    self.sleep(wait).await?;
                    continue;
                }
                Next::Exceeded => {
                    let asked = failure.asked().unwrap_or_default();
                    return Err(failure.asking(asked, Some(self.limits.wait_left)));
                }
                Next::GiveUp => self.gate.give_up(&failure),
                // Without any wait, nothing shows that waiting is in vain.
                Next::UsedUp if self.sent > 1 && class != Class::Throttled => {
                    self.gate.shut(successes_before);
                }
                Next::UsedUp | Next::Stop => {}
            }
            self.ended_by_outage = self.gate.is_shut() && class == Class::Passing;
            return Err(failure);
        }
    }

    /// Waits until all calls may send again. A call that was not sent yet has not begun to use its
    /// `max_retry_wait`.
    async fn wait_for_turn(&mut self) -> Result<(), Failure> {
        if self.stop.is_cancelled() {
            return Err(Failure::Interrupted);
        }
        while let Some((wait, response)) = self.gate.pause_left() {
            if wait > self.limits.wait_left {
                return Err(response.asking(wait, Some(self.limits.wait_left)));
            }
            // With jitter: where few requests a second are allowed, calls that return together would
            // use up their attempts.
            let jitter = wait.min(DEFAULT_WAIT).mul_f64(fastrand::f64());
            self.sleep(wait + jitter).await?;
        }
        Ok(())
    }

    /// Records what the failure shows for other calls.
    fn record(&self, failure: &Failure, class: Class) {
        if !failure.is_without_connection() {
            self.gate.record_connection();
        }
        match class {
            Class::Throttled => {
                self.gate.record_success();
                self.gate.pause(failure.asked().unwrap_or(DEFAULT_WAIT), failure);
            }
            Class::Final if failure.status().is_some() => self.gate.record_success(),
            Class::Passing if self.limits.retries == Retries::All => {
                if let Some(asked) = failure.asked() {
                    self.gate.pause(asked, failure);
                }
            }
            Class::Final | Class::Unprocessed | Class::Passing => {}
        }
    }

    /// Waits, unless it is interrupted. The wait counts after the first attempt.
    async fn sleep(&mut self, wait: Duration) -> Result<(), Failure> {
        if self.sent > 0 {
            self.limits.wait_left = self.limits.wait_left.saturating_sub(wait);
        }
        interruptible(wait, self.stop).await
    }
}

/// Waits. Returns [`Failure::Interrupted`] as soon as the call is interrupted.
async fn interruptible(wait: Duration, stop: &CancellationToken) -> Result<(), Failure> {
    tokio::select! {
        () = tokio::time::sleep(wait) => Ok(()),
        () = stop.cancelled() => Err(Failure::Interrupted),
    }
}

/// Returns the backoff after an attempt, which counts from 1; `random` is from 0 to 1.
fn backoff(attempt: u32, random: f64) -> Duration {
    let doubled = FIRST_BACKOFF * 2_u32.pow(attempt.saturating_sub(1).min(16));
    doubled.min(MAX_BACKOFF).mul_f64(MIN_JITTER + (MAX_JITTER - MIN_JITTER) * random)
}
