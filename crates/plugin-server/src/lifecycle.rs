//! When calls are asked to stop, and when the process leaves.
//!
//! `StopProvider` and SIGTERM ask the calls that run then, and no later ones: Terraform goes on
//! with refreshes and closings after it. `Shutdown` ends everything.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long running calls may take to answer after `Shutdown`; the host kills after 2 s.
const DRAIN: Duration = Duration::from_millis(1_200);
/// How long the process stays without a connection, once there was one: a host that only redials
/// does so at once.
const ORPHAN: Duration = Duration::from_secs(10);
/// How long a host may take to connect at all.
const FIRST_CONNECTION: Duration = Duration::from_secs(120);
/// How long an idle process stays after SIGTERM when nobody tells it to shut down.
const TERMINATED: Duration = Duration::from_secs(60);

/// Why the process leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The host asked for it, or is gone.
    Done,
    /// SIGTERM came a second time.
    Killed,
}

/// Shared by everything that serves: counts, tokens and the wish to leave.
#[derive(Debug)]
pub(crate) struct Lifecycle {
    generation: Mutex<CancellationToken>,
    shutdown: CancellationToken,
    calls: watch::Sender<usize>,
    connections: watch::Sender<Connections>,
    served: AtomicUsize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Connections {
    open: usize,
    ever: usize,
}

impl Lifecycle {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            generation: Mutex::new(CancellationToken::new()),
            shutdown: CancellationToken::new(),
            calls: watch::Sender::new(0),
            connections: watch::Sender::new(Connections::default()),
            served: AtomicUsize::new(0),
        })
    }

    /// Asks the calls that run now to come to an end.
    pub(crate) fn stop_running_calls(&self) {
        let mut generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *generation).cancel();
    }

    /// The token of a call that begins now.
    pub(crate) fn call_token(&self) -> CancellationToken {
        self.generation.lock().unwrap_or_else(PoisonError::into_inner).child_token()
    }

    pub(crate) fn begin_shutdown(&self) {
        self.shutdown.cancel();
        self.stop_running_calls();
    }

    /// Cancelled once the process is to leave.
    pub(crate) fn shutdown_token(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Counts a call until the guard is dropped.
    pub(crate) fn call(self: &Arc<Self>) -> impl Drop + Send + 'static {
        self.served.fetch_add(1, Ordering::Relaxed);
        self.calls.send_modify(|calls| *calls += 1);
        Guard(Arc::clone(self), |lifecycle| lifecycle.calls.send_modify(|calls| *calls -= 1))
    }

    /// Counts a connection until the guard is dropped.
    pub(crate) fn connection(self: &Arc<Self>) -> impl Drop + Send + 'static {
        self.connections.send_modify(|connections| {
            connections.open += 1;
            connections.ever += 1;
        });
        Guard(Arc::clone(self), |lifecycle| {
            lifecycle.connections.send_modify(|connections| connections.open -= 1);
        })
    }

    async fn no_calls(&self) {
        // The sender lives as long as `self`, so this ends only when the count is zero.
        let _ = self.calls.subscribe().wait_for(|calls| *calls == 0).await;
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

    /// Waits until running calls have answered and the host has it, but not for long.
    pub(crate) async fn drain(&self) {
        let _ = tokio::time::timeout(DRAIN, async {
            self.no_calls().await;
            self.no_connections().await;
        })
        .await;
    }

    /// Waits until the host is gone without a word.
    pub(crate) async fn orphaned(&self) {
        let parent = parent_id();
        if tokio::time::timeout(FIRST_CONNECTION, self.a_connection(0)).await.is_err() {
            return;
        }
        loop {
            self.no_connections().await;
            let seen = self.ever_connected();
            // With another parent than at the start the host has ended, and nobody will redial.
            let patience = if parent_id() == parent { ORPHAN } else { Duration::ZERO };
            if tokio::time::timeout(patience, self.a_connection(seen)).await.is_err() {
                return;
            }
        }
    }

    /// Waits, after SIGTERM, until nobody needs this process any more.
    pub(crate) async fn abandoned(&self) {
        let gone = async {
            self.a_connection(0).await;
            self.no_connections().await;
        };
        let idle = async {
            loop {
                self.no_calls().await;
                let served = self.served.load(Ordering::Relaxed);
                tokio::time::sleep(TERMINATED).await;
                if *self.calls.borrow() == 0 && self.served.load(Ordering::Relaxed) == served {
                    return;
                }
            }
        };
        tokio::select! {
            () = gone => {}
            () = idle => {}
        }
    }
}

struct Guard(Arc<Lifecycle>, fn(&Lifecycle));

impl Drop for Guard {
    fn drop(&mut self) {
        self.1(&self.0);
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

/// The signals that a host or its user sends, held from before the handshake on.
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
    /// A handler, and not "ignore", since children would inherit the latter.
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

    /// Waits for SIGTERM, and takes no notice of interrupts meanwhile.
    async fn terminated(&mut self) {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => return,
            }
        }
    }

    /// Waits until the process is to leave, under a host: the terminal's Ctrl-C is for the host,
    /// which tells us by `StopProvider`.
    pub(crate) async fn until_exit(mut self, lifecycle: &Lifecycle) -> Exit {
        let shutdown = lifecycle.shutdown_token();
        tokio::select! {
            () = shutdown.cancelled() => return Exit::Done,
            () = lifecycle.orphaned() => return Exit::Done,
            () = self.terminated() => lifecycle.stop_running_calls(),
        }
        tracing::info!("terminated: running calls are asked to stop, their answers are still sent");
        tokio::select! {
            () = shutdown.cancelled() => Exit::Done,
            () = lifecycle.orphaned() => Exit::Done,
            () = lifecycle.abandoned() => Exit::Done,
            () = self.terminated() => Exit::Killed,
        }
    }

    /// Waits until somebody ends a server that was started by hand.
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

    #[test]
    fn stop_reaches_running_calls_and_no_later_ones() {
        let lifecycle = Lifecycle::new();
        let running = lifecycle.call_token();
        lifecycle.stop_running_calls();
        let later = lifecycle.call_token();
        assert!(running.is_cancelled() && !later.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn orphan_leaves_ten_seconds_after_the_last_connection() {
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
                let redialled = lifecycle.connection();
                tokio::time::sleep(Duration::from_secs(91)).await;
                drop(redialled);
            }
        );
        assert_eq!(orphaned.as_secs(), 210);
    }

    #[tokio::test(start_paused = true)]
    async fn orphan_leaves_when_nobody_ever_connects() {
        let start = tokio::time::Instant::now();
        Lifecycle::new().orphaned().await;
        assert_eq!(start.elapsed().as_secs(), 120);
    }

    #[tokio::test(start_paused = true)]
    async fn terminated_server_stays_while_calls_come() {
        let lifecycle = Lifecycle::new();
        let start = tokio::time::Instant::now();
        let _connection = lifecycle.connection();
        let (left, ()) = tokio::join!(
            async {
                lifecycle.abandoned().await;
                start.elapsed().as_secs()
            },
            async {
                tokio::time::sleep(Duration::from_secs(50)).await;
                drop(lifecycle.call());
            }
        );
        assert_eq!(left, 120, "a call within the first minute earns another one");
    }
}
