//! Outage detection, shared by all calls of a client.
//!
//! A few failures in a row are an outage: all calls wait, and one at a time sends its request as a
//! probe. A success ends the outage for all. If an outage lasts longer than `max_retry_wait`, every
//! waiting call fails. Later calls fail at once, except that one at a time may probe. The service
//! thus receives about one request per call, however many retries each call has, and a short outage
//! fails no call.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::backoff::doubled;
use crate::error::{Failure, Wait};

/// The number of failures in a row that start an outage. One or two also occur with a healthy
/// service.
const OUTAGE_FAILURES: u32 = 3;
/// The pause before the first probe. Each further pause is twice as long, up to [`MAX_PAUSE`]. This
/// makes nine probes in the default `max_retry_wait`: 20 calls send at most 1.5 requests each.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The timeout of the last probe of an outage, and the time for which calls wait for it beyond
/// their deadline.
const LAST_PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// A probe within this time before a call's deadline counts as its last.
const DEADLINE_SLACK: Duration = Duration::from_millis(250);
/// An outage is outdated after this time without a call, or after `max_retry_wait` if that is
/// longer.
const OUTDATED_AFTER: Duration = Duration::from_secs(60);
/// The largest factor by which pauses are extended to spread few retries. With it, the default of 8
/// retries lasts for the default `max_retry_wait`, and a call with very few retries still ends
/// soon.
const MAX_SPREAD: u32 = 6;
/// The number of retries from which probes are not spread.
const MANY_RETRIES: u32 = 20;

/// The rest of a call's limits.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    /// The rest of `max_retry_wait`.
    pub(crate) wait_left: Duration,
    /// The number of requests sent so far.
    pub(crate) attempts: u32,
    /// The rest of `max_retries`.
    pub(crate) retries: u32,
    /// Whether the request may be sent twice. Such calls are preferred for probes.
    pub(crate) idempotent: bool,
}

/// The outage detection of a client. It uses tokio's clock, so that tests can pause the time.
pub(crate) struct Outages {
    limit: Duration,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    /// The number of failures since the last success, outside an outage.
    failures: u32,
    outage: Option<Outage>,
    waiting: BTreeMap<u64, Waiting>,
    last_id: u64,
}

struct Outage {
    since: Instant,
    /// The last failure, which is returned to calls that have not failed themselves.
    failure: Failure,
    last_failure: Instant,
    /// `Retry-After` of a 503.
    asked_until: Option<Instant>,
    /// The number of probes that failed.
    probes: u32,
    probing_since: Option<Instant>,
    last_probe_started: Instant,
    last_probe_ended: Instant,
    /// Factor of the pauses, near 1.
    jitter: f64,
}

struct Waiting {
    entered: Instant,
    patience_ends: Instant,
    attempts: u32,
    retries: u32,
    idempotent: bool,
}

#[derive(Debug)]
enum Decision {
    Go,
    Probe { timeout: Duration },
    WaitUntil(Instant),
    Fail(Failure),
}

/// The permission to send one request. If it is dropped without a report, the outage does not
/// change.
pub(crate) struct Permit<'o> {
    outages: &'o Outages,
    /// Whether the request is the probe of an outage.
    pub(crate) probe: bool,
    /// The limit of the attempt, if it is shorter than usual.
    pub(crate) timeout: Option<Duration>,
}

