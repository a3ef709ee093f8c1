//! Many calls that share a gate, against a simulated service, with paused time.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::time::Instant;

use super::*;

const W: Duration = Duration::from_secs(120);

/// The failure of a service during an outage.
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

struct Service {
    started: Instant,
    down: Range<Duration>,
    fails: Fails,
    requests: AtomicU32,
}

impl Service {
    fn new(down: Range<u64>, fails: Fails) -> Arc<Self> {
        let down = Duration::from_secs(down.start)..Duration::from_secs(down.end);
        Arc::new(Self { started: Instant::now(), down, fails, requests: AtomicU32::new(0) })
    }

    fn requests(&self) -> u32 {
        self.requests.load(Ordering::SeqCst)
    }
}

/// A call of the simulated service.
struct Simulated<'c> {
    service: &'c Service,
    gate: &'c Gate,
    idempotent: bool,
}

impl Simulated<'_> {
    async fn send(&self, permit: Permit<'_>) -> Result<(), Next> {
        let service = self.service;
        let sent = service.started.elapsed();
        service.requests.fetch_add(1, Ordering::SeqCst);
        if !service.down.contains(&sent) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            self.gate.record_success(permit);
            return Ok(());
        }
        let failure = failure();
        let (takes, asked) = match service.fails {
            Fails::With503 | Fails::Unconnected => (Duration::from_millis(5), None),
            Fails::Asking(seconds) => {
                (Duration::from_millis(5), Some(Duration::from_secs(seconds)))
            }
            Fails::Hanging => (Duration::from_secs(30), None),
        };
        tokio::time::sleep(permit.timeout.map_or(takes, |limit| takes.min(limit))).await;
        permit.failed(&failure, asked);
        let repeatable = self.idempotent || service.fails == Fails::Unconnected;
        Err(match asked {
            _ if !repeatable => Next::Stop(failure),
            Some(wait) => Next::Wait(failure, wait),
            None => Next::Retry(failure),
        })
    }
}

impl Attempt<()> for Simulated<'_> {
    async fn attempt(&mut self, permit: Permit<'_>, _: u32, _: bool) -> Result<(), Next> {
        self.send(permit).await
    }

    async fn probe(&mut self, permit: Permit<'_>) {
        _ = self.send(permit).await;
    }
}

fn failure() -> Failure {
    Failure::Status { status: 503, message: "down".to_owned(), json: true, wait: None }
}

fn budget(idempotent: bool) -> Budget {
    Budget { wait_left: W, attempts: 0, retries: 8, idempotent }
}

/// Makes one call.
async fn call(service: &Service, gate: &Gate, budget: Budget) -> (Result<(), Failure>, u32) {
    let stop = CancellationToken::new();
    let mut simulated = Simulated { service, gate, idempotent: budget.idempotent };
    let mut retries = Retries::new(gate, &stop, budget);
    let result = retries.run(&mut simulated).await;
    (result, retries.attempts())
}

