//! The signals that a host or its user sends, and when they end the process.

use crate::lifecycle::Lifecycle;

/// The reason for which the process exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The host called `Shutdown`, or has exited.
    Done,
    /// A second SIGTERM.
    Killed,
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
        let interrupt = &mut self.interrupt;
        let terminate = &mut self.terminate;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = lifecycle.shutdown_token().cancelled() => {}
        }
        Exit::Done
    }
}
