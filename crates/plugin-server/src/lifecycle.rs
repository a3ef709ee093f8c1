//! Cancellation of calls, and the exit of the process.
//!
//! `StopProvider` and SIGTERM stop the calls that are running, and those that were on their way, and no
//! later ones, because Terraform continues to refresh and to close providers after them. `Shutdown`
//! ends everything.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// The time that running calls may take after `Shutdown`. The host kills the process after 2 s.
const EXIT_GRACE: Duration = Duration::from_millis(1_200);
/// How long after `StopProvider` a call still counts as one that was on its way: Terraform checks for
/// an interrupt right before it calls, and several of its threads may just have done so.
const ON_THE_WAY: Duration = Duration::from_secs(1);
/// How long the process waits for another connection after the last one has closed. A host that
/// reconnects does so at once.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time for which the process waits for the first connection.
const FIRST_CONNECTION_TIMEOUT: Duration = Duration::from_secs(120);
/// The time for which an idle process waits for `Shutdown` after SIGTERM.
const TERMINATED_IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The reason for which the process exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The host called `Shutdown`, or has exited.
    Done,
    /// A second SIGTERM.
    Killed,
}

/// The running calls and connections of the process, and whether it is shutting down.
#[derive(Debug)]
pub(crate) struct Lifecycle {
    generation: Mutex<Generation>,
    shutdown: CancellationToken,
    calls: TaskTracker,
    connections: watch::Sender<Connections>,
    served: AtomicUsize,
}

