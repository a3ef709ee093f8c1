//! The decision after a failed attempt, and calls that share the state of a simulated service, with
//! paused time.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::time::Instant;

use super::*;
use crate::error::Wait;

const W: Duration = Duration::from_secs(120);
const SECOND: Duration = Duration::from_secs(1);

fn limits(retries: Retries) -> Limits {
    Limits { retries, idempotent: true, retries_left: 10, wait_left: W }
}

fn status(status: u16, asked: Option<u64>) -> Failure {
    let wait = asked.map(|asked| Wait { asked: Duration::from_secs(asked), exceeds: None });
    Failure::Status { status, message: "down".to_owned(), wait, target: None }
}

#[test]
fn another_attempt_is_decided_by_the_failure_and_the_limits() {
    use Class::{Final, Passing, Throttled, Unprocessed};
    let limits = || limits(Retries::All);
    let of = |retries| Limits { retries, ..limits() };
    let post = || Limits { idempotent: false, ..limits() };
    let no_retry = || Limits { retries_left: 0, ..limits() };
    let wait_left = |wait_left| Limits { wait_left, ..limits() };
    let again = Next::WaitAndSend;
    let zero = Duration::ZERO;
    let w = W;
    let s = SECOND;
    // Limits, failure, requested wait, shut, time for a service that was never reached, next step.
    let cases = [
        (limits(), Passing, None, false, None, again(s)),
        (limits(), Unprocessed, None, false, None, again(s)),
        (limits(), Throttled, None, false, None, again(s)),
        (limits(), Final, None, false, None, Next::Stop),
        (post(), Passing, None, false, None, Next::Stop),
        (post(), Unprocessed, None, false, None, again(s)),
        (post(), Throttled, None, false, None, again(s)),
        (of(Retries::Throttled), Throttled, None, false, None, again(s)),
        (of(Retries::Throttled), Passing, None, false, None, Next::Stop),
        (of(Retries::Throttled), Unprocessed, None, false, None, Next::Stop),
        (no_retry(), Passing, None, false, None, Next::UsedUp),
        (no_retry(), Throttled, None, false, None, Next::UsedUp),
        (no_retry(), Final, None, false, None, Next::Stop),
        (wait_left(s / 2), Passing, None, false, None, again(s / 2)),
        (wait_left(zero), Passing, None, false, None, Next::UsedUp),
        (limits(), Throttled, Some(w), false, None, again(s)),
        (limits(), Throttled, Some(w + s), false, None, Next::Exceeded),
        (limits(), Passing, Some(w + s), false, None, Next::Exceeded),
        (post(), Passing, Some(w + s), false, None, Next::Stop),
        (limits(), Passing, None, true, None, Next::Stop),
        (limits(), Unprocessed, None, true, None, Next::Stop),
        (limits(), Throttled, None, true, None, again(s)),
        (limits(), Unprocessed, None, false, Some(s / 4), again(s / 4)),
        (limits(), Unprocessed, None, false, Some(zero), Next::GiveUp),
        (of(Retries::Throttled), Unprocessed, None, false, Some(zero), Next::GiveUp),
    ];
    for (index, (limits, class, asked, is_shut, unreached_left, expected)) in
        cases.into_iter().enumerate()
    {
        let facts = Facts { limits: &limits, class, asked, is_shut, unreached_left, backoff: s };
        assert_eq!(decide(&facts), expected, "case {index}: {limits:?}, {class:?}");
    }
}

/// Whether a failed attempt shows other calls that the service works, and whether it makes them wait.
#[tokio::test]
async fn failure_tells_other_calls_what_it_shows() {
    let throttled = || limits(Retries::Throttled);
    for (limits, failure, class, shows) in [
        (limits(Retries::All), status(404, None), Class::Final, (1, false)),
        (limits(Retries::All), Failure::NotTls, Class::Final, (0, false)),
        (limits(Retries::All), status(429, Some(5)), Class::Throttled, (1, true)),
        (limits(Retries::All), status(503, Some(5)), Class::Passing, (0, true)),
        (throttled(), status(503, Some(5)), Class::Passing, (0, false)),
        (throttled(), status(429, None), Class::Throttled, (1, true)),
    ] {
        let (gate, stop) = (Gate::default(), CancellationToken::new());
        Attempts::new(&gate, &stop, limits).record(&failure, class);
        let found = (gate.successes(), gate.pause_left().is_some());
        assert_eq!(found, shows, "{class:?}: {}", failure.cause());
    }
}

