//! Cancellation of calls, and the exit of the process.
//!
//! `StopProvider` and SIGTERM stop the calls that are running, and those that were on their way,
//! and no later ones, because Terraform continues to refresh and to close providers after them.
//! `Shutdown` ends everything. If the host has exited without it, running calls are finished,
//! because a call that is cut off leaves objects that are in no state.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// The time that running calls may take after `Shutdown`. The host kills the process after 2 s.
pub(crate) const EXIT_GRACE: Duration = Duration::from_millis(1_200);
/// How long after `StopProvider` a call still counts as one that was on its way: Terraform checks
/// for an interrupt right before it calls, and several of its threads may just have done so.
const ON_THE_WAY: Duration = Duration::from_secs(1);
/// How long the process waits for another connection after the last one has closed. A host that
/// reconnects does so at once.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the process looks for its parent meanwhile.
const PARENT_INTERVAL: Duration = Duration::from_millis(100);
/// The time for which the process waits for the first connection.
const FIRST_CONNECTION_TIMEOUT: Duration = Duration::from_secs(120);
/// The time for which an idle process waits for `Shutdown` after SIGTERM.
const TERMINATED_IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// The time that running calls may take after the host has exited without `Shutdown`. Their tokens
/// are cancelled, so that only a call that waits for something else takes longer.
const ORPHANED_CALLS_LIMIT: Duration = Duration::from_secs(600);

/// The running calls of one host, or of all hosts, and the process that serves them.
#[derive(Debug)]
pub(crate) struct Lifecycle {
    generation: Mutex<Generation>,
    process: Arc<Process>,
}

/// The calls since the last stop.
#[derive(Debug)]
struct Generation {
    token: CancellationToken,
    began: Option<tokio::time::Instant>,
}

/// The running calls and connections of the process, and whether it is shutting down.
#[derive(Debug)]
struct Process {
    shutdown: CancellationToken,
    calls: TaskTracker,
    connections: watch::Sender<Connections>,
    served: AtomicUsize,
    /// The parent at the start. Another one means that the host has exited.
    parent: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Connections {
    open: usize,
    ever: usize,
}

impl Lifecycle {
    pub(crate) fn new() -> Arc<Self> {
        let calls = TaskTracker::new();
        // A closed tracker still counts. `wait` returns only for a closed tracker.
        calls.close();
        Self::of(Arc::new(Process {
            shutdown: CancellationToken::new(),
            calls,
            connections: watch::Sender::new(Connections::default()),
            served: AtomicUsize::new(0),
            parent: parent_id(),
        }))
    }

    fn of(process: Arc<Process>) -> Arc<Self> {
        let generation = Generation { token: process.shutdown.child_token(), began: None };
        Arc::new(Self { generation: Mutex::new(generation), process })
    }

    /// Returns the lifecycle of one of several hosts: its `StopProvider` stops only its own calls.
    pub(crate) fn of_host(&self) -> Arc<Self> {
        Self::of(Arc::clone(&self.process))
    }

    /// Cancels the tokens of the running calls, and of those that are on their way.
    pub(crate) fn stop_running_calls(&self) {
        let mut generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        generation.token.cancel();
        *generation = Generation {
            token: self.process.shutdown.child_token(),
            began: Some(tokio::time::Instant::now()),
        };
    }

    /// Returns the cancellation token for a new call.
    pub(crate) fn call_token(&self) -> CancellationToken {
        let generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        let token = generation.token.child_token();
        if generation.began.is_some_and(|began| began.elapsed() < ON_THE_WAY) {
            token.cancel();
        }
        token
    }

    /// Cancels the tokens of all calls, and ends the process.
    pub(crate) fn begin_shutdown(&self) {
        self.process.shutdown.cancel();
    }

    /// Returns the token that is cancelled once the process is to exit.
    pub(crate) fn shutdown_token(&self) -> &CancellationToken {
        &self.process.shutdown
    }

    /// Counts a call until the token is dropped.
    pub(crate) fn call(&self) -> TaskTrackerToken {
        self.process.served.fetch_add(1, Ordering::Relaxed);
        self.process.calls.token()
    }

    /// Counts a connection until the guard is dropped.
    pub(crate) fn connection(self: &Arc<Self>) -> Connection {
        self.process.connections.send_modify(|connections| {
            connections.open += 1;
            connections.ever += 1;
        });
        Connection(Arc::clone(self))
    }

    async fn no_connections(&self) {
        let _ = self
            .process
            .connections
            .subscribe()
            .wait_for(|connections| connections.open == 0)
            .await;
    }

    async fn a_connection(&self, seen: usize) {
        let _ = self
            .process
            .connections
            .subscribe()
            .wait_for(|connections| connections.ever > seen)
            .await;
    }

    fn ever_connected(&self) -> usize {
        self.process.connections.borrow().ever
    }

    /// Waits until the running calls have ended and the host has received their responses, or until
    /// the grace period is over.
    pub(crate) async fn drain(&self) {
        let _ = tokio::time::timeout(EXIT_GRACE, async {
            self.process.calls.wait().await;
            self.no_connections().await;
        })
        .await;
    }

    /// Waits until the host has exited without a `Shutdown`, and the running calls have ended.
    pub(crate) async fn orphaned(&self) {
        if tokio::time::timeout(FIRST_CONNECTION_TIMEOUT, self.a_connection(0)).await.is_err() {
            return;
        }
        loop {
            self.no_connections().await;
            let seen = self.ever_connected();
            let ends = async {
                self.host_is_gone().await;
                self.finish_calls().await;
            };
            tokio::select! {
                () = self.a_connection(seen) => {}
                () = ends => return,
            }
        }
    }

