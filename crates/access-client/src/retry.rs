//! The attempts of one call: one exponential backoff, within the limits of the call and of the
//! shared [`Health`].
//!
//! What is sent again, by the class of the failure and the [`Retries`] of the call:
//!
//! | class | `All`, `Brief` | `Throttled` | `Never` |
//! |---|---|---|---|
//! | `Throttled`: 429 | yes | yes | no |
//! | `Unprocessed`: no connection | yes | no | no |
//! | `Passing`: 500, 502, 503, 504, or no response | if idempotent: not a POST | no | no |
//! | `Final`: any other | no | no | no |
//!
//! `backon`, `tower::retry` and `reqwest-retry` were considered: they repeat one call by a policy.
//! The limits that calls share and the interrupt, which are most of this module, would remain.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::Failure;
use crate::health::Health;

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
/// The longest time over which calls that wait for the same moment are spread.
const MAX_SPREAD: Duration = Duration::from_secs(1);

/// The time after which a call with [`Retries::Brief`] is given up. Waits after a 429 do not count.
const BRIEF: Duration = Duration::from_secs(5);
/// The part of [`BRIEF`] that no backoff uses: without time for a response, the last attempt is in
/// vain.
const LAST_ATTEMPT: Duration = Duration::from_secs(1);

/// The failures after which the calls of a client are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retries {
    /// Every failure that can pass. The default.
    All,
    /// Every failure that can pass, for 5 s in all, which also limit an attempt without a response.
    /// A 429 is waited for like in every other call. For calls whose failure is only a warning.
    Brief,
    /// Only a 429. For calls whose result is useful and not necessary.
    Throttled,
    /// None. A wait that the service requested is not waited for either: the call fails at once.
    Never,
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
    is_down: bool,
    /// The time that is left for backoffs, for a call with [`Retries::Brief`].
    brief_left: Option<Duration>,
    /// The time that is left for a service that has never worked; `None` if it has worked.
    unproven_left: Option<Duration>,
    backoff: Duration,
}

/// The next step after a failed attempt.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Stop,
    /// Stop, because the service requested a wait that exceeds the rest of `max_retry_wait`.
    Exceeded,
    WaitAndSend(Duration),
}

/// Decides what follows a failed attempt: nothing, if the request may not be repeated or a limit is
/// reached. Otherwise a wait, which uses no more than is left of any limit.
fn decide(facts: &Facts<'_>) -> Next {
    let limits = facts.limits;
    let is_repeatable = match (limits.retries, facts.class) {
        (Retries::Never, _) | (_, Class::Final) => false,
        (_, Class::Throttled) => true,
        (Retries::Throttled, _) => false,
        (Retries::All | Retries::Brief, Class::Unprocessed) => true,
        (Retries::All | Retries::Brief, Class::Passing) => limits.idempotent,
    };
    // A service that responds with 429 is not down.
    let is_down = facts.is_down && facts.class != Class::Throttled;
    let brief_left = facts.brief_left.filter(|_| facts.class != Class::Throttled);
    let left = [facts.unproven_left, brief_left].into_iter().flatten().min();
    let left = left.map_or(limits.wait_left, |left| left.min(limits.wait_left));
    if !is_repeatable || is_down || limits.retries_left == 0 {
        Next::Stop
    } else if facts.asked.is_some_and(|asked| asked > limits.wait_left) {
        Next::Exceeded
    } else if left.is_zero() {
        Next::Stop
    } else {
        // The rest of the wait is used for a last attempt at its end.
        Next::WaitAndSend(facts.backoff.min(left))
    }
}

/// The attempts of one call.
pub(crate) struct Attempts<'c> {
    health: &'c Health,
    stop: &'c CancellationToken,
    limits: Limits,
    /// The rest of [`BRIEF`].
    brief_left: Option<Duration>,
    /// The number of requests that were sent.
    pub(crate) sent: u32,
    /// Whether the call ended because the service is down.
    pub(crate) ended_by_outage: bool,
}

impl<'c> Attempts<'c> {
    pub(crate) fn new(health: &'c Health, stop: &'c CancellationToken, limits: Limits) -> Self {
        let brief_left = (limits.retries == Retries::Brief).then_some(BRIEF);
        Self { health, stop, limits, brief_left, sent: 0, ended_by_outage: false }
    }

