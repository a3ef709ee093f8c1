//! The connection of a request. A fault can reset it, and it can be closed when it is idle.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// One connection. Every request carries its connection among its extensions. Under a server that
/// does not add one, a reset becomes a hang.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    /// The number in the log.
    pub(crate) number: u64,
    signals: Arc<Signals>,
}

#[derive(Debug, Default)]
struct Signals {
    reset: Notify,
    response_end: Notify,
    in_flight: AtomicU64,
}

impl Connection {
    pub(crate) fn new(number: u64) -> Self {
        Self { number, ..Self::default() }
    }

    /// Requests the reset and waits for it to end the waiting task.
    pub(crate) async fn reset<T>(&self) -> T {
        self.signals.reset.notify_one();
        pending().await
    }

    /// Waits until a reset is requested.
    pub(crate) async fn reset_requested(&self) {
        self.signals.reset.notified().await;
    }

    /// Counts a request that has arrived, until the returned value is dropped.
    pub(crate) fn begin_request(&self) -> InFlight {
        self.signals.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight { signals: Arc::clone(&self.signals) }
    }

    /// Waits until a response has been written to the socket.
    pub(crate) async fn response_ended(&self) {
        self.signals.response_end.notified().await;
    }

    /// Returns whether all requests have their responses.
    pub(crate) fn is_idle(&self) -> bool {
        self.signals.in_flight.load(Ordering::Relaxed) == 0
    }
}

/// A request without a complete response. The client may abandon it at any time.
pub(crate) struct InFlight {
    signals: Arc<Signals>,
}

impl InFlight {
    /// Returns a body that keeps the request in flight until the server drops the body, which is
    /// at its end.
    pub(crate) fn until_end_of(self, body: Body) -> Body {
        Body::new(ObservedBody { body, _request: self })
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.signals.in_flight.fetch_sub(1, Ordering::Relaxed);
        self.signals.response_end.notify_one();
    }
}

struct ObservedBody {
    body: Body,
    _request: InFlight,
}

impl HttpBody for ObservedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