/// The calls since the last stop.
#[derive(Debug, Default)]
struct Generation {
    token: CancellationToken,
    began: Option<tokio::time::Instant>,
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
        Arc::new(Self {
            generation: Mutex::default(),
            shutdown: CancellationToken::new(),
            calls,
            connections: watch::Sender::new(Connections::default()),
            served: AtomicUsize::new(0),
        })
    }

    /// Cancels the tokens of the running calls, and of those that are on their way.
    pub(crate) fn stop_running_calls(&self) {
        let mut generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        generation.token.cancel();
        *generation = Generation {
            token: CancellationToken::new(),
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

    pub(crate) fn begin_shutdown(&self) {
        self.shutdown.cancel();
        self.stop_running_calls();
    }

    /// Returns the token that is cancelled once the process is to exit.
    pub(crate) fn shutdown_token(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Counts a call until the token is dropped.
    pub(crate) fn call(&self) -> TaskTrackerToken {
        self.served.fetch_add(1, Ordering::Relaxed);
        self.calls.token()
    }

    /// Counts a connection until the guard is dropped.
    pub(crate) fn connection(self: &Arc<Self>) -> Connection {
        self.connections.send_modify(|connections| {
            connections.open += 1;
            connections.ever += 1;
        });
        Connection(Arc::clone(self))
    }

    async fn no_connections(&self) {
        let _ = self.connections.subscribe().wait_for(|connections| connections.open == 0).await;
    }

    async fn a_connection(&self, seen: usize) {
        let _ = self.connections.subscribe().wait_for(|connections| connections.ever > seen).await;
    }

    fn ever_connected(&self) -> usize {
        self.connections.borrow().ever
    }

    /// Waits until the running calls have ended and the host has received their responses, or until
    /// the grace period is over.
    pub(crate) async fn drain(&self) {
        let _ = tokio::time::timeout(EXIT_GRACE, async {
            self.calls.wait().await;
            self.no_connections().await;
        })
        .await;
    }

    /// Waits until the host has exited without a `Shutdown`.
    pub(crate) async fn orphaned(&self) {
        let parent = parent_id();
        if tokio::time::timeout(FIRST_CONNECTION_TIMEOUT, self.a_connection(0)).await.is_err() {
            return;
        }
        loop {
            self.no_connections().await;
            let seen = self.ever_connected();
            // A new parent means that the host has exited and will not reconnect.
            let timeout = if parent_id() == parent { RECONNECT_TIMEOUT } else { Duration::ZERO };
            if tokio::time::timeout(timeout, self.a_connection(seen)).await.is_err() {
                return;
            }
        }
    }

    /// Waits, after SIGTERM, until the last connection is closed or no more calls arrive.
    pub(crate) async fn abandoned(&self) {
        let disconnected = async {
            self.a_connection(0).await;
            self.no_connections().await;
        };
        let idle = async {
            loop {
                self.calls.wait().await;
                let served = self.served.load(Ordering::Relaxed);
                tokio::time::sleep(TERMINATED_IDLE_TIMEOUT).await;
                if self.calls.is_empty() && self.served.load(Ordering::Relaxed) == served {
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
        self.0.connections.send_modify(|connections| connections.open -= 1);
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

/// The handlers of the signals that a host or its user sends. They are installed before the
/// handshake.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
    #[cfg(windows)]
    terminate: tokio::signal::windows::CtrlBreak,
}

impl Signals {
    /// Installs handlers. Child processes would inherit ignored signals.
    pub(crate) fn install() -> std::io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
            })
        }
        #[cfg(windows)]
        {
            use tokio::signal::windows::{ctrl_break, ctrl_c};
            Ok(Self { interrupt: ctrl_c()?, terminate: ctrl_break()? })
        }
    }

    /// Waits for SIGTERM. Interrupts are ignored.
    async fn terminated(&mut self) {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => return,
            }
        }
    }

    /// Waits until a process that a host started has to exit. Ctrl-C in the terminal is handled by
    /// the host, which then calls `StopProvider`.
    pub(crate) async fn until_exit(mut self, lifecycle: &Lifecycle) -> Exit {
        let shutdown = lifecycle.shutdown_token();
        tokio::select! {
            () = shutdown.cancelled() => return Exit::Done,
            () = lifecycle.orphaned() => return Exit::Done,
            () = self.terminated() => lifecycle.stop_running_calls(),
        }
        tracing::info!(
            "terminated: running calls are asked to stop, their responses are still sent"
        );
        tokio::select! {
            () = shutdown.cancelled() => Exit::Done,
            () = lifecycle.orphaned() => Exit::Done,
            () = lifecycle.abandoned() => Exit::Done,
            () = self.terminated() => Exit::Killed,
        }
    }

    /// Waits until a server that was started with `--debug` is interrupted.
    pub(crate) async fn until_stopped(mut self, lifecycle: &Lifecycle) -> Exit {
        let (interrupt, terminate) = (&mut self.interrupt, &mut self.terminate);
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = lifecycle.shutdown_token().cancelled() => {}
        }
        Exit::Done
    }
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

    #[tokio::test(start_paused = true)]
    async fn orphan_exits_ten_seconds_after_the_last_connection() {
        let lifecycle = Lifecycle::new();
        let start = tokio::time::Instant::now();
        let connection = lifecycle.connection();
        let (orphaned, ()) = tokio::join!(
            async {
                lifecycle.orphaned().await;
                start.elapsed()
            },
            async {
                tokio::time::sleep(Duration::from_secs(100)).await;
                drop(connection);
                tokio::time::sleep(Duration::from_secs(9)).await;
                let reconnected = lifecycle.connection();
                tokio::time::sleep(Duration::from_secs(91)).await;
                drop(reconnected);
            }
        );
        assert_eq!(orphaned.as_secs(), 210);
    }

    #[tokio::test(start_paused = true)]
    async fn orphan_exits_if_no_host_connects() {
        let start = tokio::time::Instant::now();
        Lifecycle::new().orphaned().await;
        assert_eq!(start.elapsed().as_secs(), 120);
    }

    #[tokio::test(start_paused = true)]
    async fn terminated_server_stays_while_calls_arrive() {
        let lifecycle = Lifecycle::new();
        let start = tokio::time::Instant::now();
        let _connection = lifecycle.connection();
        let (exited, ()) = tokio::join!(
            async {
                lifecycle.abandoned().await;
                start.elapsed().as_secs()
            },
            async {
                tokio::time::sleep(Duration::from_secs(50)).await;
                drop(lifecycle.call());
            }
        );
        assert_eq!(exited, 120, "a call within the first minute adds another minute");
    }
}