impl Outages {
    /// Creates the detection. `limit` is `max_retry_wait`.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, state: Mutex::default(), changed: watch::Sender::new(()) }
    }

    /// Returns whether there is an outage, so that calls have to wait.
    pub(crate) fn is_active(&self) -> bool {
        self.lock().outage.is_some()
    }

    /// Waits until the call may send its request. The wait counts against the call's `wait_left`.
    ///
    /// # Errors
    ///
    /// The failure of the outage if it outlasts the call's `wait_left` or `max_retry_wait`;
    /// [`Failure::Interrupted`].
    pub(crate) async fn enter(
        &self,
        budget: &mut Budget,
        stop: &CancellationToken,
    ) -> Result<Permit<'_>, Failure> {
        let entered = Instant::now();
        let mut changed = self.changed.subscribe();
        let Some(place) = self.queue(budget, entered) else { return Ok(self.permit(false, None)) };
        let result = loop {
            let decision = self.lock().decide(place.id, self.limit, Instant::now());
            match decision {
                Decision::Go => break Ok(self.permit(false, None)),
                Decision::Probe { timeout } => break Ok(self.permit(true, Some(timeout))),
                Decision::Fail(failure) => break Err(failure),
                Decision::WaitUntil(until) => tokio::select! {
                    () = tokio::time::sleep_until(until) => {}
                    _ = changed.changed() => {}
                    () = stop.cancelled() => break Err(Failure::Interrupted),
                },
            }
        };
        budget.wait_left = budget.wait_left.saturating_sub(entered.elapsed());
        drop(place);
        result
    }

    /// Adds the call to the waiting calls. Returns `None` if there is no outage.
    fn queue(&self, budget: &Budget, entered: Instant) -> Option<Place<'_>> {
        let mut state = self.lock();
        state.discard_outdated(self.limit, entered);
        state.outage.as_ref()?;
        state.last_id += 1;
        let id = state.last_id;
        let waiting = Waiting {
            entered,
            patience_ends: entered + budget.wait_left,
            attempts: budget.attempts,
            retries: budget.retries,
            idempotent: budget.idempotent,
        };
        state.waiting.insert(id, waiting);
        drop(state);
        // The other calls may probe earlier, because more retries are left in total.
        self.changed.send_replace(());
        Some(Place { outages: self, id })
    }

    fn permit(&self, probe: bool, timeout: Option<Duration>) -> Permit<'_> {
        Permit { outages: self, probe, timeout }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Reports a response of a service that works.
    pub(crate) fn succeeded(mut self) {
        let mut state = self.outages.lock();
        if state.outage.is_none() {
            state.failures = 0;
        } else if self.probe {
            state.failures = 0;
            state.outage = None;
        }
        // A request that was sent before the outage and succeeds does not show that the outage is
        // over.
        self.probe = false;
        drop(state);
        self.outages.changed.send_replace(());
    }

    /// Reports a failure that can affect other calls as well, with the wait that the service
    /// requested.
    pub(crate) fn failed(mut self, failure: &Failure, retry_after: Option<Duration>) {
        let now = Instant::now();
        let mut state = self.outages.lock();
        state.failures += 1;
        let probe = std::mem::take(&mut self.probe);
        if state.outage.is_none() && (state.failures >= OUTAGE_FAILURES || retry_after.is_some()) {
            state.outage = Some(Outage::new(failure.clone(), now));
        }
        if let Some(outage) = &mut state.outage {
            outage.failure = failure.clone();
            outage.last_failure = now;
            let asked = retry_after.map(|wait| now + wait);
            outage.asked_until = outage.asked_until.max(asked);
            if probe {
                outage.probes += 1;
                outage.probing_since = None;
                outage.last_probe_ended = now;
                outage.jitter = random_jitter();
            }
        }
        drop(state);
        self.outages.changed.send_replace(());
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.probe {
            if let Some(outage) = &mut self.outages.lock().outage {
                outage.probing_since = None;
            }
            self.outages.changed.send_replace(());
        }
    }
}

/// A place among the waiting calls. Dropping it removes the call.
struct Place<'o> {
    outages: &'o Outages,
    id: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.outages.lock().waiting.remove(&self.id);
        self.outages.changed.send_replace(());
    }
}

impl Outage {
    fn new(failure: Failure, now: Instant) -> Self {
        Self {
            since: now,
            failure,
            last_failure: now,
            asked_until: None,
            probes: 0,
            probing_since: None,
            last_probe_started: now,
            last_probe_ended: now,
            jitter: random_jitter(),
        }
    }

    /// Returns when the outage has lasted too long.
    fn ends(&self, limit: Duration) -> Instant {
        self.since + limit
    }

    /// Returns when the next probe is due. Few retries are spread over the remaining time, so that
    /// a single call does not use up its retries long before `max_retry_wait`.
    fn probe_due(&self, retries: u32, limit: Duration) -> Instant {
        let pause = doubled(FIRST_PAUSE, self.probes, MAX_PAUSE);
        let left = self.ends(limit).saturating_duration_since(self.last_probe_ended);
        let spread = left / 2_u32.saturating_pow(retries.clamp(1, MANY_RETRIES)).saturating_sub(1);
        let spread = spread.min(pause * MAX_SPREAD);
        self.last_probe_ended + pause.mul_f64(self.jitter).max(spread)
    }

    /// Returns when a later call may probe an outage that has lasted too long. Probes that fail
    /// quickly are repeated more often than slow ones.
    fn late_probe_due(&self) -> Instant {
        let took = self.last_probe_ended.saturating_duration_since(self.last_probe_started);
        self.last_probe_ended + (took * 10).clamp(FIRST_PAUSE, LAST_PROBE_TIMEOUT)
    }
}

impl Waiting {
    /// Returns when the call has waited long enough.
    fn deadline(&self, outage: &Outage, limit: Duration) -> Instant {
        self.patience_ends.min(outage.ends(limit)).max(self.entered)
    }