#[test]
fn ten_backoffs_take_more_than_a_minute_and_less_than_the_default_limit() {
    let total = |random: f64| (1..=10).map(|attempt| backoff(attempt, random)).sum::<Duration>();
    assert!(total(0.0) > Duration::from_secs(60), "{:?}", total(0.0));
    assert!(total(1.0) < W, "{:?}", total(1.0));
    let middle: Vec<_> = (1..=9).map(|attempt| backoff(attempt, 0.5).as_millis()).collect();
    assert_eq!(middle, [250, 500, 1000, 2000, 4000, 8000, 16000, 20000, 20000]);
    assert_eq!(backoff(u32::MAX, 0.5), MAX_BACKOFF);
}

/// The failure of a service while it is down.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fails {
    /// 503 at once.
    With503,
    /// 503 with a `Retry-After` of this number of seconds.
    Asking(u64),
    /// No connection.
    Unconnected,
    /// No connection within 23 s.
    Unreachable,
    /// No response within 30 s.
    Hanging,
}

/// A service that is down for some time, and may limit the rate of requests.
struct Service {
    started: Instant,
    down: Range<Duration>,
    fails: Fails,
    /// Requests per second, and `Retry-After`.
    rate: Option<(f64, Option<u64>)>,
    tokens: std::sync::Mutex<(f64, Instant)>,
    times: std::sync::Mutex<Vec<Duration>>,
    announced: AtomicU32,
    gate: Arc<Gate>,
}

impl Service {
    fn new(down: Range<u64>, fails: Fails) -> Self {
        let down = Duration::from_secs(down.start)..Duration::from_secs(down.end);
        let started = Instant::now();
        let gate = Arc::new(Gate::default());
        // The service has worked before, unless a test is about its first responses.
        gate.record_success();
        let tokens = std::sync::Mutex::new((1.0, started));
        let times = Vec::new().into();
        let announced = AtomicU32::new(0);
        Self { started, down, fails, rate: None, tokens, times, announced, gate }
    }

    /// Returns the service as a client that has never called it.
    fn unknown(self) -> Self {
        Self { gate: Arc::default(), ..self }
    }

    fn limited(rate: f64, retry_after: Option<u64>) -> Self {
        let service = Self::new(0..0, Fails::With503);
        Self {
            rate: Some((rate, retry_after)),
            tokens: (rate.max(1.0), Instant::now()).into(),
            ..service
        }
    }

    fn requests(&self) -> usize {
        self.times.lock().unwrap().len()
    }

    fn admits(&self, rate: f64) -> bool {
        let mut tokens = self.tokens.lock().unwrap();
        let refilled = tokens.0 + tokens.1.elapsed().as_secs_f64() * rate;
        *tokens = (refilled.min(rate.max(1.0)), Instant::now());
        let admitted = tokens.0 >= 1.0;
        if admitted {
            tokens.0 -= 1.0;
        }
        admitted
    }

    async fn call(&self, limits: Limits) -> (Result<(), Failure>, u32) {
        let stop = CancellationToken::new();
        let mut attempts = Attempts::new(&self.gate, &stop, limits);
        let mut simulated = self;
        let limit = Duration::from_secs(24 * 3600);
        let result = tokio::time::timeout(limit, attempts.run(&mut simulated)).await;
        (result.expect("the call ends"), attempts.sent)
    }

    /// Makes `count` calls, `parallel` of them at a time. Returns the number of failed calls.
    async fn calls(self: &Arc<Self>, count: u32, parallel: u32, limits: &Limits) -> u32 {
        let left = Arc::new(AtomicU32::new(count));
        let failed = Arc::new(AtomicU32::new(0));
        let mut workers = Vec::new();
        for _ in 0..parallel {
            let service = Arc::clone(self);
            let limits = limits.clone();
            let left = Arc::clone(&left);
            let failed = Arc::clone(&failed);
            workers.push(tokio::spawn(async move {
                let take = |left: u32| left.checked_sub(1);
                while left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok() {
                    if service.call(limits.clone()).await.0.is_err() {
                        failed.fetch_add(1, Ordering::SeqCst);
                    }
                }
            }));
        }
        for worker in workers {
            worker.await.unwrap();
        }
        failed.load(Ordering::SeqCst)
    }
}

impl Attempt<()> for &Service {
    fn announce_retry(&self, _: &Failure, _: Duration) {
        self.announced.fetch_add(1, Ordering::SeqCst);
    }

