//! Detection of new connections: whether a request used a kept-alive connection or opened one.
//!
//! reqwest does not expose this. It opens a connection within the task of the request that needs
//! one, so that a layer around its connector can record it in the task's local storage.

use std::cell::Cell;
use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

tokio::task_local! {
    static IS_NEW: Cell<bool>;
}

/// Runs a request. Returns its result, and whether it opened a new connection.
pub(crate) async fn observe<T>(request: impl Future<Output = T>) -> (T, bool) {
    IS_NEW.scope(Cell::new(false), async { (request.await, IS_NEW.with(Cell::get)) }).await
}

/// The layer that records new connections.
#[derive(Clone, Copy)]
pub(crate) struct ObserveConnections;

impl<C> Layer<C> for ObserveConnections {
    type Service = ObservedConnector<C>;

    fn layer(&self, connector: C) -> Self::Service {
        ObservedConnector(connector)
    }
}

/// A connector whose calls are recorded.
#[derive(Clone)]
pub(crate) struct ObservedConnector<C>(C);

impl<R, C: Service<R>> Service<R> for ObservedConnector<C> {
    type Response = C::Response;
    type Error = C::Error;
    type Future = C::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, target: R) -> C::Future {
        _ = IS_NEW.try_with(|is_new| is_new.set(true));
        self.0.call(target)
    }
}
