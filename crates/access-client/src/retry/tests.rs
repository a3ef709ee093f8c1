//! The decision after a failed attempt, and calls that share the state of a simulated service, with
//! paused time.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::error::Wait;

const W: Duration = Duration::from_secs(120);
const SECOND: Duration = Duration::from_secs(1);

fn limits(retries: Retries) -> Limits {
    Limits { retries, idempotent: true, retries_left: 10, wait_left: W }
}

fn status(status: u16, asked: Option<u64>) -> Failure {
    let wait = asked.map(|asked| Wait { asked: Duration::from_secs(asked), exceeds: None });
    Failure::Status { status, message: "down".to_owned(), json: true, wait, target: None }
}

#[test]
fn another_attempt_is_decided_by_the_failure_and_the_limits() {
    use Class::{Final, Passing, Throttled, Unprocessed};
    let limits = || limits(Retries::All);
    let post = || Limits { idempotent: false, ..limits() };
    let again = Next::WaitAndSend;
    let w = W;
    let s = SECOND;
    let never = |retries| Limits { retries, ..limits() };
    // Limits, failure, requested wait, down, time for a service that has never worked, next step.
    let cases = [
        (limits(), Passing, None, false, None, again(s)),
        (limits(), Unprocessed, None, false, None, again(s)),
        (limits(), Throttled, None, false, None, again(s)),
        (limits(), Final, None, false, None, Next::Stop),
        (post(), Passing, None, false, None, Next::Stop),
        (post(), Unprocessed, None, false, None, again(s)),
        (post(), Throttled, None, false, None, again(s)),
        (never(Retries::Throttled), Throttled, None, false, None, again(s)),
        (never(Retries::Throttled), Passing, None, false, None, Next::Stop),
        (never(Retries::Throttled), Unprocessed, None, false, None, Next::Stop),
        (never(Retries::Never), Throttled, None, false, None, Next::Stop),
        (never(Retries::Never), Unprocessed, None, false, None, Next::Stop),
        (Limits { retries_left: 0, ..limits() }, Passing, None, false, None, Next::Stop),
        (Limits { wait_left: s / 2, ..limits() }, Passing, None, false, None, again(s / 2)),
        (Limits { wait_left: Duration::ZERO, ..limits() }, Passing, None, false, None, Next::Stop),
        (limits(), Throttled, Some(w), false, None, again(s)),
        (limits(), Throttled, Some(w + s), false, None, Next::Exceeded),
        (limits(), Passing, Some(w + s), false, None, Next::Exceeded),
        (limits(), Passing, None, true, None, Next::Stop),
        (limits(), Unprocessed, None, true, None, Next::Stop),
        (limits(), Throttled, None, true, None, again(s)),
        (limits(), Unprocessed, None, false, Some(s / 4), again(s / 4)),
        (limits(), Unprocessed, None, false, Some(Duration::ZERO), Next::Stop),
    ];
    for (index, (limits, class, asked, is_down, unproven_left, expected)) in
        cases.into_iter().enumerate()
    {
        let brief_left = None;
        let facts =
            Facts { limits: &limits, class, asked, is_down, brief_left, unproven_left, backoff: s };
        assert_eq!(decide(&facts), expected, "case {index}: {limits:?}, {class:?}");
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
    health: Arc<Health>,
}

impl Service {
    fn new(down: Range<u64>, fails: Fails) -> Self {
        let down = Duration::from_secs(down.start)..Duration::from_secs(down.end);
        let started = Instant::now();
        let health = Arc::new(Health::new(W, None));
        // The service has worked before, unless a test is about its first responses.
        health.record_response();
        health.record_success();
        let tokens = std::sync::Mutex::new((1.0, started));
        let times = Vec::new().into();
        let announced = AtomicU32::new(0);
        Self { started, down, fails, rate: None, tokens, times, announced, health }
    }

    /// Returns the service as a client that has never called it.
    fn unknown(self) -> Self {
        Self { health: Health::new(W, None).into(), ..self }
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
        let mut attempts = Attempts::new(&self.health, &stop, limits);
        let mut simulated = self;
        let result = attempts.run(&mut simulated).await;
        (result, attempts.sent)
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
        tokio::time::sleep(Duration::from_millis(5)).await;
        if let Some((rate, retry_after)) = self.rate
            && !self.admits(rate)
        {
            return Err(Failed { failure: status(429, retry_after), class: Class::Throttled });
        }
        if !self.down.contains(&sent) {
            return Ok(());
        }
        let unanswered = || Failure::Transport { reason: "none".to_owned() };
        let (failure, class) = match self.fails {
            Fails::With503 => (status(503, None), Class::Passing),
            Fails::Asking(seconds) => (status(503, Some(seconds)), Class::Passing),
            Fails::Unconnected => (unanswered(), Class::Unprocessed),
            Fails::Hanging => {
                let timeout = Duration::from_secs(30);
                let limit = self.health.first_response_limit().unwrap_or(timeout);
                tokio::time::sleep(limit.min(timeout)).await;
                (unanswered(), Class::Passing)
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
                // A service that is silent from the start is given up sooner.
                failed_before.health.record_response();
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
        let service = Arc::new(Service::new(0..300, fails));
        let all = limits(Retries::All);
        assert_eq!(service.calls(10, 10, &all).await, 10);
        // The first calls may end a little before the limit, which the next ones reach.
        tokio::time::sleep_until(service.started + W).await;
        let requests = service.requests();
        assert!(requests <= 110, "{requests}");
        assert_eq!(service.calls(50, 10, &all).await, 50, "{fails:?}");
        assert_eq!(service.requests(), requests + 50, "{fails:?}");
        // A success ends it.
        tokio::time::sleep_until(service.started + Duration::from_secs(300)).await;
        assert_eq!(service.call(all.clone()).await.1, 1);
        assert!(!service.health.is_down());
    }
}

#[tokio::test(start_paused = true)]
async fn brief_call_is_given_up_after_five_seconds_and_waits_for_a_rate_limit() {
    let brief = limits(Retries::Brief);
    for seed in 0..100 {
        // The jitter of the waits decides how much time is left for the last attempt.
        fastrand::seed(seed);
        for fails in [Fails::With503, Fails::Unconnected, Fails::Hanging] {
            for (down, succeeds) in [(0..3, fails != Fails::Hanging), (0..60, false)] {
                let service = Service::new(down.clone(), fails);
                let (result, _) = service.call(brief.clone()).await;
                let case = format!("{fails:?}, down {down:?}, seed {seed}");
                assert_eq!(result.is_ok(), succeeds, "{case}");
                let took = service.started.elapsed();
                assert!(took <= Duration::from_secs(6), "{case}: {took:?}");
            }
        }
    }
    let throttled = Service::limited(0.1, Some(10));
    for _ in 0..3 {
        throttled.call(brief.clone()).await.0.unwrap();
    }
    assert!(throttled.started.elapsed() > Duration::from_secs(15));
}

#[tokio::test(start_paused = true)]
async fn object_that_always_fails_is_no_outage() {
    let working = Service::new(0..0, Fails::With503);
    let health = Arc::clone(&working.health);
    let broken = Service { health, ..Service::new(0..10_000, Fails::With503) };
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
async fn service_that_only_ever_fails_is_given_up_after_a_minute() {
    for (fails, longest) in [(Fails::With503, 61), (Fails::Asking(7), 68)] {
        let service = Service::new(0..100, fails).unknown();
        let stop = CancellationToken::new();
        let mut attempts = Attempts::new(&service.health, &stop, limits(Retries::All));
        assert!(attempts.run(&mut &service).await.is_err());
        assert!(attempts.ended_by_outage);
        let announced = service.announced.load(Ordering::SeqCst);
        assert_eq!(announced + 1, attempts.sent, "a line in the log for each further attempt");
        let took = service.started.elapsed();
        let limit = Duration::from_secs(60)..Duration::from_secs(longest);
        assert!(limit.contains(&took), "{fails:?}: {took:?}");
        for _ in 0..3 {
            assert_eq!(service.call(limits(Retries::All)).await.1, 1, "{fails:?}");
        }
        // It counts as a service that works as soon as it has worked.
        tokio::time::sleep_until(service.started + Duration::from_secs(110)).await;
        assert!(service.call(limits(Retries::All)).await.0.is_ok());
        let down = Duration::from_secs(0)..Duration::from_secs(1_000);
        let service = Service { down, ..service };
        let before = Instant::now();
        assert!(service.call(limits(Retries::All)).await.0.is_err());
        assert!(before.elapsed() > Duration::from_secs(64), "{fails:?}: {:?}", before.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn service_that_never_responds_is_given_up_after_fifteen_seconds_in_all() {
    let all = limits(Retries::All);
    for fails in [Fails::Unconnected, Fails::Hanging] {
        let service = Arc::new(Service::new(0..1_000, fails).unknown());
        // As many at a time as Terraform makes, and six times as many calls.
        assert_eq!(service.calls(60, 10, &all).await, 60, "{fails:?}");
        let took = service.started.elapsed();
        let limit = Duration::from_secs(13)..Duration::from_secs(17);
        assert!(limit.contains(&took), "{fails:?}: {took:?}");
        let requests = service.requests();
        assert!(requests <= 10 * 8, "{fails:?}: {requests}");

        let before = Instant::now();
        assert_eq!(service.calls(20, 10, &all).await, 20, "{fails:?}");
        assert!(before.elapsed() < SECOND && service.requests() <= requests + 10, "{fails:?}");
        let requests = service.requests();
        assert_eq!(service.call(all.clone()).await.1, 0, "{fails:?}");

        // Later it is tried again, and found if it is there.
        tokio::time::sleep(Duration::from_secs(31)).await;
        let before = Instant::now();
        assert_eq!(service.call(all.clone()).await.1, 1, "{fails:?}");
        assert!(before.elapsed() < Duration::from_secs(4), "{fails:?}");
        assert_eq!(service.requests(), requests + 1, "{fails:?}");
        tokio::time::sleep_until(service.started + Duration::from_secs(1_000)).await;
        assert_eq!(service.calls(20, 10, &all).await, 0, "{fails:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn service_that_responds_within_fourteen_seconds_fails_no_call() {
    for seed in 0..20 {
        fastrand::seed(seed);
        let service = Arc::new(Service::new(0..13, Fails::Unconnected).unknown());
        assert_eq!(service.calls(60, 10, &limits(Retries::All)).await, 0, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn wait_before_the_first_attempt_does_not_count() {
    // All calls wait for most of their limit, and the service is down for a minute after that.
    let service = Service::new(0..159, Fails::With503);
    service.health.close(Duration::from_secs(100), &status(429, Some(100)));
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
async fn calls_that_wait_for_one_moment_do_not_return_in_one_instant() {
    let service = Arc::new(Service::new(0..0, Fails::With503));
    service.health.close(Duration::from_secs(5), &status(429, Some(5)));
    assert_eq!(service.calls(500, 500, &limits(Retries::All)).await, 0);
    let times = service.times.lock().unwrap();
    assert!(times.iter().all(|time| *time >= Duration::from_secs(5)), "{times:?}");
    for tenth in 50..60 {
        let from = Duration::from_millis(tenth * 100);
        let to = Duration::from_millis(tenth * 100 + 100);
        let count = times.iter().filter(|time| (from..to).contains(*time)).count();
        assert!(count < 100, "{count} within {from:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn call_that_others_do_not_need_is_sent_once_and_delays_nobody() {
    for (retries, fails) in [
        (Retries::Throttled, Fails::With503),
        (Retries::Throttled, Fails::Asking(60)),
        (Retries::Never, Fails::With503),
        (Retries::Never, Fails::Asking(60)),
        (Retries::Never, Fails::Unconnected),
    ] {
        let service = Service::new(0..1_000, fails);
        for _ in 0..3 {
            assert_eq!(service.call(limits(retries)).await.1, 1, "{retries:?} {fails:?}");
        }
        tokio::time::sleep(W).await;
        assert!(!service.health.is_down() && !service.health.is_closed(), "{retries:?} {fails:?}");
    }
    let service = Service::limited(1.0, Some(2));
    assert!(service.call(limits(Retries::Throttled)).await.0.is_ok());
    assert_eq!(service.call(limits(Retries::Throttled)).await.1, 2, "a 429 is sent again");
    // The wait that a 429 requested is not over.
    let service = Service::limited(0.01, Some(60));
    service.call(limits(Retries::Never)).await.0.unwrap();
    assert_eq!(service.call(limits(Retries::Never)).await.1, 1);
    let before = service.started.elapsed();
    let (result, sent) = service.call(limits(Retries::Never)).await;
    assert!(matches!(result, Err(Failure::Status { status: 429, .. })), "{result:?}");
    assert_eq!((sent, service.started.elapsed()), (0, before));
}

#[tokio::test(start_paused = true)]
async fn configured_rate_is_kept() {
    let service = Service::new(0..0, Fails::With503);
    let service = Arc::new(Service { health: Health::new(W, Some(10.0)).into(), ..service });
    // The wait for a place in the queue does not count.
    let limits = Limits { wait_left: Duration::ZERO, ..limits(Retries::Never) };
    assert_eq!(service.calls(20, 20, &limits).await, 0);
    let times = service.times.lock().unwrap();
    for (index, time) in times.iter().enumerate() {
        let expected = Duration::from_millis(100) * u32::try_from(index).unwrap();
        assert!(*time >= expected && *time < expected + Duration::from_millis(5), "{times:?}");
    }
}
