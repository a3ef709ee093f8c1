//! The way from a request back to its connection, which a fault may reset.

use std::future::pending;
use std::sync::Arc;

use tokio::sync::Notify;

/// One connection. Every request carries that which it came over among its extensions; under a
/// server of somebody else's there is none, and a reset is a hang.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    reset: Arc<Notify>,
}

impl Connection {
    /// Asks for the reset, and waits for the end that it brings to whoever waits here.
    pub(crate) async fn reset<T>(&self) -> T {
        self.reset.notify_one();
        pending().await
    }

    /// Waits until a reset is asked for.
    pub(crate) async fn to_be_reset(&self) {
        self.reset.notified().await;
    }
}