    /// Waits until the process has another parent, because only the one that started it reconnects,
    /// or until that one has had the time. A host that was killed loses its connections first.
    async fn host_is_gone(&self) {
        let start = tokio::time::Instant::now();
        while parent_id() == self.process.parent && start.elapsed() < RECONNECT_TIMEOUT {
            tokio::time::sleep(PARENT_INTERVAL).await;
        }
    }

    /// Stops the running calls, whose host has exited, and waits until they have ended.
    async fn finish_calls(&self) {
        self.stop_running_calls();
        // A call that does not end by then is cut off.
        let _ = tokio::time::timeout(ORPHANED_CALLS_LIMIT, self.process.calls.wait()).await;
    }

    /// Waits, after SIGTERM, until the last connection is closed and its calls have ended, or until
    /// no more calls arrive.
    pub(crate) async fn abandoned(&self) {
        let disconnected = async {
            self.a_connection(0).await;
            self.no_connections().await;
            self.finish_calls().await;
        };
        let idle = async {
            loop {
                self.process.calls.wait().await;
                let served = self.process.served.load(Ordering::Relaxed);
                tokio::time::sleep(TERMINATED_IDLE_TIMEOUT).await;
                if self.process.served.load(Ordering::Relaxed) == served {
                    return;
                }
            }
        };
        tokio::select! {
            () = disconnected => {}
            () = idle => {}
        }
    }
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection(Arc<Lifecycle>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.process.connections.send_modify(|connections| connections.open -= 1);
    }
}

#[cfg(unix)]
fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

#[cfg(not(unix))]
fn parent_id() -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn stop_cancels_running_calls_and_those_on_their_way_and_no_later_ones() {
        let lifecycle = Lifecycle::new();
        let running = lifecycle.call_token();
        assert!(!running.is_cancelled());
        lifecycle.stop_running_calls();
        assert!(running.is_cancelled());
        tokio::time::advance(ON_THE_WAY / 2).await;
        assert!(lifecycle.call_token().is_cancelled());
        tokio::time::advance(ON_THE_WAY / 2).await;
        assert!(!lifecycle.call_token().is_cancelled());
    }

    /// Returns the time that a future takes, in milliseconds.
    async fn time_of(future: impl Future<Output = ()>) -> u128 {
        let start = tokio::time::Instant::now();
        future.await;
        start.elapsed().as_millis()
    }

    /// Holds `guard` for some milliseconds from the cancellation of `stop`.
    fn hold<G: Send + 'static>(guard: G, stop: CancellationToken, takes: u64) {
        tokio::spawn(async move {
            stop.cancelled().await;
            tokio::time::sleep(Duration::from_millis(takes)).await;
            drop(guard);
        });
    }

    fn now() -> CancellationToken {
        let token = CancellationToken::new();
        token.cancel();
        token
    }

    #[tokio::test(start_paused = true)]
    async fn orphan_exits_ten_seconds_after_the_last_connection_when_its_calls_have_ended() {
        let lifecycle = Lifecycle::new();
        assert_eq!(time_of(lifecycle.orphaned()).await, 120_000, "no host connects");
        hold(lifecycle.connection(), now(), 100_000);
        let reconnects = Arc::clone(&lifecycle);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(109)).await;
            hold(reconnects.connection(), now(), 91_000);
        });
        assert_eq!(time_of(lifecycle.orphaned()).await, 210_000);
        for (takes, expected) in [(6, 10 + 6), (3_600, 10 + 600)] {
            let lifecycle = Lifecycle::new();
            drop(lifecycle.connection());
            hold(lifecycle.call(), lifecycle.call_token(), takes * 1_000);
            let time = time_of(lifecycle.orphaned()).await;
            assert_eq!(time, expected * 1_000, "a call of {takes} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn terminated_server_finishes_its_calls_and_stays_while_more_arrive() {
        let lifecycle = Lifecycle::new();
        drop(lifecycle.connection());
        // It began after the signal, which has not stopped it.
        hold(lifecycle.call(), lifecycle.call_token(), 6_000);
        assert_eq!(time_of(lifecycle.abandoned()).await, 6_000);
        let lifecycle = Lifecycle::new();
        let _connection = lifecycle.connection();
        let calls = Arc::clone(&lifecycle);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(50)).await;
            drop(calls.call());
        });
        let time = time_of(lifecycle.abandoned()).await;
        assert_eq!(time, 120_000, "a call within the first minute adds another minute");
        hold(lifecycle.call(), now(), 100_000);
        let time = time_of(lifecycle.abandoned()).await;
        assert_eq!(time, 160_000, "a call that is running is waited for");
    }

    #[tokio::test]
    async fn stop_of_one_host_reaches_only_its_calls_and_shutdown_reaches_all() {
        let process = Lifecycle::new();
        let one = process.of_host();
        let other = process.of_host();
        let of_one = one.call_token();
        let of_other = other.call_token();
        one.stop_running_calls();
        assert!(of_one.is_cancelled() && !of_other.is_cancelled());
        process.begin_shutdown();
        assert!(of_other.is_cancelled() && other.call_token().is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn drain_waits_until_calls_have_ended_and_the_host_has_their_responses() {
        // A connection closes once everything is sent. A host that keeps it is not waited for.
        for (call, connection, expected) in
            [(0, 0, 0), (300, 0, 300), (60_000, 0, 1_200), (350, 700, 700), (350, 60_000, 1_200)]
        {
            let lifecycle = Lifecycle::new();
            hold(lifecycle.call(), now(), call);
            hold(lifecycle.connection(), now(), connection);
            let time = time_of(lifecycle.drain()).await;
            assert_eq!(time, expected, "a call of {call} ms, a connection of {connection} ms");
        }
    }
}