    /// Sends the request until it succeeds, fails for good, or a limit is reached.
    ///
    /// # Errors
    ///
    /// The last failure of the call, the response that makes all calls wait for longer than this
    /// one may, or [`Failure::Interrupted`].
    pub(crate) async fn run<T>(&mut self, call: &mut impl Attempt<T>) -> Result<T, Failure> {
        loop {
            if let Some(failure) = self.health.given_up() {
                return Err(failure);
            }
            self.wait_for_turn().await?;
            self.sent += 1;
            self.health.record_attempt();
            let sent_at = Instant::now();
            let Failed { failure, class } = match self.attempt(call).await {
                Ok(result) => {
                    self.health.record_response();
                    self.health.record_success();
                    return Ok(result);
                }
                Err(failed) => failed,
            };
            self.record(&failure, class);
            let is_down = self.health.is_down();
            let unproven_left = self.health.unproven_left(sent_at);
            let next = decide(&Facts {
                limits: &self.limits,
                class,
                asked: failure.asked(),
                is_down,
                brief_left: self.brief_left.map(|left| left.saturating_sub(LAST_ATTEMPT)),
                unproven_left,
                backoff: backoff(self.sent, fastrand::f64()),
            });
            match next {
                Next::Stop => {
                    let is_given_up = is_down || unproven_left.is_some_and(|left| left.is_zero());
                    self.ended_by_outage = is_given_up && class == Class::Passing;
                    return Err(failure);
                }
                Next::Exceeded => {
                    let asked = failure.asked().unwrap_or_default();
                    return Err(failure.asking(asked, Some(self.limits.wait_left)));
                }
                Next::WaitAndSend(wait) => {
                    self.limits.retries_left -= 1;
                    if class != Class::Throttled {
                        self.use_brief(wait);
                    }
                    call.announce_retry(&failure, failure.asked().unwrap_or_default().max(wait));
                    self.sleep(wait).await?;
                }
            }
        }
    }

    /// Makes one attempt, within the rest of the call's own limit.
    async fn attempt<T>(&mut self, call: &mut impl Attempt<T>) -> Result<T, Failed> {
        let Some(left) = self.brief_left else { return call.attempt(self.sent).await };
        let started = Instant::now();
        let attempt = tokio::time::timeout(left, call.attempt(self.sent)).await;
        self.use_brief(started.elapsed());
        attempt.unwrap_or_else(|_| {
            let reason = format!("no response within {} s", BRIEF.as_secs());
            Err(Failed { failure: Failure::Transport { reason }, class: Class::Passing })
        })
    }

    /// Takes a time off the rest of [`BRIEF`].
    fn use_brief(&mut self, used: Duration) {
        self.brief_left = self.brief_left.map(|left| left.saturating_sub(used));
    }

    /// Waits until all calls may send again, and for the call's place in the queue. A call that was
    /// not sent yet has not begun to use its `max_retry_wait`.
    async fn wait_for_turn(&mut self) -> Result<(), Failure> {
        if self.stop.is_cancelled() {
            return Err(Failure::Interrupted);
        }
        loop {
            while let Some((wait, response)) = self.health.closed() {
                if self.limits.retries == Retries::Never {
                    return Err(response.asking(wait, None));
                }
                if wait > self.limits.wait_left {
                    return Err(response.asking(wait, Some(self.limits.wait_left)));
                }
                // Calls that wait for the same moment do not return together. If the first of them
                // receives a 429, the others wait again without having used an attempt.
                self.sleep(wait + wait.min(MAX_SPREAD).mul_f64(fastrand::f64())).await?;
            }
            let turn = self.health.reserve().saturating_duration_since(Instant::now());
            if turn.is_zero() {
                return Ok(());
            }
            interruptible(turn, self.stop).await?;
            if !self.health.is_closed() {
                return Ok(());
            }
        }
    }

    /// Records what the failure shows for other calls.
    fn record(&self, failure: &Failure, class: Class) {
        let responded = failure.status().is_some();
        if responded {
            self.health.record_response();
        } else {
            self.health.record_silence(failure);
        }
        match class {
            Class::Throttled => {
                self.health.record_success();
                self.health.close(failure.asked().unwrap_or(DEFAULT_WAIT), failure);
            }
            Class::Final if responded => self.health.record_success(),
            Class::Unprocessed | Class::Passing if self.limits.retries == Retries::All => {
                self.health.record_failure();
                if let Some(asked) = failure.asked() {
                    self.health.close(asked, failure);
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

/// Waits. Returns [`Failure::Interrupted`] as soon as Terraform stops the provider.
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
