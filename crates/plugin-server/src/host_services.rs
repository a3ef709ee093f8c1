//! The services of go-plugin that hosts of providers use.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::codegen::{BoxStream, tokio_stream::Stream};
use tonic::{Request, Response, Status};

use crate::lifecycle::Lifecycle;
use crate::pb::plugin::grpc_controller_server::GrpcController;
use crate::pb::plugin::grpc_stdio_server::GrpcStdio;
use crate::pb::plugin::{Empty, StdioData};

/// A stream without items that ends with the process. The host would log an item as unexpected.
/// While the stream is open, its connection does not become idle.
struct Silence(Pin<Box<WaitForCancellationFutureOwned>>);

impl Stream for Silence {
    type Item = Result<StdioData, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll(context).map(|()| None)
    }
}

/// The services that only end with the process, or end it.
#[derive(Clone)]
pub(crate) struct HostServices(pub(crate) Arc<Lifecycle>);

#[tonic::async_trait]
impl GrpcStdio for HostServices {
    /// Returns the stream of the process's output, which is always empty.
    async fn stream_stdio(&self, _: Request<()>) -> Result<Response<BoxStream<StdioData>>, Status> {
        let shutdown = self.0.shutdown_token().clone().cancelled_owned();
        Ok(Response::new(Box::pin(Silence(Box::pin(shutdown)))))
    }
}

#[tonic::async_trait]
impl GrpcController for HostServices {
    /// Begins the shutdown and returns at once: see [`crate::lifecycle`].
    async fn shutdown(&self, _: Request<Empty>) -> Result<Response<Empty>, Status> {
        self.0.begin_shutdown();
        Ok(Response::new(Empty {}))
    }
}