    async fn attempt(&mut self, _: u32) -> Result<(), Failed> {
        let sent = self.started.elapsed();
        self.times.lock().unwrap().push(sent);
        assert!(self.requests() < 10_000, "the retries do not end");
        tokio::time::sleep(Duration::from_millis(5)).await;
        if let Some((rate, retry_after)) = self.rate
            && !self.admits(rate)
        {
            return Err(Failed { failure: status(429, retry_after), class: Class::Throttled });
        }
        if !self.down.contains(&sent) {
            return Ok(());
        }
        let unconnected = || Failure::NotConnected { reason: "none".to_owned() };
        let (failure, class) = match self.fails {
            Fails::With503 => (status(503, None), Class::Passing),
            Fails::Asking(seconds) => (status(503, Some(seconds)), Class::Passing),
            Fails::Unconnected => (unconnected(), Class::Unprocessed),
            Fails::Unreachable => {
                let timeout = Duration::from_secs(23);
                let limit = self.gate.connect_limit().unwrap_or(timeout);
                tokio::time::sleep(limit.min(timeout)).await;
                (unconnected(), Class::Unprocessed)
            }
            Fails::Hanging => {
                tokio::time::sleep(Duration::from_secs(30)).await;
                (Failure::Transport { reason: "none".to_owned() }, Class::Passing)
            }
        };
        Err(Failed { failure, class })
    }
}

#[tokio::test(start_paused = true)]
async fn outage_of_under_a_minute_fails_no_call() {
    for seconds in [1, 59] {
        for fails in [Fails::With503, Fails::Asking(7), Fails::Unconnected, Fails::Hanging] {
            for (begins, parallel) in [(0, 1), (0, 300), (5, 10)] {
                let service = Service::new(begins..begins + seconds, fails);
                let case = format!("{fails:?} for {seconds} s, {parallel} calls at a time");
                assert_survives(service, parallel, &case).await;
                let failed_before = Service::new(begins..begins + seconds, fails).unknown();
                // A service that was never reached is given up sooner.
                failed_before.gate.record_connection();
                assert_survives(failed_before, parallel, &format!("first, {case}")).await;
            }
        }
    }
}

async fn assert_survives(service: Service, parallel: u32, case: &str) {
    let service = Arc::new(service);
    assert_eq!(service.calls(600, parallel, &limits(Retries::All)).await, 0, "{case}");
    assert!(service.requests() <= 600 + 11 * parallel as usize, "{case}");
}

#[tokio::test(start_paused = true)]
async fn service_that_is_down_receives_one_attempt_per_further_call() {
    for fails in [Fails::With503, Fails::Unconnected, Fails::Hanging] {
        let service = Arc::new(Service::new(0..1_000, fails));
        let all = limits(Retries::All);
        assert_eq!(service.calls(10, 10, &all).await, 10);
        let requests = service.requests();
        assert!(requests <= 110, "{requests}");
        assert_eq!(service.calls(50, 10, &all).await, 50, "{fails:?}");
        assert_eq!(service.requests(), requests + 50, "{fails:?}");
        // A success ends it.
        tokio::time::sleep_until(service.started + Duration::from_secs(1_000)).await;
        assert_eq!(service.call(all.clone()).await.1, 1);
        assert!(!service.gate.is_shut());
    }
}

#[tokio::test(start_paused = true)]
async fn object_that_always_fails_is_no_outage() {
    let working = Service::new(0..0, Fails::With503);
    let gate = Arc::clone(&working.gate);
    let broken = Service { gate, ..Service::new(0..10_000, Fails::With503) };
    let others = async {
        for _ in 0..60 {
            tokio::time::sleep(Duration::from_secs(10)).await;
            assert_eq!(working.call(limits(Retries::All)).await.1, 1);
        }
    };
    let failing = async {
        for _ in 0..4 {
            assert_eq!(broken.call(limits(Retries::All)).await.1, 11);
        }
    };
    tokio::join!(others, failing);
}

#[tokio::test(start_paused = true)]
async fn call_that_has_waited_in_vain_ends_by_an_outage() {
    let service = Service::new(0..1_000, Fails::With503).unknown();
    let stop = CancellationToken::new();
    let mut ended = Vec::new();
    for max_retries in [0, 10, 10] {
        let limits = Limits { retries_left: max_retries, ..limits(Retries::All) };
        let mut attempts = Attempts::new(&service.gate, &stop, limits);
        assert!(attempts.run(&mut &service).await.is_err());
        ended.push((attempts.sent, attempts.ended_by_outage));
    }
    // A call that was not to be sent again has not waited.
    assert_eq!(ended, [(1, false), (11, true), (1, true)]);
    let announced = service.announced.load(Ordering::SeqCst);
    assert_eq!(announced, 10, "a line in the log for each further attempt");
}