    /// Returns whether the call began after the outage had lasted too long.
    fn is_late(&self, outage: &Outage, limit: Duration) -> bool {
        self.entered >= outage.ends(limit)
    }

    /// Returns when the call may send the next probe; `None` after the last probe before its
    /// deadline.
    fn due(&self, outage: &Outage, next: Instant, limit: Duration) -> Option<Instant> {
        let deadline = self.deadline(outage, limit);
        if self.is_late(outage, limit) {
            Some(outage.late_probe_due())
        } else if outage.last_probe_started + DEADLINE_SLACK >= deadline {
            None
        } else {
            Some(next.min(deadline))
        }
    }

    /// Returns the number of probes that this call may send. A call that must not be repeated sends
    /// another request as its probe, whose number is not limited.
    fn probes(&self) -> u32 {
        if self.idempotent { self.retries } else { MANY_RETRIES }
    }
}

impl State {
    fn decide(&mut self, id: u64, limit: Duration, now: Instant) -> Decision {
        let (Some(outage), Some(waiting)) = (&self.outage, self.waiting.get(&id)) else {
            return Decision::Go;
        };
        if let Some(until) = outage.asked_until.filter(|until| *until > now) {
            if until <= waiting.patience_ends {
                return Decision::WaitUntil(until);
            }
            let left = waiting.patience_ends.saturating_duration_since(now);
            return Decision::Fail(with_wait(&outage.failure, until - now, left));
        }
        let deadline = waiting.deadline(outage, limit);
        if let Some(started) = outage.probing_since {
            return wait_or_fail(now, deadline.max(started + LAST_PROBE_TIMEOUT), outage);
        }
        let retries = self.waiting.values().map(Waiting::probes).fold(0, u32::saturating_add);
        let next = outage.probe_due(retries, limit);
        match waiting.due(outage, next, limit) {
            None => wait_or_fail(now, deadline, outage),
            Some(due) if now < due && waiting.is_late(outage, limit) => {
                Decision::Fail(outage.failure.clone())
            }
            Some(due) if now < due => Decision::WaitUntil(due),
            Some(_) if self.best_probe(outage, next, limit, now) != Some(id) => {
                // The best call wakes up at the same time, and its probe changes the state.
                Decision::WaitUntil(now + DEADLINE_SLACK)
            }
            Some(_) => self.begin_probe(limit, now),
        }
    }

    fn begin_probe(&mut self, limit: Duration, now: Instant) -> Decision {
        let Some(outage) = &mut self.outage else { return Decision::Go };
        outage.probing_since = Some(now);
        outage.last_probe_started = now;
        // A service that does not respond must not delay the call beyond the end of the outage
        // either.
        Decision::Probe { timeout: outage.ends(limit).max(now) + LAST_PROBE_TIMEOUT - now }
    }

    /// Returns the call whose request is the best probe: it may be repeated and has been sent least
    /// often.
    fn best_probe(
        &self,
        outage: &Outage,
        next: Instant,
        limit: Duration,
        now: Instant,
    ) -> Option<u64> {
        let due =
            |waiting: &Waiting| waiting.due(outage, next, limit).is_some_and(|due| due <= now);
        let rank = |(id, waiting): &(&u64, &Waiting)| (!waiting.idempotent, waiting.attempts, **id);
        let candidates = self.waiting.iter().filter(|(_, waiting)| due(waiting));
        candidates.min_by_key(rank).map(|(id, _)| *id)
    }

    fn discard_outdated(&mut self, limit: Duration, now: Instant) {
        let outdated = |outage: &mut Outage| {
            let asked = outage.asked_until.is_some_and(|until| until > now);
            !asked && now >= outage.last_failure + limit.max(OUTDATED_AFTER)
        };
        if self.waiting.is_empty() && self.outage.take_if(outdated).is_some() {
            self.failures = 0;
        }
    }
}

fn wait_or_fail(now: Instant, until: Instant, outage: &Outage) -> Decision {
    if now < until { Decision::WaitUntil(until) } else { Decision::Fail(outage.failure.clone()) }
}

/// Returns the failure with the requested wait, which exceeds the remaining wait of the call.
pub(crate) fn with_wait(failure: &Failure, asked: Duration, left: Duration) -> Failure {
    let mut failure = failure.clone();
    if let Failure::Status { wait, .. } | Failure::Throttled { wait, .. } = &mut failure {
        *wait = Some(Wait { asked, exceeds: Some(left) });
    }
    failure
}

fn random_jitter() -> f64 {
    0.8 + 0.4 * fastrand::f64()
}
