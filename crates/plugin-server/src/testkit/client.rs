//! gRPC clients over one connection.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::body::Body;

use crate::pb::health::health_client::HealthClient;
use crate::pb::plugin::grpc_broker_client::GrpcBrokerClient;
use crate::pb::plugin::grpc_controller_client::GrpcControllerClient;
use crate::pb::plugin::grpc_stdio_client::GrpcStdioClient;
use crate::pb::tfplugin6::provider_client::ProviderClient;

/// One HTTP/2 connection, shared by all clients on it.
#[derive(Clone, Debug)]
pub struct Channel(http2::SendRequest<Body>);

impl tower_service::Service<Request<Body>> for Channel {
    type Response = Response<Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        Box::pin(self.0.send_request(request))
    }
}

/// Clients for all services of a plugin, on one connection.
#[derive(Clone, Debug)]
pub struct Client {
    /// The provider, with Terraform's message limits.
    pub provider: ProviderClient<Channel>,
    channel: Channel,
}

impl Client {
    /// Speaks HTTP/2 over a stream that is there already.
    pub(super) async fn over(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, hyper::Error> {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(8 << 20).initial_connection_window_size(16 << 20);
        let (sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
        // Ends with the last client; its error reaches them as theirs.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        let channel = Channel(sender);
        let provider = ProviderClient::with_origin(channel.clone(), origin())
            .max_decoding_message_size(usize::MAX)
            .max_encoding_message_size(usize::MAX);
        Ok(Self { provider, channel })
    }

    /// The stream of further output, which go-plugin opens first of all.
    #[must_use]
    pub fn stdio(&self) -> GrpcStdioClient<Channel> {
        GrpcStdioClient::with_origin(self.channel.clone(), origin())
    }

    /// The side channels.
    #[must_use]
    pub fn broker(&self) -> GrpcBrokerClient<Channel> {
        GrpcBrokerClient::with_origin(self.channel.clone(), origin())
    }

    /// The request to leave.
    #[must_use]
    pub fn controller(&self) -> GrpcControllerClient<Channel> {
        GrpcControllerClient::with_origin(self.channel.clone(), origin())
    }

    /// The health check.
    #[must_use]
    pub fn health(&self) -> HealthClient<Channel> {
        HealthClient::with_origin(self.channel.clone(), origin())
    }

    /// The connection, for a call that no client has a method for.
    #[must_use]
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }
}

fn origin() -> Uri {
    Uri::from_static("http://localhost")
}