#[tokio::test(start_paused = true)]
async fn service_that_was_never_reached_is_given_up_after_fifteen_seconds_in_all() {
    let all = limits(Retries::All);
    for fails in [Fails::Unconnected, Fails::Unreachable] {
        for seed in 0..20 {
            fastrand::seed(seed);
            let service = Arc::new(Service::new(0..1_000, fails).unknown());
            // As many at a time as Terraform makes, and six times as many calls.
            assert_eq!(service.calls(60, 10, &all).await, 60, "{fails:?}");
            let took = service.started.elapsed();
            let limit = Duration::from_secs(12)..Duration::from_secs(16);
            assert!(limit.contains(&took), "{fails:?}: {took:?}");
            let requests = service.requests();
            assert!(requests <= 10 * 8, "{fails:?}: {requests}");
            let before = Instant::now();
            assert_eq!(service.calls(20, 10, &all).await, 20, "{fails:?}");
            assert_eq!((service.requests(), before.elapsed()), (requests, Duration::ZERO));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn service_that_is_reached_within_twelve_seconds_fails_no_call() {
    for seed in 0..20 {
        fastrand::seed(seed);
        let service = Arc::new(Service::new(0..12, Fails::Unconnected).unknown());
        assert_eq!(service.calls(60, 10, &limits(Retries::All)).await, 0, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn wait_before_the_first_attempt_does_not_count() {
    // All calls wait for most of their limit, and the service is down for a minute after that. A later
    // response that asks for less does not shorten the wait.
    let service = Service::new(0..159, Fails::With503);
    service.gate.pause(Duration::from_secs(100), &status(429, Some(100)));
    service.gate.pause(Duration::from_secs(1), &status(429, Some(1)));
    let (result, sent) = service.call(limits(Retries::All)).await;
    assert!(result.is_ok(), "{result:?} after {sent} attempts");
}

#[tokio::test(start_paused = true)]
async fn call_ends_with_its_retries_or_its_wait() {
    for (retries_left, wait, longest) in [(0, 120, 1), (2, 120, 2), (4, 120, 6), (10, 3, 4)] {
        let service = Service::new(0..1_000, Fails::With503);
        let wait_left = Duration::from_secs(wait);
        let limits = Limits { retries_left, wait_left, ..limits(Retries::All) };
        let (result, sent) = service.call(limits).await;
        assert!(result.is_err());
        assert!(sent == retries_left + 1 || wait == 3, "{retries_left}: {sent}");
        let took = service.started.elapsed();
        assert!(took <= Duration::from_secs(longest), "{retries_left}: {took:?}");
        assert!(wait != 3 || took >= wait_left, "a last attempt at the end of the wait: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn limited_service_serves_every_call_at_its_rate() {
    for (rate, retry_after) in
        [(5.0, Some(1)), (5.0, None), (5.0, Some(0)), (50.0, Some(1)), (1.0, Some(1))]
    {
        let service = Arc::new(Service::limited(rate, retry_after));
        let failed = service.calls(400, 10, &limits(Retries::All)).await;
        let seconds = service.started.elapsed().as_secs_f64();
        let requests = service.requests();
        let case = format!("{rate}/s {retry_after:?}: {requests} requests, {seconds} s");
        assert_eq!(failed, 0, "{case}");
        assert!(requests <= 400 * 4, "{case}");
        assert!(seconds <= 1.4 * 400.0 / rate, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn call_that_others_do_not_need_is_sent_once_and_delays_nobody() {
    for (retries, fails) in
        [(Retries::Throttled, Fails::With503), (Retries::Throttled, Fails::Asking(60))]
    {
        let service = Service::new(0..1_000, fails);
        for _ in 0..3 {
            assert_eq!(service.call(limits(retries)).await.1, 1, "{retries:?} {fails:?}");
        }
        tokio::time::sleep(W).await;
        assert!(
            !service.gate.is_shut() && service.gate.pause_left().is_none(),
            "{retries:?} {fails:?}"
        );
    }
    let service = Service::limited(1.0, Some(2));
    assert!(service.call(limits(Retries::Throttled)).await.0.is_ok());
    assert_eq!(service.call(limits(Retries::Throttled)).await.1, 2, "a 429 is sent again");
}