/// Makes `count` calls, `parallel` of them at a time. Returns the number of failed calls.
async fn calls(service: &Arc<Service>, count: u32, parallel: u32, budget: &Budget) -> u32 {
    let gate = Arc::new(Gate::new(W, None));
    let left = Arc::new(AtomicU32::new(count));
    let failed = Arc::new(AtomicU32::new(0));
    let mut workers = Vec::new();
    for _ in 0..parallel {
        let (service, gate, budget) = (Arc::clone(service), Arc::clone(&gate), budget.clone());
        let (left, failed) = (Arc::clone(&left), Arc::clone(&failed));
        workers.push(tokio::spawn(async move {
            let take = |left: u32| left.checked_sub(1);
            while left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok() {
                if call(&service, &gate, budget.clone()).await.0.is_err() {
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

#[tokio::test(start_paused = true)]
async fn outage_within_the_limit_fails_no_call() {
    for parallel in [1, 2, 10, 50] {
        for down in [0..20, 1..3, 1..21, 1..60, 1..118] {
            for (fails, idempotent) in [
                (Fails::With503, true),
                (Fails::Asking(7), true),
                (Fails::Unconnected, true),
                (Fails::Unconnected, false),
            ] {
                if fails == Fails::Asking(7) && down.end > 100 {
                    // At the end of this outage the requested wait exceeds the limit.
                    continue;
                }
                let service = Service::new(down.clone(), fails);
                let failed = calls(&service, 300, parallel, &budget(idempotent)).await;
                let case = format!("{parallel} calls at a time, down {down:?}, {fails:?}");
                assert_eq!(failed, 0, "{case}");
                assert!(service.requests() <= 450, "{case}: {} requests", service.requests());
                let late = service.started.elapsed().as_secs_f64() - 16.0 - down.end as f64;
                assert!(
                    late <= (down.end - down.start) as f64 * 1.3 + 1.0,
                    "{case}: {late} s late"
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn hanging_service_within_the_limit_fails_no_call() {
    let service = Service::new(1..80, Fails::Hanging);
    assert_eq!(calls(&service, 300, 10, &budget(true)).await, 0);
}

#[tokio::test(start_paused = true)]
async fn outage_beyond_the_limit_fails_every_call_soon_and_with_few_requests() {
    for (count, parallel) in [(20, 10), (20, 20), (40, 10), (300, 10), (300, 50)] {
        for (fails, idempotent, longest) in [
            (Fails::With503, true, 6),
            (Fails::Unconnected, true, 6),
            (Fails::Unconnected, false, 6),
            (Fails::With503, false, 6),
            (Fails::Hanging, true, 36),
        ] {
            let service = Service::new(0..1_000_000, fails);
            let failed = calls(&service, count, parallel, &budget(idempotent)).await;
            let case = format!("{count} calls, {parallel} at a time, {fails:?}, {idempotent}");
            assert_eq!(failed, count, "{case}");
            let took = service.started.elapsed();
            assert!(took <= W + Duration::from_secs(longest), "{case}: {took:?}");
            let requests = service.requests();
            assert!(requests * 2 <= count * 3, "{case}: {requests} requests");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lone_call_spreads_its_retries_over_the_limit() {
    let service = Service::new(0..115, Fails::With503);
    let (result, attempts) = call(&service, &Gate::new(W, None), budget(true)).await;
    assert!(result.is_ok(), "{result:?}");
    assert!(attempts <= 9, "{attempts}");
}

#[tokio::test(start_paused = true)]
async fn lone_call_with_few_retries_ends_soon() {
    for (retries, seconds) in [(0, 1), (2, 1), (3, 5), (4, 11)] {
        let service = Service::new(0..1_000, Fails::With503);
        let budget = Budget { retries, ..budget(true) };
        let (result, attempts) = call(&service, &Gate::new(W, None), budget).await;
        assert!(result.is_err());
        assert_eq!(attempts, retries + 1);
        let took = service.started.elapsed();
        assert!(took <= Duration::from_secs(seconds), "{retries}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn call_with_little_wait_left_fails_when_it_is_used_up() {
    let service = Service::new(0..1_000, Fails::With503);
    let gate = Arc::new(Gate::new(W, None));
    let mut waiting = Vec::new();
    for _ in 0..5 {
        let (service, gate) = (Arc::clone(&service), Arc::clone(&gate));
        waiting.push(tokio::spawn(async move { call(&service, &gate, budget(true)).await.0 }));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let poor = Budget { wait_left: Duration::from_secs(10), attempts: 4, ..budget(true) };
    assert!(call(&service, &gate, poor).await.0.is_err());
    let took = service.started.elapsed();
    assert!(took >= Duration::from_secs(11) && took < Duration::from_secs(13), "{took:?}");
    for call in waiting {
        assert!(call.await.unwrap().is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn service_that_returns_after_the_limit_is_used_again() {
    let service = Service::new(0..200, Fails::With503);
    let gate = Arc::new(Gate::new(W, None));
    let mut first = Vec::new();
    for _ in 0..10 {
        let (service, gate) = (Arc::clone(&service), Arc::clone(&gate));
        first.push(tokio::spawn(async move { call(&service, &gate, budget(true)).await.0 }));
    }
    for call in first {
        assert!(call.await.unwrap().is_err());
    }
    // Still down: a later call fails at once.
    let before = service.started.elapsed();
    assert!(call(&service, &gate, budget(true)).await.0.is_err());
    assert!(service.started.elapsed() - before < Duration::from_secs(1));
    tokio::time::sleep_until(service.started + Duration::from_secs(201)).await;
    let (result, attempts) = call(&service, &gate, budget(true)).await;
    assert!(result.is_ok());
    assert_eq!(attempts, 1);
    assert!(!gate.is_outage());
}

#[tokio::test(start_paused = true)]
async fn outage_of_the_past_does_not_count() {
    let service = Service::new(0..200, Fails::With503);
    assert_eq!(calls(&service, 10, 10, &budget(true)).await, 10);
    let gate = Gate::new(W, None);
    let service = Service::new(0..200, Fails::With503);
    assert!(call(&service, &gate, budget(true)).await.0.is_err());
    tokio::time::sleep(W * 2).await;
    // In a new outage calls wait as long as in the first one.
    let service = Service::new(0..100, Fails::With503);
    assert!(call(&service, &gate, budget(true)).await.0.is_ok());
}

#[tokio::test(start_paused = true)]
async fn retry_after_holds_every_call_and_beyond_the_limit_ends_them_at_once() {
    let service = Service::new(0..30, Fails::Asking(40));
    assert_eq!(calls(&service, 10, 1, &budget(true)).await, 0);
    // One request received the 503, and the others waited until the time that it contained.
    assert_eq!(service.requests(), 11);

    let service = Service::new(0..1_000, Fails::Asking(500));
    let gate = Gate::new(W, None);
    for _ in 0..5 {
        let (result, _) = call(&service, &gate, budget(true)).await;
        let Err(Failure::Status { wait: Some(wait), .. }) = result else { panic!("{result:?}") };
        assert_eq!(wait.asked.as_secs(), 500);
        assert_eq!(wait.exceeds, Some(W));
    }
    assert_eq!(service.requests(), 1);
    assert!(service.started.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn interrupt_ends_every_wait_at_once() {
    for fails in [Fails::With503, Fails::Asking(60)] {
        let service = Service::new(0..1_000, fails);
        let gate = Arc::new(Gate::new(W, None));
        let stop = CancellationToken::new();
        let mut waiting = Vec::new();
        for _ in 0..10 {
            let (service, gate, stop) = (Arc::clone(&service), Arc::clone(&gate), stop.clone());
            waiting.push(tokio::spawn(async move {
                let mut simulated = Simulated { service: &service, gate: &gate, idempotent: true };
                Retries::new(&gate, &stop, budget(true)).run(&mut simulated).await
            }));
        }
        tokio::time::sleep(Duration::from_secs(10)).await;
        stop.cancel();
        let before = Instant::now();
        for call in waiting {
            assert!(matches!(call.await.unwrap(), Err(Failure::Interrupted)));
        }
        assert!(before.elapsed() < Duration::from_millis(100));
    }
}

#[tokio::test(start_paused = true)]
async fn probe_that_is_dropped_leaves_the_probing_to_another_call() {
    let service = Service::new(0..0, Fails::With503);
    let gate = Arc::new(Gate::new(W, None));
    let stop = CancellationToken::new();
    for _ in 0..3 {
        gate.enter(&mut budget(true), &stop).await.unwrap().failed(&failure(), None);
    }
    let permit = gate.enter(&mut budget(true), &stop).await.unwrap();
    assert!(permit.probe);
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let (service, gate) = (Arc::clone(&service), Arc::clone(&gate));
        waiting.push(tokio::spawn(async move { call(&service, &gate, budget(true)).await.0 }));
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(service.requests(), 0);
    drop(permit);
    for call in waiting {
        assert!(call.await.unwrap().is_ok());
    }
    assert!(service.started.elapsed() < Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn broken_object_does_not_hold_the_others_back() {
    // Three objects always fail. The probes are sent by calls that have not failed yet.
    let gate = Arc::new(Gate::new(W, None));
    let broken = Service::new(0..1_000_000, Fails::With503);
    let working = Service::new(0..0, Fails::With503);
    let mut failing = Vec::new();
    for _ in 0..3 {
        let (service, gate) = (Arc::clone(&broken), Arc::clone(&gate));
        failing.push(tokio::spawn(async move { call(&service, &gate, budget(true)).await.0 }));
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    for _ in 0..100 {
        assert!(call(&working, &gate, budget(true)).await.0.is_ok());
    }
    let took = working.started.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
    for call in failing {
        assert!(call.await.unwrap().is_err());
    }
}

/// Requests that are lost with connections that ended, so many times.
struct LostWithConnections(u32);

impl Attempt<()> for LostWithConnections {
    async fn attempt(&mut self, _: Permit<'_>, _: u32, replaceable: bool) -> Result<(), Next> {
        match self.0 {
            0 => Ok(()),
            _ if !replaceable => Err(Next::Stop(failure())),
            _ => {
                self.0 -= 1;
                Err(Next::Replace(failure()))
            }
        }
    }

    async fn probe(&mut self, _: Permit<'_>) {}
}

#[tokio::test(start_paused = true)]
async fn connections_that_ended_are_replaced_without_retries_up_to_a_limit() {
    for (lost, succeeds) in [(0, true), (1, true), (10, true), (11, false)] {
        let (gate, stop) = (Gate::new(W, None), CancellationToken::new());
        let mut retries = Retries::new(&gate, &stop, Budget { retries: 0, ..budget(true) });
        let result = retries.run(&mut LostWithConnections(lost)).await;
        assert_eq!(result.is_ok(), succeeds, "{lost} connections");
        assert_eq!(retries.attempts(), 1, "{lost} connections");
    }
}
