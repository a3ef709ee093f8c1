//! The services that go-plugin expects from every plugin.

use std::future::Future as _;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::codegen::{BoxStream, tokio_stream::Stream};
use tonic::{Request, Response, Status, Streaming};

use crate::lifecycle::Lifecycle;
use crate::pb::health::health_server::Health as HealthService;
use crate::pb::health::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
};
use crate::pb::plugin::grpc_broker_server::GrpcBroker;
use crate::pb::plugin::grpc_controller_server::GrpcController;
use crate::pb::plugin::grpc_stdio_server::GrpcStdio;
use crate::pb::plugin::{ConnInfo, Empty, StdioData};

/// A stream without items that ends with the process. The host would log an item as unexpected.
/// While the stream is open, its connection does not become idle.
struct Silence<T>(Pin<Box<WaitForCancellationFutureOwned>>, PhantomData<fn() -> T>);

impl<T> Stream for Silence<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll(context).map(|()| None)
    }
}

fn silence<T: 'static>(lifecycle: &Lifecycle) -> BoxStream<T> {
    Box::pin(Silence(Box::pin(lifecycle.shutdown_token().clone().cancelled_owned()), PhantomData))
}

/// The services that only end with the process, or end it.
#[derive(Clone)]
pub(crate) struct HostServices(pub(crate) Arc<Lifecycle>);

#[tonic::async_trait]
impl GrpcStdio for HostServices {
    /// Returns the stream of the process's output, which is always empty.
    async fn stream_stdio(&self, _: Request<()>) -> Result<Response<BoxStream<StdioData>>, Status> {
        Ok(Response::new(silence(&self.0)))
    }
}

#[tonic::async_trait]
impl GrpcBroker for HostServices {
    /// Returns the stream of additional connections, which hosts of providers open and never use.
    async fn start_stream(
        &self,
        _: Request<Streaming<ConnInfo>>,
    ) -> Result<Response<BoxStream<ConnInfo>>, Status> {
        Ok(Response::new(silence(&self.0)))
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

/// The health check of the service `plugin`, which go-plugin requests.
pub(crate) struct Health;

#[tonic::async_trait]
impl HealthService for Health {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        match request.get_ref().service.as_str() {
            "" | "plugin" => {
                Ok(Response::new(HealthCheckResponse { status: ServingStatus::Serving.into() }))
            }
            _ => Err(Status::not_found("unknown service")),
        }
    }
}
